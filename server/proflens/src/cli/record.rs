//! `proflens record`: runs a command, records it, and shows what was hot.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use profile::problem::Problem;
use record::folder::{Plan, RecordingFolder};
use record::head::{Checkout, TreeState};
use record::launch::{Ending, Launch, Settings};
use record::running::{Progress, Running, Subject};

use super::finish::{self, Recorded, remove, show};
use super::input::WorkspaceArgs;
use super::repeat::{self, Run, RunFiles, Times};
use super::{Outcome, note, note_failure, say, say_lines, shown, values};
use crate::history;

const NOTHING: &str =
    "nothing was recorded: the command ran no JavaScript in Node 16 or newer that took over NODE_OPTIONS";

/// The flags of `record`.
#[derive(clap::Args, Debug)]
pub struct RecordArgs {
    /// The command to run, with its own options; what begins with - before it is an option of record
    #[arg(required_unless_present_any = ["attach", "page"], conflicts_with_all = ["attach", "page"])]
    #[arg(trailing_var_arg = true, value_name = "COMMAND")]
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
    /// Time between two samples, with its unit: 1ms, 200us
    #[arg(long, value_name = "TIME", default_value = "1ms", value_parser = values::parser(values::interval))]
    interval: u32,
    /// Record for this long, while the program runs on: 10s, 100ms
    #[arg(long, value_name = "TIME", value_parser = values::parser(values::duration))]
    duration: Option<Duration>,
    /// Begin after this time
    #[arg(long, value_name = "TIME", default_value = "0s", value_parser = values::parser(values::duration))]
    delay: Duration,
    /// Record sampled allocations instead of time
    #[arg(long)]
    heap: bool,
    /// Only processes whose command line holds this text, in which * stands for anything
    #[arg(long, value_name = "PATTERN")]
    only: Option<String>,
    /// Run the command this many times, and record each run: what `proflens compare` asks for
    #[arg(long, value_name = "N", conflicts_with_all = ["attach", "page"])]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=1000))]
    repeat: Option<u32>,
    /// With --repeat: run the command this many times first, without keeping a recording
    #[arg(long, value_name = "N", requires = "repeat", default_value_t = 0)]
    #[arg(value_parser = clap::value_parser!(u32).range(0..=1000))]
    warmup: u32,
    /// Where to write the recording, or with --repeat the folder for those of all runs, which is added to; below
    /// .proflens/recordings if not given
    #[arg(long, value_name = "FILE|DIR")]
    out: Option<PathBuf>,
    #[command(flatten)]
    workspace: WorkspaceArgs,
}

/// Runs it. The status is that of the command.
pub fn run(args: &RecordArgs) -> Outcome {
    record(args).map_or_else(Outcome::failed, Outcome::ended)
}

fn record(args: &RecordArgs) -> Result<u8, Problem> {
    // A folder that cannot be opened is reported before the command runs.
    args.workspace.open()?;
    let workspace = args.workspace.workspace.clone().unwrap_or_else(|| PathBuf::from("."));
    let subject = subject(args);
    if subject.is_none() {
        record::signals::listen()
            .map_err(|error| Problem::new(format!("Signals cannot be listened to: {error}"), ""))?;
    }
    finish::finish_leftovers(&args.workspace, &workspace);
    if let Some(subject) = subject {
        return record_running(args, subject, &workspace).map(|()| 0);
    }
    match args.repeat {
        Some(runs) => record_runs(args, Times { warm_ups: args.warmup, runs }, &workspace),
        None => {
            let run = record_once(args, &workspace, Keep::At(args.out.as_deref()), true)?;
            if let Some(recorded) = &run.recorded {
                say_lines(&recorded.line());
                show(&args.workspace, std::slice::from_ref(&recorded.out));
            }
            let is_kept = run.recorded.is_some();
            args.ended(run.end()?, is_kept)
        }
    }
}

/// Records the command several times; then shows the sum, and the folder for a comparison.
fn record_runs(args: &RecordArgs, times: Times, workspace: &Path) -> Result<u8, Problem> {
    let name = name(&args.command);
    let folder = match &args.out {
        None => record::destination::folder_of_runs(workspace, &name)?,
        Some(out) => record::destination::named_folder(workspace, out)?,
    };
    let files = RunFiles::new(
        folder,
        &record::destination::file_name(&name),
        record::folder::ending(args.heap),
        times.runs,
    )?;
    let mut is_first = true;
    let all = repeat::repeat(
        times,
        &files,
        record::signals::is_told_to_end,
        |file| {
            let keep = file.map_or(Keep::Nothing, |file| Keep::At(Some(file)));
            let CommandRun { mut command, recorded } =
                record_once(args, workspace, keep, std::mem::take(&mut is_first))?;
            let status = command.wait()?;
            let amount = recorded.as_ref().map(Recorded::amount).unwrap_or_default();
            Ok(Run { status, amount, file: recorded.map(|recorded| recorded.out) })
        },
        say,
    );
    let all = all.inspect_err(|_| files.remove_if_empty())?;
    let (folder, kept) = (shown(&files.folder).display().to_string(), all.files.len());
    if kept > 0 {
        let runs = if kept == 1 { "1 run".to_owned() } else { format!("{kept} runs") };
        say_lines(&format!("Recorded {runs}: {folder}\n"));
        show(&args.workspace, &all.files);
        say_lines(&format!(
            "\nCompare them with those of another version: proflens compare --before {folder} --after OTHER"
        ));
    } else {
        say("No run was kept.");
        files.remove_if_empty();
    }
    args.ended(all.failed.map_or_else(record::signals::end_as_told, record::signals::end_as), kept > 0)
}

impl RecordArgs {
    /// The status: that of the command, unless it succeeded and there is nothing to show.
    fn ended(&self, status: u8, is_kept: bool) -> Result<u8, Problem> {
        if self.heap && !is_kept && status == 0 {
            return Err(Problem::new(
                "No allocations were kept: none was sampled, or nothing that was allocated is still in use",
                "record something that allocates more, or for longer",
            ));
        }
        Ok(status)
    }
}

/// What to do with what was recorded.
#[derive(Clone, Copy)]
enum Keep<'a> {
    /// It is written to this file, or among the others.
    At(Option<&'a Path>),
    Nothing,
}

/// A run of the command, which may still be running if only a part of its time was to be recorded.
struct CommandRun {
    command: Launch,
    recorded: Option<Recorded>,
}

impl CommandRun {
    /// Waits until the command has ended, and ends the same way.
    fn end(mut self) -> Result<u8, Problem> {
        self.command.wait().map(record::signals::end_as)
    }
}

/// Runs the command once. What is wrong with the repository is only reported for the first of several runs.
fn record_once(
    args: &RecordArgs,
    workspace: &Path,
    keep: Keep<'_>,
    is_first: bool,
) -> Result<CommandRun, Problem> {
    let settings = Settings {
        interval_us: args.interval,
        // The same interval as in DevTools.
        heap: args.heap.then_some(32 * 1024),
        delay: args.delay,
        duration: args.duration,
        only: args.only.clone(),
    };
    let checkout = checkout(workspace, is_first);
    let name = name(&args.command);
    let out = if let Keep::At(out) = keep { out } else { None };
    let plan = Plan { name: &name, out, heap: args.heap, checkout: checkout.as_ref() };
    let folder = RecordingFolder::create(workspace, &plan)?;
    let mut command = match record::launch::launch(&args.command, &folder, &settings) {
        Ok(command) => command,
        Err(problem) => {
            remove(folder);
            return Err(problem);
        }
    };
    let ending = command.wait_for_recording(folder.path(), &settings)?;
    let recorded = match keep {
        Keep::At(_) => {
            let mut found = record::parts::gather(folder.path(), record::signals::is_running);
            found.heaps.retain(record::heap::has_samples);
            match record::refusals::refusal(&args.command) {
                Some(refusal) if is_first => note(&refusal.to_string()),
                None if found.is_empty() && !args.heap => note(NOTHING),
                Some(_) | None => {}
            }
            finish::finish(folder, found)
        }
        Keep::Nothing => {
            remove(folder);
            Ok(None)
        }
    };
    if ending == Ending::TimeIsOver {
        say("The command runs on.");
    }
    if recorded.is_err() {
        // The command is not ended by what went wrong here.
        command.wait()?;
    }
    Ok(CommandRun { command, recorded: recorded? })
}

/// What is checked out in the workspace. A repository that cannot be read does not prevent a recording.
fn checkout(workspace: &Path, says_why_not: bool) -> Option<Checkout> {
    let checked_out = match history::checked_out(workspace) {
        Ok(checked_out) => checked_out?,
        Err(problem) => {
            if says_why_not {
                note_failure(&problem);
            }
            return None;
        }
    };
    let tree = match checked_out.clean {
        Ok(true) => Some(TreeState::Clean),
        Ok(false) => Some(TreeState::Changed),
        Err(why) => {
            if says_why_not {
                let what =
                    format!("whether files were changed since the commit is not known: {}", why.clause());
                note_failure(&Problem::new(what, ""));
            }
            None
        }
    };
    Some(Checkout { commit: checked_out.commit, branch: checked_out.branch, tree })
}

/// The running program, or the page, if one is to be recorded.
fn subject(args: &RecordArgs) -> Option<Subject> {
    let attach = args.attach.clone().map(|what| Subject::Attached { what, allow_remote: args.allow_remote });
    attach.or_else(|| {
        let (browser, is_headless) = (args.browser.clone(), args.headless);
        args.page.clone().map(|url| Subject::Page { url, browser, is_headless })
    })
}

fn record_running(args: &RecordArgs, subject: Subject, workspace: &Path) -> Result<(), Problem> {
    let name = match &subject {
        Subject::Attached { what, .. } => what.clone(),
        Subject::Page { url, .. } => url.trim_end_matches('/').to_owned(),
    };
    let checkout = checkout(workspace, true);
    let plan = Plan { name: &name, out: args.out.as_deref(), heap: false, checkout: checkout.as_ref() };
    let folder = RecordingFolder::create(workspace, &plan)?;
    let running = Running { subject, interval_us: args.interval, duration: args.duration };
    let out = folder.out()?;
    let recorded = record::running::record_running(&running, &folder, &out, &|progress| match (
        progress,
        args.duration,
    ) {
        (Progress::Note(sentence), _) => note(sentence),
        (Progress::Begun, Some(duration)) => {
            say(&format!("Recording for {}; Ctrl-C ends it earlier.", as_given(duration)))
        }
        (Progress::Begun, None) => say("Recording; Ctrl-C ends it."),
    });
    remove(folder);
    let record::running::Recorded { threads, samples, missing } = recorded?;
    for sentence in &missing {
        note(sentence);
    }
    let recorded = Recorded { samples, threads, out };
    say_lines(&recorded.line());
    show(&args.workspace, std::slice::from_ref(&recorded.out));
    Ok(())
}

/// The name of a command: the first word that is neither a flag nor a program that starts others.
fn name(command: &[OsString]) -> String {
    const STARTERS: [&str; 15] = [
        "node", "npx", "npm", "pnpm", "yarn", "bun", "bunx", "deno", "run", "exec", "tsx", "ts-node", "env",
        "dlx", "test",
    ];
    const SHELLS: [&str; 4] = ["sh", "bash", "dash", "zsh"];
    let words: Vec<_> = command.iter().map(|word| word.to_string_lossy()).collect();
    // A command line is one word of its shell.
    let is_shell = words.first().is_some_and(|program| SHELLS.contains(&last_part(program)));
    let words: Vec<&str> = match is_shell {
        true => words.iter().skip(2).flat_map(|line| line.split_whitespace()).collect(),
        false => words.iter().map(|word| &**word).collect(),
    };
    let name = words
        .iter()
        .find(|word| !word.starts_with('-') && !word.contains('=') && !STARTERS.contains(&last_part(word)));
    name.or(words.first()).map(ToString::to_string).unwrap_or_default()
}

fn last_part(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or_default()
}

/// A duration with the digits that were given: `100 ms`, `1.5 s`.
fn as_given(duration: Duration) -> String {
    match duration.as_secs_f64() {
        seconds if seconds < 1.0 => format!("{} ms", seconds * 1000.0),
        seconds => format!("{seconds} s"),
    }
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
