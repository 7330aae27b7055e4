//! Damaged traces of every format: no panic, no time lost, and the same result in whatever pieces they arrive. The last
//! is what proves the short ways of the reader against its careful ones, which are all that short pieces leave.
//!
//! A short run is a test, the same each time; `cargo xtask fuzz SECONDS` takes other damage until the time is over.
//! What failed comes again with the seed that it names: `FUZZ_SEED=7 cargo test -p profile --test fuzz`.

use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use flate2::read::MultiGzDecoder;
use profile::{Cost, DecodeError, Nanos, Profile, decode, tally};

/// So much damage is done in a test.
const SHORT: u64 = 300;

#[test]
fn damaged_traces() {
    let number = |name: &str| std::env::var(name).ok().and_then(|it| it.parse::<u64>().ok());
    let time = number("FUZZ_SECONDS").map(|it| (Instant::now(), Duration::from_secs(it)));
    let (first, last) = match number("FUZZ_SEED") {
        Some(seed) => (seed, seed + u64::from(time.is_none())),
        None => (0, SHORT),
    };
    let traces = traces();
    let (mut seed, mut opened) = (first, 0);
    while time.map_or(seed < last, |(start, time)| start.elapsed() < time) {
        let bytes = damaged(&traces, &mut Random(seed));
        let piece = 1 + Random(!seed).below(200) as usize;
        match std::panic::catch_unwind(|| check(&bytes, piece)) {
            Ok(is_profile) => opened += u64::from(is_profile),
            Err(panic) => {
                let kept = std::env::temp_dir().join(format!("damaged-{seed}"));
                fs::write(&kept, &bytes).expect("a folder for temporary files");
                eprintln!("with FUZZ_SEED={seed}, in pieces of {piece}: {}", kept.display());
                std::panic::resume_unwind(panic);
            }
        }
        seed += 1;
    }
    println!("{} damaged traces, {opened} of them still profiles", seed - first);
}

/// Whether it is a profile.
fn check(bytes: &[u8], piece: usize) -> bool {
    let start = Instant::now();
    let whole = decode(&mut &*bytes, "", &());
    let pieces = decode(&mut Pieces(bytes, piece), "", &());
    assert!(start.elapsed() < Duration::from_secs(60), "takes long for {} bytes", bytes.len());
    // What is wrong with a refused one may be met at another place: events that nobody wants are skipped unread where
    // they lie whole in the window.
    if whole.is_ok() || pieces.is_ok() {
        assert_eq!(said(&whole), said(&pieces), "as a whole and in pieces");
    }
    let Ok(profile) = whole else { return false };

    for (stack, caller) in profile.stacks.callers().enumerate() {
        assert!(caller.is_none_or(|caller| (caller.0 as usize) < stack), "callers come first");
    }
    let keys: Vec<u32> = (0..profile.functions.len() as u32).collect();
    for thread in &profile.threads {
        let costs = tally(&profile, [thread], &keys, keys.len() as u32).costs;
        let own: Nanos = costs.iter().map(|it| it.self_time).sum();
        let off_stack: Nanos = thread.off_stack.values().map(|it| it.time).sum();
        assert_eq!(own + off_stack, thread.duration, "no time is lost");
        let fits = |it: &Cost| it.self_time <= it.total_time && it.total_time <= thread.duration;
        assert!(costs.iter().all(fits), "no total is more than all time");
    }
    true
}

/// All that a profile tells, or what is told instead of one.
fn said(decoded: &Result<Profile, DecodeError>) -> String {
    match decoded {
        Err(error) => error.sentence("it"),
        Ok(profile) => {
            let Profile { format, functions, stacks, threads, ticks, known_places, problems, .. } = profile;
            let names: Vec<&str> = functions.iter().map(|it| profile.strings.get(it.name)).collect();
            format!(
                "{format} {names:?} {functions:?} {stacks:?} {threads:?} {ticks:?} {known_places:?} {problems:?}"
            )
        }
    }
}

/// A trace with one to three places of damage.
fn damaged(traces: &[Vec<u8>], random: &mut Random) -> Vec<u8> {
    // Short ones more often: they are read faster, and damage to them is nearer to what matters.
    let which = (0..3).map(|_| random.below(traces.len() as u64)).min().unwrap_or_default();
    let mut bytes = traces[which as usize].clone();
    for _ in 0..=random.below(3) {
        let other: &Vec<u8> = random.one_of(traces);
        damage(&mut bytes, other, random);
    }
    bytes
}

fn damage(bytes: &mut Vec<u8>, other: &[u8], random: &mut Random) {
    const BYTES: &[u8] = b"{}[],:\"\\ \n0-.eEtn\0\xff\xc3\x80;\x08";
    const VALUES: &[&str] = &[
        "-1",
        "0",
        "1e308",
        "-0.5",
        "4294967295",
        "4294967296",
        "9007199254740993",
        "18446744073709551616",
        "1234567.8949999",
        "null",
        "true",
        "NaN",
        "\"7\"",
        "[]",
        "{}",
        "[[1],{\"a\":2}]",
        " 3",
        "3 ",
    ];
    if bytes.is_empty() {
        return;
    }
    let at = random.below(bytes.len() as u64) as usize;
    let near = (at + random.below(300) as usize).min(bytes.len());
    match random.below(9) {
        0 => bytes[at] = *random.one_of(BYTES),
        1 => bytes[at] ^= 1 << random.below(8),
        2 => bytes.insert(at, *random.one_of(BYTES)),
        3 => drop(bytes.drain(at..near)),
        4 => {
            let copy = bytes[at..near].to_vec();
            let to = random.below(bytes.len() as u64) as usize;
            bytes.splice(to..to, copy);
        }
        5 => {
            let from = random.below(other.len() as u64) as usize;
            let to = (from + random.below(300) as usize).min(other.len());
            bytes.splice(at..at, other[from..to].iter().copied());
        }
        6 => bytes.truncate(at),
        // Another number, here or further on.
        _ => {
            let is_digit = |byte: &u8| byte.is_ascii_digit();
            let Some(start) = bytes[at..].iter().position(is_digit).map(|it| at + it) else { return };
            let length = bytes[start..].iter().position(|it| !is_digit(it));
            let end = length.map_or(bytes.len(), |it| start + it);
            bytes.splice(start..end, random.one_of(VALUES).bytes());
        }
    }
}

/// Every recorded trace of the repository, unpacked, the shortest first.
fn traces() -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/traces");
    let in_folder = |folder: &Path| -> Vec<PathBuf> {
        let entries = fs::read_dir(folder).expect("a folder of recorded traces");
        entries.map(|entry| entry.expect("an entry").path()).collect()
    };
    let mut paths: Vec<PathBuf> =
        in_folder(&folder).iter().filter(|it| it.is_dir()).flat_map(|it| in_folder(it)).collect();
    paths.retain(|path| path.extension().is_none_or(|it| it != "md"));
    paths.sort();
    let unpacked = |path: &PathBuf| {
        let bytes = fs::read(path).expect("a recorded trace");
        let mut text = Vec::new();
        match MultiGzDecoder::new(&*bytes).read_to_end(&mut text) {
            Ok(_) => text,
            Err(_) => bytes,
        }
    };
    let mut traces: Vec<Vec<u8>> = paths.iter().map(unpacked).collect();
    traces.sort_by_key(Vec::len);
    traces
}

/// Gives at most so many bytes at once.
struct Pieces<'b>(&'b [u8], usize);

impl Read for Pieces<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let length = into.len().min(self.1);
        self.0.read(&mut into[..length])
    }
}

/// Numbers that follow from a seed, neighbours of which have nothing in common (splitmix64).
struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ mixed >> 31) % limit
    }

    fn one_of<'a, T>(&mut self, all: &'a [T]) -> &'a T {
        &all[self.below(all.len() as u64) as usize]
    }
}
