//! Style and layout that the functions of a recorded page forced, event by event: what DevTools' own trace engine (trace_engine 0.0.65 of npm)
//! finds in the same trace below events that run JavaScript.

use std::fs;
use std::path::Path;

use profile::decode::decode;
use profile::model::{ForcedRendering, RenderingKind};

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

#[test]
fn every_event_is_that_of_devtools() {
    let trace = "../../tests/traces/chrome-trace/layout-chromium156.json.gz";
    let bytes = fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join(trace)).expect("a recorded trace");
    let profile = decode(&mut &*bytes, trace, &()).expect("a profile");
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
