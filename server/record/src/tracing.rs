//! Records the pages of a browser with its own tracing, as DevTools' Performance panel does, and adds the source maps of the
//! scripts that ran.

use std::collections::BTreeSet;
use std::io::{self, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use url::Url;

use crate::cdp::{CdpError, Connection};

/// As DevTools records (front_end/panels/timeline/TimelineController.ts), with the texts of scripts and without pictures.
const CATEGORIES: [&str; 13] = [
    "-*",
    "blink.console",
    "blink.user_timing",
    "devtools.timeline",
    "disabled-by-default-devtools.timeline",
    "disabled-by-default-devtools.timeline.frame",
    "disabled-by-default-devtools.timeline.stack",
    "disabled-by-default-devtools.v8-source-rundown",
    "disabled-by-default-devtools.v8-source-rundown-sources",
    "disabled-by-default-v8.cpu_profiler",
    "latencyInfo",
    "loading",
    "v8.execute",
];
/// A browser may take so long to hand a large trace over.
const LONGEST_END: Duration = Duration::from_secs(300);
const LONGEST_LOAD: Duration = Duration::from_secs(10);

/// Records until the time is over, somebody says so, or no page is left; and writes the trace.
///
/// # Errors
/// One sentence about a browser that cannot be recorded, or a file that cannot be written.
pub(crate) fn record_browser(
    browser: &Url,
    page: Option<&str>,
    duration: Option<Duration>,
    is_told_to_end: &AtomicBool,
    to: &mut dyn Write,
) -> Result<BrowserRecording, String> {
    let mut connection = Connection::open(browser)?;
    let recorded = record(&mut connection, page, duration, is_told_to_end, to);
    connection.close();
    recorded.map_err(|error| match error {
        Failure::Cdp(error) => format!("{browser}: {error}."),
        Failure::Write(error) => format!("The recording cannot be written: {error}."),
    })
}

/// What became of a recording.
#[derive(Debug, Default)]
pub(crate) struct BrowserRecording {
    /// The number of events.
    pub(crate) events: u64,
    /// One sentence for each thing that is missing.
    pub(crate) missing: Vec<String>,
}

enum Failure {
    Cdp(CdpError),
    Write(io::Error),
}

impl From<CdpError> for Failure {
    fn from(error: CdpError) -> Self {
        Self::Cdp(error)
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self::Write(error)
    }
}

fn record(
    connection: &mut Connection,
    page: Option<&str>,
    duration: Option<Duration>,
    is_told_to_end: &AtomicBool,
    mut to: &mut dyn Write,
) -> Result<BrowserRecording, Failure> {
    let mut recording = BrowserRecording::default();
    let target = first_page(connection)?;
    let session =
        connection.ask(None, "Target.attachToTarget", json!({ "targetId": target, "flatten": true }))?;
    let session = session["sessionId"].as_str().unwrap_or_default().to_owned();
    let config = json!({ "includedCategories": CATEGORIES, "recordMode": "recordAsMuchAsPossible" });
    connection.ask(
        None,
        "Tracing.start",
        json!({ "transferMode": "ReportEvents", "traceConfig": config }),
    )?;
    connection.ask(None, "Target.setDiscoverTargets", json!({ "discover": true }))?;
    if let Some(page) = page {
        let answer = connection.ask(Some(&session), "Page.navigate", json!({ "url": page }))?;
        if let Some(why) = answer["errorText"].as_str() {
            recording.missing.push(format!("{page} was not loaded: {why}"));
        }
    }
    // From here on, as a browser takes its time to begin.
    let end = duration.map(|it| Instant::now() + it);
    while !is_told_to_end.load(Ordering::Relaxed) && end.is_none_or(|it| Instant::now() < it) {
        let Some(event) = connection.next_event()? else { continue };
        let was_page =
            event.method == "Target.targetDestroyed" && event.params["targetId"] == target.as_str();
        if was_page
            || (event.method == "Target.detachedFromTarget" && event.params["sessionId"] == session.as_str())
        {
            break;
        }
    }

    connection.ask(None, "Tracing.end", json!({}))?;
    to.write_all(b"{\"traceEvents\":[\n")?;
    let mut maps: BTreeSet<(String, String)> = BTreeSet::new();
    let end = Instant::now() + LONGEST_END;
    loop {
        let event = connection.next_event()?;
        match event.as_ref().map(|it| it.method.as_str()) {
            Some("Tracing.dataCollected") => {
                let events = event.as_ref().and_then(|it| it.params["value"].as_array());
                for event in events.into_iter().flatten() {
                    to.write_all(if recording.events == 0 { b"" } else { b",\n" })?;
                    serde_json::to_writer(&mut to, event).map_err(io::Error::from)?;
                    recording.events += 1;
                    maps.extend(map_of(event));
                }
            }
            Some("Tracing.tracingComplete") => break,
            _ if Instant::now() > end => {
                recording.missing.push("the browser did not hand over all of its trace".to_owned());
                break;
            }
            _ => {}
        }
    }
    let metadata = json!({
        "source": "proflens record",
        "dataOrigin": "TraceEvents",
        "enhancedTraceVersion": 1,
        "sourceMaps": load_maps(connection, &session, &maps, &mut recording.missing),
    });
    to.write_all(b"\n],\"metadata\":")?;
    serde_json::to_writer(&mut to, &metadata).map_err(io::Error::from)?;
    to.write_all(b"}\n")?;
    to.flush()?;
    Ok(recording)
}

fn first_page(connection: &mut Connection) -> Result<String, CdpError> {
    let answer = connection.ask(None, "Target.getTargets", json!({}))?;
    let pages = answer["targetInfos"].as_array().into_iter().flatten();
    let mut pages = pages.filter(|it| it["type"] == "page").filter_map(|it| it["targetId"].as_str());
    match pages.next() {
        Some(page) => Ok(page.to_owned()),
        None => {
            let made = connection.ask(None, "Target.createTarget", json!({ "url": "about:blank" }))?;
            Ok(made["targetId"].as_str().unwrap_or_default().to_owned())
        }
    }
}

/// The script and the place of its source map, where an event tells of one that is not in the text itself.
fn map_of(event: &Value) -> Option<(String, String)> {
    let data = &event["args"]["data"];
    let map = data["sourceMapUrl"].as_str().filter(|it| !it.is_empty() && !it.starts_with("data:"))?;
    Some((data["url"].as_str()?.to_owned(), map.to_owned()))
}

/// Loads source maps as the page would, with its cookies and its proxy.
fn load_maps(
    connection: &mut Connection,
    session: &str,
    maps: &BTreeSet<(String, String)>,
    missing: &mut Vec<String>,
) -> Vec<Value> {
    let mut loaded = Vec::new();
    if maps.is_empty() {
        return loaded;
    }
    let frame = connection.ask(Some(session), "Page.getFrameTree", json!({}));
    let frame = frame.map(|it| it["frameTree"]["frame"]["id"].clone()).unwrap_or_default();
    for (script, map_url) in maps {
        let Some(url) = Url::parse(script).ok().and_then(|it| it.join(map_url).ok()) else { continue };
        let loaded_by_page = load(connection, session, &frame, url.as_str());
        match loaded_by_page.or_else(|why| load_from_here(&url).ok_or(why)) {
            Ok(map) => loaded.push(json!({ "url": script, "sourceMapUrl": map_url, "sourceMap": map })),
            Err(why) => missing.push(format!("the source map {url} was not loaded: {why}")),
        }
    }
    loaded
}

/// Of a page that is gone, from a server of this machine, as development servers are.
fn load_from_here(url: &Url) -> Option<Value> {
    let is_local =
        url.scheme() == "http" && matches!(url.host_str(), Some("localhost" | "127.0.0.1" | "[::1]"));
    let agent: ureq::Agent = ureq::Agent::config_builder().timeout_global(Some(LONGEST_LOAD)).build().into();
    let mut answer = agent.get(is_local.then_some(url.as_str())?).call().ok()?;
    read_json(&answer.body_mut().read_to_vec().ok()?).ok()
}

/// Reads a source map.
fn read_json(bytes: &[u8]) -> Result<Value, String> {
    let text = String::from_utf8_lossy(bytes);
    // Some servers put this before JSON, against being read as a script (source map specification, 11.2.2).
    let text = text.strip_prefix(")]}'").map_or(&*text, |it| it.split_once('\n').map_or("", |it| it.1));
    serde_json::from_str(text).map_err(|error| format!("it is no JSON: {error}"))
}

fn load(connection: &mut Connection, session: &str, frame: &Value, url: &str) -> Result<Value, String> {
    let options = json!({ "disableCache": false, "includeCredentials": true });
    let params = json!({ "frameId": frame, "url": url, "options": options });
    let answer =
        connection.ask(Some(session), "Network.loadNetworkResource", params).map_err(|it| it.to_string())?;
    let resource = &answer["resource"];
    let Some(stream) = resource["stream"].as_str() else {
        let status = resource["httpStatusCode"].as_u64().map(|it| format!("status {it}"));
        let why = resource["netErrorName"].as_str().map(str::to_owned).or(status);
        return Err(why.unwrap_or_else(|| "the browser does not say why".to_owned()));
    };
    let (mut bytes, end) = (Vec::new(), Instant::now() + LONGEST_LOAD);
    while Instant::now() < end {
        let chunk = connection
            .ask(Some(session), "IO.read", json!({ "handle": stream }))
            .map_err(|it| it.to_string())?;
        let data = chunk["data"].as_str().unwrap_or_default();
        if chunk["base64Encoded"].as_bool() == Some(true) {
            bytes.extend(
                base64::Engine::decode(&base64::engine::general_purpose::STANDARD, data)
                    .map_err(|error| error.to_string())?,
            );
        } else {
            bytes.extend(data.as_bytes());
        }
        if chunk["eof"].as_bool() == Some(true) {
            let _ = connection.ask(Some(session), "IO.close", json!({ "handle": stream }));
            return read_json(&bytes);
        }
    }
    Err("it takes too long".to_owned())
}
