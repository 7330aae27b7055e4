//! `proflens annotate`: a source text with its costs, as an editor would show them.

use std::path::{Path, PathBuf};

use analysis::document::Document;
use analysis::files::{FilePath, Files};
use analysis::recording::Recording;
use analysis::summary::Base;
use analysis::views::{
    DEFAULT_HINT_FORMAT, LabelConfig, MeasuredDocument, MeasuredFunctions, Threshold, Unit, document_costs,
    hints,
};
use profile::plain::plain_lines;
use profile::problem::Problem;
use text_size::{TextRange, TextSize};

use source::language::Language;
use source::text::{Encoding, LineCol, text_of};

use super::counts::CountsArgs;
use super::input::{ScopeArgs, Workspace, WorkspaceArgs};
use super::lines::{LineColumns, NO_LINES, without_line};
use super::load::{FolderOf, load_all, named_or_newest};
use super::screen::Stream;
use super::{Outcome, WRONG_FLAGS, note, print, print_line, say};

/// The flags of `annotate`.
#[derive(clap::Args, Debug)]
pub struct AnnotateArgs {
    /// The traces, or folders of runs, which are added up; - is stdin; the newest recording or trace of the workspace if none is named
    #[arg(long = "trace", num_args = 1.., value_name = "TRACE")]
    traces: Vec<PathBuf>,
    /// Percent of the active time that a function's total must reach
    #[arg(long, value_name = "PERCENT", default_value_t = 0.5)]
    threshold: f64,
    /// Also show the self time of each line, before the line, and how often it ran where that was counted
    #[arg(long)]
    lines: bool,
    /// The files to print, below the workspace folder
    #[arg(required_unless_present = "traces", value_name = "FILE")]
    files: Vec<PathBuf>,
    #[command(flatten)]
    workspace: WorkspaceArgs,
    #[command(flatten)]
    scope: ScopeArgs,
    #[command(flatten)]
    counts: CountsArgs,
}

/// Runs it.
pub fn run(args: &AnnotateArgs) -> Outcome {
    annotate(args).unwrap_or_else(Outcome::failed)
}

fn annotate(args: &AnnotateArgs) -> Result<Outcome, Problem> {
    let workspace = args.workspace.open()?;
    let (traces, files) = args.named();
    if files.is_empty() {
        say("No file is named. Name the sources to print: proflens annotate app.ts --trace app.cpuprofile");
        return Ok(Outcome::ended(WRONG_FLAGS));
    }
    let traces = named_or_newest(&traces, &workspace.disk, &workspace.folder)?;
    let (recording, mut errors) = load_all(&traces, FolderOf::Anything, &workspace, &args.scope);
    let Some(mut recording) = recording else { return Ok(Outcome::with_errors(errors)) };
    errors.extend(args.counts.add_to(&mut recording, &workspace, &args.scope).err());
    for trace in recording.traces.iter().filter(|trace| trace.samples == 0) {
        if let Some(scope) = &trace.scope {
            note(&format!("{}: no sample lies in {scope}", trace.name));
        }
    }
    if args.lines && !recording.has_lines() {
        note(NO_LINES);
    }
    for file in &files {
        match annotated(&recording, file, &workspace, args) {
            Ok(text) => {
                let head = match files.len() {
                    1 => Ok(()),
                    _ => print_line(&format!("── {} ──", file.display())),
                };
                if let Err(unwritten) = head.and_then(|()| print(&text)) {
                    errors.push(unwritten);
                    break;
                }
            }
            Err(problem) => errors.push(problem),
        }
    }
    Ok(Outcome::with_errors(errors))
}

impl AnnotateArgs {
    /// The traces and the files. In `--trace app.cpuprofile app.ts` both are values of the flag, and the sources at the end are the files. In
    /// `app.ts app.cpuprofile` both are files, and what is there and no source is a trace.
    fn named(&self) -> (Vec<PathBuf>, Vec<PathBuf>) {
        if self.traces.is_empty() {
            return self.files.iter().cloned().partition(|path| !is_source(path) && path.is_file());
        }
        if !self.files.is_empty() {
            return (self.traces.clone(), self.files.clone());
        }
        let last = self.traces.iter().rposition(|path| !is_source(path));
        let (traces, files) = self.traces.split_at(last.map_or(0, |last| last + 1));
        (traces.to_vec(), files.to_vec())
    }
}

fn is_source(path: &Path) -> bool {
    Language::of_path(&path.to_string_lossy()).is_some()
}

fn annotated(
    recording: &Recording,
    file: &Path,
    workspace: &Workspace,
    args: &AnnotateArgs,
) -> Result<String, Problem> {
    let name = file.display();
    let (path, bytes) = find(file, workspace).ok_or_else(|| {
        let what = format!("{name} is not a file of the workspace {}", workspace.folder);
        Problem::new(what, "check the path or --workspace")
    })?;
    let document = Document::new(path, 0, text_of(&bytes));
    let config = LabelConfig {
        format: DEFAULT_HINT_FORMAT.into(),
        unit: Unit::Time,
        threshold: Threshold { percent: args.threshold, base: Base::Active },
    };
    let (open, close) = if Stream::Out.is_coloured() { ("\x1b[3;36m", "\x1b[0m") } else { ("⟨", "⟩") };
    let code = document.text();
    let everywhere = TextRange::up_to(TextSize::of(code));
    let functions = MeasuredFunctions::find(recording, &document);
    if functions.is_empty() {
        note(&format!("{name}: nothing of it ran in what was recorded, or it could not be placed there"));
    }
    let measured = MeasuredDocument { recording, document: &document, functions: &functions };
    let mut insertions: Vec<Inserted> = Vec::new();
    if args.lines && (recording.has_lines() || recording.counts.is_some()) {
        let costs = document_costs(measured, Base::Active);
        insertions.extend(before_lines(&document, &LineColumns::new(&costs, recording)));
        let rest = without_line(&costs, recording).filter(|_| recording.has_lines());
        if let Some(sentence) = rest {
            note(&format!("{name}: {sentence}"));
        }
    }
    for hint in hints(measured, everywhere, &config) {
        let [left, right] = hint.padding.map(|is_padded| if is_padded { " " } else { "" });
        let text = format!("{left}{open}{}{close}{right}", hint.label);
        insertions.push(Inserted { at: hint.at.into(), text });
    }
    insertions.sort_by_key(|inserted| inserted.at);
    let mut text = String::with_capacity(code.len());
    let mut done = 0;
    for inserted in insertions {
        text.push_str(&plain_lines(&code[done..inserted.at]));
        text.push_str(&inserted.text);
        done = inserted.at;
    }
    text.push_str(&plain_lines(&code[done..]));
    Ok(text)
}

/// A text that belongs at an offset of the source.
struct Inserted {
    at: usize,
    text: String,
}

/// What comes before the lines of a document. An empty line ends without a space.
fn before_lines(document: &Document, column: &LineColumns) -> Vec<Inserted> {
    let (lines, code) = (document.lines(), document.text());
    let mut all = Vec::new();
    for line in 0..lines.lines() {
        let start = LineCol { line, column: 0 };
        let Some(at) = lines.offset(code, start, Encoding::Utf8).map(usize::from) else { continue };
        let (rest, mut text) = (&code[at..], column.before(line));
        if rest.starts_with(['\r', '\n']) {
            text.truncate(text.trim_end().len());
        }
        if line == 0 || !rest.is_empty() {
            all.push(Inserted { at, text });
        }
    }
    all
}

/// The file that was named on the command line, relative to the current folder or to the workspace folder.
fn find(file: &Path, workspace: &Workspace) -> Option<(FilePath, std::sync::Arc<[u8]>)> {
    let from_here = std::fs::canonicalize(file).ok();
    let below = std::fs::canonicalize(Path::new(workspace.folder.as_str()).join(file)).ok();
    from_here.into_iter().chain(below).find_map(|path| {
        let path = FilePath::new(&path.to_string_lossy());
        let bytes = workspace.disk.read(&path)?;
        Some((path, bytes))
    })
}
