//! Asks the inspector of a process of Node what each of its threads does, and undoes what was switched on for that.

use std::collections::{BTreeMap, VecDeque};
use std::time::{Duration, Instant};

use serde::de::{DeserializeOwned, IgnoredAny};
use serde_json::{Value, json};
use source::map::source_mapping_url;

use super::attached::{AttachFailure, Attached};
use super::cdp::Connection;
use super::inspector::{Inspector, NumberedProcess, by_url, is_here};
use super::message::{CdpError, shown};
use super::process::{ProcessError, Why};
use super::progress::Progress;
use super::questions::{
    ABOUT, AboutProcess, COVERAGE, Evaluated, MARKS, Source, Stopped, has_no_context, is_built_in,
    profile_bytes, unless_refused,
};
use super::thread::{Awaited, Heard, Open, Todo, ToldScript};
use super::wait::Told;
use super::watchdog::Watchdog;
use crate::in_memory::settle;
use crate::maps::read_map;
use crate::v8_profile::{Mark, Script, Thread};

/// How many bytes of scripts that the program itself has forgotten V8 keeps.
const SCRIPTS: u32 = 256 << 20;
/// How long a worker may take to answer.
const LONGEST_ANSWER: Duration = Duration::from_secs(60);
/// How many intervals after a sample nothing runs any more, where samples are only taken while something runs.
const LONGEST_INTERVAL: i64 = 5;
/// How often a program behind a debugger is asked whether it is still there.
const STILL_THERE: Duration = Duration::from_secs(1);
/// How many bytes all profiles and texts of a recording may have; anything beyond is reported as missing.
const MAX_KEPT: usize = 512 << 20;
/// A longer script with a map in its text is left as it is: the map becomes a tree of JSON that takes many times its length.
const MAX_SETTLED: usize = 16 << 20;
/// The main thread has the session `None`; a worker has that of the `NodeWorker` domain.
type ThreadSession = Option<String>;

/// A recording of a process.
pub(super) struct Recorder<'i> {
    connection: Connection,
    inspector: &'i Inspector,
    interval_us: u32,
    told: Told,
    /// The threads that are recorded, and what they reported.
    heard: Heard,
    attached: Attached,
    /// The bytes of what was recorded.
    kept: usize,
    last_id: u64,
    about: AboutProcess,
    /// Whether VS Code's debugger passes on what is asked (<https://github.com/microsoft/vscode-js-debug/blob/main/CDP_SHARE.md>):
    /// the program is being debugged, its breakpoints stay as they are, and there is no session of our own beside the debugger's.
    is_shared: bool,
    /// Whether this is the program that was asked for, so that it may be changed and has to be left as it was.
    is_entered: bool,
    /// Whether the inspector evaluates expressions. That of workerd does not, and has no domains of Node.
    is_node: bool,
    watchdog: Option<Watchdog>,
}

impl<'i> Recorder<'i> {
    pub(super) fn new(
        connection: Connection,
        inspector: &'i Inspector,
        interval_us: u32,
        told: &Told,
    ) -> Self {
        Self {
            connection,
            inspector,
            interval_us,
            told: told.clone(),
            heard: Heard::default(),
            attached: Attached::default(),
            kept: 0,
            last_id: 0,
            about: AboutProcess::default(),
            is_shared: false,
            is_entered: false,
            is_node: true,
            watchdog: None,
        }
    }

    pub(super) fn record(
        &mut self,
        duration: Option<Duration>,
        tell: &dyn Fn(Progress),
    ) -> Result<(), AttachFailure> {
        self.is_asked_for()?;
        // Workers are the debugger's own, which has sessions with them already.
        let subscribed: Result<IgnoredAny, _> =
            self.connection.ask(None, "JsDebug.subscribe", json!({ "events": ["Debugger.*"] }));
        self.is_shared = unless_refused(subscribed)?.is_some();
        if let Some(own) = self.own_session() {
            std::mem::replace(&mut self.connection, own).close();
            self.is_shared = false;
        }
        self.is_entered = true;
        if self.inspector.was_opened {
            self.watchdog = Watchdog::start(&mut self.connection)?;
        }
        let sign = self.evaluate(&None, COVERAGE)?;
        if !sign.is_empty() {
            return Err(match self.inspector.process {
                Some(NumberedProcess { number: process, .. }) => {
                    AttachFailure::Process(ProcessError { process, why: Why::TakesCoverage(sign) })
                }
                None => AttachFailure::Coverage(sign),
            });
        }
        self.heard.open.insert(None, Open { is_recorded: true, ..Open::default() });
        self.start(&None)?;
        if !self.is_shared && self.is_node {
            // A process and a worker that end while they are recorded wait for that (node/src/inspector/runtime_agent.cc).
            self.ask::<IgnoredAny>(
                &None,
                "NodeRuntime.notifyWhenWaitingForDisconnect",
                json!({ "enabled": true }),
            )?;
            self.ask::<IgnoredAny>(&None, "NodeWorker.enable", json!({ "waitForDebuggerOnStart": false }))?;
        }
        tell(Progress::Begun);
        match self.listen(duration) {
            // A program that is killed hands nothing over. What its workers had recorded that ended before is here.
            Err(CdpError::Closed(_)) if !self.attached.threads.is_empty() => Ok(()),
            Err(CdpError::Closed(why)) => Err(AttachFailure::Lost(why)),
            other => Ok(other?),
        }
    }

    /// Checks that this is the program that was asked for, before anything else is done.
    fn is_asked_for(&mut self) -> Result<(), AttachFailure> {
        let about = self.evaluate(&None, ABOUT)?;
        self.about = serde_json::from_str(&about).unwrap_or_default();
        match self.inspector.process {
            Some(NumberedProcess { number: process, own }) if own != self.about.process => {
                Err(AttachFailure::Process(ProcessError { process, why: Why::Other(self.about.process) }))
            }
            _ => Ok(()),
        }
    }

    /// A session beside that of VS Code's debugger, at the inspector of the same program, if it is on this machine. V8 keeps the
    /// settings of sessions apart, and this session hears about workers and about the end, which the debugger would not wait for.
    fn own_session(&mut self) -> Option<Connection> {
        if !self.is_shared {
            return None;
        }
        // The command line API of Node has `require` also in modules.
        let expression = json!({ "expression": "require('inspector').url()", "includeCommandLineAPI": true });
        let answer: Evaluated = self.connection.ask(None, "Runtime.evaluate", expression).ok()?;
        let inspector = by_url(&answer.result.value?, false).ok()?;
        let own = Connection::open(&inspector.url, &self.told).ok()?;
        let shared = std::mem::replace(&mut self.connection, own);
        // By now there may be another program behind that URL.
        let about = self.evaluate(&None, ABOUT);
        let own = std::mem::replace(&mut self.connection, shared);
        let about: AboutProcess = serde_json::from_str(&about.ok()?).ok()?;
        (about == self.about).then_some(own)
    }

    fn listen(&mut self, duration: Option<Duration>) -> Result<(), CdpError> {
        let end = duration.map(|duration| Instant::now() + duration);
        let mut asked = Instant::now();
        while !self.told.take() && end.is_none_or(|end| Instant::now() < end) && !self.heard.is_ending {
            if self.is_shared && asked.elapsed() > STILL_THERE {
                // VS Code's debugger keeps the connection when the program has ended.
                asked = Instant::now();
                self.evaluate(&None, "''")?;
            }
            self.hold_up()?;
            if let Some(event) = self.connection.next_event()? {
                self.heard.take(&None, &event)?;
            }
            self.catch_up()?;
        }
        Ok(())
    }

    /// Does one of the things that events ask for; this may lead to as many new ones.
    fn catch_up(&mut self) -> Result<(), CdpError> {
        match self.heard.todo.pop_front() {
            Some(Todo::Start { worker, title }) => {
                // It may have ended already.
                let started = self.start_worker(&worker, &title);
                match (unless_refused(started)?, self.heard.open.get_mut(&worker)) {
                    (Some(()), Some(open)) => open.is_recorded = true,
                    _ => drop(self.heard.open.remove(&worker)),
                }
            }
            Some(Todo::SayGoodbye { worker }) => {
                if self.heard.open.get(&worker).is_some_and(|open| open.is_recorded) {
                    self.stop(&worker)?;
                }
                self.connection.send(None, "NodeWorker.detach", json!({ "sessionId": worker }))?;
            }
            None => {}
        }
        Ok(())
    }

    fn start_worker(&mut self, worker: &ThreadSession, title: &str) -> Result<(), CdpError> {
        let sign = self.evaluate(worker, COVERAGE)?;
        if !sign.is_empty() {
            let name = self.name(title);
            self.attached
                .missing
                .push(format!("{name} takes coverage ({}), which V8 would lose", shown(&sign)));
            return Err(CdpError::refused("it takes coverage"));
        }
        self.start(worker)?;
        // Before Node 22 workers do not know this, and a worker that ends is reported as missing.
        let asked: Result<IgnoredAny, _> =
            self.ask(worker, "NodeRuntime.notifyWhenWaitingForDisconnect", json!({ "enabled": true }));
        unless_refused(asked).map(drop)
    }

    /// Starts to record a thread.
    fn start(&mut self, session: &ThreadSession) -> Result<(), CdpError> {
        let mut asked = Vec::new();
        if !self.is_shared {
            asked.push(("Debugger.enable", json!({ "maxScriptsCacheSize": SCRIPTS })));
            // A `debugger` statement would stop the program.
            asked.push(("Debugger.setSkipAllPauses", json!({ "skip": true })));
        }
        asked.extend([
            ("Profiler.enable", json!({})),
            ("Profiler.setSamplingInterval", json!({ "interval": self.interval_us })),
            // A loop that was optimised while it ran (OSR) is not in the list that the profiler starts with, and its time would be
            // counted as that of its caller. Coverage discards optimised code (v8/src/debug/debug-coverage.cc, Coverage::SelectMode), so
            // that V8 makes it again while the profiler is watching.
            ("Profiler.startPreciseCoverage", json!({ "callCount": true })),
            ("Profiler.stopPreciseCoverage", json!({})),
            ("Profiler.start", json!({})),
        ]);
        if !self.is_node {
            // The profiler of workerd is its own and has no coverage. There such a loop is forgotten with the garbage, which is collected as
            // soon as code runs; a worker that waits for a request would not answer before that.
            asked.retain(|(method, _)| !method.ends_with("PreciseCoverage"));
            self.connection.send(None, "HeapProfiler.collectGarbage", json!({}))?;
        }
        asked
            .into_iter()
            .try_for_each(|(method, params)| self.ask::<IgnoredAny>(session, method, params).map(drop))
    }

    /// Ends the recording of all threads; the main thread is last because the others need it.
    pub(super) fn finish(&mut self) -> Result<Attached, AttachFailure> {
        let recorded = self.heard.open.iter().rev().filter(|(_, open)| open.is_recorded);
        let sessions: Vec<ThreadSession> = recorded.map(|(session, _)| session.clone()).collect();
        for session in sessions {
            let Some(open) = self.heard.open.get(&session) else { continue };
            let name = self.name(&open.title);
            match self.stop(&session) {
                Ok(()) => {}
                Err(CdpError::Told) => return Err(CdpError::Told.into()),
                Err(CdpError::Refused(_)) if !self.is_node => {
                    let why = "workers are loaded anew when a source changes";
                    return Err(AttachFailure::Lost(why.to_owned()));
                }
                // The main thread is the last.
                Err(error) if session.is_none() && self.attached.threads.is_empty() => {
                    return Err(error.into());
                }
                Err(error) => self.attached.missing.push(format!("{name} was not recorded: {error}")),
            }
        }
        // Workers that began meanwhile are not recorded, and those that wait for a goodbye get it with the end of the domain.
        self.heard.todo = VecDeque::new();
        let mut attached = std::mem::take(&mut self.attached);
        let lost = std::mem::take(&mut self.heard.lost).into_iter().map(|title| self.name(&title));
        attached.missing.extend(
            lost.map(|name| format!("{name} ended while it was recorded, and took its recording along")),
        );
        attached.threads.reverse();
        Ok(attached)
    }

    fn stop(&mut self, session: &ThreadSession) -> Result<(), CdpError> {
        let Stopped { mut profile } = self.ask(session, "Profiler.stop", json!({}))?;
        if !self.is_node {
            profile.make_gaps_idle(i64::from(self.interval_us) * LONGEST_INTERVAL);
        }
        let listed = self.evaluate(session, MARKS)?;
        let marks: Vec<Mark> = serde_json::from_str(&listed).unwrap_or_default();
        // What was reported about scripts before.
        while let Some(event) = self.connection.known_event() {
            self.heard.take(&None, &event)?;
        }
        let open = self.heard.open.remove(session).unwrap_or_default();
        self.keep(profile_bytes(&profile))?;
        for frame in profile.nodes.iter_mut().map(|node| &mut node.call_frame) {
            let told = open.scripts.get(&frame.script_id).and_then(|script| script.url.as_ref());
            if let Some(url) = told {
                frame.url.clone_from(url);
            }
        }
        let frames = profile.nodes.iter().map(|node| &node.call_frame);
        let of_files = frames.filter(|frame| !frame.url.is_empty() && !is_built_in(&frame.url));
        let ids: BTreeMap<String, String> =
            of_files.map(|frame| (frame.script_id.clone(), frame.url.clone())).collect();
        let reads_maps = is_here(&self.inspector.url);
        let mut scripts = Vec::new();
        for (id, url) in ids {
            // A text that V8 has given up is looked for in the workspace, like that of any other profile.
            let answer: Result<Source, _> =
                self.ask(session, "Debugger.getScriptSource", json!({ "scriptId": id }));
            let Some(Source { script_source: text }) = unless_refused(answer)? else { continue };
            self.keep(text.len())?;
            let told = open.scripts.get(&id).cloned();
            // A debugger that shares its session does not report scripts that were there before.
            let ToldScript { map_url, start, .. } = told.unwrap_or_else(|| {
                let url = source_mapping_url(&text).filter(|url| !url.starts_with("data:"));
                ToldScript { map_url: url.map(str::to_owned), ..ToldScript::default() }
            });
            // Another machine has other files.
            let map = map_url.as_deref().filter(|_| reads_maps);
            let map = map.and_then(|map_url| read_map(&url, &text, map_url));
            let mark = format!("{}-{id}", session.as_deref().unwrap_or("0"));
            let mut script = Script { id, url, text, map_url, map };
            if script.text.len() <= MAX_SETTLED {
                settle(&mut script, start, &mark, Some(&mut profile));
            }
            scripts.push(script);
        }
        let name = self.name(&open.title);
        self.attached.threads.push(Thread { name, profile, scripts, marks });
        Ok(())
    }

    /// Counts what stays in memory until the recording is written.
    fn keep(&mut self, bytes: usize) -> Result<(), CdpError> {
        self.kept += bytes;
        if self.kept > MAX_KEPT {
            Err(CdpError::TooMuch("more than 512 MiB of profiles and texts"))
        } else {
            Ok(())
        }
    }

    fn name(&self, title: &str) -> String {
        if !self.is_node {
            return self.inspector.title.clone().unwrap_or_else(|| "worker".to_owned());
        }
        let AboutProcess { process, program: path } = &self.about;
        let program = path.rsplit(['/', '\\']).next().unwrap_or(path);
        let worker = if title.is_empty() { String::new() } else { format!(", {title}") };
        shown(&format!("{program}{worker} (pid {process})"))
    }

    /// The text that an expression gives; an empty one where nothing can be evaluated.
    fn evaluate(&mut self, session: &ThreadSession, expression: &str) -> Result<String, CdpError> {
        let params = json!({ "expression": expression, "returnByValue": true });
        match self.ask::<Evaluated>(session, "Runtime.evaluate", params) {
            Ok(answer) => Ok(answer.result.value.unwrap_or_default()),
            Err(CdpError::Refused(why)) if session.is_none() && has_no_context(&why) => {
                self.is_node = false;
                Ok(String::new())
            }
            Err(error) => Err(error),
        }
    }

    fn ask<T: DeserializeOwned>(
        &mut self,
        session: &ThreadSession,
        method: &str,
        params: Value,
    ) -> Result<T, CdpError> {
        self.hold_up()?;
        let Some(worker) = session else {
            return self.connection.ask(None, method, params);
        };
        self.last_id += 1;
        let id = self.last_id;
        let message = json!({ "id": id, "method": method, "params": params }).to_string();
        let handed_on = json!({ "sessionId": worker, "message": message });
        self.connection.ask::<IgnoredAny>(None, "NodeWorker.sendMessageToWorker", handed_on)?;
        self.heard.awaited = Some(Awaited { worker: session.clone(), id });
        let asked = Instant::now();
        loop {
            if let Some(answer) = self.heard.answer.take() {
                return answer.result(method);
            }
            if !self.heard.open.contains_key(session) {
                return Err(CdpError::refused("the worker has ended"));
            }
            match self.connection.wait_on(asked, LONGEST_ANSWER, method) {
                // Its process goes on.
                Err(CdpError::Closed(why)) => return Err(CdpError::Refused(why)),
                other => other?,
            }
            self.hold_up()?;
            if let Some(event) = self.connection.next_event()? {
                self.heard.take(&None, &event)?;
            }
        }
    }

    fn hold_up(&mut self) -> Result<(), CdpError> {
        self.watchdog.as_mut().map_or(Ok(()), |watchdog| watchdog.hold_up(&mut self.connection))
    }

    /// Undoes what was switched on, and returns whether that could be done. A process that has ended does not need it, and in another
    /// program there is nothing to undo.
    pub(super) fn leave(mut self) -> bool {
        self.connection.begin_to_leave();
        let mut is_left = true;
        // The domains of a shared session belong to the debugger.
        if self.is_entered && !self.is_shared {
            let of_node = self.is_node.then_some("NodeWorker.disable");
            let watchdog = self.watchdog.take();
            let left = of_node
                .into_iter()
                .chain(["Profiler.disable", "Debugger.disable"])
                .try_for_each(|domain| self.connection.ask::<IgnoredAny>(None, domain, json!({})).map(drop))
                .and_then(|()| watchdog.map_or(Ok(()), |watchdog| watchdog.end(&mut self.connection)));
            is_left =
                self.heard.is_ending || !matches!(left, Err(CdpError::Closed(_) | CdpError::TooMuch(_)));
            // What cannot be switched off ends with the connection, but the port would not.
            if self.inspector.was_opened && !self.heard.is_ending && is_left {
                self.close_inspector();
            }
        }
        self.connection.close();
        is_left
    }

    /// Closes the inspector, if it belongs to the program that was asked for.
    pub(super) fn close_again(mut self) {
        self.connection.begin_to_leave();
        if self.is_asked_for().is_ok() {
            self.close_inspector();
        }
        self.connection.close();
    }

    /// Closes the inspector that was opened, and waits until Node has closed the connection: a goodbye that Node receives
    /// meanwhile crashes it. A process that is ending closes nothing more, and waits for the goodbye.
    fn close_inspector(&mut self) {
        let close = json!({ "expression": "process._debugEnd()" });
        if self.connection.send(None, "Runtime.evaluate", close).is_err() {
            return;
        }
        let asked = Instant::now();
        while self.connection.wait_on(asked, LONGEST_ANSWER, "process._debugEnd()").is_ok()
            && let Ok(event) = self.connection.next_event()
        {
            if event.is_some_and(|event| self.heard.take(&None, &event).is_err() || self.heard.is_ending) {
                return;
            }
        }
    }
}
