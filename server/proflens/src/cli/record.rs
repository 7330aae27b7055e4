//! `proflens record`: runs a command, records it, and shows what was hot.

use std::ffi::OsString;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use analysis::views::SortBy;
use flate2::Compression;
use flate2::write::GzEncoder;
use profile::parse_time;
use record::{Ending, Gathered, RecordingFolder, Settings};

use super::content::Report;
use super::input::{ScopeArgs, WorkspaceArgs, load_all};
use super::{Outcome, note, table};

/// So many functions are shown in the end.
const HOTTEST: usize = 5;

/// The flags of `record`.
#[derive(clap::Args, Debug)]
pub struct RecordArgs {
    /// The command to run, after --
    #[arg(required = true, last = true, value_name = "COMMAND")]
    command: Vec<OsString>,
    #[command(flatten)]
    workspace: WorkspaceArgs,
    /// Time between two samples: 1ms, 200us
    #[arg(long, value_name = "TIME", default_value = "1ms", value_parser = interval)]
    interval: u32,
    /// Record for so long, while the command runs on: 10s
    #[arg(long, value_name = "TIME", value_parser = duration)]
    duration: Option<Duration>,
    /// Begin after this time
    #[arg(long, value_name = "TIME", default_value = "0s", value_parser = duration)]
    delay: Duration,
    /// Record sampled allocations instead of time
    #[arg(long)]
    heap: bool,
    /// Only processes whose command line holds this text, in which * stands for anything
    #[arg(long, value_name = "PATTERN")]
    only: Option<String>,
    /// Where to write the recording; below .proflens/recordings if not given
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

/// Runs it. The status is that of the command.
pub fn run(args: &RecordArgs) -> Outcome {
    match record(args) {
        Ok(status) => Outcome::ended(status),
        Err(sentence) => Outcome::failed(sentence),
    }
}

fn record(args: &RecordArgs) -> Result<u8, String> {
    // A folder that cannot be opened is said before the command runs.
    args.workspace.open()?;
    let workspace = args.workspace.workspace.clone().unwrap_or_else(|| PathBuf::from("."));
    for folder in record::recover(&workspace, record::is_running) {
        let found = record::gather(folder.path(), record::is_running);
        if found.running.is_empty() {
            say("An earlier recording was cut short. What it left is put together.");
            finish(args, folder, found)?;
        }
    }
    let settings = Settings {
        interval_us: args.interval,
        // As finely as DevTools does.
        heap: args.heap.then_some(32 * 1024),
        delay: args.delay,
        duration: args.duration,
        only: args.only.clone(),
    };
    let ending = if args.heap { "heapprofile" } else { "json.gz" };
    let folder = RecordingFolder::create(&workspace, &name(&args.command), args.out.as_deref(), ending)?;
    let started = record::launch(&args.command, &folder, &settings);
    let mut command = match started {
        Ok(command) => command,
        Err(sentence) => {
            folder.remove()?;
            return Err(sentence);
        }
    };
    let ending = command.wait_for_recording(folder.path(), &settings)?;
    let found = record::gather(folder.path(), record::is_running);
    let written = finish(args, folder, found);
    if ending == Ending::TimeIsOver {
        say("The command runs on.");
    }
    let status = command.end()?;
    written.map(|()| status)
}

/// Writes what was found and says what it shows.
fn finish(args: &RecordArgs, folder: RecordingFolder, found: Gathered) -> Result<(), String> {
    for sentence in &found.missing {
        note(sentence);
    }
    if !found.running.is_empty() {
        let running: Vec<String> = found.running.iter().map(u32::to_string).collect();
        note(&format!("not recorded, as they still run: pid {}", running.join(", ")));
    }
    if found.threads.is_empty() && found.heaps.is_empty() {
        if found.missing.is_empty() && found.running.is_empty() {
            note(why_nothing(&args.command));
        }
        return folder.remove();
    }
    let out = folder.out().to_path_buf();
    let samples: usize = found.threads.iter().map(|it| it.profile.samples.len()).sum();
    let threads = found.threads.len() + found.heaps.len();
    write(&out, found).map_err(|error| {
        format!(
            "{} cannot be written: {error}. What was recorded lies in {}.",
            out.display(),
            folder.path().display()
        )
    })?;
    folder.remove()?;
    let threads = if threads == 1 { "1 thread".to_owned() } else { format!("{threads} threads") };
    let samples = if samples == 0 { String::new() } else { format!("{samples} samples of ") };
    say(&format!("Recorded {samples}{threads}: {}\n", shown(&out).display()));
    show(args, &out)
}

fn why_nothing(command: &[OsString]) -> &'static str {
    if record::refuses_recorder(command) {
        "nothing was recorded: with --permission Node lets nobody look into it; --allow-inspector, which Node 24 has, allows that"
    } else {
        "nothing was recorded: the command ran no JavaScript in Node 16 or newer that took over NODE_OPTIONS"
    }
}

/// The table of the hottest functions, on stderr: what the command wrote to stdout is its own.
fn show(args: &RecordArgs, out: &Path) -> Result<(), String> {
    let workspace = args.workspace.open()?;
    let (recording, errors) = load_all(&[shown(out).to_path_buf()], &workspace, &ScopeArgs::default());
    if let Some(recording) = &recording {
        let report = Report {
            recording,
            folder: &workspace.folder,
            by: SortBy::SelfTime,
            limit: HOTTEST,
            whole: false,
            all: false,
            lines: false,
        };
        say(table::render(&report).trim_end());
    }
    errors.into_iter().next().map_or(Ok(()), Err)
}

/// Under another name first: the editor must not read half of a file.
fn write(out: &Path, found: Gathered) -> std::io::Result<()> {
    let mut name = std::ffi::OsString::from(".");
    name.push(out.file_name().unwrap_or_default());
    let unfinished = out.with_file_name(name);
    let file = BufWriter::new(File::create(&unfinished)?);
    if found.threads.is_empty() {
        let mut to = file;
        record::write_heap(found.heaps, &mut to)?;
        to.flush()?;
    } else if out.extension().is_some_and(|it| it == "gz") {
        let mut to = GzEncoder::new(file, Compression::fast());
        record::write_trace(&found.threads, &mut to)?;
        to.finish()?.flush()?;
    } else {
        let mut to = file;
        record::write_trace(&found.threads, &mut to)?;
        to.flush()?;
    }
    std::fs::rename(&unfinished, out)
}

/// What a command is called: the first word that is neither a flag nor a program that starts others.
fn name(command: &[OsString]) -> String {
    const STARTERS: [&str; 15] = [
        "node", "npx", "npm", "pnpm", "yarn", "bun", "bunx", "deno", "run", "exec", "tsx", "ts-node", "env",
        "dlx", "test",
    ];
    let words: Vec<_> = command.iter().map(|it| it.to_string_lossy()).collect();
    let is_name = |it: &&std::borrow::Cow<'_, str>| {
        !it.starts_with('-')
            && !it.contains('=')
            && !STARTERS.contains(&it.rsplit(['/', '\\']).next().unwrap_or(it))
    };
    words.iter().find(is_name).or(words.first()).map(ToString::to_string).unwrap_or_default()
}

fn shown(path: &Path) -> &Path {
    std::env::current_dir().ok().and_then(|it| path.strip_prefix(it).ok()).unwrap_or(path)
}

fn say(text: &str) {
    // A terminal that is gone takes nothing from the recording.
    let _ = writeln!(std::io::stderr(), "{text}");
}

fn duration(text: &str) -> Result<Duration, String> {
    let amount = parse_time(text)?;
    Ok(Duration::from_nanos(amount.0))
}

fn interval(text: &str) -> Result<u32, String> {
    let micros = duration(text)?.as_micros();
    let fits = u32::try_from(micros).ok().filter(|it| (50..=1_000_000).contains(it));
    fits.ok_or_else(|| "is not between 50us and 1s".to_owned())
}
