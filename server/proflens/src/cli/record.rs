//! `proflens record`: runs a command, records it, and shows what was hot.

use std::ffi::OsString;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

use analysis::views::SortBy;
use profile::parse_time;
use record::{Ending, Gathered, RecordingFolder, Running, Settings, Subject};

use super::content::Report;
use super::input::{ScopeArgs, WorkspaceArgs, load_all};
use super::{Outcome, note, table};

/// So many functions are shown in the end.
const HOTTEST: usize = 5;

/// The flags of `record`.
#[derive(clap::Args, Debug)]
pub struct RecordArgs {
    /// The command to run, after --
    #[arg(required_unless_present_any = ["attach", "page"], conflicts_with_all = ["attach", "page"])]
    #[arg(last = true, value_name = "COMMAND")]
    command: Vec<OsString>,
    /// Record what runs already: the number of a process of Node, HOST:PORT or ws://… of an inspector
    #[arg(long, value_name = "PID|HOST:PORT|URL", conflicts_with = "page")]
    attach: Option<String>,
    /// With --attach: also on another machine
    #[arg(long, requires = "attach")]
    allow_remote: bool,
    /// Open this page in a Chrome, Chromium or Edge with a profile of its own, and record it
    #[arg(long, value_name = "URL")]
    page: Option<String>,
    /// With --page: the browser to start
    #[arg(long, value_name = "FILE", requires = "page")]
    browser: Option<PathBuf>,
    /// With --page: show no window
    #[arg(long, requires = "page")]
    headless: bool,
    #[command(flatten)]
    workspace: WorkspaceArgs,
    /// Time between two samples: 1ms, 200us
    #[arg(long, value_name = "TIME", default_value = "1ms", value_parser = interval)]
    interval: u32,
    /// Record for so long, while the program runs on: 10s
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
    if let Some(subject) = subject(args) {
        return record_running(args, subject, &workspace).map(|()| 0);
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

/// What runs already, or a page, if that is to be recorded.
fn subject(args: &RecordArgs) -> Option<Subject> {
    let attach = args.attach.clone().map(|what| Subject::Attached { what, allow_remote: args.allow_remote });
    attach.or_else(|| {
        let (browser, is_headless) = (args.browser.clone(), args.headless);
        args.page.clone().map(|url| Subject::Page { url, browser, is_headless })
    })
}

fn record_running(args: &RecordArgs, subject: Subject, workspace: &Path) -> Result<(), String> {
    let name = match &subject {
        Subject::Attached { what, .. } => what.clone(),
        Subject::Page { url, .. } => url.trim_end_matches('/').to_owned(),
    };
    let folder = RecordingFolder::create(workspace, &name, args.out.as_deref(), "json.gz")?;
    let running = Running { subject, interval_us: args.interval, duration: args.duration };
    let out = folder.out().to_path_buf();
    let recorded = record::record_running(&running, &folder, &out, || match args.duration {
        Some(duration) => {
            say(&format!("Recording for {} s; Ctrl-C ends it earlier.", duration.as_secs_f64()))
        }
        None => say("Recording; Ctrl-C ends it."),
    });
    folder.remove()?;
    let recorded = recorded?;
    for sentence in &recorded.missing {
        note(sentence);
    }
    say(&recorded_line(recorded.samples, recorded.threads, &out));
    show(args, &out)
}

/// `Recorded 1234 samples of 2 threads: FILE`.
fn recorded_line(samples: usize, threads: usize, out: &Path) -> String {
    let threads = match threads {
        0 => String::new(),
        1 => "1 thread: ".to_owned(),
        more => format!("{more} threads: "),
    };
    let samples = if samples == 0 { String::new() } else { format!("{samples} samples of ") };
    format!("Recorded {samples}{threads}{}\n", shown(out).display())
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
    say(&recorded_line(samples, threads, &out));
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

fn write(out: &Path, found: Gathered) -> std::io::Result<()> {
    record::write_file(out, |to| match found.threads.is_empty() {
        true => record::write_heap(found.heaps, to),
        false => record::write_trace(&found.threads, to),
    })
}

/// What a command is called: the first word that is neither a flag nor a program that starts others.
fn name(command: &[OsString]) -> String {
    const STARTERS: [&str; 15] = [
        "node", "npx", "npm", "pnpm", "yarn", "bun", "bunx", "deno", "run", "exec", "tsx", "ts-node", "env",
        "dlx", "test",
    ];
    const SHELLS: [&str; 4] = ["sh", "bash", "dash", "zsh"];
    let last = |it: &str| it.rsplit(['/', '\\']).next().unwrap_or_default().to_owned();
    let words: Vec<_> = command.iter().map(|it| it.to_string_lossy()).collect();
    // A command line is one word of its shell.
    let is_shell = words.first().is_some_and(|it| SHELLS.contains(&&*last(it)));
    let words: Vec<&str> = match is_shell {
        true => words.iter().skip(2).flat_map(|it| it.split_whitespace()).collect(),
        false => words.iter().map(|it| &**it).collect(),
    };
    let is_name = |it: &&&str| !it.starts_with('-') && !it.contains('=') && !STARTERS.contains(&&*last(it));
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_called_by_what_it_runs() {
        let named = [
            ("node --enable-source-maps src/main.ts --port 80", "src/main.ts"),
            ("npx tsx main.ts", "main.ts"),
            ("NODE_ENV=test npx vitest run", "vitest"),
            ("npm run build", "build"),
            ("npm", "npm"),
        ];
        for (line, expected) in named {
            let words: Vec<OsString> = line.split(' ').map(OsString::from).collect();
            assert_eq!(name(&words), expected, "{line}");
            assert_eq!(name(&["/bin/sh".into(), "-c".into(), line.into()]), expected, "{line}");
        }
    }
}
