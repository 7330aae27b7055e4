//! Firefox's profiles: raw ones as the browser writes them, and processed ones as profiler.firefox.com saves them.
//!
//! <https://github.com/firefox-devtools/profiler/blob/main/docs-developer/CHANGELOG-formats.md> lists the versions.
//! Tables are read by the names of their columns, so that one reader handles all versions. Only frames of JavaScript and
//! labels relevant for it are kept; the time of all others goes to the nearest kept frame below, as in the "JavaScript"
//! view of the profiler. A sample is worth its weight times the interval, again as in the profiler.

mod flags;
mod functions;
mod interactions;
mod labels;
mod lacking;
mod location;
mod markers;
mod meta;
mod rendering;
mod stacks;
mod tables;
mod thread;

use self::meta::{FirefoxMeta, FirefoxOddities, FirefoxVersion};
use self::tables::{Tables, ThreadTables};
use self::thread::FirefoxThread;
use super::error::{DecodeError, LackingColumn, Result, UnsupportedFormat};
use super::json::{Json, Kind};
use super::json_format::{Answer, JsonFormat};
use crate::builder::ProfileBuilder;

/// The part of a profile read so far (of one process, if it is raw).
#[derive(Default)]
pub(super) struct FirefoxProfile {
    meta: Option<FirefoxMeta>,
    /// The tables that all threads of a newer processed profile share.
    shared: Tables,
    /// Threads that cannot be interpreted yet because their tables come later in the file.
    waiting: Vec<FirefoxThread>,
    has_threads: bool,
    has_samples: bool,
    oddities: FirefoxOddities,
}

impl JsonFormat for FirefoxProfile {
    fn member(&mut self, key: &[u8], json: &mut Json, builder: &mut ProfileBuilder) -> Result<Answer> {
        match key {
            b"meta" => self.read_meta(json)?,
            b"threads" => self.read_threads(json, builder)?,
            b"shared" => return Ok(Answer::Group),
            // In a raw profile, each of these is a profile again.
            b"processes" => return Ok(Answer::Nested),
            _ => match key.strip_prefix(b"shared.") {
                Some(table) if self.shared.member(table, json)? => {}
                _ => return Ok(Answer::NotMine),
            },
        }
        Ok(Answer::Read)
    }

    fn is_profile(&self) -> bool {
        self.has_threads && self.version().is_some() && self.refusal().is_none()
    }

    /// What it lacks, if all its threads lack it.
    fn unsupported(&self, whole: bool) -> Option<UnsupportedFormat> {
        self.refusal().filter(|_| whole).map(UnsupportedFormat::LacksColumn)
    }

    /// Makes the remaining threads.
    fn finish(mut self: Box<Self>, builder: &mut ProfileBuilder) -> bool {
        let Some(meta) = &self.meta else { return false };
        for thread in &self.waiting {
            let view = ThreadTables::of_all_known(&thread.tables, &self.shared);
            match meta.version.and_then(|version| thread.lacks(view, version)) {
                Some(column) => {
                    self.oddities.lacking += 1;
                    self.oddities.lacking_column = column;
                }
                None => self.has_samples |= thread.finish(view, meta, &mut self.oddities, builder),
            }
        }
        if let Some(version) = meta.version.filter(|_| self.has_samples) {
            version.note_newer(builder);
        }
        self.oddities.report(builder);
        if let Some(recorded) = meta.recorded().filter(|_| self.has_samples) {
            builder.recorded_at(Some(recorded));
        }
        self.has_samples
    }

    fn contains_processes(&self) -> bool {
        true
    }
}

impl FirefoxProfile {
    fn version(&self) -> Option<FirefoxVersion> {
        self.meta.as_ref()?.version
    }

    /// What the threads lack, if no thread could be read.
    fn refusal(&self) -> Option<LackingColumn> {
        let version = self.version().filter(|_| !self.has_samples)?;
        let lacks = |thread: &FirefoxThread| {
            thread.lacks(ThreadTables::of_all_known(&thread.tables, &self.shared), version)
        };
        let can_be_read = self.waiting.iter().any(|thread| lacks(thread).is_none() && thread.has_samples());
        let column = self.waiting.iter().find_map(lacks).filter(|_| !can_be_read)?;
        Some(version.without(column))
    }

    fn read_meta(&mut self, json: &mut Json) -> Result<()> {
        if json.kind()? == Kind::Object {
            self.meta = Some(FirefoxMeta::read(json)?);
            return Ok(());
        }
        json.skip()
    }

    fn read_threads(&mut self, json: &mut Json, builder: &mut ProfileBuilder) -> Result<()> {
        if !json.enter_array()? {
            return Ok(());
        }
        self.has_threads = true;
        while json.next_item()? {
            match json.kind()? {
                Kind::Object => self.read_thread(json, builder)?,
                Kind::String => self.read_process(json, builder)?,
                Kind::Array | Kind::Other => json.skip()?,
            }
        }
        Ok(())
    }

    fn read_thread(&mut self, json: &mut Json, builder: &mut ProfileBuilder) -> Result<()> {
        let thread = FirefoxThread::read(json)?;
        match (&self.meta, ThreadTables::of(&thread.tables, &self.shared)) {
            (Some(meta), Some(view))
                if meta.version.is_none_or(|version| thread.lacks(view, version).is_none()) =>
            {
                self.has_samples |= thread.finish(view, meta, &mut self.oddities, builder);
            }
            _ => self.waiting.push(thread),
        }
        Ok(())
    }

    /// Before version 4, a child process is a profile in a string, among the threads.
    fn read_process(&mut self, json: &mut Json, builder: &mut ProfileBuilder) -> Result<()> {
        let mut text = json.string_source();
        let read = Self::read(&mut Json::small(&mut text), builder);
        text.finish()?;
        match read {
            Ok(process) if process.is_profile() => self.has_samples |= Box::new(process).finish(builder),
            Ok(_) | Err(DecodeError::Syntax { .. } | DecodeError::Truncated { .. }) => {
                self.oddities.lost_processes += 1;
            }
            Err(error) => return Err(error),
        }
        Ok(())
    }

    fn read(json: &mut Json, builder: &mut ProfileBuilder) -> Result<Self> {
        let mut parts = Self::default();
        if json.enter_object()? {
            while let Some(key) = json.next_key()? {
                match key.bytes() {
                    b"meta" => parts.read_meta(json)?,
                    b"threads" => parts.read_threads(json, builder)?,
                    _ => json.skip()?,
                }
            }
        }
        Ok(parts)
    }
}
