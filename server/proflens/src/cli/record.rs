//! `proflens record`: runs a command, records it, and shows what was hot.

use std::convert::Infallible;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use compare::sequential::Looks;
use profile::problem::Problem;
use record::folder::{Plan, RecordingFolder};
use record::head::Allocations;
use record::launch::Settings;
use record::running::{Progress, Running, Subject};

use super::by_turns::{self, ByTurns};
use super::command::{self, Keep, RecordedCommand};
use super::finish::{self, Recorded, remove, show};
use super::input::WorkspaceArgs;
use super::repeat::{self, RunFiles, Times, ending_of};
use super::turns::HowOften;
use super::{Outcome, WRONG_FLAGS, note, say, say_lines, shown, values};

/// How many pairs of runs are recorded by turns if nothing else is said.
const USUAL_PAIRS: u32 = 10;

/// The flags of `record`.
#[derive(clap::Args, Debug)]
#[command(group(clap::ArgGroup::new("several runs").args(["repeat", "against"]).multiple(true)))]
pub struct RecordArgs {
    /// The command to run, with its own options; what begins with - before it is an option of record
    #[arg(conflicts_with_all = ["attach", "page"])]
    #[arg(trailing_var_arg = true, value_name = "COMMAND")]
    command: Vec<OsString>,
    /// Record what runs already: the number of a process of Node, HOST:PORT or ws://… of an inspector
    #[arg(long, value_name = "PID|HOST:PORT|URL", conflicts_with = "page")]
    attach: Option<String>,
    /// With --attach: also on another machine
    #[arg(long, requires = "attach")]
    allow_remote: bool,
    /// Open this page in a Chrome, Chromium or Edge with a profile of its own, and record it
    #[arg(long, value_name = "URL", value_parser = |text: &str| Ok::<_, Infallible>(values::page(text)))]
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
    /// Record sampled allocations instead of time: those still in use at the end, or all, also those that were collected
    #[arg(
        long,
        value_name = "WHICH",
        value_enum,
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "in-use"
    )]
    heap: Option<HeapOf>,
    /// Run the command once more, and count in that run how often each function is called
    #[arg(long, conflicts_with_all = ["attach", "page", "heap", "repeat", "against", "delay", "duration"])]
    counts: bool,
    /// Run the command once more, and have V8 log in that run which functions it optimises, which it gives up again, and why
    #[arg(long, conflicts_with_all = ["attach", "page", "heap", "only", "repeat", "against", "delay", "duration"])]
    deopts: bool,
    /// Only processes whose command line holds this text, in which * stands for anything
    #[arg(long, value_name = "PATTERN")]
    only: Option<String>,
    /// Run the command this many times, and record each run: what `proflens compare` asks for
    #[arg(long, value_name = "N", conflicts_with_all = ["attach", "page"])]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=1000))]
    repeat: Option<u32>,
    /// Also run the command in another version, by turns with this one, and compare the two: a commit, branch or tag of git, or another
    /// folder. --repeat says how many runs there are of each, 10 if not given
    #[arg(long, value_name = "REV|DIR", conflicts_with_all = ["attach", "page", "heap", "duration", "delay"])]
    against: Option<String>,
    /// With --against: run this in a shell first, in both versions: 'npm ci && npm run build'
    #[arg(long, value_name = "COMMAND", requires = "against")]
    setup: Option<String>,
    /// With --against: run as often as it takes until every function with 3 % of the time or more has certainly changed, or has changed by less
    /// than this
    #[arg(long, value_name = "PERCENT", requires = "against", conflicts_with = "repeat")]
    #[arg(num_args = 0..=1, require_equals = true, default_missing_value = "10%", value_parser = values::parser(values::part))]
    until_sure: Option<f64>,
    /// With --until-sure: this many runs of each version at most
    #[arg(long, value_name = "N", requires = "until_sure", default_value_t = 40)]
    #[arg(value_parser = clap::value_parser!(u32).range(3..=1000))]
    max_runs: u32,
    /// With --until-sure: begin no more runs after this time
    #[arg(long, value_name = "TIME", requires = "until_sure", value_parser = values::parser(values::duration))]
    max_time: Option<Duration>,
    /// With --against: end with status 3 if a function, or all of it, got slower by at least this much, and that is more than noise
    #[arg(long, value_name = "PERCENT", requires = "against", value_parser = values::parser(values::part))]
    fail_on_regression: Option<f64>,
    /// With --repeat or --against: run the command this many times first, without keeping a recording
    #[arg(long, value_name = "N", requires = "several runs", default_value_t = 0)]
    #[arg(value_parser = clap::value_parser!(u32).range(0..=1000))]
    warmup: u32,
    /// Where to write the recording, or with --repeat and --against the folder for those of all runs, which is added to; below
    /// .proflens/recordings if not given
    #[arg(long, short, alias = "output", value_name = "FILE|DIR")]
    out: Option<PathBuf>,
    #[command(flatten)]
    workspace: WorkspaceArgs,
}

/// Runs it. The status is that of the command.
pub fn run(args: &RecordArgs) -> Outcome {
    if args.command.is_empty() && args.attach.is_none() && args.page.is_none() {
        say(
            "Nothing is named. Name a command (proflens record node app.js), what runs already (--attach PID) or a page (--page URL).",
        );
        return Outcome::ended(WRONG_FLAGS);
    }
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
    if let Some(against) = &args.against {
        let looks = args.until_sure.map(|size| Looks::new(args.max_runs.into(), size));
        let pairs = if looks.is_some() { args.max_runs } else { args.repeat.unwrap_or(USUAL_PAIRS) };
        let by_turns = ByTurns {
            against,
            setup: args.setup.as_deref(),
            times: HowOften { warm_ups: args.warmup, pairs },
            looks,
            max_time: args.max_time,
            out: args.out.as_deref(),
            fail_on_regression: args.fail_on_regression,
        };
        return by_turns::record(&by_turns, args.command(&workspace), &args.workspace);
    }
    match args.repeat {
        Some(runs) => record_runs(args, Times { warm_ups: args.warmup, runs }, &workspace),
        None => {
            let command = args.command(&workspace);
            let run = command.record(Keep::At(args.out.as_deref()), None, true)?;
            if let Some(recorded) = &run.recorded {
                say_lines(&recorded.line());
                show(&args.workspace, std::slice::from_ref(&recorded.out));
            }
            let is_kept = run.recorded.is_some();
            let status = run.wait()?.status;
            if is_kept && !status.success() && !record::signals::is_told_to_end() {
                note(&format!("the command ended with {}: its work may not be whole", ending_of(status)));
            }
            args.ended(record::signals::end_as(status), is_kept)
        }
    }
}

/// Records the command several times; then shows the sum, and the folder for a comparison.
fn record_runs(args: &RecordArgs, times: Times, workspace: &Path) -> Result<u8, Problem> {
    let command = args.command(workspace);
    let name = command.name();
    let folder = match &args.out {
        None => record::destination::folder_of_runs(workspace, &name)?,
        Some(out) => record::destination::named_folder(workspace, out)?,
    };
    let files = RunFiles::new(
        folder,
        &record::destination::file_name(&name),
        record::folder::ending(args.heap.is_some()),
        times.runs,
    )?;
    let mut is_first = true;
    let all = repeat::repeat(
        times,
        &files,
        record::signals::is_told_to_end,
        |file| {
            let keep = file.map_or(Keep::Nothing, |file| Keep::At(Some(file)));
            command.record(keep, None, std::mem::take(&mut is_first))?.wait()
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

/// Which allocations are recorded.
#[derive(clap::ValueEnum, Clone, Copy, Debug)]
enum HeapOf {
    /// Those that are still in use at the end
    InUse,
    /// All, also those that were collected
    All,
}

impl RecordArgs {
    /// The command, and how it is recorded.
    fn command<'a>(&'a self, workspace: &'a Path) -> RecordedCommand<'a> {
        let settings = Settings {
            interval_us: self.interval,
            heap: self.heap.map(|heap| match heap {
                HeapOf::InUse => Allocations::InUse,
                HeapOf::All => Allocations::All,
            }),
            counts: false,
            deopts: false,
            delay: self.delay,
            duration: self.duration,
            only: self.only.clone(),
            runs_in: None,
        };
        RecordedCommand {
            words: &self.command,
            settings,
            counts: self.counts,
            deopts: self.deopts,
            workspace,
        }
    }

    /// The status: that of the command, unless it succeeded and there is nothing to show.
    fn ended(&self, status: u8, is_kept: bool) -> Result<u8, Problem> {
        if let Some(heap) = self.heap
            && !is_kept
            && status == 0
        {
            let none = match heap {
                HeapOf::InUse => ": none was sampled, or nothing that was allocated is still in use",
                HeapOf::All => ": none was sampled",
            };
            return Err(Problem::new(
                format!("No allocations were kept{none}"),
                "record something that allocates more, or for longer",
            ));
        }
        Ok(status)
    }
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
    let checkout = command::checkout(workspace, true);
    let plan = Plan { name: &name, out: args.out.as_deref(), heap: None, checkout: checkout.as_ref() };
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

/// A duration with the digits that were given: `100 ms`, `1.5 s`.
fn as_given(duration: Duration) -> String {
    match duration.as_secs_f64() {
        seconds if seconds < 1.0 => format!("{} ms", seconds * 1000.0),
        seconds => format!("{seconds} s"),
    }
}
