//! `proflens flame`: traces as a flame graph, in one file that makes no request.

use std::path::{Path, PathBuf};

use analysis::Recording;
use flame::{FlameGraph, html, svg};

use super::input::{ScopeArgs, Workspace, WorkspaceArgs, load_all};
use super::{Outcome, note, print};

/// So many runs of time are in a file at most: about three bytes each.
const MAX_RUNS: u64 = 1_000_000;

/// The flags of `flame`.
#[derive(clap::Args, Debug)]
pub struct FlameArgs {
    /// The traces, or folders with traces in them; several are added up
    #[arg(required = true, value_name = "TRACE")]
    traces: Vec<PathBuf>,
    /// The file to write: a page (.html) or a picture (.svg); if not given, a page with the name of the first trace
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Open it, in the browser
    #[arg(long)]
    open: bool,
    #[command(flatten)]
    workspace: WorkspaceArgs,
    #[command(flatten)]
    scope: ScopeArgs,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum FlameFormat {
    Html,
    Svg,
}

/// Runs it.
pub fn run(args: &FlameArgs) -> Outcome {
    let (file, format) = match args.file() {
        Ok(it) => it,
        Err(sentence) => return Outcome::failed(sentence),
    };
    let workspace = match args.workspace.open() {
        Ok(workspace) => workspace,
        Err(sentence) => return Outcome::failed(sentence),
    };
    let (recording, mut errors) = load_all(&args.traces, &workspace, &args.scope);
    if let Some(recording) = recording {
        errors.extend(args.write(&recording, &workspace, &file, format).err());
        // The program ends here, and the system takes the memory back faster than it can be given piece by piece.
        std::mem::forget(recording);
    }
    Outcome::of(errors)
}

impl FlameArgs {
    /// The file to write, and what it will be.
    ///
    /// # Errors
    /// One sentence about a file that is neither, or one of the traces.
    fn file(&self) -> Result<(PathBuf, FlameFormat), String> {
        let file = self.output.clone().unwrap_or_else(|| default_name(&self.traces[0]));
        let ending = file.extension().and_then(|it| it.to_str()).unwrap_or_default().to_ascii_lowercase();
        match ending.as_str() {
            "html" | "htm" => Ok((file, FlameFormat::Html)),
            "svg" => Ok((file, FlameFormat::Svg)),
            _ => Err(format!(
                "{} is neither a page nor a picture. Name a file that ends in .html or .svg with --output.",
                file.display()
            )),
        }
    }

    fn write(
        &self,
        recording: &Recording,
        workspace: &Workspace,
        file: &Path,
        format: FlameFormat,
    ) -> Result<(), String> {
        for problem in &recording.problems {
            note(&format!("{}: {}; {}", problem.place, problem.what, problem.hint));
        }
        let max_runs = if format == FlameFormat::Html { MAX_RUNS } else { 0 };
        let mut graph = FlameGraph::of(recording, &workspace.folder, max_runs);
        // The file may be sent to anybody.
        graph.folder.clear();
        let bytes = match format {
            FlameFormat::Html => html(&graph, None).into_bytes(),
            FlameFormat::Svg => svg(&graph)?,
        };
        let name = file.display();
        std::fs::write(file, bytes).map_err(|error| {
            format!("{name} cannot be written: {error}. Name another file with --output.")
        })?;
        print(&format!("{name}\n"));
        if self.open {
            open::that_detached(file)
                .map_err(|error| format!("{name} cannot be opened: {error}. Open it in a browser."))?;
        }
        Ok(())
    }
}

/// `app.flame.html` for `traces/app.cpuprofile`, in the current folder.
fn default_name(trace: &Path) -> PathBuf {
    let name = trace.file_name().map_or_else(|| "trace".into(), |it| it.to_string_lossy());
    let name = name.strip_suffix(".gz").unwrap_or(&name);
    let stem = name.rsplit_once('.').map_or(name, |it| it.0);
    PathBuf::from(format!("{stem}.flame.html"))
}
