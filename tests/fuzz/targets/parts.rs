//! Anything that the threads of a recording may have left: each thread has as many times as samples and no sample of a node
//! that it lacks, the resulting trace can be read again, and nothing from outside the folder is in it.
//!
//! An input is several files, each after a line `//- NAME`. Beside the folder is a file that must not appear in a trace.

use record::head::Head;
use record::parts::gather;
use record::trace::{OtherRuns, write_trace};
use record::v8_profile::Thread;
use tests::Folder;

const HEADING: &str = "//- ";
const SECRET: &str = "not of this recording";

/// Writes the files, reads them as a recording, and writes the trace.
pub(crate) fn check(bytes: &[u8]) {
    let beside = Folder::new();
    beside.write("secret.text", SECRET);
    let folder = beside.path().join("parts");
    std::fs::create_dir(&folder).expect("a folder just made can be written");
    for (name, content) in files(bytes) {
        beside.write(&format!("parts/{name}"), content);
    }
    let gathered = gather(&folder, |_| false);
    gathered.threads.iter().for_each(samples);
    let mut trace = Vec::new();
    let others = OtherRuns { counts: Some(&gathered.counts), deopts: Some(&gathered.deopts) };
    write_trace(&gathered.threads, others, &Head::default(), &mut trace).expect("memory can be written");
    let value: serde_json::Value = serde_json::from_slice(&trace).expect("a trace is JSON");
    assert!(value["traceEvents"].is_array());
    assert!(!String::from_utf8_lossy(&trace).contains(SECRET), "a text is a file of the recording");
}

fn samples(thread: &Thread) {
    let profile = &thread.profile;
    assert_eq!(profile.samples.len(), profile.time_deltas.len(), "each sample has a time");
    let ids: std::collections::HashSet<u32> = profile.nodes.iter().map(|node| node.id).collect();
    assert!(profile.samples.iter().all(|sample| ids.contains(sample)), "each sample has a node");
    assert_eq!(ids.len(), profile.nodes.len(), "each node has a number");
}

/// The files of an input; a line with an invalid name, or one with a folder in it, belongs to the previous file.
fn files(bytes: &[u8]) -> Vec<(String, Vec<u8>)> {
    let mut files: Vec<(String, Vec<u8>)> = Vec::new();
    for line in bytes.split_inclusive(|byte| *byte == b'\n') {
        let name = str::from_utf8(line).ok().and_then(|line| line.strip_prefix(HEADING)).map(str::trim);
        let is_plain = |name: &&str| {
            name.len() < 100
                && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.'))
                && name.starts_with(|first: char| first.is_ascii_alphanumeric())
        };
        match (name.filter(is_plain), files.last_mut()) {
            (Some(name), _) => files.push((name.to_owned(), Vec::new())),
            (None, Some((_, content))) => content.extend_from_slice(line),
            (None, None) => {}
        }
    }
    files
}
