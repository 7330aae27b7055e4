//! Records the pages of a browser with its own tracing, as DevTools' Performance panel does, and adds the source maps of the
//! scripts that ran.

use std::io::{self, Write};
use std::path::Path;
use std::time::{Duration, Instant};

use profile::problem::Problem;
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::{Value, json};

use super::attached::lost_with;
use super::cdp::Connection;
use super::inspector::NumberedProcess;
use super::kept_maps::MapKeeper;
use super::message::{CdpError, Message, shown};
use super::page_maps::Loader;
use super::process::{ProcessError, Why};
use super::progress::{Limits, Progress};
use super::traced_scripts::TracedScripts;
use crate::head::Head;

/// The categories that DevTools records (front_end/panels/timeline/TimelineController.ts), with the texts of scripts and
/// without pictures.
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
/// How long a browser may take to hand over a large trace.
const LONGEST_END: Duration = Duration::from_secs(300);
/// A browser hands its trace over in pieces of MAX_SEEN. Each event becomes a tree of JSON, which takes up to eighty times the memory of its
/// text, so a longer piece is not accepted.
const MAX_PIECE: usize = 16 << 20;
/// A trace has one event that begins it for each process that traces.
const MAX_OPENINGS: usize = 100;
/// What Chrome calls a process that draws its own windows, such as the list below the address bar. That is no page.
const WINDOWS_OF_BROWSER: &str = "WebUI Top Renderer";

/// Records until the time is over, the user ends it, or no page is left; and writes the trace.
///
/// # Errors
/// What fails with the browser or the file.
pub(crate) fn record_browser(
    BrowserSubject { connection, page, is_here }: BrowserSubject<'_>,
    Limits { duration, told }: Limits<'_>,
    tell: &dyn Fn(Progress),
    head: &Head,
    to: &mut dyn Write,
) -> Result<BrowserRecording, BrowserFailure> {
    let (target, url) = first_page(connection)?;
    let attach = json!({ "targetId": target, "flatten": true });
    let AttachedTarget { session_id: session } = connection.ask(None, "Target.attachToTarget", attach)?;
    let config = json!({ "includedCategories": CATEGORIES, "recordMode": "recordAsMuchAsPossible" });
    let start = json!({ "transferMode": "ReportEvents", "traceConfig": config });
    connection.ask::<IgnoredAny>(None, "Tracing.start", start)?;
    connection.ask::<IgnoredAny>(None, "Target.setDiscoverTargets", json!({ "discover": true }))?;
    let keeper = if is_here { MapKeeper::start() } else { None };
    // Only what was loaded is of interest, and nothing of it is kept.
    let network = json!({ "maxTotalBufferSize": 0, "maxResourceBufferSize": 0 });
    connection.ask::<IgnoredAny>(Some(&session), "Network.enable", network).map_err(lost)?;
    if let Some(page) = page {
        open(connection, &session, page)?;
    }
    tell(Progress::Begun);
    // From here on, because a browser takes its time to begin.
    let end = duration.map(|duration| Instant::now() + duration);
    while !told.take() && end.is_none_or(|end| Instant::now() < end) {
        let Some(event) = connection.next_event().map_err(lost)? else { continue };
        keeper.iter().for_each(|keeper| keeper.hear(&event));
        if is_end_of_page(&event, &target, &session) {
            break;
        }
    }

    // The page may be gone.
    connection.send(Some(&session), "Network.disable", json!({})).map_err(lost)?;
    connection.ask::<IgnoredAny>(None, "Tracing.end", json!({})).map_err(lost)?;
    let kept = keeper.map(|keeper| keeper.finish(told)).unwrap_or_default();
    head.write(to)?;
    to.write_all(b"\"traceEvents\":[\n")?;
    let mut trace = Trace::new(target, page.map_or(url, str::to_owned), BrowserRecording::default());
    trace.take_all(connection, to)?;
    let (mut recording, scripts) = trace.finish(to)?;
    for (kept, key) in kept.iter().flat_map(|kept| scripts.of_url(&kept.script).map(move |key| (kept, key))) {
        if let Some(event) = scripts.whole_text(key, &kept.text) {
            recording.write(&event, to)?;
        }
    }
    to.write_all(
        b"\n],\"metadata\":{\"source\":\"proflens record\",\"dataOrigin\":\"TraceEvents\",\"enhancedTraceVersion\":1,\"sourceMaps\":",
    )?;
    let mut loader = Loader { connection, session: &session, told, is_here };
    loader.write_maps(&scripts, &kept, &mut recording.missing, to)?;
    to.write_all(b"}}\n")?;
    to.flush()?;
    Ok(recording)
}

/// Opens a page in a browser that traces.
fn open(connection: &mut Connection, session: &str, page: &str) -> Result<(), BrowserFailure> {
    let answer: Navigated = connection.ask(Some(session), "Page.navigate", json!({ "url": page }))?;
    let Some(why) = answer.error_text else { return Ok(()) };
    // A browser that traces has to be told to stop; otherwise what it has is handed over to nobody.
    connection.ask::<IgnoredAny>(None, "Tracing.end", json!({}))?;
    Err(BrowserFailure::Page { address: shown(page), why: shown(&why) })
}

/// Whether an event says that the page was closed.
fn is_end_of_page(event: &Message, target: &str, session: &str) -> bool {
    let gone = || event.params::<Gone>();
    match event.method.as_deref() {
        Some("Target.targetDestroyed") => {
            gone().is_some_and(|gone| gone.target_id.as_deref() == Some(target))
        }
        Some("Target.detachedFromTarget") => {
            gone().is_some_and(|gone| gone.session_id.as_deref() == Some(session))
        }
        _ => false,
    }
}

/// Checks that a browser is the process that was asked for, before anything else is done with it.
///
/// # Errors
/// If it is another one, or does not say.
pub(crate) fn is_browser_of(
    connection: &mut Connection,
    NumberedProcess { number: process, own }: NumberedProcess,
) -> Result<(), BrowserFailure> {
    let processes: Processes = connection.ask(None, "SystemInfo.getProcessInfo", json!({}))?;
    let browser = processes.process_info.iter().find(|process| process.kind == "browser");
    match browser.map_or(0, |browser| browser.id) {
        id if id == own => Ok(()),
        other => Err(BrowserFailure::Process(ProcessError { process, why: Why::Other(other) })),
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Processes {
    process_info: Vec<ProcessInfo>,
}

#[derive(Deserialize)]
struct ProcessInfo {
    #[serde(rename = "type")]
    kind: String,
    id: u64,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct AttachedTarget {
    session_id: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Navigated {
    error_text: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Gone {
    target_id: Option<String>,
    session_id: Option<String>,
}

#[derive(Deserialize)]
struct Collected {
    value: Vec<Value>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Targets {
    target_infos: Vec<Target>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Target {
    target_id: String,
    #[serde(default, rename = "type")]
    kind: String,
    #[serde(default)]
    url: String,
}

/// What is recorded of a browser.
pub(crate) struct BrowserSubject<'c> {
    /// The connection to it.
    pub(crate) connection: &'c mut Connection,
    /// The page to open; `None` means what is already there.
    pub(crate) page: Option<&'c str>,
    /// Whether it is on this machine.
    pub(crate) is_here: bool,
}

/// The result of a recording.
#[derive(Debug, Default)]
pub(crate) struct BrowserRecording {
    /// The number of events.
    pub(crate) events: u64,
    /// One sentence for each thing that is missing.
    pub(crate) missing: Vec<String>,
}

impl BrowserRecording {
    fn write(&mut self, event: &Value, mut to: &mut dyn Write) -> io::Result<()> {
        to.write_all(if self.events == 0 { b"" } else { b",\n" })?;
        serde_json::to_writer(&mut to, event)?;
        self.events += 1;
        Ok(())
    }
}

/// Why a browser was not recorded.
#[derive(Debug)]
pub(crate) enum BrowserFailure {
    /// It is another process.
    Process(ProcessError),
    /// It does not answer as it should.
    Cdp(CdpError),
    /// It ended, and what it had traced with it.
    Lost(String),
    /// The recording cannot be written.
    Write(io::Error),
    /// The page is not there; this is what the browser says.
    Page { address: String, why: String },
}

impl BrowserFailure {
    /// The problem with a browser of this name, or with the file that was to be written.
    pub(crate) fn problem(self, browser: &str, out: &Path) -> Problem {
        match self {
            Self::Process(error) => error.into(),
            Self::Cdp(error) => Problem::from(error).at(browser),
            Self::Lost(why) => lost_with("the browser", &why).at(browser),
            Self::Write(error) => unwritten(out, &error),
            Self::Page { address, why } => Problem::new(
                format!("{address} was not loaded: {why}"),
                "check the address, and whether its server runs",
            ),
        }
    }
}

/// A browser keeps what it traces until it is told to stop.
fn lost(error: CdpError) -> BrowserFailure {
    match error {
        CdpError::Closed(why) => BrowserFailure::Lost(why),
        other => BrowserFailure::Cdp(other),
    }
}

/// The problem with a recording that cannot be written.
pub(crate) fn unwritten(out: &Path, error: &io::Error) -> Problem {
    Problem::new(format!("{} cannot be written: {error}", out.display()), "")
}

impl From<CdpError> for BrowserFailure {
    fn from(error: CdpError) -> Self {
        Self::Cdp(error)
    }
}

impl From<io::Error> for BrowserFailure {
    fn from(error: io::Error) -> Self {
        Self::Write(error)
    }
}

/// The number and the URL of a page; of a new page if there is none.
fn first_page(connection: &mut Connection) -> Result<(String, String), CdpError> {
    let targets: Targets = connection.ask(None, "Target.getTargets", json!({}))?;
    if let Some(page) = targets.target_infos.into_iter().find(|target| target.kind == "page") {
        return Ok((page.target_id, page.url));
    }
    let blank = "about:blank";
    let made: Target = connection.ask(None, "Target.createTarget", json!({ "url": blank }))?;
    Ok((made.target_id, blank.to_owned()))
}

/// A trace that is written piece by piece.
pub(super) struct Trace {
    opening: Opening,
    recording: BrowserRecording,
    scripts: TracedScripts,
    /// The processes that draw the browser's own windows. They are named before anything else is told of them.
    windows: Vec<Value>,
}

impl Trace {
    /// The page, by its number and its URL.
    pub(super) fn new(frame: String, url: String, recording: BrowserRecording) -> Self {
        let opening = Opening { frame, url, process: None, events: Vec::new() };
        Self { opening, recording, scripts: TracedScripts::default(), windows: Vec::new() }
    }

    /// Writes all that the browser hands over after it was told to end. If it stops too early, the recording says so, unless
    /// nothing came at all, which is an error.
    fn take_all(&mut self, connection: &mut Connection, to: &mut dyn Write) -> Result<(), BrowserFailure> {
        let ended = Instant::now();
        loop {
            match connection.wait_on(ended, LONGEST_END, "Tracing.end") {
                Err(CdpError::Closed(_)) => {
                    self.note_missing("the browser did not hand over all of its trace");
                    return Ok(());
                }
                other => other?,
            }
            match connection.next_event() {
                Ok(Some(message)) if self.take(&message, to)? => return Ok(()),
                Ok(_) => {}
                Err(CdpError::Closed(_)) if self.recording.events > 0 => {
                    self.note_missing("the browser ended before it had handed over all of its trace");
                    return Ok(());
                }
                Err(error) => return Err(lost(error)),
            }
        }
    }

    fn note_missing(&mut self, what: &str) {
        self.recording.missing.push(what.to_owned());
    }

    /// Writes the events of a message; returns whether the trace is complete.
    ///
    /// # Errors
    /// If the message is too long, or cannot be written.
    pub(super) fn take(&mut self, message: &Message, to: &mut dyn Write) -> Result<bool, BrowserFailure> {
        match message.method.as_deref() {
            Some("Tracing.dataCollected") if message.bytes() > MAX_PIECE => {
                Err(CdpError::TooMuch("a piece of a trace of more than 16 MiB").into())
            }
            Some("Tracing.dataCollected") => {
                let events =
                    message.params::<Collected>().map(|collected| collected.value).unwrap_or_default();
                for mut event in events {
                    let names_windows =
                        event["name"] == "process_name" && event["args"]["name"] == WINDOWS_OF_BROWSER;
                    if names_windows && self.windows.len() < MAX_OPENINGS {
                        self.windows.push(event["pid"].clone());
                    }
                    if self.windows.contains(&event["pid"]) || self.opening.keep(&event) {
                        continue;
                    }
                    self.scripts.take(&mut event);
                    self.recording.write(&event, to)?;
                }
                Ok(false)
            }
            method => Ok(method == Some("Tracing.tracingComplete")),
        }
    }

    /// Writes what was kept.
    ///
    /// # Errors
    /// If writing fails.
    pub(super) fn finish(self, to: &mut dyn Write) -> io::Result<(BrowserRecording, TracedScripts)> {
        let Self { opening, mut recording, scripts, .. } = self;
        for event in opening.finish() {
            recording.write(&event, to)?;
        }
        Ok((recording, scripts))
    }
}

/// The event that says which page a trace belongs to. When all of a browser is recorded, the browser leaves the page out, and
/// DevTools then refuses the trace; so it is filled in once the process of the page is known.
struct Opening {
    /// The frame of a page has the number of the page.
    frame: String,
    url: String,
    process: Option<Value>,
    events: Vec<Value>,
}

impl Opening {
    /// Keeps the event if it is of that kind, and looks for the process in any other.
    fn keep(&mut self, event: &Value) -> bool {
        let args = &event["args"];
        let is_opening = event["name"] == "TracingStartedInBrowser"
            && args["data"].is_null()
            && self.events.len() < MAX_OPENINGS;
        if is_opening {
            self.events.push(event.clone());
        } else if self.process.is_none()
            && (args["frame"] == self.frame.as_str() || args["data"]["frame"] == self.frame.as_str())
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
        // An event that has a name is an object.
        events.iter_mut().for_each(|event| event["args"] = json!({ "data": data }));
        events
    }
}
