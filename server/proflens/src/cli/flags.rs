//! The flags of the program: how it is called, and the source of its completions and manual pages.

use std::path::PathBuf;

use clap::{CommandFactory, Parser, Subcommand};
use profile::plain::plain;

use super::screen::{ColorWhen, set_color};
use super::{
    Outcome, WRONG_FLAGS, annotate, collect, compare, completions, convert, doctor, explain, flame, mcp,
    print, record, report, say, say_lines,
};
use crate::version::VERSION;

/// Shows what each JavaScript and TypeScript function cost, at its definition
#[derive(Parser)]
#[command(name = "proflens", version = VERSION, max_term_width = COLUMNS, help_template = template())]
pub struct Cli {
    /// The command; without one it is the server.
    #[command(subcommand)]
    pub command: Option<CliCommand>,
    /// The flags of the server, which need no command.
    #[command(flatten)]
    pub lsp: LspArgs,
    /// When to use colours; auto is on a terminal, unless NO_COLOR is set
    #[arg(long, value_enum, value_name = "WHEN", default_value = "auto", hide_possible_values = true)]
    #[arg(global = true)]
    pub color: ColorWhen,
}

/// Help is at most this wide, also on a wider terminal.
const COLUMNS: usize = 80;

/// The commands in the help, by what they are for.
const GROUPS: [(&str, &[&str]); 4] = [
    ("Record", &["record", "collect"]),
    ("See what is hot", &["report", "explain", "annotate", "flame", "compare"]),
    ("Work with traces", &["doctor", "convert"]),
    ("Set up", &["lsp", "mcp", "completions"]),
];

/// The help of the program, with its commands in groups.
fn template() -> String {
    let mut text = "{about}\n\n{usage-heading} {usage}\n".to_owned();
    let commands = CliCommand::augment_subcommands(clap::Command::default());
    for (group, names) in GROUPS {
        text += &format!("\n{group}:\n");
        for name in names {
            let about = commands.find_subcommand(name).and_then(clap::Command::get_about);
            text += &format!("  {name:<12} {}\n", about.map(ToString::to_string).unwrap_or_default());
        }
    }
    text + "\nOptions:\n{options}\n\nWhat a command takes: proflens COMMAND -h. To begin: proflens record node app.js\n"
}

/// The help, as `proflens --help` prints it.
pub fn help() -> Outcome {
    Outcome::of_result(print(&Cli::command().render_help().to_string()))
}

/// What the program can do.
#[derive(Subcommand)]
pub enum CliCommand {
    /// The language server on stdin and stdout, as editors start it
    Lsp(LspArgs),
    /// The hottest functions, and where the rest of the time went
    Report(report::ReportArgs),
    /// A recording in a few paragraphs, for coding agents
    Explain(explain::ExplainArgs),
    /// A source text with its costs, as an editor would show them
    Annotate(annotate::AnnotateArgs),
    /// A flame graph of traces, as one page or picture
    Flame(flame::FlameArgs),
    /// What changed between traces, and whether that is more than noise
    Compare(compare::CompareArgs),
    /// A trace in the format of another tool, with names of the source
    Convert(convert::ConvertArgs),
    /// Runs a command, records it, and shows what was hot
    Record(record::RecordArgs),
    /// Which file and source map each script of a trace has, and why not
    Doctor(doctor::DoctorArgs),
    /// Receives what pages measure of themselves, and keeps it in files
    Collect(collect::CollectArgs),
    /// Answers coding agents, over the Model Context Protocol on stdio
    Mcp(mcp::McpArgs),
    /// Completions for a shell
    Completions(completions::CompletionsArgs),
}

/// The flags of the server.
#[derive(clap::Args, Clone)]
pub struct LspArgs {
    /// Accepted because editors pass it; there is no other way to connect
    #[arg(long)]
    pub stdio: bool,
    /// Also write the log to this file
    #[arg(long, value_name = "FILE")]
    pub log: Option<PathBuf>,
}

/// The flags of this process; or how it ends instead, with the help that was requested or with what is wrong.
///
/// # Errors
/// If something was requested instead of a command, such as the help, or the flags are wrong. It has been printed then.
pub fn parsed() -> Result<Cli, Outcome> {
    let error = match Cli::try_parse() {
        Ok(flags) => {
            set_color(flags.color);
            return Ok(flags);
        }
        Err(error) => error,
    };
    // An error quotes the user's words, which may come from somebody else: parsed again, they are plain.
    let arguments = std::env::args_os().map(|word| plain(&word.to_string_lossy()).into_owned());
    match Cli::try_parse_from(arguments).err() {
        Some(error) if !error.use_stderr() => {
            return Err(Outcome::of_result(print(&error.render().to_string())));
        }
        Some(error) => say_lines(error.render().to_string().trim_end()),
        // Only hidden characters were wrong with them.
        None => say(error.render().to_string().trim_end()),
    }
    Err(Outcome::ended(WRONG_FLAGS))
}
