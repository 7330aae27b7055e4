//! `proflens record`: runs a command, records it, and shows what was hot.

use std::ffi::OsString;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

use analysis::views::SortBy;
use profile::parse_time;
use record::{
    Ending, Gathered, Head, Launch, Plan, Progress, RecordingFolder, Revision, Running, Settings, Subject,
    TreeState,
};

use super::content::Report;
use super::input::{ScopeArgs, WorkspaceArgs, load_all};
use super::repeat::{self, Run, RunFiles, Times};
use super::{Outcome, note, table};
use crate::history;

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
    /// Run the command so often, and record each run: what `proflens compare` asks for
    #[arg(long, value_name = "N", conflicts_with_all = ["attach", "page"])]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=1000))]
    repeat: Option<u32>,
    /// With --repeat: run the command so often before, without keeping a recording
    #[arg(long, value_name = "N", requires = "repeat", default_value_t = 0)]
    #[arg(value_parser = clap::value_parser!(u32).range(0..=1000))]
    warmup: u32,
    /// Where to write the recording, or with --repeat the folder for those of all runs, which is added to; below
    /// .proflens/recordings if not given
    #[arg(long, value_name = "FILE|DIR")]
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
            if let Some(recorded) = finish(args, folder, found)? {
                say(&recorded.line());
                show(args, std::slice::from_ref(&recorded.out))?;
            }
        }
    }
    if let Some(subject) = subject(args) {
        return record_running(args, subject, &workspace).map(|()| 0);
    }
    match args.repeat {
        Some(runs) => record_runs(args, Times { warm_ups: args.warmup, runs }, &workspace),
        None => {
            let run = record_once(args, &workspace, Keep::At(args.out.as_deref()), true)?;
            if let Some(recorded) = &run.recorded {
                say(&recorded.line());
                show(args, std::slice::from_ref(&recorded.out))?;
            }
            run.end()
        }
    }
}

/// Records the command several times; then shows the sum, and the folder for a comparison.
fn record_runs(args: &RecordArgs, times: Times, workspace: &Path) -> Result<u8, String> {
    let name = name(&args.command);
    let folder = match &args.out {
        None => record::folder_of_runs(workspace, &name)?,
        Some(out) => folder_for_runs(out)?,
    };
    let files = RunFiles::new(folder, &record::file_name(&name), ending(args), times.runs)?;
    let mut is_first = true;
    let all = repeat::repeat(
        times,
        &files,
        record::is_told_to_end,
        |file| {
            let keep = file.map_or(Keep::Nothing, |it| Keep::At(Some(it)));
            let CommandRun { mut command, recorded } =
                record_once(args, workspace, keep, std::mem::take(&mut is_first))?;
            let status = command.wait()?;
            let amount = recorded.as_ref().map(Recorded::amount).unwrap_or_default();
            Ok(Run { status, amount, file: recorded.map(|it| it.out) })
        },
        say,
    );
    let all = all.inspect_err(|_| files.remove_if_empty())?;
    let (folder, kept) = (shown(&files.folder).display().to_string(), all.files.len());
    if kept > 0 {
        let runs = if kept == 1 { "1 run".to_owned() } else { format!("{kept} runs") };
        say(&format!("Recorded {runs}: {folder}\n"));
        show(args, &all.files)?;
        say(&format!(
            "\nCompare them with those of another version: proflens compare --before {folder} --after OTHER"
        ));
    } else {
        say("No run was kept.");
        files.remove_if_empty();
    }
    Ok(all.failed.map_or_else(record::end_as_told, record::end_as))
}

/// The folder that the user named for several runs.
fn folder_for_runs(out: &Path) -> Result<PathBuf, String> {
    let has_ending =
        out.extension().is_some_and(|it| ["gz", "json", "heapprofile"].iter().any(|ending| it == *ending));
    if out.is_file() || (has_ending && !out.is_dir()) {
        return Err(format!(
            "--out {} is a file. With --repeat, name a folder for the recordings.",
            out.display()
        ));
    }
    let made = std::fs::create_dir_all(out).and_then(|()| std::fs::canonicalize(out));
    made.map_err(|error| {
        format!("{} cannot be made: {error}. Name another folder with --out.", out.display())
    })
}

/// What to do with what was recorded.
#[derive(Clone, Copy)]
enum Keep<'a> {
    /// It is written to this file, or among the others.
    At(Option<&'a Path>),
    Nothing,
}

/// A run of the command, which may be still running if only a part of its time was to be recorded.
struct CommandRun {
    command: Launch,
    recorded: Option<Recorded>,
}

impl CommandRun {
    /// Waits until the command has ended, and ends as it did.
    fn end(mut self) -> Result<u8, String> {
        self.command.wait().map(record::end_as)
    }
}

fn ending(args: &RecordArgs) -> &'static str {
    if args.heap { "heapprofile" } else { "json.gz" }
}

/// Runs the command once. Only of the first of several runs it is said what is wrong with the repository.
fn record_once(
    args: &RecordArgs,
    workspace: &Path,
    keep: Keep<'_>,
    is_first: bool,
) -> Result<CommandRun, String> {
    let settings = Settings {
        interval_us: args.interval,
        // As finely as DevTools does.
        heap: args.heap.then_some(32 * 1024),
        delay: args.delay,
        duration: args.duration,
        only: args.only.clone(),
    };
    let revision = revision(workspace, is_first);
    let name = name(&args.command);
    let out = if let Keep::At(out) = keep { out } else { None };
    let plan = Plan { name: &name, out, ending: ending(args), revision: revision.as_ref() };
    let folder = RecordingFolder::create(workspace, &plan)?;
    let mut command = match record::launch(&args.command, &folder, &settings) {
        Ok(command) => command,
        Err(sentence) => {
            folder.remove()?;
            return Err(sentence);
        }
    };
    let ending = command.wait_for_recording(folder.path(), &settings)?;
    let recorded = match keep {
        Keep::At(_) => {
            let found = record::gather(folder.path(), record::is_running);
            finish(args, folder, found)
        }
        Keep::Nothing => folder.remove().map(|()| None),
    };
    if ending == Ending::TimeIsOver {
        say("The command runs on.");
    }
    if recorded.is_err() {
        // It is not ended by what went wrong here.
        command.wait()?;
    }
    Ok(CommandRun { command, recorded: recorded? })
}

/// What is checked out in the workspace. A repository that cannot be read is no reason not to record.
fn revision(workspace: &Path, says_why_not: bool) -> Option<Revision> {
    let note = |why: &str| {
        if says_why_not {
            note(why)
        }
    };
    let checked_out = history::checked_out(workspace).unwrap_or_else(|sentence| {
        note(sentence.trim_end_matches('.'));
        None
    })?;
    let tree = match checked_out.clean {
        Ok(true) => Some(TreeState::Clean),
        Ok(false) => Some(TreeState::Changed),
        Err(why) => {
            note(&format!("whether files were changed since the commit is not known: {why}"));
            None
        }
    };
    Some(Revision { commit: checked_out.commit, branch: checked_out.branch, tree })
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
    let revision = revision(workspace, true);
    let plan = Plan { name: &name, out: args.out.as_deref(), ending: "json.gz", revision: revision.as_ref() };
    let folder = RecordingFolder::create(workspace, &plan)?;
    let running = Running { subject, interval_us: args.interval, duration: args.duration };
    let out = folder.out().to_path_buf();
    let recorded =
        record::record_running(&running, &folder, &out, &|progress| match (progress, args.duration) {
            (Progress::Note(sentence), _) => note(sentence),
            (Progress::Begun, Some(duration)) => {
                say(&format!("Recording for {} s; Ctrl-C ends it earlier.", duration.as_secs_f64()))
            }
            (Progress::Begun, None) => say("Recording; Ctrl-C ends it."),
        });
    folder.remove()?;
    let recorded = recorded?;
    for sentence in &recorded.missing {
        note(sentence);
    }
    let recorded = Recorded { samples: recorded.samples, threads: recorded.threads, out };
    say(&recorded.line());
    show(args, std::slice::from_ref(&recorded.out))
}

/// A recording that was written.
struct Recorded {
    /// 0 where their number is not known, as with threads.
    samples: usize,
    threads: usize,
    out: PathBuf,
}

impl Recorded {
    /// `Recorded 1234 samples of 2 threads: FILE`.
    fn line(&self) -> String {
        let colon = if self.threads == 0 { "" } else { ": " };
        format!("Recorded {}{colon}{}\n", self.amount(), shown(&self.out).display())
    }

    /// `1234 samples of 2 threads`.
    fn amount(&self) -> String {
        let threads = match self.threads {
            0 => String::new(),
            1 => "1 thread".to_owned(),
            more => format!("{more} threads"),
        };
        let samples = self.samples;
        if samples == 0 { threads } else { format!("{samples} samples of {threads}") }
    }
}

/// Writes what was found, and says what is missing; `None` if there was nothing.
fn finish(args: &RecordArgs, folder: RecordingFolder, found: Gathered) -> Result<Option<Recorded>, String> {
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
        return folder.remove().map(|()| None);
    }
    let out = folder.out().to_path_buf();
    let samples: usize = found.threads.iter().map(|it| it.profile.samples.len()).sum();
    let threads = found.threads.len() + found.heaps.len();
    write(&out, folder.head(), found).map_err(|error| {
        format!(
            "{} cannot be written: {error}. What was recorded lies in {}.",
            out.display(),
            folder.path().display()
        )
    })?;
    folder.remove()?;
    Ok(Some(Recorded { samples, threads, out }))
}

fn why_nothing(command: &[OsString]) -> &'static str {
    if record::refuses_recorder(command) {
        "nothing was recorded: with --permission Node lets nobody look into it; --allow-inspector, which Node 24 has, allows that"
    } else {
        "nothing was recorded: the command ran no JavaScript in Node 16 or newer that took over NODE_OPTIONS"
    }
}

/// The table of the hottest functions, on stderr: what the command wrote to stdout is its own.
fn show(args: &RecordArgs, files: &[PathBuf]) -> Result<(), String> {
    let workspace = args.workspace.open()?;
    let files: Vec<PathBuf> = files.iter().map(|it| shown(it).to_path_buf()).collect();
    let (recording, errors) = load_all(&files, &workspace, &ScopeArgs::default());
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

fn write(out: &Path, head: &Head, found: Gathered) -> std::io::Result<()> {
    record::write_file(out, |to| match found.threads.is_empty() {
        true => record::write_heap(found.heaps, head, to),
        false => record::write_trace(&found.threads, head, to),
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
