//! `proflens annotate`: a source text with its costs, as an editor would show them.

use std::io::IsTerminal;
use std::path::{Path, PathBuf};

use analysis::views::{
    Base, DEFAULT_HINT_FORMAT, HintsConfig, MeasuredDocument, MeasuredFunctions, Threshold, Unit, hints,
};
use analysis::{Document, FilePath, Files, Recording};
use text_size::{TextRange, TextSize};

use super::input::{ScopeArgs, Workspace, WorkspaceArgs, load_all};
use super::{Outcome, note, print};

/// The flags of `annotate`.
#[derive(clap::Args, Debug)]
pub struct AnnotateArgs {
    /// The traces, or folders with traces in them; several are added up
    #[arg(long = "trace", required = true, num_args = 1.., value_name = "TRACE")]
    traces: Vec<PathBuf>,
    #[command(flatten)]
    workspace: WorkspaceArgs,
    #[command(flatten)]
    scope: ScopeArgs,
    /// Percent of the active time that a function's total must reach
    #[arg(long, value_name = "PERCENT", default_value_t = 0.5)]
    threshold: f64,
    /// The files to print, below the workspace folder
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
}

/// Runs it.
pub fn run(args: &AnnotateArgs) -> Outcome {
    let workspace = match args.workspace.open() {
        Ok(workspace) => workspace,
        Err(sentence) => return Outcome::failed(sentence),
    };
    let (recording, mut errors) = load_all(&args.traces, &workspace, &args.scope);
    let Some(recording) = recording else { return Outcome { errors } };
    for it in recording.traces.iter().filter(|it| it.samples == 0) {
        if let Some(scope) = &it.scope {
            note(&format!("{}: no sample lies in {scope}", it.name));
        }
    }
    for file in &args.files {
        match annotated(&recording, file, &workspace, args.threshold) {
            Ok(text) => {
                if args.files.len() > 1 {
                    print(&format!("── {} ──\n", file.display()));
                }
                print(&text);
            }
            Err(sentence) => errors.push(sentence),
        }
    }
    Outcome { errors }
}

fn annotated(
    recording: &Recording,
    file: &Path,
    workspace: &Workspace,
    percent: f64,
) -> Result<String, String> {
    let name = file.display();
    let (path, bytes) = find(file, workspace).ok_or_else(|| {
        format!("{name} is not a file of the workspace {}. Check the path or --workspace.", workspace.folder)
    })?;
    let document = Document::new(path, 0, source::text_of(&bytes));
    let config = HintsConfig {
        format: DEFAULT_HINT_FORMAT.into(),
        unit: Unit::Time,
        threshold: Threshold { percent, base: Base::Active },
    };
    let colour =
        std::io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|it| it.is_empty());
    let (open, close) = if colour { ("\x1b[3;36m", "\x1b[0m") } else { ("⟨", "⟩") };
    let code = document.text();
    let everywhere = TextRange::up_to(TextSize::of(code));
    let functions = MeasuredFunctions::find(recording, &document);
    let measured = MeasuredDocument { recording, document: &document, functions: &functions };
    let mut text = String::with_capacity(code.len());
    let mut done = 0;
    for hint in hints(measured, everywhere, &config) {
        let at = usize::from(hint.at);
        text.push_str(&code[done..at]);
        text += &format!(" {open}{}{close}", hint.label);
        if code[at..].starts_with(|it: char| !it.is_whitespace() && !matches!(it, ',' | ';' | ')')) {
            text.push(' ');
        }
        done = at;
    }
    text.push_str(&code[done..]);
    Ok(text)
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
