//! What a user did on a recorded page: each interaction and its parts as DevTools' own trace engine (trace_engine 0.0.65 of npm) has them in the
//! same trace.

use std::fs;
use std::path::Path;

use profile::decode::decode;
use profile::model::{Marker, MarkerKind, Profile};

/// What DevTools calls them, then how long they took, and of that input delay, processing and presentation delay, in microseconds.
const DEVTOOLS: [(&str, [u64; 4]); 7] = [
    ("pointerdown", [167_718, 2_100, 131_012, 34_606]),
    ("pointerdown", [18_330, 1_188, 2_790, 14_352]),
    ("keypress", [103_085, 987, 93_165, 8_933]),
    ("keyup", [8_345, 8_039, 38, 268]),
    ("keypress", [96_523, 1_145, 89_747, 5_631]),
    ("keyup", [2_499, 1_977, 20, 502]),
    ("pointerdown", [150_553, 1_712, 124_907, 23_934]),
];

const PARTS: [&str; 3] = [": input delay", ": processing", ": presentation delay"];

fn recorded() -> Profile {
    let trace = "../../tests/traces/chrome-trace/interactions-chromium156.json.gz";
    let bytes = fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join(trace)).expect("a recorded trace");
    decode(&mut &*bytes, trace, &()).expect("a profile")
}

#[test]
fn every_interaction_is_that_of_devtools() {
    let profile = recorded();
    let name = |marker: &Marker| profile.strings.get(marker.name);
    let micros = |marker: &Marker| marker.duration.0 / 1000;
    let interactions = profile.markers.iter().filter(|marker| marker.kind == MarkerKind::Interaction);
    let found: Vec<(String, [u64; 4])> = interactions
        .map(|whole| {
            let is_within = |part: &&Marker| {
                part.start >= whole.start && part.start + part.duration <= whole.start + whole.duration
            };
            let parts = PARTS.map(|part| {
                let wanted = format!("{}{part}", name(whole));
                let mut parts = profile.markers.iter().filter(|marker| name(marker) == wanted);
                micros(parts.find(is_within).expect("each part"))
            });
            let [delay, processing, presentation] = parts;
            (name(whole).to_owned(), [micros(whole), delay, processing, presentation])
        })
        .collect();
    let devtools = DEVTOOLS.map(|(name, times)| {
        // Its first event is that of a click, which is what people call it.
        let name = if name == "pointerdown" { "click" } else { name };
        (format!("{name} interaction"), times)
    });
    assert_eq!(found, devtools);
}
