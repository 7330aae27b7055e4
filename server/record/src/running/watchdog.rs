//! Closes an inspector that was opened for a recording even if this process is killed: a timer in the recorded program, which this
//! process has to keep delaying. V8 ends a profile by itself when its connection ends, so only the open port would stay.

use std::time::{Duration, Instant};

use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::json;

use super::cdp::Connection;
use super::message::CdpError;

/// How often the timer is delayed.
const BEAT: Duration = Duration::from_secs(1);
/// The timer, which does not keep a program alive, counts its own rounds. It has to see ten of them, so that it does not mistake
/// a program that was stopped, or was busy for long, for one that nobody records.
const START: &str = "(() => { \
    const { setInterval, clearInterval } = require('timers'); \
    let missed = 0; \
    const timer = setInterval(() => { \
        missed += 1; \
        if (missed > 10) { clearInterval(timer); process._debugEnd(); } \
    }, 1000); \
    timer.unref(); \
    return { beat() { missed = 0; }, end() { clearInterval(timer); } }; })()";

/// A timer in the program.
#[derive(Debug)]
pub(crate) struct Watchdog {
    object: String,
    beaten: Instant,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct StartedTimer {
    result: Remote,
    exception_details: Option<IgnoredAny>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Remote {
    object_id: Option<String>,
}

impl Watchdog {
    /// Starts it. There is no watchdog where Node has no `require` for inspectors, as in a program that is a single file.
    pub(crate) fn start(connection: &mut Connection) -> Result<Option<Self>, CdpError> {
        let expression = json!({ "expression": START, "includeCommandLineAPI": true, "silent": true });
        let started: StartedTimer = connection.ask(None, "Runtime.evaluate", expression)?;
        let timer = started.result.object_id.filter(|_| started.exception_details.is_none());
        Ok(timer.map(|object| Self { object, beaten: Instant::now() }))
    }

    /// Delays it, if it is time.
    pub(crate) fn hold_up(&mut self, connection: &mut Connection) -> Result<(), CdpError> {
        if self.beaten.elapsed() < BEAT {
            return Ok(());
        }
        self.beaten = Instant::now();
        connection.send(None, "Runtime.callFunctionOn", self.call("beat")).map(drop)
    }

    /// Removes it.
    pub(crate) fn end(self, connection: &mut Connection) -> Result<(), CdpError> {
        connection.ask::<IgnoredAny>(None, "Runtime.callFunctionOn", self.call("end")).map(drop)
    }

    fn call(&self, method: &str) -> serde_json::Value {
        let function = format!("function () {{ this.{method}(); }}");
        json!({ "objectId": self.object, "functionDeclaration": function, "silent": true })
    }
}
