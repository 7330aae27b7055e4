//! Style and layout that functions forced, by definition of the workspace: how often, how long, and where.
//!
//! ```text
//! forced      layout 3 ms by widen at 12:14, layout 1 ms by widen at 12:14, style 1 ms by (anonymous) at 40:2
//! definitions widen: layout 2 times, 4 ms (offsetWidth, line 12)
//! ```
//!
//! This time is part of the self times of these functions, and is not added to anything.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::ops::AddAssign;
use std::sync::Arc;

use profile::model::{Amount, AskedFor, ForcedRendering, FunctionId, Profile, RenderingKind};
use profile::scope::Selection;
use source::text::LineCol;

use crate::format::{Style, count, time};
use crate::summary::{CallEnd, Keys};
use crate::symbolicate::Symbols;

/// What functions forced.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rendering {
    /// By function; [`CallEnd::Entry`] stands for rendering that was forced by no function that the trace names.
    pub functions: BTreeMap<CallEnd, ForcedByFunction>,
}

/// What one function forced.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ForcedByFunction {
    /// Its display name; empty if it has none.
    pub name: Arc<str>,
    /// The start of the name of a definition, or of itself if it has none; as editors count, 0-based, UTF-16.
    pub start: Option<LineCol>,
    /// All that it forced.
    pub forced: Forced,
    /// The same, by place.
    pub sites: BTreeMap<Site, Forced>,
}

/// A place at which a function forced style or layout.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Site {
    /// The 0-based line of its file as it was when the trace was loaded, if known.
    pub line: Option<u32>,
    /// What it asked for, such as `offsetWidth`.
    pub asked_for: Option<Arc<str>>,
}

/// How often style and layout were forced, and how long they took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Forced {
    /// The number of style computations.
    pub styles: u64,
    /// The time that they took.
    pub style_time: Amount,
    /// The number of layouts.
    pub layouts: u64,
    /// The time that they took.
    pub layout_time: Amount,
}

impl Rendering {
    /// What functions forced in a part of a profile; `None` if nothing.
    pub(crate) fn of(
        profile: &Profile,
        selection: &Selection<'_>,
        symbols: &Symbols,
        keys: &Keys,
    ) -> Option<Self> {
        let mut rendering = Self::default();
        for forced in selection.threads.iter().flat_map(|thread| &thread.forced) {
            let function = forced.stack.map(|stack| selection.stacks.function[stack.0 as usize]);
            let cost = Forced::of(forced);
            match function {
                Some(function) => {
                    let site = Site::of(forced, function, profile, symbols);
                    rendering.add(cost, function, site, keys);
                }
                None => rendering.functions.entry(CallEnd::Entry).or_default().forced += cost,
            }
        }
        (!rendering.functions.is_empty()).then_some(rendering)
    }

    fn add(&mut self, cost: Forced, function: FunctionId, site: Site, keys: &Keys) {
        let end = &*keys.ends[keys.of_function[function.0 as usize] as usize];
        let of_function = match self.functions.get_mut(end) {
            Some(known) => known,
            None => {
                let definition = keys.definition(function).map(|(_, measured)| measured);
                let (name, start) = match (end, definition) {
                    (_, Some(measured)) => (Arc::clone(&measured.name), Some(measured.start)),
                    (CallEnd::Unplaced(function), None) => (Arc::clone(&function.name), None),
                    _ => Default::default(),
                };
                let new = ForcedByFunction { name, start, ..ForcedByFunction::default() };
                self.functions.entry(end.clone()).or_insert(new)
            }
        };
        *of_function.sites.entry(site).or_default() += cost;
        of_function.forced += cost;
    }

    /// Adds what was forced in another recording.
    pub(crate) fn add_all(&mut self, other: Self) {
        for (end, added) in other.functions {
            match self.functions.entry(end) {
                Entry::Vacant(free) => _ = free.insert(added),
                Entry::Occupied(mut taken) => {
                    let known = taken.get_mut();
                    known.forced += added.forced;
                    for (site, forced) in added.sites {
                        *known.sites.entry(site).or_default() += forced;
                    }
                }
            }
        }
    }

    /// The sum over all functions.
    pub fn all(&self) -> Forced {
        let mut all = Forced::default();
        self.functions.values().for_each(|it| all += it.forced);
        all
    }

    /// The functions; those whose rendering took the most time come first.
    pub fn costliest(&self) -> Vec<(&CallEnd, &ForcedByFunction)> {
        let mut all: Vec<_> = self.functions.iter().collect();
        all.sort_by(|a, b| Reverse(a.1.forced.time()).cmp(&Reverse(b.1.forced.time())).then(a.0.cmp(b.0)));
        all
    }
}

impl Site {
    fn of(forced: &ForcedRendering, function: FunctionId, profile: &Profile, symbols: &Symbols) -> Self {
        Self {
            line: forced.at.and_then(|at| symbols.line(function, at)),
            asked_for: match forced.asked_for {
                AskedFor::Named(name) => Some(profile.strings.get(name).into()),
                AskedFor::AtPlace => forced.at.and_then(|at| symbols.asked_for(function, at)).cloned(),
                AskedFor::Unknown => None,
            },
        }
    }
}

impl ForcedByFunction {
    /// Its places; those where rendering took the most time come first.
    pub fn costliest_sites(&self) -> Vec<(&Site, Forced)> {
        let mut all: Vec<_> = self.sites.iter().map(|(site, forced)| (site, *forced)).collect();
        all.sort_by(|a, b| Reverse(a.1.time()).cmp(&Reverse(b.1.time())).then(a.0.cmp(b.0)));
        all
    }

    /// The costliest place in words, with what is asked for there as `quoted` shows it: `offsetWidth, line 88 and 2 more places`;
    /// `None` if nothing is known about it. `line_today` returns the lines of today, 0-based.
    pub fn site_text(
        &self,
        quoted: impl Fn(&str) -> String,
        line_today: impl Fn(u32) -> Option<u32>,
    ) -> Option<String> {
        let sites = self.costliest_sites();
        let (first, _) = sites.first()?;
        let asked_for = first.asked_for.as_deref().map(quoted);
        let line = first.line.and_then(line_today).map(|line| format!("line {}", line + 1));
        let known: Vec<String> = asked_for.into_iter().chain(line).collect();
        let more = match sites.len() - 1 {
            0 => String::new(),
            more => format!(" and {}", count(more as u64, "more place")),
        };
        (!known.is_empty()).then(|| known.join(", ") + &more)
    }
}

impl Forced {
    fn of(forced: &ForcedRendering) -> Self {
        match forced.kind {
            RenderingKind::Style => Self { styles: 1, style_time: forced.duration, ..Self::default() },
            RenderingKind::Layout => Self { layouts: 1, layout_time: forced.duration, ..Self::default() },
        }
    }

    /// The time of style and layout together.
    pub fn time(&self) -> Amount {
        self.style_time + self.layout_time
    }

    /// How often, and how long in total: `layout 12 times, style 10 times, 34 ms`.
    pub fn text(&self) -> String {
        let times = [("layout", self.layouts), ("style", self.styles)].into_iter().filter(|it| it.1 > 0);
        let times: Vec<String> =
            times.map(|(what, number)| format!("{what} {}", count(number, "time"))).collect();
        format!("{}, {}", times.join(", "), time(self.time(), Style::Text))
    }
}

impl AddAssign for Forced {
    fn add_assign(&mut self, other: Self) {
        self.styles += other.styles;
        self.style_time += other.style_time;
        self.layouts += other.layouts;
        self.layout_time += other.layout_time;
    }
}
