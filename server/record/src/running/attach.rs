//! Records a process of Node that runs already, with its workers, by its inspector; and leaves it as it was.

use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use source::map::source_mapping_url;

use super::cdp::{CdpError, Connection};
use super::inspector::{self, Inspector};
use crate::in_memory::{TextStart, settle};
use crate::maps::read_map;
use crate::profile::{Mark, Script, Thread, V8Profile};

/// V8 keeps so many bytes of scripts that the program itself has forgotten.
const SCRIPTS: u32 = 256 << 20;
/// What a worker may take to answer.
const LONGEST_ANSWER: Duration = Duration::from_secs(60);
/// How often a program behind a debugger is asked whether it is still there.
const STILL_THERE: Duration = Duration::from_secs(1);
/// What a process tells that has come to its end.
const WAITS_FOR_GOODBYE: &str = "NodeRuntime.waitingForDisconnect";
/// Marks and measures in the clock of V8's profiles, as the recorder of commands has them (preload/recorder.cjs).
const MARKS: &str = "(() => { \
    if (typeof performance !== 'object' || !performance.getEntriesByType || !process.hrtime.bigint) return '[]'; \
    const origin = Number(process.hrtime.bigint() / 1000n) - performance.now() * 1000; \
    const all = [...performance.getEntriesByType('mark'), ...performance.getEntriesByType('measure')]; \
    return JSON.stringify(all.map((it) => ({ name: it.name, kind: it.entryType, \
        start: Math.round(origin + it.startTime * 1000), duration: Math.round(it.duration * 1000) }))); })()";
const ABOUT: &str = "JSON.stringify([process.pid, String(process.argv[1] ?? 'node')])";

/// What was recorded of a process.
#[derive(Debug, Default)]
pub(crate) struct Attached {
    /// Its threads.
    pub(crate) threads: Vec<Thread>,
    /// One sentence for each thing that is missing.
    pub(crate) missing: Vec<String>,
}

/// Records until the time is over, somebody says so, or the process ends.
///
/// # Errors
/// One sentence about a process that cannot be recorded.
pub(crate) fn record_node(
    inspector: &Inspector,
    interval_us: u32,
    duration: Option<Duration>,
    is_told_to_end: &AtomicBool,
) -> Result<Attached, String> {
    let mut recorder = Recorder::new(Connection::open(&inspector.url)?, interval_us);
    let recorded = recorder.record(duration, is_told_to_end);
    let attached =
        recorded.map(|()| recorder.finish()).map_err(|error| format!("{}: {error}.", inspector.url));
    recorder.leave(inspector.was_opened);
    attached
}

/// The main thread has the session `None`; a worker has that of the `NodeWorker` domain.
type Session = Option<String>;

struct Recorder {
    connection: Connection,
    interval_us: u32,
    /// The threads that are recorded.
    open: BTreeMap<Session, Open>,
    attached: Attached,
    /// Answers of workers by their ids.
    answers: HashMap<u64, Value>,
    last_id: u64,
    process: (u64, String),
    /// Whether VS Code's debugger hands on what is asked (<https://github.com/microsoft/vscode-js-debug/blob/main/CDP_SHARE.md>):
    /// the program is being debugged, its breakpoints stay what they are, and there is no session of our own beside the debugger's.
    is_shared: bool,
    /// Whether the process has come to its end, and waits for the goodbye.
    is_ending: bool,
}

#[derive(Default)]
struct Open {
    title: String,
    /// By V8's number: where the source map is, and where the text starts.
    scripts: HashMap<String, (Option<String>, TextStart)>,
}

impl Recorder {
    fn new(connection: Connection, interval_us: u32) -> Self {
        Self {
            connection,
            interval_us,
            open: BTreeMap::new(),
            attached: Attached::default(),
            answers: HashMap::new(),
            last_id: 0,
            process: (0, String::new()),
            is_shared: false,
            is_ending: false,
        }
    }

    fn record(&mut self, duration: Option<Duration>, is_told_to_end: &AtomicBool) -> Result<(), CdpError> {
        let about = self.evaluate(&None, ABOUT)?;
        self.process = serde_json::from_str(&about).unwrap_or_default();
        // Workers are the debugger's own, which has sessions with them already.
        let subscribed = self.connection.ask(None, "JsDebug.subscribe", json!({ "events": ["Debugger.*"] }));
        self.is_shared = subscribed.is_ok();
        if let Some(own) = self.own_session() {
            std::mem::replace(&mut self.connection, own).close();
            self.is_shared = false;
        }
        self.start(&None, String::new())?;
        if self.is_shared {
            return self.listen(duration, is_told_to_end);
        }
        // A process and a worker that end while they are recorded wait for that (node/src/inspector/runtime_agent.cc).
        self.ask(&None, "NodeRuntime.notifyWhenWaitingForDisconnect", json!({ "enabled": true }))?;
        self.ask(&None, "NodeWorker.enable", json!({ "waitForDebuggerOnStart": false }))?;
        self.listen(duration, is_told_to_end)
    }

    /// A session beside that of VS Code's debugger, at the inspector of the same program, if it is on this machine. V8 keeps what one
    /// session sets from the others, and this one hears of workers and of the end, which the debugger would not wait for.
    fn own_session(&mut self) -> Option<Connection> {
        if !self.is_shared {
            return None;
        }
        // The command line API of Node has `require` also in modules.
        let expression = json!({ "expression": "require('inspector').url()", "includeCommandLineAPI": true });
        let answer = self.connection.ask(None, "Runtime.evaluate", expression).ok()?;
        let inspector = inspector::find(answer["result"]["value"].as_str()?, false).ok()?;
        Connection::open(&inspector.url).ok()
    }

    fn listen(&mut self, duration: Option<Duration>, is_told_to_end: &AtomicBool) -> Result<(), CdpError> {
        let end = duration.map(|it| Instant::now() + it);
        let mut asked = Instant::now();
        while !is_told_to_end.load(Ordering::Relaxed) && end.is_none_or(|it| Instant::now() < it) {
            if self.is_shared && asked.elapsed() > STILL_THERE {
                // VS Code's debugger keeps the connection when the program has ended.
                asked = Instant::now();
                self.evaluate(&None, "''")?;
            }
            let Some(event) = self.connection.next_event()? else { continue };
            if self.heard(&None, &event.method, event.params)? {
                break;
            }
        }
        Ok(())
    }

    /// Starts to record a thread.
    fn start(&mut self, session: &Session, title: String) -> Result<(), CdpError> {
        self.open.insert(session.clone(), Open { title, scripts: HashMap::new() });
        if !self.is_shared {
            self.ask(session, "Debugger.enable", json!({ "maxScriptsCacheSize": SCRIPTS }))?;
            // A `debugger` statement would stop the program.
            self.ask(session, "Debugger.setSkipAllPauses", json!({ "skip": true }))?;
        }
        self.ask(session, "Profiler.enable", json!({}))?;
        self.ask(session, "Profiler.setSamplingInterval", json!({ "interval": self.interval_us }))?;
        // A loop that was optimised while it ran (OSR) is in no list that the profiler starts with, and its time would be that of its
        // caller. Coverage takes optimised code back (v8/src/debug/debug-coverage.cc, Coverage::SelectMode), so that V8 makes it
        // anew while the profiler looks.
        self.ask(session, "Profiler.startPreciseCoverage", json!({ "callCount": true }))?;
        self.ask(session, "Profiler.stopPreciseCoverage", json!({}))?;
        self.ask(session, "Profiler.start", json!({}))?;
        Ok(())
    }

    /// Takes an event of a thread; whether the process is about to end.
    fn heard(&mut self, session: &Session, method: &str, params: Value) -> Result<bool, CdpError> {
        let text = |it: &Value| it.as_str().unwrap_or_default().to_owned();
        match method {
            "Debugger.scriptParsed" => {
                let map =
                    params["sourceMapURL"].as_str().filter(|it| !it.is_empty() && !it.starts_with("data:"));
                let number = |it: &Value| it.as_i64().unwrap_or(0);
                let start =
                    TextStart { line: number(&params["startLine"]), column: number(&params["startColumn"]) };
                let script = (map.map(str::to_owned), start);
                if let Some(open) = self.open.get_mut(session) {
                    open.scripts.insert(text(&params["scriptId"]), script);
                }
            }
            "NodeWorker.attachedToWorker" => {
                let worker = Some(text(&params["sessionId"]));
                let title = text(&params["workerInfo"]["title"]);
                match self.start(&worker, title) {
                    Err(CdpError::Closed(why)) => return Err(CdpError::Closed(why)),
                    // It has ended already.
                    Err(CdpError::Refused(_)) => drop(self.open.remove(&worker)),
                    Ok(()) => {
                        let asked = self.ask(
                            &worker,
                            "NodeRuntime.notifyWhenWaitingForDisconnect",
                            json!({ "enabled": true }),
                        );
                        // Before Node 22 workers do not know this, and a worker that ends is one that is missing.
                        if let Err(CdpError::Closed(why)) = asked {
                            return Err(CdpError::Closed(why));
                        }
                    }
                }
            }
            "NodeWorker.receivedMessageFromWorker" => {
                let worker = Some(text(&params["sessionId"]));
                let Ok(mut message) =
                    serde_json::from_str::<Value>(params["message"].as_str().unwrap_or_default())
                else {
                    return Ok(false);
                };
                if let Some(id) = message["id"].as_u64() {
                    self.answers.insert(id, message);
                } else {
                    let method = text(&message["method"]);
                    self.heard(&worker, &method, message["params"].take())?;
                }
            }
            "NodeWorker.detachedFromWorker" => {
                if let Some(open) = self.open.remove(&Some(text(&params["sessionId"]))) {
                    let name = self.name(&open.title);
                    self.attached
                        .missing
                        .push(format!("{name} ended while it was recorded, and took its recording along"));
                }
            }
            WAITS_FOR_GOODBYE => {
                if session.is_none() {
                    self.is_ending = true;
                    return Ok(true);
                }
                self.stop(session)?;
                self.connection.send(None, "NodeWorker.detach", json!({ "sessionId": session }))?;
            }
            _ => {}
        }
        Ok(false)
    }

    /// Ends the recording of all threads, the main thread last as the others need it.
    fn finish(&mut self) -> Attached {
        let sessions: Vec<Session> = self.open.keys().rev().cloned().collect();
        for session in sessions {
            let name = self.open.get(&session).map_or_else(String::new, |it| self.name(&it.title));
            if let Err(error) = self.stop(&session) {
                self.attached.missing.push(format!("{name} was not recorded: {error}"));
            }
        }
        let mut attached = std::mem::take(&mut self.attached);
        attached.threads.reverse();
        attached
    }

    fn stop(&mut self, session: &Session) -> Result<(), CdpError> {
        let answer = self.ask(session, "Profiler.stop", json!({}))?;
        let mut profile: V8Profile = serde_json::from_value(answer["profile"].clone())
            .map_err(|error| CdpError::Refused(format!("its profile cannot be read: {error}")))?;
        let marks = self.evaluate(session, MARKS)?;
        let marks: Vec<Mark> = serde_json::from_str(&marks).unwrap_or_default();
        // What was told about scripts before.
        while let Some(event) = self.connection.next_event()? {
            self.heard(&None, &event.method, event.params)?;
        }
        let open = self.open.remove(session).unwrap_or_default();
        let frames = profile.nodes.iter().map(|it| &it.call_frame);
        let frames = frames.filter(|it| !it.url.is_empty() && !it.url.starts_with("node:"));
        let ids: BTreeMap<String, String> = frames.map(|it| (it.script_id.clone(), it.url.clone())).collect();
        let mut scripts = Vec::new();
        for (id, url) in ids {
            // A text that V8 has given up is looked for in the workspace, as that of any other profile.
            let Ok(answer) = self.ask(session, "Debugger.getScriptSource", json!({ "scriptId": id })) else {
                continue;
            };
            let text = answer["scriptSource"].as_str().unwrap_or_default().to_owned();
            // A debugger that shares its session does not tell of scripts that were there before.
            let from_text =
                || source_mapping_url(&text).filter(|it| !it.starts_with("data:")).map(str::to_owned);
            let known = open.scripts.get(&id).cloned();
            let (map_url, start) = known.unwrap_or_else(|| (from_text(), TextStart::default()));
            let map = map_url.as_deref().and_then(|it| read_map(&url, it));
            let mark = format!("{}-{id}", session.as_deref().unwrap_or("0"));
            let mut script = Script { id, url, text, map_url, map };
            settle(&mut script, start, &mark, Some(&mut profile));
            scripts.push(script);
        }
        let name = self.name(&open.title);
        self.attached.threads.push(Thread { name, profile, scripts, marks });
        Ok(())
    }

    fn name(&self, title: &str) -> String {
        let (process, program) = &self.process;
        let program = program.rsplit(['/', '\\']).next().unwrap_or(program);
        let worker = if title.is_empty() { String::new() } else { format!(", {title}") };
        format!("{program}{worker} (pid {process})")
    }

    fn evaluate(&mut self, session: &Session, expression: &str) -> Result<String, CdpError> {
        let params = json!({ "expression": expression, "returnByValue": true });
        let answer = self.ask(session, "Runtime.evaluate", params)?;
        Ok(answer["result"]["value"].as_str().unwrap_or_default().to_owned())
    }

    fn ask(&mut self, session: &Session, method: &str, params: Value) -> Result<Value, CdpError> {
        let Some(worker) = session else {
            return self.connection.ask(None, method, params);
        };
        self.last_id += 1;
        let id = self.last_id;
        let message = json!({ "id": id, "method": method, "params": params }).to_string();
        self.connection.ask(
            None,
            "NodeWorker.sendMessageToWorker",
            json!({ "sessionId": worker, "message": message }),
        )?;
        let end = Instant::now() + LONGEST_ANSWER;
        while Instant::now() < end {
            if let Some(mut answer) = self.answers.remove(&id) {
                return match answer.get("error") {
                    Some(error) => Err(CdpError::Refused(format!("{method}: {}", error["message"]))),
                    None => Ok(answer["result"].take()),
                };
            }
            if !self.open.contains_key(session) {
                return Err(CdpError::Refused("the worker has ended".to_owned()));
            }
            if let Some(event) = self.connection.next_event()? {
                self.heard(&None, &event.method, event.params)?;
            }
        }
        Err(CdpError::Refused(format!("{method}: the worker does not answer")))
    }

    /// Takes back what was switched on. A process that has ended needs none of it.
    fn leave(mut self, was_opened: bool) {
        if self.is_shared {
            // The domains are those of the debugger.
            return self.connection.close();
        }
        let domains = ["NodeWorker.disable", "Profiler.disable", "Debugger.disable"];
        let left = domains.into_iter().try_for_each(|it| self.connection.ask(None, it, json!({})).map(drop));
        if left.is_ok() && was_opened && !self.is_ending {
            self.close_inspector();
        }
        self.connection.close();
    }

    /// Closes the inspector that was opened, and waits until Node has closed the connection: a goodbye that Node hears meanwhile
    /// crashes it. A process that comes to its end closes nothing more, and waits for the goodbye.
    fn close_inspector(&mut self) {
        let close = json!({ "expression": "process._debugEnd()" });
        if self.connection.send(None, "Runtime.evaluate", close).is_err() {
            return;
        }
        let end = Instant::now() + LONGEST_ANSWER;
        while let Ok(event) = self.connection.next_event()
            && event.is_none_or(|it| it.method != WAITS_FOR_GOODBYE)
            && Instant::now() < end
        {}
    }
}
