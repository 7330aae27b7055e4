//! What a user did on a recorded page: each interaction and its parts as DevTools' own trace engine (trace_engine 0.0.65 of npm) has them in the
//! same trace, and in Firefox as the page's own `PerformanceObserver` was told of them.

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

/// What `PerformanceObserver` told of the events of a page in Firefox, in milliseconds as a page gets them: when the first was made, and by when
/// its listeners and those of the last ran. Of shorter ones it is not told.
const FIREFOX: [(&str, [i64; 3]); 4] = [
    ("click", [3275, 3279, 3406]),
    ("click", [4534, 4535, 4660]),
    ("keydown", [6862, 6862, 6962]),
    ("keydown", [8090, 8090, 8176]),
];

fn recorded(trace: &str) -> Profile {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/traces").join(trace);
    let bytes = fs::read(path).expect("a recorded trace");
    decode(&mut &*bytes, trace, &()).expect("a profile")
}

#[test]
fn every_interaction_is_that_of_devtools() {
    let profile = recorded("chrome-trace/interactions-chromium156.json.gz");
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

#[test]
fn interactions_of_firefox_are_what_the_page_was_told() {
    let profile = recorded("firefox/interactions-gecko-firefox153.json.gz");
    let micros = |marker: &Marker, name: &str| {
        let mut all = profile.markers.iter().filter(|it| profile.strings.get(it.name) == name);
        let part = all.find(|it| it.start >= marker.start).expect("each part");
        [part.start, part.start + part.duration].map(|time| (time.0 / 1000) as i64)
    };
    let interactions = profile.markers.iter().filter(|marker| marker.kind == MarkerKind::Interaction);
    let long: Vec<(String, [i64; 3])> = interactions
        .filter(|marker| marker.duration.0 > 80_000_000)
        .map(|marker| {
            let name = profile.strings.get(marker.name);
            let [created, from] = micros(marker, &format!("{name}: input delay"));
            let [start, end] = micros(marker, &format!("{name}: processing"));
            assert_eq!(from, start, "one part after the other");
            (name.to_owned(), [created, start, end])
        })
        .collect();
    // A page counts from when it was opened, in whole milliseconds.
    let opened = long[0].1[0] - FIREFOX[0].1[0] * 1000;
    assert_eq!(long.len(), FIREFOX.len());
    for ((name, times), (kind, told)) in long.iter().zip(FIREFOX) {
        assert_eq!(*name, format!("{kind} interaction"));
        let differences = [0, 1, 2].map(|it| (times[it] - opened - told[it] * 1000).abs());
        assert!(differences.iter().all(|it| *it < 2000), "{name}: {differences:?}");
    }
}
