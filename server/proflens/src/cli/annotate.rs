//! `proflens annotate`: a source text with its costs, as an editor would show them.

use std::path::{Path, PathBuf};

use analysis::Base;
use analysis::views::{
    DEFAULT_HINT_FORMAT, HintsConfig, MeasuredDocument, MeasuredFunctions, Threshold, Unit, document_costs,
    hints,
};
use analysis::{Document, FilePath, Files, Recording};
use profile::plain_lines;
use text_size::{TextRange, TextSize};

use source::{Encoding, Language, LineCol};

use super::input::{ScopeArgs, Workspace, WorkspaceArgs};
use super::lines::{LineColumn, NO_LINES, without_line};
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
    /// Also show the self time of each line, before the line
    #[arg(long)]
    lines: bool,
    /// The files to print, below the workspace folder
    #[arg(required_unless_present = "traces", value_name = "FILE")]
    files: Vec<PathBuf>,
    #[command(flatten)]
    workspace: WorkspaceArgs,
    #[command(flatten)]
    scope: ScopeArgs,
}

/// Runs it.
pub fn run(args: &AnnotateArgs) -> Outcome {
    let workspace = match args.workspace.open() {
        Ok(workspace) => workspace,
        Err(sentence) => return Outcome::failed(sentence),
    };
    let (traces, files) = args.named();
    if files.is_empty() {
        say("No file is named. Name the sources to print: proflens annotate app.ts --trace app.cpuprofile");
        return Outcome::ended(WRONG_FLAGS);
    }
    let traces = match named_or_newest(traces, &workspace.disk, &workspace.folder) {
        Ok(traces) => traces,
        Err(sentence) => return Outcome::failed(sentence),
    };
    let (recording, mut errors) = load_all(&traces, FolderOf::Anything, &workspace, &args.scope);
    let Some(recording) = recording else { return Outcome::of(errors) };
    for it in recording.traces.iter().filter(|it| it.samples == 0) {
        if let Some(scope) = &it.scope {
            note(&format!("{}: no sample lies in {scope}", it.name));
        }
    }
    if args.lines && !recording.has_lines() {
        note(NO_LINES);
    }
    for file in files {
        match annotated(&recording, file, &workspace, args) {
            Ok(text) => {
                let head = match files.len() {
                    1 => Ok(()),
                    _ => print_line(&format!("── {} ──", file.display())),
                };
                if let Err(unwritten) = head.and_then(|()| print(&text)) {
                    errors.push(unwritten.to_string());
                    break;
                }
            }
            Err(sentence) => errors.push(sentence),
        }
    }
    Outcome::of(errors)
}

impl AnnotateArgs {
    /// The traces and the files. In `--trace app.cpuprofile app.ts` both are values of the flag, and the sources at its end are the files.
    fn named(&self) -> (&[PathBuf], &[PathBuf]) {
        if !self.files.is_empty() {
            return (&self.traces, &self.files);
        }
        let is_source = |it: &PathBuf| Language::of_path(&it.to_string_lossy()).is_some();
        let traces = self.traces.iter().rposition(|it| !is_source(it)).map_or(0, |last| last + 1);
        self.traces.split_at(traces)
    }
}

fn annotated(
    recording: &Recording,
    file: &Path,
    workspace: &Workspace,
    args: &AnnotateArgs,
) -> Result<String, String> {
    let name = file.display();
    let (path, bytes) = find(file, workspace).ok_or_else(|| {
        format!("{name} is not a file of the workspace {}. Check the path or --workspace.", workspace.folder)
    })?;
    let document = Document::new(path, 0, source::text_of(&bytes));
    let config = HintsConfig {
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
    let mut inserted: Vec<(usize, String)> = Vec::new();
    if args.lines && recording.has_lines() {
        let costs = document_costs(measured, Base::Active);
        inserted.extend(before_lines(&document, &LineColumn::new(&costs, recording)));
        if let Some(sentence) = without_line(&costs, recording) {
            note(&format!("{name}: {sentence}"));
        }
    }
    for hint in hints(measured, everywhere, &config) {
        let [left, right] = hint.padding.map(|is_padded| if is_padded { " " } else { "" });
        let label = format!("{left}{open}{}{close}{right}", hint.label);
        inserted.push((hint.at.into(), label));
    }
    inserted.sort_by_key(|it| it.0);
    let mut text = String::with_capacity(code.len());
    let mut done = 0;
    for (at, it) in inserted {
        text.push_str(&plain_lines(&code[done..at]));
        text.push_str(&it);
        done = at;
    }
    text.push_str(&plain_lines(&code[done..]));
    Ok(text)
}

/// What stands before the lines of a document, by the offsets of their starts. An empty line ends without a space.
fn before_lines(document: &Document, column: &LineColumn) -> Vec<(usize, String)> {
    let (lines, code) = (document.lines(), document.text());
    let before = |line| {
        let at = lines.offset(code, LineCol { line, column: 0 }, Encoding::Utf8)?;
        let rest = &code[usize::from(at)..];
        let text = column.before(line);
        let is_empty = rest.starts_with(['\r', '\n']);
        let text = if is_empty { text.trim_end().to_owned() } else { text };
        (line == 0 || !rest.is_empty()).then_some((usize::from(at), text))
    };
    (0..lines.lines()).filter_map(before).collect()
}

/// The file as the shell names it, from the current folder or from the workspace's.
fn find(file: &Path, workspace: &Workspace) -> Option<(FilePath, std::sync::Arc<[u8]>)> {
    let from_here = std::fs::canonicalize(file).ok();
    let below = std::fs::canonicalize(Path::new(workspace.folder.as_str()).join(file)).ok();
    from_here.into_iter().chain(below).find_map(|path| {
        let path = FilePath::new(&path.to_string_lossy());
        let bytes = workspace.disk.read(&path)?;
        Some((path, bytes))
    })
}
