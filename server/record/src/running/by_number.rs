//! Finds the inspector of a process by its number, on Linux, where it can be known which process listens where.

use std::net::{SocketAddr, TcpStream};
use std::thread;
use std::time::{Duration, Instant};

use url::Url;

use super::attach::close_again;
use super::inspector::{Inspector, Kind, NumberedProcess, at};
use super::process::{Process, ProcessError, Why};
use super::wait::{POLL, Told};

/// A Node that has got its signal opens its inspector within a moment.
const LONGEST_OPENING: Duration = Duration::from_secs(5);
/// Node listens to the signal this long after it was started, on a busy machine.
const LONGEST_START: Duration = Duration::from_secs(2);
/// An inspector that was asked for is waited for this long, even if nobody wants it any more, because it has to be closed again.
const LAST_LOOK: Duration = Duration::from_millis(800);
/// Where Node opens its inspector unless a flag says otherwise.
const DEFAULT_PORT: u16 = 9229;

/// The inspector of a process. If it has none, the process is asked to open one (Node does so on SIGUSR1).
pub(crate) fn find(number: u32, told: &Told) -> Result<Inspector, ProcessError> {
    let process = Process::open(number)?;
    process.shares_network()?;
    let asked_for = Some(NumberedProcess { number, own: process.own_number()? });
    let before = process.listening()?;
    let flags = process.command()?;
    // Only ports that inspectors use are asked: the others belong to the program's own servers.
    let mut likely = before.iter().filter(|address| is_inspectors(address.port(), &flags));
    if let Some(found) = likely.find_map(|address| ask(*address, told)) {
        return Ok(Inspector { process: asked_for, ..found });
    }
    if told.is_told() {
        return Err(process.because(Why::Interrupted));
    }
    ask_for_inspector(&process, told)?;
    let mut end = Instant::now() + LONGEST_OPENING;
    // It may appear when nobody is waiting for it any more.
    let patient = Told::default();
    while Instant::now() < end {
        let mut new = process.listening()?.into_iter().filter(|address| !before.contains(address));
        let found = new.find_map(|address| ask(address, &patient));
        if let Some(found) = found.filter(|inspector| inspector.kind == Kind::Node) {
            let opened = Inspector { process: asked_for, was_opened: true, ..found };
            if told.is_told() {
                close_again(&opened);
                break;
            }
            return Ok(opened);
        }
        if told.is_told() {
            end = end.min(Instant::now() + LAST_LOOK);
        }
        thread::sleep(POLL);
    }
    if told.is_told() {
        return Err(process.because(Why::Interrupted));
    }
    let default = SocketAddr::from(([127, 0, 0, 1], DEFAULT_PORT));
    let is_taken = TcpStream::connect_timeout(&default, LAST_LOOK).is_ok();
    Err(process.because(Why::OpensNothing { is_taken }))
}

fn ask(address: SocketAddr, told: &Told) -> Option<Inspector> {
    at(&Url::parse(&format!("http://{address}/")).ok()?, told).ok()
}

/// Asks a process for its inspector. A process that has just been started listens in a moment.
fn ask_for_inspector(process: &Process, told: &Told) -> Result<(), ProcessError> {
    let began = Instant::now();
    loop {
        match process.ask_for_inspector() {
            Err(error) if error.is_too_early() && began.elapsed() < LONGEST_START && !told.is_told() => {
                thread::sleep(POLL);
            }
            asked => return asked,
        }
    }
}

/// Whether a port is a default one of inspectors, or is named by a flag of the process.
fn is_inspectors(port: u16, flags: &[String]) -> bool {
    let is_named = flags.iter().any(|flag| {
        let is_of_port = flag.starts_with("--inspect") || flag.starts_with("--remote-debugging-port");
        let value = flag.rsplit(['=', ':']).next().unwrap_or_default();
        is_of_port && value.parse() == Ok(port)
    });
    (DEFAULT_PORT..=DEFAULT_PORT + 10).contains(&port) || is_named
}
