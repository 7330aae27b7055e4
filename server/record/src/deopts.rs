//! Has V8 log what its compiler does in a run of its own, and reads the logs. Node only takes the flags for that from its
//! command line, so every way in which a command may start Node must lead to them: its own words, a `node` at the front
//! of the PATH, and the recorder in processes that are already running (preload/children.cjs).

use std::collections::HashMap;
use std::env;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::{self, BufReader, Write};
use std::path::{Path, PathBuf};

use profile::model::{Deopt, Deopts, MegamorphicSite};
use profile::problem::Problem;
use serde_json::json;

use crate::regular;
use crate::v8_log::read_log;
use crate::v8_profile::Thread;

/// Below the folder of a recording: the output of V8, and the `node` for the PATH.
const LOGS: &str = "v8";
const PROGRAMS: &str = "bin";
/// V8's output about each deoptimisation; without this file it would go to stdout, among the program's own.
const PRINTED: &str = "printed.txt";
/// A program that runs for a minute logs some hundreds of MB.
const MAX_LOG_BYTES: u64 = 4 << 30;

/// Creates the folder of the logs, and the `node` for the PATH.
///
/// # Errors
/// The system's error.
pub(crate) fn prepare(folder: &Path) -> io::Result<()> {
    fs::create_dir(folder.join(LOGS))?;
    fs::create_dir(folder.join(PROGRAMS))?;
    install_node(folder)
}

/// The flags for Node. V8 has a log for each isolate, which is a thread of Node; `%p` and `%t` become the process and the time.
pub(crate) fn flags(folder: &Path) -> Vec<OsString> {
    let mut logs = folder.join(LOGS).to_string_lossy().replace('%', "%%");
    logs.push(std::path::MAIN_SEPARATOR);
    let log = format!("--logfile={logs}%p-%t.log");
    let mut printed = OsString::from("--redirect-code-traces-to=");
    printed.push(folder.join(LOGS).join(PRINTED));
    let fixed = ["--log-deopt", "--log-ic", "--log-code", "--log-source-code", "--redirect-code-traces"];
    let fixed = fixed.into_iter().map(OsString::from);
    fixed.chain([OsString::from("--logfile-per-isolate"), log.into(), printed]).collect()
}

/// The arguments of a command, with the flags added if it is Node itself.
pub(crate) fn arguments(command: &[OsString], folder: &Path) -> Vec<OsString> {
    let is_node = Path::new(&command[0]).file_stem().is_some_and(|name| name == "node" || name == "nodejs");
    let own = command[1..].iter().cloned();
    if is_node { flags(folder).into_iter().chain(own).collect() } else { own.collect() }
}

/// The PATH for a command, in which the first `node` is the one with the flags.
pub(crate) fn path(folder: &Path) -> Option<OsString> {
    let path = env::var_os("PATH").unwrap_or_default();
    env::join_paths([folder.join(PROGRAMS)].into_iter().chain(env::split_paths(&path))).ok()
}

/// A shell script that starts the `node` of the PATH with the flags.
#[cfg(unix)]
fn install_node(folder: &Path) -> io::Result<()> {
    use std::os::unix::fs::OpenOptionsExt;

    let Some(node) = crate::programs::file_of(OsStr::new("node")) else { return Ok(()) };
    // A relative PATH is relative to the folder where the command starts.
    let node = std::path::absolute(node)?;
    let words = [node.into_os_string()].into_iter().chain(flags(folder)).map(|word| quoted(&word));
    let line = format!("#!/bin/sh\nexec {} \"$@\"\n", words.collect::<Vec<_>>().join(" "));
    let file = folder.join(PROGRAMS).join("node");
    let mut file = fs::OpenOptions::new().write(true).create_new(true).mode(0o700).open(file)?;
    file.write_all(line.as_bytes())
}

/// Windows has no scripts that a program can start by name alone.
#[cfg(not(unix))]
fn install_node(_: &Path) -> io::Result<()> {
    Ok(())
}

/// Quotes a word for a shell.
#[cfg(unix)]
fn quoted(word: &OsStr) -> String {
    format!("'{}'", word.to_string_lossy().replace('\'', "'\\''"))
}

/// Reads the logs of a run, without the scripts below `recorder`, which are ours. The earlier scripts in the recording
/// know maps that are not in the texts.
pub fn read_logs(folder: &Path, recorder: &Path, threads: &[Thread]) -> Deopts {
    let recorder = recorder.to_string_lossy();
    let is_wanted = |url: &str| is_of_workspace(url) && !url.starts_with(&*recorder);
    let mut files: Vec<PathBuf> = match fs::read_dir(folder.join(LOGS)) {
        Ok(entries) => entries.flatten().map(|entry| entry.path()).collect(),
        Err(_) => Vec::new(),
    };
    files.retain(|file| file.extension().is_some_and(|ending| ending == "log"));
    // The number of the process is in the names; the order of the threads does not matter.
    files.sort();
    let mut problems = Vec::new();
    let mut all: Vec<Deopts> = Vec::new();
    for file in files {
        let read = regular::open(&file, MAX_LOG_BYTES)
            .map_err(|error| Problem::new(format!("a log of V8 was not read: {error}"), ""));
        match read.and_then(|log| read_log(BufReader::with_capacity(1 << 20, log), is_wanted)) {
            Ok(deopts) => all.push(deopts),
            Err(problem) => problems.push(problem),
        }
    }
    problems.sort();
    problems.dedup();
    let mut deopts = Deopts::sum(all);
    deopts.scripts.retain(|script| !script.compiled.is_empty());
    add_maps(&mut deopts, threads);
    deopts.problems.extend(problems);
    deopts
}

/// Whether a script may belong to a workspace, unlike Node's own scripts, dependencies and code without an address.
fn is_of_workspace(url: &str) -> bool {
    let is_dependency = ["/node_modules/", "\\node_modules\\"].iter().any(|folder| url.contains(folder));
    !url.is_empty() && !url.starts_with("node:") && !is_dependency
}

fn add_maps(deopts: &mut Deopts, threads: &[Thread]) {
    let scripts = threads.iter().flat_map(|thread| &thread.scripts);
    let known: HashMap<&str, _> = scripts.map(|script| (script.text.as_str(), script)).collect();
    for script in &mut deopts.scripts {
        let text = script.script.text.as_deref().unwrap_or_default();
        if let Some(same) = known.get(text) {
            script.script.map = same.map.as_deref().map(Into::into);
            script.script.map_url = same.map_url.as_deref().map(Into::into);
        }
    }
}

/// Writes the deoptimisations as a member of a recording (profile/src/decode/deopts.rs).
pub(crate) fn write_deopts(deopts: &Deopts, to: &mut dyn Write) -> io::Result<()> {
    to.write_all(b"{\"scripts\":[")?;
    for (script, number) in deopts.scripts.iter().zip(0..) {
        if number > 0 {
            to.write_all(b",\n")?;
        }
        let deopts = script.deopts.iter().map(|Deopt { at, kind, reason, count }| {
            json!({ "at": at, "kind": kind.name(), "reason": reason, "count": count })
        });
        let megamorphic = script
            .megamorphic
            .iter()
            .map(|MegamorphicSite { at, property }| json!({ "at": at, "property": property }));
        let mut written = json!({
            "url": script.url, "compiled": script.compiled, "optimized": script.optimized,
            "deopts": deopts.collect::<Vec<_>>(), "megamorphic": megamorphic.collect::<Vec<_>>(),
        });
        let profile::model::Script { text, map, map_url, .. } = &script.script;
        for (key, value) in [("source", text), ("sourceMap", map), ("sourceMapUrl", map_url)] {
            if let Some(value) = value {
                written[key] = json!(value);
            }
        }
        serde_json::to_writer(&mut *to, &written)?;
    }
    to.write_all(b"],\"problems\":")?;
    serde_json::to_writer(&mut *to, &deopts.problems)?;
    to.write_all(b"}")
}
