//! The engine of this program: adds up the chosen sessions on all cores, a shard at a time.

use std::sync::Mutex;
use std::sync::PoisonError;
use std::sync::atomic::{AtomicUsize, Ordering};

use fleet::{CostRow, Row, Sums, tables};
use profile::{Amount, Weight};

use crate::chosen::{Chosen, Part};
use crate::lake::Lake;

/// The result of the query `slice`.
///
/// # Errors
/// One sentence about a file that cannot be read, or sums that do not fit.
pub(crate) fn slice(lake: &Lake, chosen: &Chosen) -> Result<Vec<Row>, String> {
    let sums = on_all_cores(&chosen.parts, |part, sums: &mut Sums| {
        let columns = ["stack", "ns", "samples"];
        part.read(lake, &tables::STACKS, &columns, |rows| {
            let [stack, ns, samples] = columns.map(|it| rows.integers(it));
            for row in 0..rows.len() {
                let (time, samples) = (Amount(ns[row].cast_unsigned()), samples[row].cast_unsigned());
                sums.add_stack(stack[row], Weight { time, samples });
            }
            Ok(())
        })?;
        let columns = [
            "definition",
            "self_ns",
            "total_ns",
            "self_samples",
            "total_samples",
            "self_bucket",
            "total_bucket",
        ];
        part.read(lake, &tables::COSTS, &columns, |rows| {
            let columns = columns.map(|it| rows.integers(it));
            for row in 0..rows.len() {
                let [definition, self_ns, total_ns, self_samples, total_samples, own, total] =
                    columns.map(|it| it[row]);
                let [self_ns, total_ns, self_samples, total_samples] =
                    [self_ns, total_ns, self_samples, total_samples].map(i64::cast_unsigned);
                let cost = CostRow { definition, self_ns, total_ns, self_samples, total_samples };
                sums.add_cost(&cost, [own, total]);
            }
            Ok(())
        })?;
        Ok(())
    })?;
    // The sums of the first thread take in those of the others.
    let mut sums = sums.into_iter();
    let mut all = sums.next().unwrap_or_default();
    sums.for_each(|it| all.merge(it));
    let [active, total, samples] = chosen.totals.sums;
    all.add_sessions(active, total, samples, chosen.totals.sessions);
    all.rows().map_err(|why| format!("The sessions cannot be added up: {why}."))
}

/// Calls a function for each part, on as many threads as there are cores; returns what each thread has added up.
///
/// # Errors
/// The first error of a part.
pub(crate) fn on_all_cores<T: Default + Send>(
    parts: &[Part],
    add: impl Fn(&Part, &mut T) -> Result<(), String> + Sync,
) -> Result<Vec<T>, String> {
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let (next, results) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let work = || {
        let mut sum = T::default();
        let mut result = Ok(());
        while let Some(part) = parts.get(next.fetch_add(1, Ordering::Relaxed)) {
            result = add(part, &mut sum);
            if result.is_err() {
                break;
            }
        }
        results.lock().unwrap_or_else(PoisonError::into_inner).push(result.map(|()| sum));
    };
    std::thread::scope(|scope| (0..cores.min(parts.len())).for_each(|_| _ = scope.spawn(work)));
    results.into_inner().unwrap_or_else(PoisonError::into_inner).into_iter().collect()
}
