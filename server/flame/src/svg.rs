//! The flame graph as a picture, drawn by inferno: the merged stacks, for where no page can be.

use std::collections::HashMap;

use analysis::format::{Style, amount};
use inferno::flamegraph::color::{Color, PaletteMap};
use inferno::flamegraph::{Options, TextTruncateDirection, from_lines};
use profile::{Amount, Unit};

use crate::functions::Category;
use crate::graph::FlameGraph;

/// The picture of all threads together, without idle time.
///
/// # Errors
/// One sentence, if there is nothing to draw.
pub fn svg(graph: &FlameGraph) -> Result<Vec<u8>, String> {
    let names: Vec<String> =
        graph.functions.iter().map(|it| it.name.replace([';', '\n', '\r'], ",")).collect();
    let mut self_time: HashMap<u32, u64> = HashMap::new();
    for &(stack, weight) in graph.threads.iter().flat_map(|it| &it.sums) {
        *self_time.entry(stack).or_default() += weight.time.0;
    }
    let category = |stack: u32| graph.functions[graph.stacks.function[stack as usize] as usize].category;
    let mut lines = Vec::new();
    let mut all = Amount(0);
    for (stack, time) in self_time.into_iter().filter(|it| it.1 > 0 && category(it.0) != Category::Idle) {
        let (mut path, mut at) = (Vec::new(), Some(stack));
        while let Some(stack) = at {
            path.push(&*names[graph.stacks.function[stack as usize] as usize]);
            at = graph.stacks.caller[stack as usize];
        }
        path.reverse();
        all += Amount(time);
        lines.push(format!("{} {time}", path.join(";")));
    }
    lines.sort_unstable();
    let mut palette = PaletteMap::default();
    for (function, name) in graph.functions.iter().zip(&names) {
        palette.insert(name.clone(), color(function.category));
    }
    let mut options = Options::default();
    options.title = format!("{}, {}", graph.title, amount(all, graph.unit, Style::Text));
    options.subtitle = graph.scope.clone();
    options.count_name = if graph.unit == Unit::Time { "ns" } else { "bytes" }.to_owned();
    options.font_type = "system-ui, sans-serif".to_owned();
    options.text_truncate_direction = TextTruncateDirection::Right;
    options.palette_map = Some(&mut palette);
    let mut picture = Vec::new();
    from_lines(&mut options, lines.iter().map(String::as_str), &mut picture).map_err(|error| match lines
        .len()
    {
        0 => format!("{} has no sample with a stack: there is nothing to draw.", graph.title),
        _ => format!("{} cannot be drawn: {error}.", graph.title),
    })?;
    Ok(picture)
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
