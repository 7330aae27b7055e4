//! Windows of time: the spans of a recording in which costs are added up, and what a selection costs within them.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use crate::model::{Amount, Marker, MarkerKind, Profile, Sample, Thread, Weight};
use crate::plain::look_alike;
use crate::problem::{Problem, count};
use crate::scope::kept::KeptSamples;
use crate::scope::selection::Selection;
use crate::scope::threads::Threads;

/// How many markers are listed in a sentence.
const LISTED: usize = 10;

/// Spans of time of a profile in which costs are looked at. Samples are cut at their edges.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Windows {
    /// Sorted by session and start; spans of one session do not touch.
    spans: Vec<Window>,
    /// What they were made from; each entry narrows what those before it chose.
    chosen: Vec<Chosen>,
}

/// What windows are made from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Chosen {
    /// A span of each session, relative to its earliest sample.
    Between(Amount, Amount),
    /// The markers with these names.
    Markers(Vec<Marked>),
}

/// The markers that a name stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Marked {
    /// The name as given: `checkout`, or `checkout#2` for the second marker with that name.
    pub name: String,
    /// How many markers there are.
    pub times: usize,
    /// The time that they take; overlapping time counts once.
    pub time: Amount,
}

/// Markers from which a window can be made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MarkerChoice {
    /// The name that stands for them, and the time that they take.
    pub marked: Marked,
    /// When the first one begins, on the axis of its session.
    pub start: Amount,
}

/// A span on the axis of a session; see [`Thread::start`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Window {
    session: u32,
    start: u64,
    /// The end, exclusive.
    end: u64,
    /// How much time is in the earlier spans of the session.
    before: u64,
}

impl Windows {
    /// Selects the same span of each session.
    ///
    /// # Errors
    /// If the trace has no time axis, or the span ends before it begins.
    pub fn between(profile: &Profile, trace: &str, from: Amount, to: Amount) -> Result<Self, Problem> {
        has_axis(profile, trace)?;
        if to <= from {
            return Err(Problem::new(
                "A window of time ends after it begins",
                "name the earlier moment first",
            ));
        }
        let sessions = profile.main_threads().map(|it| it.session);
        let spans = sessions.map(|session| Window { session, start: from.0, end: to.0, before: 0 });
        Ok(Self { spans: joined(spans.collect()), chosen: vec![Chosen::Between(from, to)] })
    }

    /// Selects the markers with these names in the processes of these threads. `checkout` stands for all markers with that
    /// name, `checkout#2` for the second one. A mark lasts until the next mark, and a navigation until the next navigation.
    ///
    /// # Errors
    /// If a name does not exist; the problem is about the first such name, and lists those that do.
    pub fn of_markers(
        profile: &Profile,
        trace: &str,
        threads: &Threads,
        names: &[String],
    ) -> Result<Self, Problem> {
        has_axis(profile, trace)?;
        let lasting = lasting(profile, threads);
        let (mut spans, mut marked) = (Vec::new(), Vec::new());
        for name in names {
            let found = named(profile, trace, &lasting, name)?;
            let times = found.len();
            let found = joined(found);
            let time = found.iter().map(|it| Amount(it.end - it.start)).sum();
            marked.push(Marked { name: name.clone(), times, time });
            spans.extend(found);
        }
        Ok(Self { spans: joined(spans), chosen: vec![Chosen::Markers(marked)] })
    }

    /// The time that is in both.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        let mut spans = Vec::new();
        let mut others = other.spans.iter().peekable();
        for it in &self.spans {
            while others.next_if(|other| (other.session, other.end) <= (it.session, it.start)).is_some() {}
            let mut overlapping = others.clone();
            while let Some(other) =
                overlapping.next_if(|other| (other.session, other.start) < (it.session, it.end))
            {
                spans.push(Window { start: it.start.max(other.start), end: it.end.min(other.end), ..*it });
            }
        }
        Self { spans: joined(spans), chosen: self.chosen.into_iter().chain(other.chosen).collect() }
    }

    /// What the windows were made from; each entry narrows what those before it chose.
    pub fn chosen(&self) -> &[Chosen] {
        &self.chosen
    }

    fn of_session(&self, session: u32) -> &[Window] {
        let first = self.spans.partition_point(|it| it.session < session);
        let last = self.spans.partition_point(|it| it.session <= session);
        &self.spans[first..last]
    }
}

impl Selection<'_> {
    /// Reduces the selection to these windows. A sample is counted where it was taken, and its time is cut at the edges;
    /// threads on which nothing remains are left out.
    #[must_use]
    pub fn within(self, windows: &Windows) -> Self {
        let cut = self.threads.into_iter().zip(self.role_of).filter_map(|(thread, role)| {
            Some((Cow::Owned(cut(&thread, windows.of_session(thread.session))?), role))
        });
        let (threads, role_of) = cut.unzip();
        Self { threads, role_of, ..self }
    }
}

/// The part of a thread within these spans.
fn cut(thread: &Thread, spans: &[Window]) -> Option<Thread> {
    let start = thread.start?;
    let mut kept = KeptSamples::default();
    let log = &thread.in_order;
    for ((taken, Sample { on, weight }, place), labels) in log.with_times_and_places().zip(log.labels()) {
        let taken = start.0.saturating_add_signed(taken);
        let (before, is_in) = passed(spans, taken);
        let (after, _) = passed(spans, taken.saturating_add(weight.time.0));
        let weight = Weight { time: Amount(after - before), samples: if is_in { weight.samples } else { 0 } };
        if weight == Weight::default() {
            continue;
        }
        let taken = if is_in { taken } else { next_start(spans, taken) };
        kept.add(taken, Sample { on, weight }, place, labels);
    }
    let forced = thread.forced.iter().filter(|it| passed(spans, it.start.0).1).copied().collect();
    Some(Thread { forced, ..kept.of(thread)? })
}

/// How much time of the spans has passed at a moment, and whether the moment is in one.
fn passed(spans: &[Window], moment: u64) -> (u64, bool) {
    let last = spans.partition_point(|it| it.start <= moment).checked_sub(1).map(|it| &spans[it]);
    last.map_or((0, false), |it| (it.before + (moment.min(it.end) - it.start), moment < it.end))
}

/// Where the next span begins.
fn next_start(spans: &[Window], moment: u64) -> u64 {
    spans.get(spans.partition_point(|it| it.start <= moment)).map_or(moment, |it| it.start)
}

/// Sorts spans, and merges those that overlap or touch.
fn joined(mut spans: Vec<Window>) -> Vec<Window> {
    spans.retain(|it| it.start < it.end);
    spans.sort_unstable();
    spans.dedup_by(|next, kept| {
        let touches = next.session == kept.session && next.start <= kept.end;
        if touches {
            kept.end = kept.end.max(next.end);
        }
        touches
    });
    let mut last: Option<Window> = None;
    for it in &mut spans {
        let before = last.filter(|last| last.session == it.session);
        it.before = before.map_or(0, |last| last.before + (last.end - last.start));
        last = Some(*it);
    }
    spans
}

/// The markers of the processes of these threads, in order, with the span that each stands for.
fn lasting<'p>(profile: &'p Profile, threads: &Threads) -> Vec<(&'p Marker, Window)> {
    let mut processes: Vec<(u32, u32)> =
        threads.of(profile).iter().map(|it| (it.session, it.process)).collect();
    processes.sort_unstable();
    processes.dedup();
    let mut end_of: BTreeMap<u32, u64> = BTreeMap::new();
    for thread in &profile.threads {
        let end = thread.start.unwrap_or_default().0.saturating_add(thread.in_order.length().0);
        let last = end_of.entry(thread.session).or_default();
        *last = end.max(*last);
    }
    // From the last marker back: where the next one that is a moment begins, by process and kind.
    let mut next: FxHashMap<(u32, u32, MarkerKind), u64> = FxHashMap::default();
    let mut found: Vec<_> = Vec::new();
    let is_of = |it: &&Marker| processes.binary_search(&(it.session, it.process)).is_ok();
    for marker in profile.markers.iter().rev().filter(is_of) {
        let &Marker { session, process, kind, start, duration, .. } = marker;
        let mut end = start.0.saturating_add(duration.0);
        if duration == Amount(0) {
            let last = end_of.get(&session).copied().unwrap_or_default();
            end = next.insert((session, process, kind), start.0).unwrap_or(last);
        }
        found.push((marker, Window { session, start: start.0, end, before: 0 }));
    }
    found.reverse();
    found
}

/// The spans of the markers with a name, or else with one that looks like it: React's begin with a character that nobody can see.
fn spans_of(profile: &Profile, lasting: &[(&Marker, Window)], wanted: &str) -> Vec<Window> {
    let names = lasting.iter().map(|(marker, span)| (profile.strings.get(marker.name), *span));
    let exact: Vec<Window> = names.clone().filter(|(name, _)| *name == wanted).map(|it| it.1).collect();
    if !exact.is_empty() {
        return exact;
    }
    names.filter(|(name, _)| look_alike(name, wanted)).map(|it| it.1).collect()
}

/// The spans of the markers that a name stands for.
fn named(
    profile: &Profile,
    trace: &str,
    lasting: &[(&Marker, Window)],
    wanted: &str,
) -> Result<Vec<Window>, Problem> {
    let all = spans_of(profile, lasting, wanted);
    if !all.is_empty() {
        return Ok(all);
    }
    let numbered =
        wanted.rsplit_once('#').and_then(|(name, number)| Some((name, number.parse::<usize>().ok()?)));
    if let Some((name, number)) = numbered {
        let all = spans_of(profile, lasting, name);
        if let Some(&span) = number.checked_sub(1).and_then(|it| all.get(it)) {
            return Ok(vec![span]);
        }
        if !all.is_empty() {
            let times = count(all.len() as u64, "time", "times");
            let hint = format!("name one of them with a number, such as {name}#{}", all.len());
            return Err(Problem::new(format!("The marker \"{name}\" occurs {times} in {trace}"), hint));
        }
    }
    Err(unknown(profile, trace, lasting, wanted))
}

/// The windows that can be made from the markers of the processes of these threads: markers of the program first, most
/// frequent first. Interactions are chosen individually, slowest first.
pub fn marker_choices(profile: &Profile, threads: &Threads, most: usize) -> Vec<MarkerChoice> {
    let mut choices = Vec::new();
    for (name, (kind, spans)) in by_name(profile, &lasting(profile, threads)) {
        if kind == MarkerKind::Interaction && spans.len() > 1 {
            let numbered =
                spans.iter().zip(1..).map(|(&span, number)| (format!("{name}#{number}"), vec![span]));
            choices.extend(numbered.map(|(name, span)| (kind, choice(name, span))));
        } else {
            choices.push((kind, choice(name.to_owned(), spans)));
        }
    }
    choices.sort_by_key(|(kind, MarkerChoice { marked, .. })| {
        let slowest = if *kind == MarkerKind::Interaction { marked.time } else { Amount(0) };
        (*kind, Reverse(marked.times), Reverse(slowest), marked.name.clone())
    });
    choices.into_iter().take(most).map(|it| it.1).collect()
}

fn choice(name: String, spans: Vec<Window>) -> MarkerChoice {
    let start = spans.iter().map(|span| Amount(span.start)).min().unwrap_or_default();
    let times = spans.len();
    let time = joined(spans).iter().map(|span| Amount(span.end - span.start)).sum();
    MarkerChoice { marked: Marked { name, times, time }, start }
}

/// The kind and spans of the markers with each name, in order.
fn by_name<'p>(
    profile: &'p Profile,
    lasting: &[(&Marker, Window)],
) -> BTreeMap<&'p str, (MarkerKind, Vec<Window>)> {
    let mut by_name: BTreeMap<&str, (MarkerKind, Vec<Window>)> = BTreeMap::new();
    for &(marker, span) in lasting {
        by_name.entry(profile.strings.get(marker.name)).or_insert((marker.kind, Vec::new())).1.push(span);
    }
    by_name
}

/// Suggests other names for one that does not exist: similar ones first, then those of the program, most frequent first.
fn unknown(profile: &Profile, trace: &str, lasting: &[(&Marker, Window)], wanted: &str) -> Problem {
    let by_name = by_name(profile, lasting);
    if by_name.is_empty() {
        return Problem::new(
            format!("{trace} has no markers"),
            "performance traces of Chrome and Firefox profiles have them, and a window of any recording with times is \
             --between FROM TO",
        );
    }
    let wanted_lower = wanted.to_lowercase();
    let mut names: Vec<_> =
        by_name.into_iter().map(|(name, (kind, spans))| (name, kind, spans.len())).collect();
    names.sort_by_key(|&(name, kind, times)| {
        let lower = name.to_lowercase();
        let is_like = lower.contains(&wanted_lower) || wanted_lower.contains(&lower);
        (!is_like, kind, Reverse(times), name)
    });
    let more = names.len().checked_sub(LISTED + 1).map(|it| format!("{} more", it + 1));
    let list = names.iter().take(LISTED).map(|&(name, _, times)| match times {
        1 => name.to_owned(),
        _ => format!("{name} ({times} times)"),
    });
    let list = list.chain(more).collect::<Vec<_>>().join("; ");
    Problem::new(format!("{trace} has no marker \"{wanted}\""), format!("name one of these: {list}"))
}

/// Whether a trace has a time axis.
fn has_axis(profile: &Profile, trace: &str) -> Result<(), Problem> {
    if profile.threads.iter().any(|it| it.start.is_some()) {
        return Ok(());
    }
    Err(Problem::new(
        format!("{trace} ({}) does not say when its samples were taken", profile.format),
        "a .cpuprofile with samples, a performance trace of Chrome or a Firefox profile does",
    ))
}

/// After everything: used as a moment, it is the end of any recording.
pub const END: Amount = Amount(u64::MAX);

/// Parses a moment or a length of time as users write it: `1.2s`, `300ms`, `1.5` (seconds), or `end`.
///
/// # Errors
/// If it is neither; the problem shows how to write it.
pub fn parse_time(text: &str) -> Result<Amount, Problem> {
    let trimmed = text.trim();
    if trimmed == "end" {
        return Ok(END);
    }
    let unit_at = trimmed.find(|it: char| it.is_alphabetic()).unwrap_or(trimmed.len());
    let (number, unit) = trimmed.split_at(unit_at);
    let nanos = match unit {
        "" | "s" => 1e9,
        "ms" => 1e6,
        "us" | "µs" => 1e3,
        "ns" => 1.0,
        _ => f64::NAN,
    };
    let number = number.trim_end();
    let is_plain = number.starts_with(|it: char| it.is_ascii_digit() || it == '.');
    let time = number.parse::<f64>().map_or(f64::NAN, |it| it * nanos).round();
    // Beyond 104 days, whole nanoseconds are not exact.
    if !is_plain || !(0.0..=9_007_199_254_740_992.0).contains(&time) {
        return Err(Problem::new(
            format!("\"{text}\" is no time"),
            "write it as 1.2s, 300ms or 1.5, which are seconds, or as end",
        ));
    }
    Ok(Amount(time as u64))
}

#[cfg(test)]
mod tests;
