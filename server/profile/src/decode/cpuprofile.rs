//! V8's `.cpuprofile`: `Profiler.Profile` of the DevTools protocol, as Chrome, node, deno and bun write it.
//!
//! <https://chromedevtools.github.io/devtools-protocol/tot/Profiler/#type-Profile>. A `.heapprofile` has the same keys, and
//! only its nodes show which of the two it is. So both are read here; [`super::heapprofile`] makes a profile of allocations.

use super::error::Result;
use super::heapprofile;
use super::json::{Items, Json, Kind};
use super::json_format::{Answer, JsonFormat};
use super::v8::nodes::V8Profile;
use super::v8::thread;
use crate::builder::ProfileBuilder;

/// The part of a profile read so far.
#[derive(Default)]
pub(super) struct Cpuprofile(V8Profile);

impl JsonFormat for Cpuprofile {
    fn member(&mut self, key: &[u8], json: &mut Json, builder: &mut ProfileBuilder) -> Result<Answer> {
        let profile = &mut self.0;
        match key {
            b"nodes" => profile.read_nodes(json, builder)?,
            b"head" => profile.read_head(json, builder)?,
            b"samples" => match json.peek_items()? {
                Items::Begin(Kind::String | Kind::Other) => profile.read_samples(json)?,
                Items::Begin(Kind::Object) if heapprofile::is_next(json)? => {
                    heapprofile::read_samples(profile, json)?;
                }
                _ => return Ok(Answer::NotMine),
            },
            b"timeDeltas" => profile.read_time_deltas(json)?,
            b"timestamps" => profile.read_timestamps(json)?,
            b"startTime" => profile.read_start(json)?,
            b"endTime" => profile.read_end(json)?,
            b"title" => profile.read_title(json)?,
            b"$vscode" => profile.read_vscode(json)?,
            _ => return Ok(Answer::NotMine),
        }
        Ok(Answer::Read)
    }

    fn is_profile(&self) -> bool {
        self.0.is_profile()
    }

    fn finish(self: Box<Self>, builder: &mut ProfileBuilder) -> bool {
        let Self(mut profile) = *self;
        if profile.is_heap {
            heapprofile::finish(profile, builder)
        } else {
            profile.began = Some(thread::start(&profile));
            thread::finish(profile, "cpuprofile", builder)
        }
    }
}
