//! Runtimes that load no recorder but write profiles themselves when they end: Bun and Deno.
//!
//! Bun takes flags from `BUN_OPTIONS`, also in the processes that it starts; Deno only takes them from its command line.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::Path;

use serde_json::Value;

use crate::v8_profile::{Thread, V8Profile};

/// Below the folder of a recording.
const FOLDER: &str = "runtimes";

/// `BUN_OPTIONS` for a command, with those of the user. `None` if the path of the folder cannot be written there, because
/// it is split at white space.
pub(crate) fn bun_options(folder: &Path, interval_us: u32) -> Option<OsString> {
    let profiles = folder.join(FOLDER).into_os_string().into_string().ok()?;
    if profiles.contains(|letter: char| letter.is_whitespace() || matches!(letter, '"' | '\'' | '\\')) {
        return None;
    }
    let mut options = env::var_os("BUN_OPTIONS").unwrap_or_default();
    if !options.is_empty() {
        options.push(" ");
    }
    options.push(format!("--cpu-prof --cpu-prof-dir={profiles} --cpu-prof-interval={interval_us}"));
    Some(options)
}

/// The arguments of a command, with flags for `deno run`.
pub(crate) fn arguments(command: &[OsString], folder: &Path, interval_us: u32) -> Vec<OsString> {
    let mut arguments = command[1..].to_vec();
    let is_deno = Path::new(&command[0]).file_stem().is_some_and(|name| name == "deno");
    if is_deno && arguments.first().is_some_and(|first| first == "run") {
        let mut to = OsString::from("--cpu-prof-dir=");
        to.push(folder.join(FOLDER));
        let interval = format!("--cpu-prof-interval={interval_us}").into();
        arguments.splice(1..1, [OsString::from("--cpu-prof"), to, interval]);
    }
    arguments
}

/// What the runtimes have written, and one sentence for each file that cannot be read.
pub(crate) fn profiles(folder: &Path) -> (Vec<Thread>, Vec<String>) {
    let Ok(entries) = fs::read_dir(folder.join(FOLDER)) else { return (Vec::new(), Vec::new()) };
    let mut files: Vec<_> = entries.flatten().map(|entry| entry.path()).collect();
    files.sort();
    let (mut threads, mut missing) = (Vec::new(), Vec::new());
    for file in files {
        match read(&file) {
            Ok(thread) => threads.push(thread),
            Err(why) => missing.push(format!("{} was not recorded: {why}", file.display())),
        }
    }
    (threads, missing)
}

fn read(file: &Path) -> io::Result<Thread> {
    let mut profile: Value = serde_json::from_slice(&fs::read(file)?)?;
    // Bun's times have fractions.
    for time in ["startTime", "endTime"] {
        round(&mut profile[time]);
    }
    profile["timeDeltas"].as_array_mut().into_iter().flatten().for_each(round);
    let profile: V8Profile = serde_json::from_value(profile)?;
    let mut urls = profile.nodes.iter().map(|node| node.call_frame.url.as_str());
    let script = urls.find(|url| url.starts_with("file:") && !url.contains("/node_modules/"));
    let name = script.and_then(|url| url.rsplit('/').next()).unwrap_or("script").to_owned();
    Ok(Thread { name, profile, scripts: Vec::new(), marks: Vec::new() })
}

fn round(time: &mut Value) {
    if let Some(fraction) = time.as_f64() {
        *time = Value::from(fraction.round() as i64);
    }
}
