//! This program's own engine: adds up the chosen sessions on all cores, a shard at a time.

use std::panic::resume_unwind;
use std::sync::atomic::{AtomicUsize, Ordering};

use fleet::costs::CostRow;
use fleet::rows::{Row, Sums};
use fleet::tables;
use profile::problem::Problem;

use crate::chosen::{Chosen, Part};
use crate::lake::Lake;
use crate::table_reader::weight;

/// The result of the query `slice`.
///
/// # Errors
/// If a file cannot be read, or sums do not fit.
pub(crate) fn slice_rows(lake: &Lake, chosen: &Chosen) -> Result<Vec<Row>, Problem> {
    let sums = on_all_cores(&chosen.parts, |part, sums: &mut Sums| add(lake, part, sums))?;
    // The sums of the other threads are added to those of the first.
    let mut of_threads = sums.into_iter();
    let mut all = of_threads.next().unwrap_or_default();
    of_threads.for_each(|sums| all.merge(sums));
    let [active, total, samples] = chosen.totals.sums;
    all.add_sessions(active, total, samples, chosen.totals.sessions);
    Ok(all.rows()?)
}

fn add(lake: &Lake, part: &Part, sums: &mut Sums) -> Result<(), Problem> {
    let columns = ["stack", "ns", "samples"];
    part.read(lake, &tables::STACKS, &columns, |rows| {
        let [stack, ns, samples] = rows.all_integers(columns);
        for row in 0..rows.len() {
            sums.add_stack(stack[row], weight(ns[row], samples[row]));
        }
        Ok(())
    })?;
    let columns =
        ["definition", "self_ns", "total_ns", "self_samples", "total_samples", "self_bucket", "total_bucket"];
    part.read(lake, &tables::COSTS, &columns, |rows| {
        let [definition, self_ns, total_ns, self_samples, total_samples, own, total] =
            rows.all_integers(columns);
        for row in 0..rows.len() {
            let cost = CostRow {
                definition: definition[row],
                self_ns: self_ns[row].cast_unsigned(),
                total_ns: total_ns[row].cast_unsigned(),
                self_samples: self_samples[row].cast_unsigned(),
                total_samples: total_samples[row].cast_unsigned(),
            };
            sums.add_cost(&cost, [own[row], total[row]]);
        }
        Ok(())
    })
}

/// Calls a function for each part, on as many threads as there are cores; returns what each thread has added up.
///
/// # Errors
/// The error of a part.
pub(crate) fn on_all_cores<T: Default + Send>(
    parts: &[Part],
    add: impl Fn(&Part, &mut T) -> Result<(), Problem> + Sync,
) -> Result<Vec<T>, Problem> {
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let next = AtomicUsize::new(0);
    let results = on_threads(cores.min(parts.len()), || {
        let mut sum = T::default();
        while let Some(part) = parts.get(next.fetch_add(1, Ordering::Relaxed)) {
            add(part, &mut sum)?;
        }
        Ok(sum)
    });
    results.into_iter().collect()
}

/// Calls a function on each of several threads; returns what each of them has made.
pub(crate) fn on_threads<T: Send>(threads: usize, work: impl Fn() -> T + Sync) -> Vec<T> {
    std::thread::scope(|scope| {
        let started: Vec<_> = (0..threads).map(|_| scope.spawn(&work)).collect();
        let ended = started.into_iter().map(|thread| thread.join());
        ended.map(|result| result.unwrap_or_else(|panic| resume_unwind(panic))).collect()
    })
}
