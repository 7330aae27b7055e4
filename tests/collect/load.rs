//! Many senders at once, also while the collector is killed: nothing that was acknowledged is lost, and memory is limited.
//!
//! `COLLECT_SECONDS=60 COLLECT_RATE=1000 cargo test --release -p tests --test collect load -- --nocapture` is the full
//! test of a minute; without these variables it is a short run.

#![allow(clippy::print_stdout, reason = "its figures are for people")]

use std::collections::BTreeSet;
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use tests::Folder;

use crate::server::{Server, files};
use crate::traces::{numbered, trace};

/// How many connections send at the same time.
const SENDERS: u64 = 16;

fn from_environment(name: &str, otherwise: u64) -> u64 {
    std::env::var(name).map_or(otherwise, |it| it.parse().unwrap())
}

/// What the senders know.
#[derive(Default)]
struct Sent {
    next: AtomicU64,
    stop: AtomicBool,
}

/// Sends traces one after the other, all senders together at a rate, until it is told to stop or the server is gone.
/// Returns the numbers that were acknowledged, and how often something else was answered.
fn send_all(
    address: SocketAddr,
    sent: &Sent,
    per_second: u64,
    start: Instant,
    trace: &str,
) -> (Vec<u64>, u64) {
    let (mut acknowledged, mut refused) = (Vec::new(), 0);
    let Ok(stream) = TcpStream::connect(address) else { return (acknowledged, refused) };
    stream.set_nodelay(true).unwrap();
    let mut reading = BufReader::new(stream.try_clone().unwrap());
    let mut writing = stream;
    while !sent.stop.load(Ordering::Relaxed) {
        let number = sent.next.fetch_add(1, Ordering::Relaxed);
        let due = start + Duration::from_secs_f64(number as f64 / per_second as f64);
        thread::sleep(due.saturating_duration_since(Instant::now()));
        let body = numbered(number, trace);
        let head = format!("POST /v1/traces HTTP/1.1\r\nHost: a\r\nContent-Length: {}\r\n\r\n", body.len());
        if writing.write_all(&[head.as_bytes(), body.as_bytes()].concat()).is_err() {
            break;
        }
        match status(&mut reading) {
            Some(204) => acknowledged.push(number),
            Some(_) => refused += 1,
            None => break,
        }
    }
    (acknowledged, refused)
}

/// The status of the next answer; `None` if the connection ends.
fn status(reading: &mut BufReader<TcpStream>) -> Option<u16> {
    let mut first = String::new();
    reading.read_line(&mut first).ok().filter(|it| *it > 0)?;
    let mut length = 0;
    loop {
        let mut line = String::new();
        reading.read_line(&mut line).ok().filter(|it| *it > 0)?;
        if line == "\r\n" {
            break;
        }
        length = line.strip_prefix("content-length: ").map_or(length, |it| it.trim().parse().unwrap());
    }
    reading.read_exact(&mut vec![0; length]).ok()?;
    first.split(' ').nth(1)?.parse().ok()
}

/// The numbers of all lines, each of which contains the whole trace.
fn numbers(folder: &Path, text: &str) -> Vec<u64> {
    let end = format!("\"}},\"trace\":{text}}}\n");
    let mut numbers = Vec::new();
    for file in files(folder) {
        let mut lines = BufReader::new(fs::File::open(file).unwrap());
        let mut line = String::new();
        while lines.read_line(&mut line).unwrap() > 0 {
            let start = line.strip_suffix(&end).unwrap_or_else(|| panic!("{} bytes", line.len()));
            let (_, number) = start.split_once("\"dimensions\":{\"number\":\"").unwrap();
            numbers.push(number.parse().unwrap());
            line.clear();
        }
    }
    numbers
}

/// Runs senders for a time, and until they were served; with `kill` the server is then killed in the middle of their work. Returns what was
/// acknowledged.
fn run(folder: &Path, text: &str, sent: &Sent, seconds: f64, kill: bool) -> Vec<u64> {
    let rate = from_environment("COLLECT_RATE", 100);
    let server = Server::start(folder, &["--max-disk", "20gb", "--rate", "1000000"]);
    let address = server.address;
    let start = Instant::now();
    sent.stop.store(false, Ordering::Relaxed);
    let begun = sent.next.load(Ordering::Relaxed);
    let start_of_all = start - Duration::from_secs_f64(begun as f64 / rate as f64);
    let (acknowledged, refused) = thread::scope(|scope| {
        let senders: Vec<_> =
            (0..SENDERS).map(|_| scope.spawn(|| send_all(address, sent, rate, start_of_all, text))).collect();
        thread::sleep(Duration::from_secs_f64(seconds));
        // On a busy machine that is too short: each sender has to get an answer.
        while sent.next.load(Ordering::Relaxed) < begun + 2 * SENDERS {
            thread::sleep(Duration::from_millis(20));
        }
        let peak = server.peak_memory();
        let ended = if kill {
            server.kill()
        } else {
            sent.stop.store(true, Ordering::Relaxed);
            String::new()
        };
        let all = senders.into_iter().map(|it| it.join().unwrap());
        let (acknowledged, refused): (Vec<Vec<u64>>, Vec<u64>) = all.unzip();
        let acknowledged = acknowledged.concat();
        println!(
            "{} acknowledged in {:.1} s, peak memory {peak:?} kB{ended}",
            acknowledged.len(),
            start.elapsed().as_secs_f64()
        );
        if let Some(peak) = peak {
            assert!(peak < 150_000, "{peak} kB");
        }
        (acknowledged, refused.iter().sum::<u64>())
    });
    assert_eq!(refused, 0);
    assert!(acknowledged.len() > 10, "the senders were served");
    acknowledged
}

#[test]
fn load() {
    let folder = Folder::new();
    let text = trace(100_000);
    let (sent, seconds) = (Sent::default(), from_environment("COLLECT_SECONDS", 3) as f64);
    let mut acknowledged = run(folder.path(), &text, &sent, seconds / 3.0, true);
    acknowledged.extend(run(folder.path(), &text, &sent, seconds / 3.0, true));
    acknowledged.extend(run(folder.path(), &text, &sent, seconds / 3.0, false));
    let kept = numbers(folder.path(), &text);
    let once: BTreeSet<u64> = kept.iter().copied().collect();
    assert_eq!(kept.len(), once.len(), "each is there once");
    let lost: Vec<u64> = acknowledged.iter().copied().filter(|it| !once.contains(it)).collect();
    println!("{} kept, {} acknowledged, {} lost", kept.len(), acknowledged.len(), lost.len());
    assert_eq!(lost, [0; 0]);
}
