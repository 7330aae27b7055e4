//! `proflens collect`: receives traces that pages measure of themselves, and keeps them in files.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use analysis::format::count;
use collect::connections::Collector;
use collect::origins::Origins;
use collect::service::PATH;
use collect::settings::Settings;
use profile::problem::Problem;

use super::{Outcome, note, note_failure, print_line, values};
use crate::memory;

/// The flags of `collect`.
#[derive(clap::Args, Debug)]
pub struct CollectArgs {
    /// Where to listen: an address and a port, or a port of this machine alone; 0 takes a free one
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:9180", value_parser = values::parser(values::address))]
    listen: SocketAddr,
    /// The folder for the files
    #[arg(long, short, alias = "output", value_name = "DIR", default_value = FOLDER)]
    out: PathBuf,
    /// An origin whose pages may send: https://shop.example (repeatable)
    #[arg(long = "origin", value_name = "URL")]
    origins: Vec<String>,
    /// The largest trace, as it is sent and unpacked
    #[arg(long, value_name = "SIZE", default_value = "5mb", value_parser = values::parser(values::size))]
    max_body: u64,
    /// Begin another file from this size on
    #[arg(long, value_name = "SIZE", default_value = "100mb", value_parser = values::parser(values::size))]
    rotate_size: u64,
    /// Begin another file from this age on
    #[arg(long, value_name = "TIME", default_value = "24h", value_parser = values::parser(values::age))]
    rotate_every: Duration,
    /// All files together: traces are refused from there on
    #[arg(long, value_name = "SIZE", default_value = "2gb", value_parser = values::parser(values::size))]
    max_disk: u64,
    /// How many traces a second are taken
    #[arg(long, value_name = "N", default_value_t = 2000, value_parser = clap::value_parser!(u32).range(1..))]
    rate: u32,
    /// Acknowledge a trace only when the disk has it: none is lost without power either
    #[arg(long)]
    sync: bool,
}

/// The folder if the user names none.
const FOLDER: &str = ".proflens/collected";

/// Runs it.
pub fn run(args: &CollectArgs) -> Outcome {
    Outcome::of_result(collect(args))
}

fn collect(args: &CollectArgs) -> Result<(), Problem> {
    // The user has not named it, and it may have come with the repository.
    if args.out == Path::new(FOLDER)
        && let Some(link) = args.out.ancestors().find(|folder| folder.is_symlink())
    {
        let what = format!("{} is a link", link.display());
        return Err(Problem::new(what, "name the folder that it leads to with --out, if that is meant"));
    }
    let origins = Origins::parse(args.origins.iter().map(String::as_str))?;
    let is_open = !args.listen.ip().is_loopback();
    if origins.is_empty() {
        note("no page may send yet: name the origin of yours with --origin https://shop.example");
    }
    let settings = Settings {
        listen: args.listen,
        folder: args.out.clone(),
        origins,
        max_body: args.max_body,
        rotate_size: args.rotate_size,
        rotate_every: args.rotate_every,
        max_disk: args.max_disk,
        rate: args.rate,
        sync: args.sync,
    };
    // If this cannot be set, more memory stays in use; nothing else changes.
    memory::share_one_heap();
    let collector = Collector::start(settings, note_failure)?;
    let address = collector.address();
    if is_open {
        note(&format!(
            "whoever reaches {address} can send traces, without encryption; a web server in front of it has both"
        ));
    }
    print_line(&format!(
        "Listening on http://{address}{PATH} for POST of {{\"trace\": .., \"dimensions\": {{\"page\": ..}}}} as JSON, also gzip; Ctrl-C ends."
    ))?;
    let received = collector.run();
    print_line(&format!(
        "{} in {}, in {}.",
        count(received.traces, "trace"),
        count(received.files, "new file"),
        args.out.display()
    ))
}
