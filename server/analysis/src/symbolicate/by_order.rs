//! Finds the functions of a text that was transformed before it ran, by their order, their names and the distances between them.
//!
//! Loaders keep the order of functions. So the functions of a trace, sorted by position, are aligned with those of a
//! [`Layout`], much as a diff aligns two texts. The more the distance between two neighbours in the trace differs from
//! their distance in the layout, the more the pair costs. All costs are in nats: the negative logarithm of the
//! likelihood, minus what a perfect fit costs too. A function counts as found if the best alignment that makes it another
//! function, or none, costs clearly more.
//!
//! ```text
//! trace                       layout                      cost
//! 12:10 parse                 40:10 Parser.parse          0
//! 14:31 (anonymous)           42:31 map callback          0: two lines on, at the same column
//!                             43:31 filter callback       not sampled: costs nothing
//! 17:12 get size              45:12 get size              0: three lines on
//! ```

use source::definition::{Definition, DefinitionId, DefinitionKind, Outline};
use source::loaders::{Layout, PrintedFunction};
use source::name::{is_name_of, is_of_default_export, names_agree};

use crate::bars;

/// An alignment leaves out fewer functions in a row than this.
const MAX_LEFT_OUT: usize = 5;
/// How many ways to continue are kept for each function.
const MAX_WAYS: usize = 48;

/// The suffix with which Firefox names a nameless function after the one that it is in.
const IN_NAMED: &str = "/<";

/// A function of a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct SeenFunction<'a> {
    /// From 0.
    pub(super) line: u32,
    /// From 0, in UTF-16 units.
    pub(super) column: u32,
    pub(super) name: &'a str,
}

/// The best alignment of the functions of a trace with a layout.
#[derive(Debug)]
pub(super) struct Alignment {
    /// The cost of the alignment.
    pub(super) cost: f64,
    /// For each function of the trace, the one of the layout.
    pub(super) found: Vec<Option<Match>>,
}

/// The function of a layout that a function of a trace is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Match {
    /// An index into [`Layout::functions`].
    pub(super) function: usize,
    /// How much more the alignment costs if the function is another one, or none.
    pub(super) margin: f64,
}

/// Aligns the functions of a trace, sorted, with a layout of a text.
pub(super) fn align(seen: &[SeenFunction<'_>], layout: &Layout, text: &str, outline: &Outline) -> Alignment {
    let mut sums = vec![0.0];
    for it in seen {
        sums.push(sums[sums.len() - 1] + cost_left_out(it.name, outline));
    }
    let costs = Costs { layout, text, outline, seen, sums };
    let ways = costs.forward();
    costs.choose(&ways)
}

/// A function of the layout that a function of the trace may be, and the cost of getting there, including its own.
#[derive(Clone, Copy)]
struct Way {
    function: usize,
    name_cost: f64,
    cost: f64,
}

struct Costs<'a> {
    layout: &'a Layout,
    text: &'a str,
    outline: &'a Outline,
    seen: &'a [SeenFunction<'a>],
    /// The cost of leaving out all functions of the trace before each function.
    sums: Vec<f64>,
}

impl Costs<'_> {
    /// For each function of the trace, the cheapest ways to it by function of the layout, in order.
    fn forward(&self) -> Vec<Vec<Way>> {
        let functions = &self.layout.functions;
        let mut ways: Vec<Vec<Way>> = Vec::new();
        for (at, seen) in self.seen.iter().enumerate() {
            let mut here = Vec::new();
            for (function, printed) in functions.iter().enumerate() {
                let definition = self.outline.get(printed.definition);
                let parent = definition.parent.map(|parent| self.outline.get(parent));
                if !may_be_inside(seen.name, parent) {
                    continue;
                }
                let Some(name_cost) = name_cost(seen.name, printed, definition) else { continue };
                if !seen.name.starts_with('<') && self.is_known_by_constructor(printed.definition) {
                    continue;
                }
                let mut cost = self.sums[at] + self.start(seen, printed);
                let earlier = ways.iter().enumerate().skip(at.saturating_sub(MAX_LEFT_OUT));
                for (before, known) in earlier {
                    let left_out = self.left_out(before, at);
                    for way in known.iter().take_while(|it| it.function < function) {
                        let so_far = way.cost + left_out;
                        if so_far < cost && self.are_two(way.function, function) {
                            cost = cost.min(so_far + self.step(before, at, way.function, function));
                        }
                    }
                }
                here.push(Way { function, name_cost, cost: cost + name_cost });
            }
            here.sort_by(|a, b| a.cost.total_cmp(&b.cost));
            here.truncate(MAX_WAYS);
            here.sort_by_key(|it| it.function);
            ways.push(here);
        }
        ways
    }

    /// Whether a function with the name of a class can only be its constructor. V8 gives that name to static code, too.
    fn is_known_by_constructor(&self, class: DefinitionId) -> bool {
        self.outline.constructor(class).is_some()
            && !self.text[self.outline.get(class).range].contains("static")
    }

    /// Goes back from the end, so that the cheapest alignment through each way is known, and the cheapest one that leaves a
    /// function of the trace out.
    fn choose(&self, ways: &[Vec<Way>]) -> Alignment {
        let functions = &self.layout.functions;
        let (all, len) = (self.sums[self.seen.len()], self.seen.len());
        // What everything after each way costs at least.
        let mut rest: Vec<Vec<f64>> = ways.iter().map(|here| vec![0.0; here.len()]).collect();
        let mut without = vec![all; len];
        let mut best = all;
        for at in (0..len).rev() {
            for (index, way) in ways[at].iter().enumerate() {
                let none_after = all - self.sums[at + 1];
                lower(&mut without[at + 1..], way.cost + none_after);
                let mut after = none_after;
                for next in at + 1..len.min(at + 1 + MAX_LEFT_OUT) {
                    for (following, rest) in ways[next].iter().zip(&rest[next]) {
                        if following.function > way.function && self.are_two(way.function, following.function)
                        {
                            let step = self.step(at, next, way.function, following.function);
                            let cost = self.left_out(at, next) + step + following.name_cost + rest;
                            lower(&mut without[at + 1..next], way.cost + cost);
                            after = after.min(cost);
                        }
                    }
                }
                rest[at][index] = after;
                let start = self.start(&self.seen[at], &functions[way.function]);
                lower(&mut without[..at], self.sums[at] + start + way.name_cost + after);
                best = best.min(way.cost + after);
            }
        }
        let found = (0..len).map(|at| {
            // By function of the layout, the cheapest alignment that has it, cheapest first.
            let mut through: Vec<(usize, f64)> =
                ways[at].iter().zip(&rest[at]).map(|(way, rest)| (way.function, way.cost + rest)).collect();
            through.sort_by(|a, b| a.1.total_cmp(&b.1));
            let &(function, cost) = through.first()?;
            let definition = functions[function].definition;
            let mut others = through.iter().filter(|(other, _)| functions[*other].definition != definition);
            let other = others.next().map_or(without[at], |(_, cost)| cost.min(without[at]));
            (cost < other).then_some(Match { function, margin: other - cost })
        });
        Alignment { cost: best, found: found.collect() }
    }

    /// Whether two functions of a trace may be these two of the layout. One definition is one function, with two
    /// exceptions: the functions that engines make of the fields of a class, and an async function that was rewritten as
    /// one with its name around a generator without a name.
    fn are_two(&self, one: usize, other: usize) -> bool {
        let [one, other] = [one, other].map(|it| &self.layout.functions[it]);
        one.definition != other.definition
            || one.is_named != other.is_named
            || self.outline.get(one.definition).kind == DefinitionKind::Class
    }

    /// The cost of leaving out the functions of the trace between two others.
    fn left_out(&self, from: usize, to: usize) -> f64 {
        self.sums[to] - self.sums[from + 1]
    }

    /// The cost of matching these two functions of the trace with these two of the layout, and none between them.
    fn step(&self, from: usize, to: usize, printed_from: usize, printed_to: usize) -> f64 {
        let (a, b) = (&self.seen[from], &self.seen[to]);
        let (p, q) = (&self.layout.functions[printed_from], &self.layout.functions[printed_to]);
        let seen_lines = f64::from(b.line) - f64::from(a.line);
        let lines = f64::from(q.line) - f64::from(p.line);
        let is_one_line = seen_lines == 0.0 && lines == 0.0;
        let seen_columns = f64::from(b.column) - f64::from(a.column);
        let printed_columns = f64::from(q.column) - f64::from(p.column);
        if self.layout.is_dense {
            if seen_lines != lines {
                return bars::DENSE_LINES.cost(seen_lines - lines, lines) + bars::COST_OTHER_LINE;
            }
            let (seen, printed) = match is_one_line {
                true => (seen_columns, printed_columns),
                // Columns since the last line break.
                false => (f64::from(b.column), f64::from(q.column)),
            };
            return bars::DENSE_COLUMNS.cost(seen - printed, printed);
        }
        let by_lines = bars::LINES.cost(seen_lines - lines, lines.max(seen_lines));
        match is_one_line {
            true => by_lines + bars::COLUMNS.cost(seen_columns - printed_columns, printed_columns),
            false => by_lines + self.column(b, q),
        }
    }

    /// The cost of this being the first function of the trace. Loaders write code of their own before that of a text.
    fn start(&self, seen: &SeenFunction<'_>, printed: &PrintedFunction) -> f64 {
        if self.layout.is_dense {
            let by = f64::from(seen.column) - f64::from(printed.column);
            return bars::DENSE_FIRST_COLUMN.cost(by, 0.0);
        }
        let line = f64::from(printed.line);
        bars::FIRST_LINE.cost(f64::from(seen.line) - line, line) + self.column(seen, printed)
    }

    /// The cost of the column of a function that is the first on its line.
    fn column(&self, seen: &SeenFunction<'_>, printed: &PrintedFunction) -> f64 {
        if printed.column_after_comment == Some(seen.column) && printed.column != seen.column {
            return bars::COST_AFTER_COMMENT;
        }
        bars::FIRST_COLUMN.cost(f64::from(seen.column) - f64::from(printed.column), 0.0)
    }
}

/// Lowers the costs that are higher to a cost.
fn lower(costs: &mut [f64], to: f64) {
    costs.iter_mut().for_each(|cost| *cost = cost.min(to));
}

fn is_nameless(name: &str) -> bool {
    matches!(name, "" | "(anonymous)" | "anonymous") || name.ends_with(IN_NAMED)
}

fn cost_left_out(name: &str, outline: &Outline) -> f64 {
    let [nameless, known, made] = bars::COST_LEFT_OUT;
    match () {
        () if is_nameless(name) || name.starts_with('<') || name.ends_with("<computed>") => nameless,
        () if outline.definitions.iter().any(|it| is_default_export(name, it)) => known,
        () if name.starts_with("__") => made,
        () if outline.definitions.iter().any(|it| is_name_of(name, it)) => known,
        () if outline.definitions.iter().any(|it| is_around_computed(name, it)) => nameless,
        () => made,
    }
}

/// Whether a definition is the default export, and has no name but the one that a tool gave it.
fn is_default_export(name: &str, definition: &Definition) -> bool {
    definition.name == "default" && definition.name_range.is_none() && is_of_default_export(name)
}

/// Whether V8 may call a method by this name, that of the object around it, as its own is computed.
fn is_around_computed(name: &str, definition: &Definition) -> bool {
    let around = definition.path.split_once(".[").filter(|_| definition.name.starts_with('['));
    around.is_some_and(|(around, _)| around.rsplit('.').next() == Some(name))
}

/// Whether a function of a trace with this name may be in this definition: Firefox calls one without a name in `outer` `outer/<`.
fn may_be_inside(name: &str, parent: Option<&Definition>) -> bool {
    match (name.strip_suffix(IN_NAMED), parent) {
        (Some(outer), Some(parent)) => parent.kind != DefinitionKind::TopLevel && names_agree(outer, parent),
        _ => true,
    }
}

/// The cost of matching a function of a trace with this name with this one of a layout; `None` if it cannot be.
fn name_cost(name: &str, printed: &PrintedFunction, definition: &Definition) -> Option<f64> {
    use DefinitionKind::{Arrow, Class, Function, Getter, Method, Setter};
    let kind = definition.kind;
    if name.starts_with('<') {
        return (name.ends_with("initializer>") && kind == Class).then_some(0.0);
    }
    if is_nameless(name) {
        return match (kind, printed.is_named) {
            (Function | Arrow | Method, false) => Some(0.0),
            (Function | Arrow, true) => Some(bars::COST_NAMELESS),
            _ => None,
        };
    }
    let is_computed = definition.name.starts_with('[');
    if is_default_export(name, definition) {
        return Some(0.0);
    }
    if name.contains("default") && definition.name != name {
        return None;
    }
    if !printed.is_named || definition.name_range.is_none() {
        return is_computed.then_some(0.0);
    }
    let is_of_kind =
        name.starts_with("get ") == (kind == Getter) && name.starts_with("set ") == (kind == Setter);
    (is_of_kind && names_agree(name, definition)).then_some(0.0)
}

#[cfg(test)]
mod tests;
