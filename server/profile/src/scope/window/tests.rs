//! Windows of a drawn profile. Each letter is 10 ms of a function, a dot is idle.

use super::*;
use crate::builder::ProfileBuilder;
use crate::model::{OffStack, SeenPlace};
use crate::tally::LineCost;

const MS: u64 = 1_000_000;

/// Adds a session with these threads, each with its start in milliseconds; the second one is in another process.
fn session(builder: &mut ProfileBuilder, threads: &[(i64, &str)]) {
    let first = builder.threads();
    for (process, &(start, samples)) in (0..).zip(threads) {
        builder.thread_starts_at(start * MS as i64);
        for letter in samples.chars() {
            let weight = Weight { time: Amount(10 * MS), samples: 1 };
            let name = builder.string(&letter.to_string());
            let function = builder.function(name, None, None);
            let stack = builder.stack(None, function);
            builder.add_sample(if letter == '.' { Err(OffStack::Idle) } else { Ok(stack) }, weight);
        }
        let duration = Amount(10 * MS * samples.len() as u64);
        builder.end_thread(Thread { process, samples: samples.len() as u64, duration, ..Thread::default() });
    }
    builder.end_session(first);
}

fn marker(builder: &mut ProfileBuilder, name: &str, kind: MarkerKind, from: i64, to: i64) {
    let name = builder.string(name);
    builder.marker(name, kind, 0, (from * MS as i64, to * MS as i64));
}

/// Two threads, the second of which starts 20 ms later, with markers of each kind, on a clock of its own.
fn drawn() -> Profile {
    let mut builder = ProfileBuilder::new("drawing");
    marker(&mut builder, "checkout", MarkerKind::UserTiming, 1005, 1015);
    marker(&mut builder, "checkout", MarkerKind::UserTiming, 1030, 1040);
    marker(&mut builder, "checkout", MarkerKind::UserTiming, 1035, 1045);
    marker(&mut builder, "begin", MarkerKind::UserTiming, 1020, 1020);
    marker(&mut builder, "end", MarkerKind::UserTiming, 1035, 1035);
    marker(&mut builder, "navigation", MarkerKind::Navigation, 900, 900);
    marker(&mut builder, "early", MarkerKind::Other, 900, 1010);
    let elsewhere = builder.string("elsewhere");
    builder.marker(elsewhere, MarkerKind::UserTiming, 1, (0, 1));
    session(&mut builder, &[(1000, "aab.c"), (1020, "wwww")]);
    builder.finish()
}

/// What is in the windows, one line per thread: `25 ms from 5 ms: a 15/2, idle 5/0`.
fn within(profile: &Profile, windows: &Windows) -> Vec<String> {
    let selection = Selection::of(profile, &Threads::All).within(windows);
    assert_eq!(selection.threads.len(), selection.role_of.len());
    let lines = selection.threads.iter().map(|thread| {
        let name = |it: &Sample| match it.on {
            Ok(stack) => profile.name(profile.stacks.function[stack.0 as usize]).to_owned(),
            Err(why) => format!("{why:?}"),
        };
        let show = |it: Sample| format!("{} {}/{}", name(&it), it.weight.time.0 / MS, it.weight.samples);
        let all: Amount = thread.in_order.iter().map(|it| it.weight.time).sum();
        assert_eq!((all, thread.all()), (thread.duration, thread.duration));
        let sums = thread.sums().map(show).collect::<Vec<_>>().join(", ");
        format!("{} ms from {} ms: {sums}", all.0 / MS, thread.start.expect("a start").0 / MS)
    });
    lines.collect()
}

fn between(from: u64, to: u64) -> Windows {
    Windows::between(&drawn(), "t", Amount(from * MS), Amount(to * MS)).expect("an axis")
}

#[test]
fn time_is_cut_at_the_edges_and_samples_count_where_they_start() {
    let profile = drawn();
    assert_eq!(
        within(&profile, &between(5, 25)),
        ["20 ms from 5 ms: a 15/1, b 5/1", "5 ms from 20 ms: w 5/1"]
    );
    assert_eq!(
        within(&profile, &between(25, 999)),
        ["25 ms from 25 ms: b 5/0, c 10/1, Idle 10/1", "35 ms from 25 ms: w 35/3"]
    );
    assert_eq!(within(&profile, &between(50, 55)), ["5 ms from 50 ms: w 5/1"], "a thread may have ended");
    assert_eq!(within(&profile, &between(60, 99)), [""; 0], "and so may all");
}

#[test]
fn each_session_has_its_own_axis() {
    let mut builder = ProfileBuilder::new("drawing");
    marker(&mut builder, "it", MarkerKind::UserTiming, 5010, 5020);
    session(&mut builder, &[(5000, "abc")]);
    marker(&mut builder, "it", MarkerKind::UserTiming, 20, 25);
    session(&mut builder, &[(0, "xyz")]);
    let profile = builder.finish();
    let windows = Windows::between(&profile, "t", Amount(0), Amount(10 * MS)).expect("an axis");
    assert_eq!(within(&profile, &windows), ["10 ms from 0 ms: a 10/1", "10 ms from 0 ms: x 10/1"]);
    let windows = Windows::of_markers(&profile, "t", &Threads::All, &["it".to_owned()]).expect("a marker");
    assert_eq!(within(&profile, &windows), ["10 ms from 10 ms: b 10/1", "5 ms from 20 ms: z 5/1"]);
    let windows = Windows::of_markers(&profile, "t", &Threads::All, &["it#2".to_owned()]).expect("a marker");
    assert_eq!(within(&profile, &windows), ["5 ms from 20 ms: z 5/1"]);
}

/// The windows of markers in milliseconds, with their names; or the sentence about them.
fn marked(names: &[&str]) -> String {
    let names: Vec<String> = names.iter().map(|&it| it.to_owned()).collect();
    match Windows::of_markers(&drawn(), "t.json", &Threads::Page, &names) {
        Ok(Windows { spans, chosen }) => {
            let spans: Vec<String> =
                spans.iter().map(|it| format!("{}..{}", it.start / MS, it.end / MS)).collect();
            let [Chosen::Markers(marked)] = &*chosen else { panic!("{chosen:?}") };
            let marked = marked.iter().map(|it| format!("{} {}x {}", it.name, it.times, it.time.0 / MS));
            format!("{}: {}", spans.join(" "), marked.collect::<Vec<_>>().join(", "))
        }
        Err(problem) => problem.to_string(),
    }
}

#[test]
fn markers_are_found_by_name() {
    assert_eq!(marked(&["checkout"]), "5..15 30..45: checkout 3x 25");
    assert_eq!(marked(&["checkout#2"]), "30..40: checkout#2 1x 10");
    assert!(marked(&["\u{200B}begin�"]).starts_with("20..35"), "hidden characters do not count");
    assert_eq!(marked(&["begin"]), "20..35: begin 1x 15", "a mark lasts until the next one");
    assert_eq!(marked(&["end"]), "35..60: end 1x 25", "and the last one to the end");
    assert_eq!(marked(&["navigation"]), "0..60: navigation 1x 60", "marks are no navigations");
    assert_eq!(marked(&["early"]), "0..10: early 1x 10", "what began before the first sample");
    assert_eq!(marked(&["checkout#1", "begin"]), "5..15 20..35: checkout#1 1x 10, begin 1x 15");
    assert_eq!(
        marked(&["checkout#4"]),
        "The marker \"checkout\" occurs 3 times in t.json. Name one of them with a number, such as checkout#3."
    );
    assert_eq!(
        marked(&["Out"]),
        "t.json has no marker \"Out\". Name one of these: checkout (3 times); begin; end; navigation; early."
    );
    assert_eq!(
        marked(&["elsewhere"]),
        "t.json has no marker \"elsewhere\". Name one of these: checkout (3 times); begin; end; navigation; early.",
        "the marker of a process that is not shown"
    );
}

#[test]
fn a_marker_within_a_span() {
    let profile = drawn();
    let names = ["checkout".to_owned()];
    let windows = Windows::of_markers(&profile, "t", &Threads::Page, &names).expect("a marker");
    let both = windows.clone().and(between(10, 35));
    assert_eq!(within(&profile, &both), ["10 ms from 10 ms: a 5/1, Idle 5/1", "5 ms from 30 ms: w 5/1"]);
    assert_eq!(both.chosen().len(), 2);
    assert_eq!(within(&profile, &windows.and(between(15, 30))), [""; 0]);
}

#[test]
fn what_cannot_be_a_window_is_said_in_a_sentence() {
    let mut builder = ProfileBuilder::new("collapsed");
    builder.add_off_stack(OffStack::Idle, Weight { time: Amount(MS), samples: 1 });
    builder.end_thread(Thread::default());
    builder.end_session(0);
    let timeless = builder.finish();
    let sentence =
        Windows::between(&timeless, "t.txt", Amount(0), Amount(1)).expect_err("no axis").to_string();
    assert!(
        sentence.starts_with("t.txt (collapsed) does not say when its samples were taken. "),
        "{sentence}"
    );
    let sentence =
        Windows::between(&drawn(), "t", Amount(MS), Amount(MS)).expect_err("it is empty").to_string();
    assert_eq!(sentence, "A window of time ends after it begins. Name the earlier moment first.");

    let mut builder = ProfileBuilder::new("cpuprofile");
    session(&mut builder, &[(0, "a")]);
    let names = ["checkout".to_owned()];
    let found = Windows::of_markers(&builder.finish(), "t", &Threads::Page, &names);
    let sentence = found.expect_err("no marker").to_string();
    assert!(sentence.starts_with("t has no markers. "), "{sentence}");
}

#[test]
fn times_are_read_as_people_write_them() {
    let rows = [
        ("1.2s", 1_200_000_000),
        ("300ms", 300_000_000),
        ("300 ms", 300_000_000),
        ("1.5", 1_500_000_000),
        (".5", 500_000_000),
        ("0", 0),
        ("20us", 20_000),
        ("20µs", 20_000),
        ("7ns", 7),
    ];
    for (text, nanos) in rows {
        assert_eq!(parse_time(text), Ok(Amount(nanos)), "{text}");
    }
    for text in ["", "s", "-1s", "1h", "1e3", "1.2.3", "inf", "NaN", "99999999999", "+1"] {
        let sentence =
            format!("\"{text}\" is no time. Write it as 1.2s, 300ms or 1.5, which are seconds, or as end.");
        assert_eq!(parse_time(text).map_err(|problem| problem.to_string()), Err(sentence));
    }
}

/// Each letter is 10 ms of one function on a line of its own.
#[test]
fn lines_are_those_of_the_window() {
    let mut builder = ProfileBuilder::new("drawing");
    let name = builder.string("work");
    let function = builder.function(name, None, None);
    let stack = builder.stack(None, function);
    builder.thread_starts_at(0);
    for letter in "aabcc-a".bytes() {
        let line = (letter != b'-').then(|| u32::from(letter - b'a'));
        let place = builder.place(SeenPlace { function, line, column: None, caller: None });
        builder.add_at(stack, place, Weight { time: Amount(10 * MS), samples: 1 });
    }
    builder.end_thread(Thread::default());
    builder.end_session(0);
    let profile = builder.finish();
    let lines = |from: u64, to: u64| {
        let window = Windows::between(&profile, "t", Amount(from * MS), Amount(to * MS)).expect("an axis");
        let tally = crate::tally::tally(&Selection::of(&profile, &Threads::All).within(&window), &[0], 1);
        let line = |it: &LineCost| format!("{} {}", char::from(b'a' + it.line as u8), it.time.0 / MS);
        let lines: Vec<String> = tally.lines.iter().map(line).collect();
        format!("{} of {}", lines.join(", "), tally.costs[0].self_time.0 / MS)
    };
    assert_eq!(lines(0, 70), "a 30, b 10, c 20 of 70");
    assert_eq!(lines(0, 25), "a 20, b 5 of 25");
    assert_eq!(lines(25, 45), "b 5, c 15 of 20");
    assert_eq!(lines(45, 100), "a 10, c 5 of 25");
}
