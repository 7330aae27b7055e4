//! What holds for every trace, however damaged: no panic, no time lost, no total above all time, and the same result in
//! whatever pieces it arrives and however it is packed.
//!
//! That pieces make no difference checks the fast paths of the reader against its careful ones, which are the only ones
//! used for short pieces; that blanks make none checks the two threads that read a long Chrome trace against the one that reads a short.

use std::io::{self, Read, Write};

use flate2::Compression;
use flate2::write::GzEncoder;
use profile::decode::{DecodeError, decode};
use profile::encode::{Target, encode};
use profile::model::{Amount, FunctionKind, Profile, Thread};
use profile::scope::Selection;
use profile::tally::{Cost, Tally, tally};

/// Asserts the laws for the bytes of a file, also when it is read in pieces of this many bytes. Returns whether it is a profile.
pub(crate) fn check(bytes: &[u8], piece: usize) -> bool {
    let whole = decode(&mut &*bytes, "", &());
    let pieces = decode(&mut Pieces(bytes, piece), "", &());
    assert_eq!(said(&whole), said(&pieces), "as a whole and in pieces of {piece}");
    let is_packed = bytes.starts_with(b"\x1f\x8b") || bytes.starts_with(b"\x28\xb5\x2f\xfd");
    if !is_packed {
        let packed = decode(&mut &*gzipped(bytes), "", &());
        assert_eq!(said(&whole), said(&packed), "plain and packed");
    }
    let Ok(profile) = whole else { return false };

    for (stack, caller) in profile.stacks.callers().enumerate() {
        assert!(caller.is_none_or(|caller| (caller.0 as usize) < stack), "callers come first");
    }
    let keys: Vec<u32> = (0..profile.functions.len() as u32).collect();
    for thread in &profile.threads {
        let Tally { costs, lines, .. } = tally(&Selection::sum(&profile, [thread]), &keys, keys.len() as u32);
        let own: Amount = costs.iter().map(|it| it.self_time).sum();
        let off_stack: Amount = thread.off_stack.values().map(|it| it.time).sum();
        assert_eq!(own + off_stack, thread.duration, "no time is lost");
        let mut rest: Vec<Amount> = costs.iter().map(|it| it.self_time).collect();
        for it in &lines {
            let rest = &mut rest[it.function.0 as usize];
            assert!(it.time <= *rest, "lines are parts of the self time");
            *rest = *rest - it.time;
        }
        for function in
            thread.forced.iter().filter_map(|it| Some(profile.stacks.function[it.stack?.0 as usize]))
        {
            let kind = profile.functions[function.0 as usize].kind;
            assert_eq!(kind, FunctionKind::Script, "a script forces style and layout");
        }
        assert!(thread.forced.is_sorted_by_key(|it| it.start), "what is forced is in order of time");
        let fits = |it: &Cost| it.self_time <= it.total_time && it.total_time <= thread.duration;
        assert!(costs.iter().all(fits), "no total is more than all time");
    }
    check_converted(&profile);
    true
}

/// Asserts that two threads read of a Chrome trace what one does. That takes longer than all other laws.
pub(crate) fn check_on_two_threads(bytes: &[u8]) {
    if let Some(long) = with_blanks_before_events(bytes) {
        let [by_one, by_two] = [bytes, &long[..]].map(|mut bytes| said(&decode(&mut bytes, "", &())));
        assert_eq!(without_places(&by_one), without_places(&by_two), "by one thread and by two");
    }
}

/// Asserts that what is written for other tools can be read again, and has the same time.
fn check_converted(profile: &Profile) {
    let threads: Vec<Thread> = profile.measured().cloned().collect();
    let all: Amount = threads.iter().map(Thread::all).sum();
    let samples = threads.iter().fold(0u64, |sum, thread| sum.saturating_add(thread.samples));
    // A number of JavaScript has all nanoseconds of 104 days, and sums of many samples take long to write, each by itself.
    if all.0 > 1 << 53 || samples > 1 << 14 {
        return;
    }
    for to in [Target::Firefox, Target::Otlp, Target::Speedscope] {
        let mut written = Vec::new();
        encode(profile, &threads, to, &mut written).expect("memory takes all that is written");
        match decode(&mut &*written, "", &()) {
            Ok(again) => assert_eq!(again.measured().map(Thread::all).sum::<Amount>(), all, "{to:?}"),
            Err(error) => assert!(threads.iter().all(|it| it.in_order.is_empty()), "{to:?}: {error}"),
        }
    }
}

/// Everything that a profile says, or the problem instead.
fn said(decoded: &Result<Profile, DecodeError>) -> String {
    match decoded {
        Err(error) => error.problem("it").to_string(),
        Ok(profile) => {
            let Profile { format, functions, stacks, threads, places, known_places, problems, .. } = profile;
            let names: Vec<&str> = functions.iter().map(|it| profile.strings.get(it.name)).collect();
            format!(
                "{format} {names:?} {functions:?} {stacks:?} {threads:?} {places:?} {known_places:?} {problems:?}"
            )
        }
    }
}

/// A Chrome trace with so much before its first event that two threads read the events.
fn with_blanks_before_events(bytes: &[u8]) -> Option<Vec<u8>> {
    let begin = ["[", "{\"traceEvents\":["].into_iter().find(|begin| bytes.starts_with(begin.as_bytes()))?;
    let blanks = [b' '; 1 << 20];
    Some([begin.as_bytes(), &blanks, &bytes[begin.len()..]].concat())
}

/// A text without the numbers of bytes that it names.
fn without_places(said: &str) -> String {
    let mut parts = said.split("at byte ");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |text, part| text + part.trim_start_matches(|digit: char| digit.is_ascii_digit()))
}

fn gzipped(bytes: &[u8]) -> Vec<u8> {
    let mut packed = GzEncoder::new(Vec::new(), Compression::fast());
    packed.write_all(bytes).and_then(|()| packed.finish()).expect("memory takes all that is written")
}

/// Returns at most this many bytes at once.
struct Pieces<'b>(&'b [u8], usize);

impl Read for Pieces<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let length = into.len().min(self.1);
        self.0.read(&mut into[..length])
    }
}
