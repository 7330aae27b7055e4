//! Style and layout that the functions of a recorded page forced, event by event: in Chrome what DevTools' own trace engine (trace_engine 0.0.65
//! of npm) finds in the same trace below events that run JavaScript, in Firefox what stands in the page.

use std::fs;
use std::path::Path;

use profile::decode::decode;
use profile::model::{AskedFor, ForcedRendering, Profile, RenderingKind};

const DEVTOOLS: [&str; 19] = [
    "style 429 us: grow 6:61",
    "layout 6054 us: grow 6:61",
    "style 148 us: grow 6:61",
    "layout 466 us: grow 6:61",
    "style 114 us: grow 6:61",
    "layout 51 us: grow 6:61",
    "style 617 us: didUpdate 1:282",
    "layout 756 us: didUpdate 1:282",
    "style 335 us: didUpdate 1:282",
    "layout 528 us: didUpdate 1:282",
    "style 299 us: didUpdate 1:282",
    "layout 89 us: didUpdate 1:282",
    "style 80 us: get height 1:372",
    "layout 91 us: get height 1:372",
    "style 82 us: a 1:452",
    "style 26 us: a 1:452",
    "style 17 us: a 1:452",
    "style 184 us: l.onmessage 1:705",
    "layout 175 us: l.onmessage 1:705",
];

/// What `tests/workspaces/layout` forces, in the names of its bundle, and how often style and layout were computed for that: a size of each of three
/// boxes, of which Firefox lays out the first in several steps, as it is the first of the page; one of the boxes with their rows; the height of one,
/// when nothing had changed of the others; three colours; and the place to scroll to.
const IN_THE_PAGE: [(&str, &str, [usize; 2]); 5] = [
    ("grow", "offsetLeft", [4, 5]),
    ("didUpdate", "getBoundingClientRect 1", [3, 3]),
    ("get height", "offsetHeight", [1, 1]),
    ("r", "color", [3, 0]),
    ("i.onmessage", "scrollIntoView 1", [1, 1]),
];

fn recorded(trace: &str) -> Profile {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/traces").join(trace);
    let bytes = fs::read(path).expect("a recorded trace");
    decode(&mut &*bytes, trace, &()).expect("a profile")
}

#[test]
fn every_event_is_that_of_devtools() {
    let profile = recorded("chrome-trace/layout-chromium156.json.gz");
    let row = |forced: &ForcedRendering| {
        let kind = if forced.kind == RenderingKind::Style { "style" } else { "layout" };
        let stack = forced.stack.expect("V8 took a sample for each");
        let name = profile.name(profile.stacks.function[stack.0 as usize]);
        let name = if name.is_empty() { "(anonymous)" } else { name };
        let at = forced.at.expect("each has a place");
        let [line, column] = [at.line, at.column.expect("with a column")].map(|it| it + 1);
        format!("{kind} {} us: {name} {line}:{column}", forced.duration.0 / 1000)
    };
    let main = profile.main_threads().next().expect("the page");
    assert_eq!(main.forced.iter().map(row).collect::<Vec<_>>(), DEVTOOLS);
    assert!(main.forced.is_sorted_by_key(|forced| forced.start));
    let others = profile.threads.iter().skip(1).flat_map(|thread| &thread.forced);
    assert_eq!(others.count(), 0, "a worker has nothing to lay out");
}

#[test]
fn every_function_of_a_page_in_firefox_waits_for_what_it_asks() {
    let profile = recorded("firefox/layout-gecko-firefox153.json.gz");
    let main = profile.main_threads().next().expect("the page");
    let row = |forced: &ForcedRendering| {
        let stack = forced.stack.expect("a flush has a stack");
        let AskedFor::Named(name) = forced.asked_for else { panic!("{forced:?} has no name") };
        // Only a call has a line.
        let line = forced.at.map(|at| format!(" {}", at.line + 1)).unwrap_or_default();
        let asked_for = profile.strings.get(name).to_owned() + &line;
        (profile.name(profile.stacks.function[stack.0 as usize]).to_owned(), asked_for)
    };
    let mut sites: Vec<((String, String), [usize; 2])> = Vec::new();
    for forced in &main.forced {
        let (site, index) = (row(forced), usize::from(forced.kind == RenderingKind::Layout));
        match sites.last_mut().filter(|last| last.0 == site) {
            Some((_, numbers)) => numbers[index] += 1,
            None => sites.push((site, [usize::from(index == 0), index])),
        }
    }
    let expected =
        IN_THE_PAGE.map(|(name, asked_for, times)| ((name.to_owned(), asked_for.to_owned()), times));
    assert_eq!(sites, expected);
}
