//! Damaged traces of every format that was recorded, held against the laws (`laws.rs`): the same damage each time.
//!
//! `FUZZ_SECONDS=60 FUZZ_SEED=9` applies other damage for that long. A failure can be repeated with the seed that it
//! names: `FUZZ_SEED=7 cargo test -p profile --test fuzz`. Fuzzing guided by coverage is `cargo xtask fuzz traces`,
//! which asserts the same laws.

mod damage;
mod laws;

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use flate2::read::MultiGzDecoder;

use damage::{Random, damage};
use laws::{check, check_on_two_threads};

/// How much damage is done in a test.
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
        match std::panic::catch_unwind(|| {
            check_on_two_threads(&bytes);
            check(&bytes, piece)
        }) {
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

/// A trace with one to three places of damage.
fn damaged(traces: &[Vec<u8>], random: &mut Random) -> Vec<u8> {
    // Short ones are chosen more often: they are read faster, and damage to them is nearer to what matters.
    let which = (0..3).map(|_| random.below(traces.len() as u64)).min().unwrap_or_default();
    let mut bytes = traces[which as usize].clone();
    for _ in 0..=random.below(3) {
        let other: &Vec<u8> = random.one_of(traces);
        damage(&mut bytes, other, random);
    }
    bytes
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
