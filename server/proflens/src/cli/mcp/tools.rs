//! The tools: one question each, with its parameters and the form of its answer.

use std::path::Path;
use std::sync::Arc;

use profile::problem::Problem;
use rmcp::model::{JsonObject, Tool, ToolAnnotations};
use schemars::generate::SchemaSettings;
use schemars::transform::RecursiveTransform;
use schemars::{JsonSchema, Schema};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer};
use serde_json::{Value, json};

use super::super::agents::compared::{ComparedAnswer, compared};
use super::super::agents::function::{self, FunctionAnswer};
use super::super::agents::hottest::{By, HottestAnswer, What, list};
use super::super::agents::ledger::{LedgerAnswer, ledger};
use super::super::agents::paths::{PathsAnswer, paths};
use super::super::agents::quoted::{SENTENCE, quoted};
use super::super::agents::recordings::RecordingsAnswer;
use super::super::agents::wanted::{Wanted, find};
use super::super::agents::{AgentAnswer, DEFAULT_TOKENS, fitted, fitted_as_json};
use super::super::compare::{CompareArgs, ComparedSides, compared as compare};
use super::flags::flags;
use super::recorded::{Allowed, OtherVersion, RecordedAnswer, record};
use super::session::Session;

/// An answer: its text, and the same as JSON.
pub(super) type Answered = Result<(String, Value), Problem>;

/// The most runs for one question.
const MOST_RUNS: u32 = 50;

/// The tools of this server.
pub(super) struct Tools {
    list: Vec<Tool>,
    allowed: Vec<Allowed>,
    /// The command line that the user lets a shell run before two versions are recorded by turns.
    setup: Option<String>,
}

/// What is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ToolKind {
    Recordings,
    Hottest,
    Function,
    Paths,
    Ledger,
    Compare,
    Record,
}

/// The recording that is asked about, and the part of it that counts.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
struct Of {
    /// The path of a trace, or of a folder of runs, below the workspace; the newest recording if not given.
    #[serde(default)]
    trace: Option<String>,
    #[serde(flatten)]
    scope: ScopeOf,
    /// About how long the answer may be, counted as one token for four bytes of text; 800 if not given.
    #[serde(default)]
    max_tokens: Option<usize>,
}

/// The part of a recording that counts.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
struct ScopeOf {
    /// Only these threads, by name, a part of it, or number from 1; "all" adds up every thread.
    #[serde(default, deserialize_with = "one_or_many")]
    thread: Vec<String>,
    /// Only between two moments, from the first sample on: ["1.2s", "3.4s"], ["300ms", "end"].
    #[serde(default)]
    between: Option<[String; 2]>,
    /// Only while these markers last.
    #[serde(default, deserialize_with = "one_or_many")]
    marker: Vec<String>,
    /// Only samples with these labels: "endpoint=/cart"; several values of one key add to each other, different keys narrow.
    #[serde(default, deserialize_with = "one_or_many")]
    label: Vec<String>,
    /// Only what this function and those that it called cost.
    #[serde(default, deserialize_with = "one_or_many")]
    focus: Vec<String>,
    /// Only who called this function.
    #[serde(default, deserialize_with = "one_or_many")]
    callers_of: Vec<String>,
    /// Only what this path of calls cost: "main > run > parse".
    #[serde(default, deserialize_with = "one_or_many")]
    path: Vec<String>,
    /// Without the samples in which this function ran.
    #[serde(default, deserialize_with = "one_or_many")]
    drop: Vec<String>,
    /// With the time of this function given to its callers.
    #[serde(default, deserialize_with = "one_or_many")]
    merge: Vec<String>,
    /// With the functions of this package as one.
    #[serde(default, deserialize_with = "one_or_many")]
    collapse: Vec<String>,
}

impl ScopeOf {
    /// As flags of `report`.
    fn flags(&self) -> Vec<String> {
        let lists = [
            ("thread", &self.thread),
            ("marker", &self.marker),
            ("label", &self.label),
            ("focus", &self.focus),
            ("callers-of", &self.callers_of),
            ("path", &self.path),
            ("drop", &self.drop),
            ("merge", &self.merge),
            ("collapse", &self.collapse),
        ];
        let mut flags: Vec<String> = lists
            .iter()
            .flat_map(|(flag, values)| values.iter().map(move |value| format!("--{flag}={value}")))
            .collect();
        if let Some(between) = &self.between {
            flags.push("--between".to_owned());
            flags.extend(between.iter().cloned());
        }
        flags
    }
}

#[derive(Debug, Deserialize, JsonSchema)]
struct RecordingsInput {
    /// About how long the answer may be, counted as one token for four bytes of text; 800 if not given.
    #[serde(default)]
    max_tokens: Option<usize>,
}

#[derive(Debug, Deserialize, JsonSchema)]
struct HottestInput {
    #[serde(default)]
    what: What,
    #[serde(default)]
    by: By,
    #[serde(flatten)]
    of: Of,
}

#[derive(Debug, Deserialize, JsonSchema)]
struct FunctionInput {
    #[serde(flatten)]
    wanted: Wanted,
    #[serde(flatten)]
    of: Of,
}

#[derive(Debug, Deserialize, JsonSchema)]
struct LedgerInput {
    #[serde(flatten)]
    of: Of,
}

#[derive(Debug, Deserialize, JsonSchema)]
struct CompareInput {
    /// Traces or folders of runs before, below the workspace; if neither this nor before_rev is given, the recording of the same command before the newest.
    #[serde(default, deserialize_with = "one_or_many")]
    before: Vec<String>,
    /// Traces or folders of runs after; the newest recording if not given.
    #[serde(default, deserialize_with = "one_or_many")]
    after: Vec<String>,
    /// Instead of before: the recordings of this commit, branch or tag.
    #[serde(default)]
    before_rev: Option<String>,
    /// What times are divided by: machine, run, active, function:NAME or marker:NAME; machine if not given.
    #[serde(default)]
    per: Option<String>,
    /// Whether functions that did not change by more than noise are listed too.
    #[serde(default)]
    all: bool,
    #[serde(flatten)]
    scope: ScopeOf,
    /// About how long the answer may be, counted as one token for four bytes of text; 800 if not given.
    #[serde(default)]
    max_tokens: Option<usize>,
}

#[derive(Debug, Deserialize, JsonSchema)]
struct RecordInput {
    /// One of the commands that the user allowed, exactly as it is listed.
    command: String,
    /// How often to run it, of each version; if not given, once, and ten times with against.
    #[serde(default)]
    runs: Option<u32>,
    /// A commit, branch or tag: its version and the one in this folder are run by turns, so that compare can tell whether a change was faster.
    #[serde(default)]
    against: Option<String>,
}

impl Tools {
    /// The tools, with `record` if any command is allowed.
    ///
    /// # Errors
    /// If a command cannot be read.
    pub(super) fn new(allowed: &[String], setup: Option<String>) -> Result<Self, Problem> {
        let allowed = allowed.iter().map(|text| Allowed::new(text)).collect::<Result<Vec<_>, _>>()?;
        let mut list = vec![
            tool::<RecordingsInput, RecordingsAnswer>(
                "recordings",
                "What can be asked about: recordings and traces of the workspace, the newest first.",
            ),
            tool::<HottestInput, HottestAnswer>(
                "hottest",
                "What cost most: functions, lines, files or packages, by self or total time, with how sure each number is; or which functions forced style and layout, how often and where.",
            ),
            tool::<FunctionInput, FunctionAnswer>(
                "function",
                "One function: self and total time, callers, callees, its hot lines with their source, how it was found, and whether it was edited since.",
            ),
            tool::<FunctionInput, PathsAnswer>(
                "paths",
                "The heaviest paths of calls as a tree; with a function, the tree below it.",
            ),
            tool::<LedgerInput, LedgerAnswer>(
                "ledger",
                "Where all time went, and for what is on no function of the workspace why, and what to do about it. Ask this first.",
            ),
            tool::<CompareInput, ComparedAnswer>(
                "compare",
                "What changed between recordings before and after, and whether that is more than noise: ask this before you claim that anything became faster.",
            ),
        ];
        if !allowed.is_empty() {
            let commands: Vec<String> =
                allowed.iter().map(|command| quoted(&command.text, SENTENCE)).collect();
            let about = format!(
                "Runs a command that the user allowed, and records it. Allowed: {}.",
                commands.join(", ")
            );
            let record = tool::<RecordInput, RecordedAnswer>("record", about);
            list.push(record.with_annotations(ToolAnnotations::new().read_only(false).open_world(true)));
        }
        Ok(Self { list, allowed, setup })
    }

    pub(super) fn list(&self) -> &[Tool] {
        &self.list
    }

    pub(super) fn names(&self) -> Vec<&str> {
        self.list.iter().map(|tool| &*tool.name).collect()
    }

    /// The question that a tool asks; `None` if there is no such tool.
    pub(super) fn named(&self, name: &str) -> Option<ToolKind> {
        let all = [
            ToolKind::Recordings,
            ToolKind::Hottest,
            ToolKind::Function,
            ToolKind::Paths,
            ToolKind::Ledger,
            ToolKind::Compare,
            ToolKind::Record,
        ];
        let at = self.list.iter().position(|tool| tool.name == name)?;
        all.get(at).copied()
    }

    /// The answer to a question.
    ///
    /// # Errors
    /// If the parameters are wrong, or there is no answer; it says what to do.
    pub(super) fn answer(
        &self,
        question: ToolKind,
        arguments: JsonObject,
        session: &mut Session,
        is_cancelled: &dyn Fn() -> bool,
    ) -> Answered {
        let tool = &self.list[question as usize];
        check_names(tool, &arguments)?;
        match question {
            ToolKind::Recordings => {
                let params: RecordingsInput = params(tool, arguments)?;
                within(session.recordings()?, params.max_tokens)
            }
            ToolKind::Hottest => {
                let HottestInput { what, by, of } = params(tool, arguments)?;
                let loaded = session.load(of.trace.as_deref(), &of.scope.flags())?;
                within(list(loaded.subject(), what, by), of.max_tokens)
            }
            ToolKind::Function => {
                let FunctionInput { wanted, of } = params(tool, arguments)?;
                let loaded = session.load(of.trace.as_deref(), &of.scope.flags())?;
                let key = find(loaded.subject(), &wanted)?;
                within(function::function(loaded.subject(), key), of.max_tokens)
            }
            ToolKind::Paths => {
                let FunctionInput { wanted, of } = params(tool, arguments)?;
                let loaded = session.load(of.trace.as_deref(), &of.scope.flags())?;
                let below = match &wanted {
                    Wanted { name: None, file: None, line: None } => None,
                    wanted => Some(find(loaded.subject(), wanted)?),
                };
                within(paths(loaded.subject(), loaded.graph(), below), of.max_tokens)
            }
            ToolKind::Ledger => {
                let LedgerInput { of } = params(tool, arguments)?;
                let loaded = session.load(of.trace.as_deref(), &of.scope.flags())?;
                within(ledger(loaded.subject()), of.max_tokens)
            }
            ToolKind::Compare => compare_sides(&params(tool, arguments)?, session),
            ToolKind::Record => self.record(&params(tool, arguments)?, session, is_cancelled),
        }
    }

    fn record(
        &self,
        params: &RecordInput,
        session: &mut Session,
        is_cancelled: &dyn Fn() -> bool,
    ) -> Answered {
        let Some(command) = self.allowed.iter().find(|allowed| allowed.text == params.command) else {
            let all: Vec<&str> = self.allowed.iter().map(|allowed| &*allowed.text).collect();
            let what = format!("{} is not a command that the user allowed", params.command);
            return Err(Problem::new(what, format!("these are: {}", all.join(", "))));
        };
        let against = params.against.as_deref();
        let runs = params.runs.unwrap_or(if against.is_some() { 10 } else { 1 });
        if !(1..=MOST_RUNS).contains(&runs) {
            return Err(Problem::new(
                format!("{runs} runs cannot be recorded"),
                format!("ask for 1 to {MOST_RUNS}"),
            ));
        }
        let workspace = session.workspace()?;
        session.look_again();
        let versions = against.map(|against| OtherVersion { against, setup: self.setup.as_deref() });
        within(record(command, runs, versions, Path::new(workspace.folder.as_str()), is_cancelled)?, None)
    }
}

/// Compares what the parameters name, or otherwise the newest recording with the one before it.
fn compare_sides(params: &CompareInput, session: &mut Session) -> Answered {
    let workspace = session.workspace()?;
    let mut inside =
        |paths: &[String]| paths.iter().map(|path| session.inside(path)).collect::<Result<Vec<_>, _>>();
    let (before, after) = (inside(&params.before)?, inside(&params.after)?);
    let mut words = params.scope.flags();
    words.extend(before.iter().map(|trace| format!("--before={}", trace.display())));
    words.extend(after.iter().map(|trace| format!("--after={}", trace.display())));
    words.extend(params.before_rev.iter().map(|revision| format!("--before-rev={revision}")));
    words.extend(params.per.iter().map(|per| format!("--per={per}")));
    let flags: CompareArgs = flags(&words)?;
    match compare(&flags, &workspace)? {
        ComparedSides::Sides { mut comparison, named, errors } => {
            comparison.problems.splice(0..0, errors);
            let answer = compared(&comparison, &workspace.folder, named, params.all);
            within(answer, params.max_tokens)
        }
        ComparedSides::NoBaseline(why) => Err(why),
        ComparedSides::Unreadable(errors) => Err(errors
            .into_iter()
            .next()
            .unwrap_or_else(|| Problem::new("A side has no trace", "name before and after"))),
    }
}

/// A tool that only reads.
fn tool<P: JsonSchema + 'static, A: JsonSchema + 'static>(
    name: &'static str,
    about: impl Into<std::borrow::Cow<'static, str>>,
) -> Tool {
    Tool::new(name, about, schema::<P>())
        .with_raw_output_schema(schema::<A>())
        .with_annotations(ToolAnnotations::new().read_only(true).open_world(false))
}

/// A schema without the names and sizes of Rust's types and without defaults that say nothing: clients warn about formats
/// that they do not know, and a model pays for each word.
fn schema<T: JsonSchema>() -> Arc<JsonObject> {
    let settings =
        SchemaSettings::draft2020_12().with_transform(RecursiveTransform(|schema: &mut Schema| {
            for name in ["$schema", "format", "minimum", "title"] {
                schema.remove(name);
            }
            if schema.get("default").is_some_and(|default| *default == Value::Null || *default == json!([])) {
                schema.remove("default");
            }
        }));
    match Value::from(settings.into_generator().into_root_schema_for::<T>()) {
        Value::Object(mut object) => {
            object.remove("description"); // the tool has its own
            Arc::new(object)
        }
        _ => Arc::default(),
    }
}

/// Checks that a tool has every parameter that was sent: a misspelled one would change the meaning of an answer.
fn check_names(tool: &Tool, arguments: &JsonObject) -> Result<(), Problem> {
    let properties = tool.input_schema.get("properties").and_then(Value::as_object);
    let known: Vec<&String> = properties.map(|properties| properties.keys().collect()).unwrap_or_default();
    match arguments.keys().find(|name| !known.contains(name)) {
        None => Ok(()),
        Some(name) => {
            let known: Vec<&str> = known.into_iter().map(String::as_str).collect();
            Err(Problem::new(
                format!("{} has no parameter {name}", tool.name),
                format!("it takes {}", known.join(", ")),
            ))
        }
    }
}

/// A list, or one text in place of a list of one.
fn one_or_many<'de, D: Deserializer<'de>>(value: D) -> Result<Vec<String>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum OneOrMany {
        One(String),
        Many(Vec<String>),
    }
    Ok(match OneOrMany::deserialize(value)? {
        OneOrMany::One(one) => vec![one],
        OneOrMany::Many(many) => many,
    })
}

fn params<P: DeserializeOwned>(tool: &Tool, arguments: JsonObject) -> Result<P, Problem> {
    serde_json::from_value(Value::Object(arguments)).map_err(|error| {
        Problem::new(format!("A parameter of {} is wrong: {error}", tool.name), "see the schema of its input")
    })
}

/// The text and the JSON of an answer, each within a number of tokens. A client gives a model one of the two: Claude Code, Codex,
/// Copilot CLI and opencode the JSON, most others the text.
fn within<A: AgentAnswer>(answer: A, max_tokens: Option<usize>) -> Answered {
    let max_tokens = max_tokens.unwrap_or(DEFAULT_TOKENS);
    let answer = fitted(answer, max_tokens);
    let text = answer.text();
    let json = serde_json::to_value(fitted_as_json(answer, max_tokens));
    let json = json.map_err(|error| Problem::new(format!("The answer cannot be written: {error}"), ""))?;
    Ok((text, json))
}

/// A failure, which may quote what somebody else wrote.
pub(super) fn failure(problem: &Problem) -> String {
    format!("Error: {}\n", quoted(&problem.to_string(), 2 * SENTENCE))
}
