//! The inspector of a program that runs, by its address or its url. It is asked directly, and leads nowhere else.

use std::time::Duration;

use serde::Deserialize;
use url::Url;

use super::message::shown;
use super::wait::Told;

const LONGEST_ANSWER: Duration = Duration::from_secs(5);
/// Lists of pages have some kilobytes.
const MAX_ANSWER: u64 = 4 << 20;

/// The inspector of a program.
#[derive(Clone, Debug)]
pub(crate) struct Inspector {
    /// Where to connect.
    pub(crate) url: Url,
    /// What it is of.
    pub(crate) kind: Kind,
    /// The process that was asked for by its number: that, and the number by which it knows itself.
    pub(crate) process: Option<(u32, u64)>,
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

/// The inspector at a url such as `ws://127.0.0.1:9229/0f2c…`.
///
/// # Errors
/// One sentence: it is no url, or not of this machine.
pub(crate) fn by_url(what: &str, allow_remote: bool) -> Result<Inspector, String> {
    let url = Url::parse(what).map_err(|error| format!("{what} is no address: {error}."))?;
    check_host(&url, allow_remote)?;
    let kind = if url.path().contains("/devtools/browser/") { Kind::Browser } else { Kind::Node };
    Ok(Inspector { url, kind, process: None, was_opened: false })
}

/// The inspector at HOST:PORT.
///
/// # Errors
/// One sentence: it is none, or not of this machine.
pub(crate) fn by_address(what: &str, allow_remote: bool, told: &Told) -> Result<Inspector, String> {
    let address = Url::parse(&format!("http://{what}/"))
        .ok()
        .filter(|it| it.port_or_known_default().is_some() && what.contains(':'));
    let address = address.ok_or_else(|| {
        format!(
            "{what} is neither the number of a process nor HOST:PORT nor an address that begins with ws://."
        )
    })?;
    check_host(&address, allow_remote)?;
    at(&address, told)
}

/// A remote inspector can run any code on its machine, and what it sends crosses the network as it is.
fn check_host(url: &Url, allow_remote: bool) -> Result<(), String> {
    if is_here(url) || allow_remote {
        return Ok(());
    }
    let host = url.host_str().unwrap_or_default();
    Err(format!("{host} is not this machine. Open a tunnel to it (ssh -L), or say --allow-remote."))
}

/// Whether an address is of this machine by what it says, without asking a name server.
pub(crate) fn is_here(url: &Url) -> bool {
    match url.host() {
        Some(url::Host::Domain(name)) => name == "localhost",
        Some(url::Host::Ipv4(address)) => address.is_loopback(),
        Some(url::Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    }
}

/// What `json/version` has.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct VersionAnswer {
    #[serde(rename = "Browser")]
    browser: Option<String>,
    web_socket_debugger_url: Option<String>,
}

/// What `json/list` has.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ListedTarget {
    web_socket_debugger_url: Option<String>,
}

/// The inspector behind an address.
///
/// # Errors
/// One sentence: there is none.
pub(crate) fn at(address: &Url, told: &Told) -> Result<Inspector, String> {
    let found = |url: &str, kind| {
        Ok(Inspector { url: reached(url, address)?, kind, process: None, was_opened: false })
    };
    let about: VersionAnswer = get(address, "json/version", told)?;
    let is_node = about.browser.is_some_and(|it| it.starts_with("node.js/"));
    if !is_node && let Some(url) = about.web_socket_debugger_url {
        return found(&url, Kind::Browser);
    }
    let targets: Vec<ListedTarget> = get(address, "json/list", told)?;
    let url = targets.into_iter().next().and_then(|it| it.web_socket_debugger_url);
    found(&url.ok_or_else(|| format!("{address} lists nothing that could be recorded."))?, Kind::Node)
}

/// The url of a target as it is reached from here: the program may know itself by another name.
fn reached(url: &str, address: &Url) -> Result<Url, String> {
    let failed = || format!("{address} names no address of an inspector.");
    let mut url = Url::parse(url).ok().filter(|it| it.scheme() == "ws").ok_or_else(failed)?;
    let set = url.set_host(address.host_str()).is_ok() && url.set_port(address.port()).is_ok();
    if set { Ok(url) } else { Err(failed()) }
}

/// Asks for something over HTTP: of that address alone, so that no proxy is asked, and nobody is that it would lead to.
pub(crate) fn agent(longest: Duration) -> ureq::Agent {
    ureq::Agent::config_builder().timeout_global(Some(longest)).proxy(None).max_redirects(0).build().into()
}

fn get<T: for<'d> Deserialize<'d>>(address: &Url, path: &str, told: &Told) -> Result<T, String> {
    let failed = |why: &str| {
        format!(
            "{address} does not answer as an inspector: {}. Start the program with --inspect, or the browser with --remote-debugging-port.",
            shown(why)
        )
    };
    let url = format!("{address}{path}");
    let asked = told.wait_for(LONGEST_ANSWER, move || {
        let mut answer = agent(LONGEST_ANSWER).get(url).call()?;
        let status = answer.status();
        let text = answer.body_mut().with_config().limit(MAX_ANSWER).read_to_string()?;
        Ok((status.as_u16(), text))
    });
    let answer: Result<_, ureq::Error> = asked.map_err(|given_up| failed(&given_up.to_string()))?;
    let (status, text) = answer.map_err(|error| failed(&error.to_string()))?;
    if status != 200 {
        return Err(failed(&format!("status {status}")));
    }
    serde_json::from_str(&text).map_err(|error| failed(&error.to_string()))
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
