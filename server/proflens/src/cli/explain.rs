//! `proflens explain`: a recording as one text for an agent, or for anybody who wants it in a few paragraphs.

use std::path::PathBuf;

use analysis::format::count;
use analysis::views::{SortBy, hottest};
use profile::problem::Problem;

use super::agents::hottest::{By, What, list};
use super::agents::ledger::ledger;
use super::agents::quoted::{SENTENCE, quoted};
use super::agents::today::Today;
use super::agents::wanted::{Wanted, find};
use super::agents::{AgentAnswer, FEW_SAMPLES, Subject, fitted, function, lines, tokens};
use super::counts::CountsArgs;
use super::input::{ScopeArgs, WorkspaceArgs};
use super::load::{FolderOf, load_all, named_or_newest};
use super::{Outcome, print};
use crate::shell;

/// The flags of `explain`.
#[derive(clap::Args, Debug)]
pub struct ExplainArgs {
    /// The trace, or a folder of runs, which are added up; - is stdin; the newest recording or trace of the workspace if none is named
    #[arg(value_name = "TRACE")]
    trace: Option<PathBuf>,
    /// Only this function, by its name or by a line in it: parse, Parser.parse, src/parser.ts:23
    #[arg(long, value_name = "NAME|FILE:LINE")]
    function: Option<String>,
    /// About how long the text is, counted as one token for four bytes
    #[arg(long, value_name = "N", default_value_t = 2000)]
    max_tokens: usize,
    #[command(flatten)]
    workspace: WorkspaceArgs,
    #[command(flatten)]
    scope: ScopeArgs,
    #[command(flatten)]
    counts: CountsArgs,
}

/// Runs it.
pub fn run(args: &ExplainArgs) -> Outcome {
    explain(args).unwrap_or_else(Outcome::failed)
}

fn explain(args: &ExplainArgs) -> Result<Outcome, Problem> {
    let workspace = args.workspace.open()?;
    let traces = named_or_newest(args.trace.as_slice(), &workspace.disk, &workspace.folder)?;
    let (recording, mut errors) = load_all(&traces, FolderOf::Anything, &workspace, &args.scope);
    if let Some(mut recording) = recording {
        errors.extend(args.counts.add_to(&mut recording, &workspace, &args.scope).err());
        let today = Today::default();
        let subject = Subject {
            recording: &recording,
            folder: &workspace.folder,
            disk: &workspace.disk,
            today: &today,
        };
        let text = match &args.function {
            Some(name) => one_function(subject, name, args.max_tokens),
            None => Ok(explained(subject, &traces, args.max_tokens)),
        };
        errors.extend(text.and_then(|text| print(&text)).err());
        // As in `report`: the system takes the memory back faster.
        std::mem::forget(recording);
    }
    Ok(Outcome::with_errors(errors))
}

/// # Errors
/// If there is no such function, or there are several.
fn one_function(subject: Subject<'_>, name: &str, max_tokens: usize) -> Result<String, Problem> {
    let key = find(subject, &Wanted::from(name))?;
    let answer = fitted(function::function(subject, key).in_a_text(), max_tokens);
    Ok(format!("# {}\n\n{}", answer.title(), answer.body()))
}

/// A quarter of the text is the ledger, a quarter is the list of functions; the rest describes the hottest of them in detail.
fn explained(subject: Subject<'_>, traces: &[PathBuf], max_tokens: usize) -> String {
    let ledger = fitted(ledger(subject).in_a_text(), max_tokens / 4); // the commands at the end are what comes next
    let functions = fitted(list(subject, What::Functions, By::SelfTime), max_tokens / 4);
    let mut text = format!("# Where the time went\n\n{}", ledger.text());
    let rows = functions.list();
    if !rows.is_empty() {
        text += &format!("\n# The hottest functions by self time\n\n{rows}");
    }
    if subject.recording.rendering.is_some() {
        let forced = fitted(list(subject, What::Rendering, By::SelfTime), max_tokens / 8);
        let rows = lines([forced.list().trim_end(), &forced.more()]);
        text += &format!("\n# What forced style and layout, a part of self times\n\n{rows}");
    }
    let next = next(traces, max_tokens);
    let (mut shown, all) = (0, subject.recording.summary.definitions.len());
    for (key, measured) in hottest(&subject.recording.summary, SortBy::SelfTime) {
        // Nobody should act on details that chance decided.
        if measured.cost.total_samples < FEW_SAMPLES && shown > 0 {
            break;
        }
        let room = max_tokens.saturating_sub(tokens(&text) + tokens(&next));
        let answer = fitted(function::function(subject, key).in_a_text(), (max_tokens / 4).min(room));
        let part = format!("\n## {}\n\n{}", answer.title(), answer.body());
        if shown > 0 && (tokens(&part) > room || answer.lists_nothing()) {
            break;
        }
        text += &part;
        shown += 1;
    }
    if shown < all {
        let more = count((all - shown) as u64, "function");
        text += &format!("\nLeft out: {more} in detail; a larger --max-tokens shows them.\n");
    }
    text + &next
}

/// Commands to continue with.
fn next(traces: &[PathBuf], max_tokens: usize) -> String {
    let [trace] = traces else { return String::new() };
    let command = |rest: &str| {
        quoted(&format!("proflens explain {} {rest}", shell::word(&trace.to_string_lossy())), SENTENCE)
    };
    let (more, function) = (command(&format!("--max-tokens {}", max_tokens * 2)), command("--function NAME"));
    format!(
        "\n# Next\n\n- More of the same: {more}\n- Callers, callees and hot lines of one function: {function}\n- After a change, before it is committed: `proflens record --against HEAD --repeat 10 COMMAND` runs both versions by turns and says what became faster\n"
    )
}
