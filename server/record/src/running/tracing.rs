//! Records the pages of a browser with its own tracing, as DevTools' Performance panel does, and adds the source maps of the
//! scripts that ran.

use std::collections::BTreeSet;
use std::io::{self, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use url::Url;

use super::cdp::{CdpError, Connection};
use crate::head::Head;

/// As DevTools records (front_end/panels/timeline/TimelineController.ts), with the texts of scripts and without pictures.
const CATEGORIES: [&str; 14] = [
    "-*",
    "blink.console",
    "blink.user_timing",
    "devtools.timeline",
    "disabled-by-default-devtools.target-rundown",
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
    (head, to): (&Head, &mut dyn Write),
) -> Result<BrowserRecording, String> {
    let mut connection = Connection::open(browser)?;
    let recorded = record(&mut connection, page, duration, is_told_to_end, (head, to));
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
    (head, mut to): (&Head, &mut dyn Write),
) -> Result<BrowserRecording, Failure> {
    let mut recording = BrowserRecording::default();
    let (target, url) = first_page(connection)?;
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
    head.write(to)?;
    to.write_all(b"\"traceEvents\":[\n")?;
    let mut maps: BTreeSet<(String, String)> = BTreeSet::new();
    let mut opening =
        Opening { frame: target, url: page.map_or(url, str::to_owned), process: None, events: Vec::new() };
    let end = Instant::now() + LONGEST_END;
    loop {
        let mut event = connection.next_event()?;
        match event.as_ref().map(|it| it.method.as_str()) {
            Some("Tracing.dataCollected") => {
                let events = event.as_mut().and_then(|it| it.params["value"].as_array_mut());
                for event in events.into_iter().flatten() {
                    if opening.keep(event) {
                        continue;
                    }
                    maps.extend(map_of(event));
                    to.write_all(if recording.events == 0 { b"" } else { b",\n" })?;
                    serde_json::to_writer(&mut to, event).map_err(io::Error::from)?;
                    recording.events += 1;
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
    for event in opening.finish() {
        to.write_all(if recording.events == 0 { b"" } else { b",\n" })?;
        serde_json::to_writer(&mut to, &event).map_err(io::Error::from)?;
        recording.events += 1;
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

/// The number and the url of a page; of a new one if there is none.
fn first_page(connection: &mut Connection) -> Result<(String, String), CdpError> {
    let text = |it: &Value| it.as_str().unwrap_or_default().to_owned();
    let answer = connection.ask(None, "Target.getTargets", json!({}))?;
    let mut pages = answer["targetInfos"].as_array().into_iter().flatten();
    if let Some(page) = pages.find(|it| it["type"] == "page") {
        return Ok((text(&page["targetId"]), text(&page["url"])));
    }
    let blank = "about:blank";
    let made = connection.ask(None, "Target.createTarget", json!({ "url": blank }))?;
    Ok((text(&made["targetId"]), blank.to_owned()))
}

/// The event that says of which page a trace is. A browser leaves the page out when the whole of it is recorded, and DevTools
/// then refuses the trace; so it is filled in when the process of the page is known.
struct Opening {
    /// The frame of a page has the number of the page.
    frame: String,
    url: String,
    process: Option<Value>,
    events: Vec<Value>,
}

impl Opening {
    /// Keeps the event if it is such a one, and looks for the process in any other.
    fn keep(&mut self, event: &Value) -> bool {
        let args = &event["args"];
        let is_opening = event["name"] == "TracingStartedInBrowser" && args["data"].is_null();
        if is_opening {
            self.events.push(event.clone());
        } else if self.process.is_none()
            && [&args["frame"], &args["data"]["frame"]].iter().any(|it| **it == self.frame.as_str())
        {
            self.process = Some(event["pid"].clone());
        }
        is_opening
    }

    fn finish(self) -> Vec<Value> {
        let frame = self.process.map(|process| {
            json!({
                "frame": self.frame, "url": self.url, "name": "", "processId": process,
                "isInPrimaryMainFrame": true, "isOutermostMainFrame": true,
            })
        });
        let data = json!({ "frames": Vec::from_iter(frame) });
        let mut events = self.events;
        events.iter_mut().for_each(|it| it["args"] = json!({ "data": data }));
        events
    }
}

/// The script and the place of its source map, where an event tells of one that is not in the text itself. The event gets the
/// whole url, as DevTools looks for that one.
fn map_of(event: &mut Value) -> Option<(String, String)> {
    let data = event.pointer_mut("/args/data")?;
    let map = data["sourceMapUrl"].as_str().filter(|it| !it.is_empty() && !it.starts_with("data:"))?;
    let script = data["url"].as_str()?.to_owned();
    let map =
        Url::parse(&script).ok().and_then(|it| it.join(map).ok()).map_or_else(|| map.to_owned(), Url::into);
    data["sourceMapUrl"] = json!(map);
    Some((script, map))
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
