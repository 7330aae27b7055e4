//! Finds the inspector of a program that runs: by the number of its process, its address, or the url itself.

use std::time::{Duration, Instant};

use serde_json::Value;
use url::Url;

use crate::signals;

/// A Node that has got its signal opens its inspector within a moment.
const LONGEST_OPENING: Duration = Duration::from_secs(5);
/// Where Node opens its inspector unless a flag says otherwise.
const DEFAULT_PORT: u16 = 9229;
const LONGEST_ANSWER: Duration = Duration::from_secs(5);
const POLL: Duration = Duration::from_millis(20);

/// The inspector of a program.
#[derive(Debug)]
pub(crate) struct Inspector {
    /// Where to connect.
    pub(crate) url: Url,
    /// What it is of.
    pub(crate) kind: Kind,
    /// Whether it was opened for this recording, and is to be closed again.
    pub(crate) was_opened: bool,
}

/// What an inspector is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// One process of Node, with its workers.
    Node,
    /// A browser with all of its pages.
    Browser,
}

/// Finds an inspector.
///
/// # Errors
/// One sentence: there is none, or it is not on this machine and that was not asked for.
pub(crate) fn find(what: &str, allow_remote: bool) -> Result<Inspector, String> {
    if let Ok(process) = what.parse::<u32>() {
        return of_process(process);
    }
    if what.starts_with("ws://") {
        let url = Url::parse(what).map_err(|error| format!("{what} is no address: {error}."))?;
        check_host(&url, allow_remote)?;
        let kind = if url.path().contains("/devtools/browser/") { Kind::Browser } else { Kind::Node };
        return Ok(Inspector { url, kind, was_opened: false });
    }
    let address = Url::parse(&format!("http://{what}/"))
        .ok()
        .filter(|it| it.port_or_known_default().is_some() && what.contains(':'));
    let address = address.ok_or_else(|| {
        format!(
            "{what} is neither the number of a process nor HOST:PORT nor an address that begins with ws://."
        )
    })?;
    check_host(&address, allow_remote)?;
    at(&address)
}

/// A remote inspector can run any code on its machine, and what it sends crosses the network as it is.
fn check_host(url: &Url, allow_remote: bool) -> Result<(), String> {
    let is_local = match url.host() {
        Some(url::Host::Domain(name)) => name == "localhost",
        Some(url::Host::Ipv4(address)) => address.is_loopback(),
        Some(url::Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    };
    if is_local || allow_remote {
        return Ok(());
    }
    let host = url.host_str().unwrap_or_default();
    Err(format!("{host} is not this machine. Open a tunnel to it (ssh -L), or say --allow-remote."))
}

/// The inspector behind an address.
fn at(address: &Url) -> Result<Inspector, String> {
    let about = get(address, "json/version")?;
    let is_node = about["Browser"].as_str().is_some_and(|it| it.starts_with("node.js/"));
    if !is_node && let Some(url) = about["webSocketDebuggerUrl"].as_str() {
        return Ok(Inspector { url: reached(url, address)?, kind: Kind::Browser, was_opened: false });
    }
    let targets = get(address, "json/list")?;
    let url = targets[0]["webSocketDebuggerUrl"].as_str();
    let url = url.ok_or_else(|| format!("{address} lists nothing that could be recorded."))?;
    Ok(Inspector { url: reached(url, address)?, kind: Kind::Node, was_opened: false })
}

/// The url of a target as it is reached from here: the program may know itself by another name.
fn reached(url: &str, address: &Url) -> Result<Url, String> {
    let mut url = Url::parse(url).map_err(|error| format!("{address} names no address: {error}."))?;
    let set = url.set_host(address.host_str()).is_ok() && url.set_port(address.port()).is_ok();
    if set { Ok(url) } else { Err(format!("{address} cannot be connected to.")) }
}

fn get(address: &Url, path: &str) -> Result<Value, String> {
    let failed = |why: String| {
        format!(
            "{address} does not answer as an inspector: {why}. Start the program with --inspect, or the browser with --remote-debugging-port."
        )
    };
    let agent: ureq::Agent =
        ureq::Agent::config_builder().timeout_global(Some(LONGEST_ANSWER)).build().into();
    let mut answer =
        agent.get(format!("{address}{path}")).call().map_err(|error| failed(error.to_string()))?;
    let text = answer.body_mut().read_to_string().map_err(|error| failed(error.to_string()))?;
    serde_json::from_str(&text).map_err(|error| failed(error.to_string()))
}

/// The inspector of a process, which is asked to open one if it has none (Node does at SIGUSR1).
fn of_process(process: u32) -> Result<Inspector, String> {
    if !signals::is_running(process) {
        return Err(format!("There is no process {process}."));
    }
    let before = listening(process)?;
    // Only ports that inspectors have are asked: the others are those of the program's own servers.
    if let Some(found) = before.iter().filter(|it| is_inspectors(it, process)).find_map(|it| at(it).ok()) {
        return Ok(found);
    }
    signals::ask_for_inspector(process)?;
    let end = Instant::now() + LONGEST_OPENING;
    while Instant::now() < end {
        let new = listening(process)?.into_iter().filter(|it| !before.contains(it));
        if let Some(found) = new.into_iter().find_map(|it| at(&it).ok()) {
            return Ok(Inspector { was_opened: true, ..found });
        }
        std::thread::sleep(POLL);
    }
    let taken = std::net::TcpStream::connect(("127.0.0.1", DEFAULT_PORT)).is_ok();
    let why =
        if taken { format!(", as another program listens on port {DEFAULT_PORT}") } else { String::new() };
    Err(format!(
        "Process {process} opens no inspector{why}. Start it with --inspect=0, and give the address that it prints."
    ))
}

/// Whether an address is one at which inspectors are by default, or that a flag of the process names.
fn is_inspectors(address: &Url, process: u32) -> bool {
    let port = address.port_or_known_default().unwrap_or(0);
    let flags = std::fs::read(format!("/proc/{process}/cmdline")).unwrap_or_default();
    let flags = String::from_utf8_lossy(&flags);
    let mut named = flags
        .split('\0')
        .filter(|it| it.starts_with("--inspect") || it.starts_with("--remote-debugging-port"));
    (DEFAULT_PORT..=DEFAULT_PORT + 10).contains(&port) || named.any(|it| it.ends_with(&port.to_string()))
}

/// The addresses on this machine on which a process listens.
#[cfg(target_os = "linux")]
fn listening(process: u32) -> Result<Vec<Url>, String> {
    use std::collections::HashSet;
    use std::fs;
    let failed = |error: std::io::Error| format!("Process {process} cannot be looked at: {error}.");
    let sockets = fs::read_dir(format!("/proc/{process}/fd")).map_err(failed)?.filter_map(|entry| {
        let link = fs::read_link(entry.ok()?.path()).ok()?;
        Some(link.to_str()?.strip_prefix("socket:[")?.strip_suffix(']')?.to_owned())
    });
    let sockets: HashSet<String> = sockets.collect();
    let mut addresses = Vec::new();
    for (table, host) in [("tcp", "127.0.0.1"), ("tcp6", "[::1]")] {
        let Ok(text) = fs::read_to_string(format!("/proc/{process}/net/{table}")) else { continue };
        for line in text.lines().skip(1) {
            // sl, local address, remote address, state (0A listens), queues, timer, retransmissions, user, timeout, inode
            let columns: Vec<&str> = line.split_whitespace().collect();
            let [_, local, _, "0A", ..] = columns.as_slice() else { continue };
            let port = local.rsplit(':').next().and_then(|it| u16::from_str_radix(it, 16).ok());
            if let Some(port) = port
                && columns.get(9).is_some_and(|it| sockets.contains(*it))
                && let Ok(url) = Url::parse(&format!("http://{host}:{port}/"))
            {
                addresses.push(url);
            }
        }
    }
    Ok(addresses)
}

/// Which process listens is not known here.
#[cfg(not(target_os = "linux"))]
fn listening(process: u32) -> Result<Vec<Url>, String> {
    Err(format!(
        "Process {process} cannot be found by its number on this system. Start it with --inspect, and give HOST:PORT as it prints them."
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_on_this_machine_is_refused() {
        let local =
            ["http://127.0.0.1:9229/", "http://localhost:1/", "http://[::1]:9229/", "http://127.9.9.9:1/"];
        let remote = [
            "http://10.0.0.1:9229/",
            "http://example.org:9229/",
            "http://localhost.example.org:1/",
            "http://0.0.0.0:9229/",
        ];
        let allowed = |it: &&str| check_host(&Url::parse(it).unwrap(), false).is_ok();
        assert_eq!(local.iter().filter(|it| allowed(it)).count(), local.len());
        assert_eq!(remote.iter().filter(|it| allowed(it)).count(), 0);
        assert_eq!(check_host(&Url::parse(remote[0]).unwrap(), true), Ok(()));
    }
}
