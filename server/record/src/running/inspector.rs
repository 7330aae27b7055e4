//! The inspector of a running program, by its address or its URL. It is asked directly, and leads nowhere else.

use std::error::Error;
use std::time::Duration;

use profile::problem::Problem;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use url::Url;

use super::message::shown;
use super::wait::Told;

const LONGEST_ANSWER: Duration = Duration::from_secs(5);
/// Lists of pages have a few kilobytes.
const MAX_ANSWER: u64 = 4 << 20;

/// The inspector of a program.
#[derive(Clone, Debug)]
pub(crate) struct Inspector {
    /// Where to connect.
    pub(crate) url: Url,
    /// What kind of program it belongs to.
    pub(crate) kind: Kind,
    /// The process, if it was asked for by its number.
    pub(crate) process: Option<NumberedProcess>,
    /// Whether it was opened for this recording, and has to be closed again.
    pub(crate) was_opened: bool,
    /// What the address calls it, where it was found by an address.
    pub(crate) title: Option<String>,
    /// The URLs of the others at that address: workerd has one for each of its workers.
    pub(crate) others: Vec<Url>,
}

/// A process that was asked for by its number.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NumberedProcess {
    /// That number.
    pub(crate) number: u32,
    /// The number by which it knows itself.
    pub(crate) own: u64,
}

/// What an inspector belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// One process of Node, with its workers.
    Node,
    /// A browser with all of its pages.
    Browser,
}

impl Inspector {
    fn new(url: Url, kind: Kind) -> Self {
        Self { url, kind, process: None, was_opened: false, title: None, others: Vec::new() }
    }
}

/// The inspector at a url such as `ws://127.0.0.1:9229/0f2c…`.
///
/// # Errors
/// If it is not a URL, or not on this machine.
pub(crate) fn by_url(what: &str, allow_remote: bool) -> Result<Inspector, Problem> {
    let url = Url::parse(what).map_err(|error| Problem::new(format!("{what} is no address: {error}"), ""))?;
    check_host(&url, allow_remote)?;
    let kind = if url.path().contains("/devtools/browser/") { Kind::Browser } else { Kind::Node };
    Ok(Inspector::new(url, kind))
}

/// The inspector at HOST:PORT.
///
/// # Errors
/// If there is none, or it is not on this machine.
pub(crate) fn by_address(what: &str, allow_remote: bool, told: &Told) -> Result<Inspector, Problem> {
    let url = Url::parse(&format!("http://{what}/")).ok();
    let address = url.filter(|url| url.port_or_known_default().is_some() && what.contains(':'));
    let Some(address) = address else {
        let what = format!(
            "{what} is neither the number of a process nor HOST:PORT nor an address that begins with ws://"
        );
        return Err(Problem::new(what, ""));
    };
    check_host(&address, allow_remote)?;
    at(&address, told)
}

/// A remote inspector can run any code on its machine, and what it sends crosses the network unencrypted.
fn check_host(url: &Url, allow_remote: bool) -> Result<(), Problem> {
    if is_here(url) || allow_remote {
        return Ok(());
    }
    let what = format!("{} is not this machine", url.host_str().unwrap_or_default());
    Err(Problem::new(what, "open a tunnel to it (ssh -L), or say --allow-remote"))
}

/// Whether an address is clearly on this machine, without asking a name server.
pub(crate) fn is_here(url: &Url) -> bool {
    match url.host() {
        Some(url::Host::Domain(name)) => name == "localhost",
        Some(url::Host::Ipv4(address)) => address.is_loopback(),
        Some(url::Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    }
}

/// The content of `json/version`.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct VersionAnswer {
    #[serde(rename = "Browser")]
    browser: Option<String>,
    web_socket_debugger_url: Option<String>,
}

/// The content of `json/list`.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ListedTarget {
    web_socket_debugger_url: Option<String>,
    title: Option<String>,
}

/// The inspector behind an address.
///
/// # Errors
/// If there is none.
pub(crate) fn at(address: &Url, told: &Told) -> Result<Inspector, Problem> {
    let about: VersionAnswer = get(address, "json/version", told)?;
    let is_node = about.browser.is_some_and(|name| name.starts_with("node.js/"));
    if !is_node && let Some(url) = about.web_socket_debugger_url {
        return Ok(Inspector::new(reached(&url, address)?, Kind::Browser));
    }
    let targets: Vec<ListedTarget> = get(address, "json/list", told)?;
    let mut targets = targets.into_iter().filter_map(|target| {
        let ListedTarget { web_socket_debugger_url, title } = target;
        web_socket_debugger_url.map(|url| (url, title))
    });
    let Some((url, title)) = targets.next() else {
        return Err(Problem::new(format!("{address} lists nothing that could be recorded"), ""));
    };
    let others = targets.filter_map(|(url, _)| reached(&url, address).ok()).collect();
    let title = title.map(|title| shown(&title));
    Ok(Inspector { title, others, ..Inspector::new(reached(&url, address)?, Kind::Node) })
}

/// The URL of a target as it is reached from here: the program may know itself by another name.
fn reached(url: &str, address: &Url) -> Result<Url, Problem> {
    let named = Url::parse(url).ok().filter(|url| url.scheme() == "ws");
    let reached = named.and_then(|mut url| {
        url.set_host(address.host_str()).ok()?;
        url.set_port(address.port()).ok()?;
        Some(url)
    });
    reached.ok_or_else(|| Problem::new(format!("{address} names no address of an inspector"), ""))
}

/// Asks for something over HTTP: only at that address, without a proxy, and without following redirects.
pub(crate) fn agent(longest: Duration) -> ureq::Agent {
    ureq::Agent::config_builder().timeout_global(Some(longest)).proxy(None).max_redirects(0).build().into()
}

fn get<T: DeserializeOwned>(address: &Url, path: &str, told: &Told) -> Result<T, Problem> {
    let answer = text_at(format!("{address}{path}"), told).and_then(|text| Ok(serde_json::from_str(&text)?));
    answer.map_err(|error| {
        let what = format!("{address} does not answer as an inspector: {}", shown(&error.to_string()));
        Problem::new(what, "start the program with --inspect, or the browser with --remote-debugging-port")
    })
}

fn text_at(url: String, told: &Told) -> Result<String, Box<dyn Error>> {
    let asked = told.wait_for(LONGEST_ANSWER, move || -> Result<_, ureq::Error> {
        let mut answer = agent(LONGEST_ANSWER).get(url).call()?;
        let status = answer.status();
        let text = answer.body_mut().with_config().limit(MAX_ANSWER).read_to_string()?;
        Ok((status.as_u16(), text))
    });
    match asked?? {
        (200, text) => Ok(text),
        (status, _) => Err(format!("status {status}").into()),
    }
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

    #[test]
    fn an_inspector_leads_nowhere_else() {
        let here = Url::parse("http://127.0.0.1:9229/").unwrap();
        let named =
            ["ws://10.0.0.1:1/abc", "ws://localhost/a", "http://127.0.0.1:9229/a", "file:///etc", "no"];
        let reached: Vec<String> =
            named.iter().filter_map(|it| reached(it, &here).ok()).map(String::from).collect();
        assert_eq!(reached, ["ws://127.0.0.1:9229/abc", "ws://127.0.0.1:9229/a"]);
    }
}
