//! The flame graph as a picture, drawn by inferno: the merged stacks, for places without web pages.

use analysis::format::{Style, amount, count, percent};
use analysis::summary::share;
use inferno::flamegraph::color::{BackgroundColor, Color, PaletteMap};
use inferno::flamegraph::{Options, TextTruncateDirection, from_lines};
use profile::model::{Amount, Unit, Weight};
use profile::plain::plain;
use profile::problem::Problem;

use crate::difference::{COLORS, step, words};
use crate::functions::Category;
use crate::graph::{FlameComparison, FlameGraph};

/// Characters with a meaning for inferno when it reads stacks, and what replaces them until the picture is drawn. The replacements
/// do not occur in any text (Unicode, 23.7), and [`text`] removes them from names.
const STAND_INS: [(char, char); 3] = [
    (';', '\u{FDD0}'), // divides frames
    (' ', '\u{FDD1}'), // a number behind the last one is the time, and one before that the time of another side
    ('[', '\u{FDD2}'), // `_[k]` at the end of a name is left out, as perf's mark of the kernel
];

/// The unit of inferno's amounts, until [`with_amounts`] writes them as they are written everywhere.
const UNIT: &str = "\u{FDD3}";

/// The picture of all threads together, without idle time.
///
/// # Errors
/// If there is nothing to draw.
pub fn svg(graph: &FlameGraph) -> Result<Vec<u8>, Problem> {
    let mut palette = PaletteMap::default();
    // The frame of everything has no name, and would get a random colour.
    palette.insert(String::new(), Color { r: 224, g: 224, b: 224 });
    let names: Vec<String> = graph.functions.iter().map(|function| text(&function.name)).collect();
    let [before, after] = [true, false].map(|is_before| self_times(graph, is_before));
    let labels = match graph.comparison {
        Some(_) => compared_frames(graph, &names, [&before, &after], &mut palette),
        None => frames(graph, &names, &mut palette),
    };
    let mut lines = Vec::new();
    for (stack, weight) in (0u32..).zip(&after).filter(|(_, weight)| weight.time.0 > 0) {
        let (mut path, mut at) = (Vec::new(), Some(stack));
        while let Some(stack) = at {
            path.push(&*labels[stack as usize]);
            at = graph.stacks.caller[stack as usize];
        }
        path.reverse();
        lines.push(format!("{} {}", path.join(";"), weight.time.0));
    }
    lines.sort_unstable();
    let mut options = Options::default();
    let sums = [&before, &after].map(|weights| weights.iter().map(|weight| weight.time).sum::<Amount>());
    let [was, is] = sums.map(|sum| amount(sum, graph.unit, Style::Text));
    let title = text(&graph.title);
    let scope = graph.scope.as_deref().map(text);
    options.title = format!("{title}, {is}");
    options.subtitle = scope.clone();
    if let Some(comparison) = &graph.comparison {
        options.title = format!("{title}, {was} before, {is} after");
        options.subtitle = Some(subtitle(comparison, scope.as_deref()));
        options.bgcolors = Some(BackgroundColor::Flat(Color { r: 255, g: 255, b: 255 }));
    }
    options.count_name = UNIT.to_owned();
    options.font_type = "system-ui, sans-serif".to_owned();
    options.text_truncate_direction = TextTruncateDirection::Right;
    options.palette_map = Some(&mut palette);
    let mut drawn = Vec::new();
    from_lines(&mut options, lines.iter().map(String::as_str), &mut drawn).map_err(|error| {
        let what = match lines.is_empty() {
            true => format!("{} has no sample with a stack: there is nothing to draw", graph.title),
            false => format!("{} cannot be drawn: {error}", graph.title),
        };
        Problem::new(what, "")
    })?;
    // inferno only writes UTF-8.
    let picture = String::from_utf8_lossy(&drawn);
    Ok(with_characters(with_amounts(&picture, sums[1], graph.unit)).into())
}

/// A text as XML allows it (XML 1.0, 2.2: no control characters, no U+FFFE and U+FFFF) and as it can be looked at.
fn text(name: &str) -> String {
    plain(name)
        .replace(|char: char| matches!(char, '\u{FDD0}'..='\u{FDEF}' | '\u{FFFE}' | '\u{FFFF}'), "\u{FFFD}")
}

/// The name of a frame, without anything that has a meaning for inferno.
fn with_stand_ins(name: &str) -> String {
    STAND_INS
        .iter()
        .fold(name.to_owned(), |name, &(char, stand_in)| name.replace(char, &stand_in.to_string()))
}

fn with_characters(picture: String) -> String {
    STAND_INS.iter().fold(picture, |picture, &(char, stand_in)| picture.replace(stand_in, &char.to_string()))
}

/// `work (3.24 ms, 12 %)` for `work (3,236,000 UNIT, 12.31%)`, which is how inferno writes the time of a frame.
fn with_amounts(picture: &str, all: Amount, unit: Unit) -> String {
    let mut pieces = picture.split(UNIT);
    let mut written = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        let start = written.rfind('(').map_or(0, |at| at + 1);
        let digits = written.split_off(start).replace(|char: char| !char.is_ascii_digit(), "");
        let time = Amount(digits.parse().unwrap_or_default());
        written +=
            &format!("{}, {}", amount(time, unit, Style::Text), percent(share(time, all), Style::Text));
        written += piece.find('%').map_or(piece, |at| &piece[at + 1..]);
    }
    written
}

/// By stack: the time on top of it of all threads, but no idle time.
fn self_times(graph: &FlameGraph, is_before: bool) -> Vec<Weight> {
    let mut times = vec![Weight::default(); graph.stacks.len()];
    for &(stack, weight) in
        graph.threads.iter().flat_map(|thread| if is_before { &thread.before } else { &thread.sums })
    {
        let function = graph.stacks.function[stack as usize] as usize;
        if graph.functions[function].category != Category::Idle {
            times[stack as usize] += weight;
        }
    }
    times
}

/// By stack: the name of its frame, which decides its colour.
fn frames(graph: &FlameGraph, names: &[String], palette: &mut PaletteMap) -> Vec<String> {
    for (function, name) in graph.functions.iter().zip(names) {
        palette.insert(with_stand_ins(name), color(function.category));
    }
    graph.stacks.function.iter().map(|&function| with_stand_ins(&names[function as usize])).collect()
}

/// The same for a comparison. inferno has colours for differences, but those are red and blue and cannot be changed, and callers get
/// none. It also colours by name, so names say how much a frame changed: whoever cannot see the colours can read it.
fn compared_frames(
    graph: &FlameGraph,
    names: &[String],
    self_times: [&[Weight]; 2],
    palette: &mut PaletteMap,
) -> Vec<String> {
    let [before, after] = self_times.map(|times| total_times(graph, times));
    let mut labels = Vec::with_capacity(graph.stacks.len());
    for (stack, &function) in graph.stacks.function.iter().enumerate() {
        let (before, after) = (before[stack], after[stack]);
        let step = step(before, after);
        let mark = match step {
            0 => "",
            1.. => "▲ ",
            _ => "▼ ",
        };
        let label = with_stand_ins(&format!("{mark}{} {}", names[function as usize], words(before, after)));
        let [r, g, b] = COLORS[(step + 4).unsigned_abs() as usize];
        palette.insert(label.clone(), Color { r, g, b });
        labels.push(label);
    }
    labels
}

fn total_times(graph: &FlameGraph, self_times: &[Weight]) -> Vec<Weight> {
    let mut total = self_times.to_vec();
    for (stack, caller) in graph.stacks.caller.iter().enumerate().rev() {
        if let Some(caller) = caller {
            let own = total[stack];
            total[*caller as usize] += own;
        }
    }
    total
}

fn subtitle(comparison: &FlameComparison, scope: Option<&str>) -> String {
    let [before, after] = comparison.runs.map(|runs| count(runs, "run"));
    let means =
        if comparison.runs == [1, 1] { String::new() } else { format!("means of {before} and {after}, ") };
    let part = scope.map_or_else(String::new, |scope| format!("{scope}, "));
    format!("{part}{means}▲ orange: more, ▼ blue: less; widths are those after, what is gone is in the page")
}

/// Okabe and Ito's colours, lightened so that black text can be read on them.
fn color(category: Category) -> Color {
    let (r, g, b) = match category {
        Category::Workspace => (240, 178, 80),
        Category::Dependency => (120, 190, 235),
        Category::Runtime => (110, 200, 170),
        Category::Native => (200, 200, 200),
        Category::GarbageCollection => (225, 150, 190),
        Category::Unplaced | Category::Idle => (240, 230, 130),
    };
    Color { r, g, b }
}
