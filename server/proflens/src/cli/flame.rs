//! `proflens flame`: traces as a flame graph, or two sides of traces as a flame graph of their differences, in one file that makes
//! no requests.

use std::path::{Path, PathBuf};

use analysis::recording::Recording;
use flame::graph::FlameGraph;
use flame::html::html;
use flame::svg::svg;
use profile::problem::Problem;

use super::input::{STDIN, ScopeArgs, Workspace, WorkspaceArgs};
use super::load::{FolderOf, load_all, named_or_newest};
use super::outfile::{NamedBy, write_file};
use super::{Outcome, note_problem, print_line};

/// How many stretches of time a file may contain: about three bytes each.
const MAX_STRETCHES: u64 = 1_000_000;

/// The flags of `flame`.
#[derive(clap::Args, Debug)]
pub struct FlameArgs {
    /// The traces, or folders of runs, which are added up; - is stdin; the newest recording or trace of the workspace if none is named
    #[arg(value_name = "TRACE")]
    traces: Vec<PathBuf>,
    /// Compare with this trace, or with the traces in a folder, that were recorded before (repeatable). Frames are coloured by how much
    /// they changed; several traces of a side are runs, of which the mean is shown
    #[arg(long, value_name = "PATH")]
    before: Vec<PathBuf>,
    /// The file to write: a page (.html) or a picture (.svg); if not given, a page with the name of the first trace
    #[arg(long, short, alias = "out", value_name = "FILE")]
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
    flame(args).unwrap_or_else(Outcome::failed)
}

fn flame(args: &FlameArgs) -> Result<Outcome, Problem> {
    let workspace = args.workspace.open()?;
    let traces = named_or_newest(&args.traces, &workspace.disk, &workspace.folder)?;
    let (file, format) = args.file(&traces[0])?;
    // The sides of a comparison are runs.
    let folders = if args.before.is_empty() { FolderOf::Anything } else { FolderOf::Runs };
    let (after, mut errors) = load_all(&traces, folders, &workspace, &args.scope);
    let (before, errors_before) = load_all(&args.before, folders, &workspace, &args.scope);
    errors.extend(errors_before);
    // If a requested side is missing, there is nothing to compare.
    if let Some(after) = after.filter(|_| args.before.is_empty() || before.is_some()) {
        errors.extend(args.write(before.as_ref(), &after, &workspace, &file, format).err());
        // The program ends here, and the system takes back the memory faster than it can be freed piece by piece.
        std::mem::forget((before, after));
    }
    Ok(Outcome::with_errors(errors))
}

impl FlameArgs {
    /// The file to write, and its format.
    ///
    /// # Errors
    /// If it is neither a page nor a picture.
    fn file(&self, trace: &Path) -> Result<(PathBuf, FlameFormat), Problem> {
        let file = self.output.clone().unwrap_or_else(|| default_name(trace));
        let ending = file.extension().unwrap_or_default().to_ascii_lowercase();
        match ending.to_str() {
            Some("html" | "htm") => Ok((file, FlameFormat::Html)),
            Some("svg") => Ok((file, FlameFormat::Svg)),
            _ => Err(Problem::new(
                format!("{} is neither a page nor a picture", file.display()),
                "name a file that ends in .html or .svg with --output",
            )),
        }
    }

    fn write(
        &self,
        before: Option<&Recording>,
        after: &Recording,
        workspace: &Workspace,
        file: &Path,
        format: FlameFormat,
    ) -> Result<(), Problem> {
        // The problems of the workspace concern both sides.
        let of_before = before.iter().flat_map(|recording| &recording.problems);
        of_before.filter(|problem| !after.problems.contains(problem)).for_each(note_problem);
        after.problems.iter().for_each(note_problem);
        let max_stretches = if format == FlameFormat::Html { MAX_STRETCHES } else { 0 };
        let mut graph = match before {
            Some(before) => compared(before, after, workspace)?,
            None => FlameGraph::of(after, &workspace.folder, max_stretches),
        };
        // The file may be sent to anybody.
        graph.folder.clear();
        let bytes = match format {
            FlameFormat::Html => html(&graph, None).into_bytes(),
            FlameFormat::Svg => svg(&graph)?,
        };
        let name = file.display();
        let named_by = if self.output.is_some() { NamedBy::User } else { NamedBy::Us };
        write_file(file, named_by, |to| to.write_all(&bytes)).map_err(|error| {
            let what = format!("{name} cannot be written: {error}");
            Problem::new(what, "name another file with --output")
        })?;
        print_line(&name.to_string())?;
        if self.open {
            open::that_detached(file).map_err(|error| {
                Problem::new(format!("{name} cannot be opened: {error}"), "open it in a browser")
            })?;
        }
        Ok(())
    }
}

/// The graph of the differences.
///
/// # Errors
/// If the sides measured different things.
fn compared(before: &Recording, after: &Recording, workspace: &Workspace) -> Result<FlameGraph, Problem> {
    if before.unit != after.unit {
        let what = format!(
            "One of {} and {} measures time, the other allocated bytes: they cannot be compared",
            before.title(),
            after.title()
        );
        return Err(Problem::new(what, "name traces of one kind"));
    }
    Ok(FlameGraph::compared(before, &before.title(), after, &workspace.folder))
}

/// `app.flame.html` for `traces/app.cpuprofile`, in the current folder.
fn default_name(trace: &Path) -> PathBuf {
    let trace = if trace == Path::new(STDIN) { Path::new("stdin") } else { trace };
    let file = trace.file_name().unwrap_or("trace".as_ref()).to_string_lossy();
    let name = file.strip_suffix(".gz").unwrap_or(&file);
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    PathBuf::from(format!("{stem}.flame.html"))
}
