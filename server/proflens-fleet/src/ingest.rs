//! From lines to one shard. It needs nothing from other shards, so that any engine can run it for each of them.
//!
//! A shard is read once (`shard_tables`). At the end all its files go into the lake, under its name: the hash of its lines. The table
//! `sessions` comes last, and rows of the others only count with their session, so that a program that was killed leaves nothing that
//! counts.

use std::collections::BTreeSet;
use std::io;

use fleet::envelope::{Envelope, WrongDimension};
use fleet::ids::Id;
use fleet::{ids, tables};
use profile::decode::decode;
use profile::model::{Amount, Profile};
use profile::problem::Problem;

use crate::inputs::{Group, Input, Lines, not_read, opened};
use crate::lake::Lake;
use crate::shard_tables::{LineAbout, PartitionKey, ShardTables, Unused};

/// The longest session: that of a page does not last for days, and times of years would hide all others.
const MAX_DURATION: Amount = Amount(24 * 3600 * 1_000_000_000);
/// How many names of dimensions without a column are listed.
const MAX_OTHERS: usize = 10;

/// How shards are read.
#[derive(Clone, Debug, Default)]
pub(crate) struct Options {
    /// The release of all sessions; `None` if their lines say it.
    pub(crate) release: Option<String>,
    /// The day of sessions whose lines do not say it.
    pub(crate) date: Option<String>,
}

/// The result of reading a shard.
#[derive(Debug, Default)]
pub(crate) struct Ingested {
    /// The number of sessions that were kept.
    pub(crate) sessions: u64,
    /// What was not used, or is missing.
    pub(crate) problems: Vec<Problem>,
    /// Whether something in the input was not used.
    pub(crate) has_lost: bool,
}

/// Reads a group of inputs and puts their tables into the lake.
///
/// # Errors
/// If a bucket no longer answers, or the lake cannot be written: nothing of the group was kept.
pub(crate) fn ingest(lake: &Lake, group: &Group, options: &Options) -> Result<Ingested, Problem> {
    let mut shard = Shard {
        options,
        tables: ShardTables::new(lake)?,
        hash: ids::NONE,
        others: BTreeSet::new(),
        problems: Vec::new(),
        has_lost: false,
    };
    for (input, lines) in opened(group) {
        shard.read(input, lines)?;
    }
    shard.finish(lake)
}

struct Shard<'a> {
    options: &'a Options,
    tables: ShardTables<'a>,
    hash: Id,
    /// Dimensions without a column.
    others: BTreeSet<String>,
    problems: Vec<Problem>,
    has_lost: bool,
}

/// What is left out of an input, lines or dimensions: how many, and what is wrong with the first.
struct LeftOut<E> {
    number: u64,
    first: Option<(u64, E)>,
}

impl<E> LeftOut<E> {
    fn nothing() -> Self {
        Self { number: 0, first: None }
    }

    fn add(&mut self, line: u64, why: E) {
        self.number += 1;
        self.first.get_or_insert((line, why));
    }
}

impl Shard<'_> {
    fn read(&mut self, input: &Input, lines: io::Result<Lines>) -> Result<(), Problem> {
        let name = input.name();
        let mut lines = match lines {
            Ok(lines) => lines,
            Err(why) => {
                input.is_served()?;
                self.lost(not_read(&name, &why));
                return Ok(());
            }
        };
        let (mut line, mut number, mut good) = (Vec::new(), 0, 0_u64);
        let (mut bad, mut dimensions) = (LeftOut::nothing(), LeftOut::nothing());
        loop {
            number += 1;
            match lines.next(&mut line) {
                Ok(true) => {}
                Ok(false) => break,
                Err(why) => {
                    // What a bucket did not deliver is complete there: half of it would become another shard when it is read
                    // again.
                    input.is_served()?;
                    self.lost(Problem::new(
                        format!("{name} is damaged after line {}: {why}", number - 1),
                        "the lines before that were used; send it again",
                    ));
                    return Ok(());
                }
            }
            if line.is_empty() {
                continue;
            }
            let mut used = self.line(&line);
            if number == 1 && matches!(used, Err(Unused::Line(_))) && lines.rest(&mut line).is_ok() {
                // One object that is spread over several lines.
                match self.line(&line) {
                    Err(Unused::Line(_)) => {}
                    whole => used = whole,
                }
            }
            match used {
                Ok(wrong) => {
                    good += 1;
                    wrong.into_iter().for_each(|why| dimensions.add(number, why));
                }
                Err(Unused::Line(why)) => bad.add(number, why),
                Err(Unused::Shard(problem)) => return Err(problem),
            }
        }
        self.problems.extend(dimensions.problem(&name));
        if let Some(problem) = bad.problem(&name, good) {
            self.lost(problem);
        } else if good == 0 {
            self.lost(Problem::new(
                format!("{name} is empty"),
                "name files that proflens collect wrote, or traces of Profiler.stop()",
            ));
        }
        Ok(())
    }

    fn lost(&mut self, problem: Problem) {
        self.problems.push(problem);
        self.has_lost = true;
    }

    /// Adds the sessions of a line; returns what is wrong with its dimensions.
    fn line(&mut self, line: &[u8]) -> Result<Vec<WrongDimension>, Unused> {
        let profile = decoded(line).map_err(Unused::Line)?;
        let envelope = Envelope::of(line);
        let release = self.release(&envelope).map_err(Unused::Line)?;
        let date = envelope.date().or(self.options.date.clone());
        let about = LineAbout {
            key: PartitionKey { date: date.unwrap_or_else(|| tables::NO_DATE.to_owned()), release },
            dimensions: envelope.dimensions,
            received: envelope.received.unwrap_or(0),
            hash: ids::of_bytes(line),
        };
        let hash = about.hash;
        self.tables.add(&profile, about)?;
        self.hash = ids::node(self.hash, hash);
        for name in envelope.others {
            if self.others.len() >= MAX_OTHERS {
                break;
            }
            self.others.insert(name);
        }
        if self.tables.is_large() {
            self.problems.extend(self.tables.end_segment()?);
        }
        Ok(envelope.wrong)
    }

    fn release(&self, envelope: &Envelope) -> Result<String, Problem> {
        let Some(release) = self.options.release.as_ref().or(envelope.release.as_ref()) else {
            return Err(Problem::new("it does not say its release", "name it with --release"));
        };
        if !tables::is_release(release) {
            let what = format!(
                "its release {release:?} is no name of a folder: letters, digits, dots, - and _ of the ASCII alphabet"
            );
            return Err(Problem::new(what, ""));
        }
        Ok(release.clone())
    }

    fn finish(mut self, lake: &Lake) -> Result<Ingested, Problem> {
        let sessions = self.tables.sessions;
        if sessions > 0 {
            self.problems.extend(self.tables.end_segment()?);
            let name = format!("{:016x}", self.hash);
            if !lake.is_compacted(&name) {
                self.problems.extend(self.tables.publish(&name)?);
                self.problems.extend(without_column(&self.others));
            }
        }
        Ok(Ingested { sessions, problems: self.problems, has_lost: self.has_lost })
    }
}

impl LeftOut<WrongDimension> {
    fn problem(self, name: &str) -> Option<Problem> {
        let (line, why) = self.first?;
        let what = match self.number {
            1 => format!("a dimension in line {line} was left out: {why}"),
            many => format!("{many} dimensions were left out, the first is in line {line}: {why}"),
        };
        Some(Problem::new(what, "").at(name))
    }
}

impl LeftOut<Problem> {
    /// `good` is the number of lines that were used.
    fn problem(self, name: &str, good: u64) -> Option<Problem> {
        let (line, Problem { what: mut why, hint, .. }) = self.first?;
        if !hint.is_empty() {
            why += &format!("; {hint}");
        }
        let others = format!("the other {good} were used");
        Some(match (self.number, good) {
            (_, 0) => Problem::new(format!("{name} holds no session: {why}"), ""),
            (1, _) => Problem::new(format!("line {line} was left out: {why}"), others).at(name),
            (many, _) => {
                Problem::new(format!("{many} lines were left out, the first is line {line}: {why}"), others)
                    .at(name)
            }
        })
    }
}

/// The trace of a line, if it is one of a page.
fn decoded(line: &[u8]) -> Result<Profile, Problem> {
    // Advice about other files does not help here: the lines come from collectors.
    let profile = decode(&mut &*line, "", &()).map_err(|error| error.problem("it").with_hint(""))?;
    if profile.format != "self-profiling" {
        let what = format!("it is a trace of the format {}, which has no place in a fleet", profile.format);
        return Err(Problem::new(what, ""));
    }
    if profile.threads.iter().any(|thread| thread.duration > MAX_DURATION) {
        return Err(Problem::new("its samples span more than a day", ""));
    }
    Ok(profile)
}

/// What is odd about dimensions that the lake has no column for.
fn without_column(names: &BTreeSet<String>) -> Option<Problem> {
    if names.is_empty() {
        return None;
    }
    let list = names.iter().map(String::as_str).collect::<Vec<_>>().join(", ");
    Some(Problem::new(
        format!("These dimensions have no column and were left out: {list}"),
        "the lake has page, device, country, user and release",
    ))
}
