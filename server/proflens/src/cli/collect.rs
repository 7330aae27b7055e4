//! `proflens collect`: receives traces that pages measure of themselves, and keeps them in files.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::time::Duration;

use collect::{CollectError, Collector, Origins, PATH, Settings};

use super::{Outcome, note, print_line};
use crate::memory;

/// The flags of `collect`.
#[derive(clap::Args, Debug)]
pub struct CollectArgs {
    /// Where to listen: an address and a port, or a port of this machine alone; 0 takes a free one
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:9180", value_parser = address)]
    listen: SocketAddr,
    /// The folder for the files
    #[arg(long, value_name = "DIR", default_value = FOLDER)]
    out: PathBuf,
    /// An origin whose pages may send: https://shop.example (repeatable)
    #[arg(long = "origin", value_name = "URL")]
    origins: Vec<String>,
    /// The largest trace, as it is sent and unpacked
    #[arg(long, value_name = "SIZE", default_value = "5mb", value_parser = size)]
    max_body: u64,
    /// Begin another file from this size on
    #[arg(long, value_name = "SIZE", default_value = "100mb", value_parser = size)]
    rotate_size: u64,
    /// Begin another file from this age on
    #[arg(long, value_name = "TIME", default_value = "24h", value_parser = age)]
    rotate_every: Duration,
    /// All files together: traces are refused from there on
    #[arg(long, value_name = "SIZE", default_value = "2gb", value_parser = size)]
    max_disk: u64,
    /// So many traces a second are taken
    #[arg(long, value_name = "N", default_value_t = 2000, value_parser = clap::value_parser!(u32).range(1..))]
    rate: u32,
    /// Acknowledge a trace only when the disk has it: none is lost without power either
    #[arg(long)]
    sync: bool,
}

/// The folder of a user who names none.
const FOLDER: &str = ".proflens/collected";

/// Runs it.
pub fn run(args: &CollectArgs) -> Outcome {
    match collect(args) {
        Ok(()) => Outcome::of(Vec::new()),
        Err(sentence) => Outcome::failed(sentence),
    }
}

fn collect(args: &CollectArgs) -> Result<(), String> {
    // Nobody has named it, and a repository can bring it.
    let mut unnamed =
        args.out.ancestors().filter(|it| !it.as_os_str().is_empty() && args.out == Path::new(FOLDER));
    if let Some(link) = unnamed.find(|it| it.is_symlink()) {
        return Err(format!(
            "{} is a link. Name the folder that it leads to with --out, if that is meant.",
            link.display()
        ));
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
    // Where that cannot be, more memory stays in use; nothing else changes.
    memory::share_one_heap();
    let collector = Collector::start(settings, |problem| note(problem.to_string().trim_end_matches('.')))
        .map_err(|error: CollectError| error.to_string())?;
    let address = collector.address();
    if is_open {
        note(&format!(
            "whoever reaches {address} can send traces, without encryption; a web server in front of it has both"
        ));
    }
    print_line(&format!(
        "Listening on http://{address}{PATH} for POST of {{\"trace\": .., \"dimensions\": {{\"page\": ..}}}} as JSON, also gzip; Ctrl-C ends."
    ))
    .map_err(|unwritten| unwritten.to_string())?;
    let received = collector.run();
    let count = analysis::format::count;
    print_line(&format!(
        "{} in {}, in {}.",
        count(received.traces, "trace"),
        count(received.files, "new file"),
        args.out.display()
    ))
    .map_err(|unwritten| unwritten.to_string())
}

fn address(text: &str) -> Result<SocketAddr, String> {
    let here = IpAddr::V4(Ipv4Addr::LOCALHOST);
    if let Ok(port) = text.parse::<u16>() {
        return Ok(SocketAddr::new(here, port));
    }
    if let Some(Ok(port)) = text.strip_prefix("localhost:").map(str::parse) {
        return Ok(SocketAddr::new(here, port));
    }
    text.parse().map_err(|_| "an address with its port, such as 127.0.0.1:9180, or a port".to_owned())
}

/// `500kb`, `5mb`, `2gb`; a kB is 1,000 bytes.
fn size(text: &str) -> Result<u64, String> {
    let units = [("kb", 1000), ("mb", 1_000_000), ("gb", 1_000_000_000), ("tb", 1_000_000_000_000)];
    scaled(text, &units).ok_or_else(|| "a size with its unit, such as 500kb, 5mb or 2gb".to_owned())
}

/// `30s`, `15m`, `24h`, `7d`.
fn age(text: &str) -> Result<Duration, String> {
    let units = [("s", 1), ("m", 60), ("h", 3600), ("d", 86_400)];
    let seconds = scaled(text, &units).ok_or("a time with its unit, such as 30s, 15m, 24h or 7d")?;
    Ok(Duration::from_secs(seconds))
}

fn scaled(text: &str, units: &[(&str, u64)]) -> Option<u64> {
    let text = text.trim().to_ascii_lowercase();
    let (number, factor) =
        units.iter().find_map(|&(unit, factor)| Some((text.strip_suffix(unit)?.trim(), factor)))?;
    number.parse::<u64>().ok()?.checked_mul(factor).filter(|&it| it > 0)
}
