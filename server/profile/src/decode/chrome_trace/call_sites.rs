//! Finds where scripts asked for style and layout. The events of both have a stack, of which only the innermost frame is
//! certain to exist. Its line and column count from 1.
//!
//! ```text
//! {"name": "Layout", "args": {"beginData": {"stackTrace": [
//!    {"functionName": "widen", "scriptId": "3", "url": "http://localhost/app.js", "lineNumber": 12, "columnNumber": 14}]}}}
//! ```

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::decode::error::Result;
use crate::decode::json::Json;
use crate::decode::v8::events::CallSite;
use crate::model::Position;

/// The member of an event that holds the stack that waited for it.
pub(super) const STACK: &[u8] = b"stackTrace";

/// The call sites of all threads.
#[derive(Default)]
pub(super) struct CallSites {
    /// When the events of each process and thread began, in nanoseconds.
    of_thread: FxHashMap<(String, String), Vec<(i64, CallSite)>>,
    /// Names and urls, each once.
    texts: FxHashSet<Arc<str>>,
}

/// A frame as read.
#[derive(Default)]
pub(super) struct InnermostFrame {
    name: String,
    url: String,
    line: Option<u32>,
    column: Option<u32>,
}

impl InnermostFrame {
    /// Reads the innermost frame of a stack.
    pub(super) fn read(json: &mut Json) -> Result<Option<Self>> {
        if !json.enter_array()? {
            return Ok(None);
        }
        let (mut first, mut is_first) = (None, true);
        while json.next_item()? {
            if !std::mem::take(&mut is_first) {
                json.skip()?;
                continue;
            }
            if json.enter_object()? {
                let frame: &mut Self = first.insert(Self::default());
                while let Some(key) = json.next_key()? {
                    frame.member(key.bytes(), json)?;
                }
            }
        }
        Ok(first)
    }

    fn member(&mut self, key: &[u8], json: &mut Json) -> Result<()> {
        match key {
            b"functionName" => self.name = json.string(str::to_owned)?.unwrap_or_default(),
            b"url" => self.url = json.string(str::to_owned)?.unwrap_or_default(),
            b"lineNumber" => self.line = json.index()?,
            b"columnNumber" => self.column = json.index()?,
            _ => json.skip()?,
        }
        Ok(())
    }
}

impl CallSites {
    /// Adds the frame of an event of a thread.
    pub(super) fn add(&mut self, thread: (&str, &str), start: i64, frame: InnermostFrame) {
        let InnermostFrame { name, url, line, column } = frame;
        let Some(line) = line.and_then(|line| line.checked_sub(1)) else { return };
        let at = Position { line, column: column.and_then(|column| column.checked_sub(1)) };
        let site = CallSite { name: self.text(name), url: self.text(url), at };
        self.of_thread.entry((thread.0.to_owned(), thread.1.to_owned())).or_default().push((start, site));
    }

    /// The call sites of a thread, in order of time.
    pub(super) fn take(&mut self, process: &str, thread: &str) -> Vec<(i64, CallSite)> {
        let of_thread = self.of_thread.remove(&(process.to_owned(), thread.to_owned()));
        let mut sites = of_thread.unwrap_or_default();
        sites.sort_by_key(|it| it.0);
        sites
    }

    fn text(&mut self, text: String) -> Arc<str> {
        if let Some(known) = self.texts.get(&*text) {
            return Arc::clone(known);
        }
        let text: Arc<str> = text.into();
        self.texts.insert(Arc::clone(&text));
        text
    }
}
