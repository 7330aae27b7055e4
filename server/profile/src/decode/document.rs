//! What a JSON text holds: which profiles, or what else it is, found in one pass over its keys.
//!
//! A trace cannot be read twice (it may be a pipe, and inflating costs), and keys come in any order. So every
//! object is read as whatever it may turn out to be, and at its end it is clear what it was.

use std::io::Read;

use super::json::{Json, Key, Kind};
use super::{
    DecodeError, UnsupportedFormat, chrome_trace, cpuprofile, firefox, heapprofile, lines, safari,
    self_profiling, sentry, speedscope, v8, v8_log,
};
use crate::Profile;
use crate::builder::ProfileBuilder;

/// `{payload: {trace: "{profile: ...}"}}` is the deepest seen.
const MOST_WRAPPERS: u32 = 4;
/// So many items of a list are looked at ahead, to see whether they are events of a trace.
const MOST_LOOKS_AHEAD: u32 = 16;

/// Reads a whole text: one JSON value, or one on each line.
pub(crate) fn read(text: &mut dyn Read, builder: ProfileBuilder) -> Result<Profile, DecodeError> {
    let mut json = Json::new(text);
    if json.at_end()? {
        return Err(DecodeError::Empty);
    }
    if json.kind().is_ok_and(|kind| kind == Kind::Other) {
        return lines::read(&mut json, builder);
    }
    let mut documents =
        Documents { builder, trace: chrome_trace::Trace::default(), evidence: Evidence::default() };
    let mut first = documents.value(&mut json, 0).and_then(|()| json.at_end());
    if let Err(error) = &first
        && documents.can_use_what_is_before(error)
        && let Some(what) = error.damage(json.offset())
    {
        documents.builder.problem(what, "what is whole before that was read");
        first = Ok(true);
    }
    let lines = match &first {
        Ok(at_end) => !at_end,
        Err(DecodeError::Syntax { .. }) => json.skip_line()?,
        Err(_) => false,
    };
    let mut bad_lines = u32::from(first.is_err());
    if lines {
        loop {
            let line = documents.line(&mut Json::small(&mut json.line_source()));
            match line.and_then(|is_good| Ok((is_good, json.skip_line()?))) {
                Ok((is_good, more)) => {
                    bad_lines += u32::from(!is_good);
                    if !more {
                        break;
                    }
                }
                Err(error) => {
                    let what =
                        error.damage(json.offset()).filter(|_| documents.can_use_what_is_before(&error));
                    documents.builder.problem(what.ok_or(error)?, "what is whole before that was read");
                    break;
                }
            }
        }
    }
    let session = documents.builder.threads();
    documents.trace.finish(&mut documents.builder);
    documents.builder.end_session(session);
    if documents.builder.threads() == 0 {
        return Err(match (documents.evidence.verdict(), first) {
            (_, Err(error @ DecodeError::Syntax { .. })) if documents.evidence.trace => error,
            (Some(verdict), Ok(_) | Err(DecodeError::Syntax { .. } | DecodeError::Truncated { .. })) => {
                verdict
            }
            (_, Err(error)) => error,
            (None, Ok(_)) if documents.evidence.anything => {
                DecodeError::UnsupportedFormat(UnsupportedFormat::OtherJson)
            }
            (None, Ok(_)) => DecodeError::UnsupportedFormat(UnsupportedFormat::EmptyJson),
        });
    }
    match first {
        Err(error) if !matches!(error, DecodeError::Syntax { .. }) => return Err(error),
        _ => {}
    }
    if bad_lines > 0 {
        let what = match bad_lines {
            1 => "1 line holds no profile".to_owned(),
            _ => format!("{bad_lines} lines hold no profile"),
        };
        documents.builder.problem(what, "the other lines were read");
    }
    Ok(documents.builder.finish())
}

struct Documents {
    builder: ProfileBuilder,
    /// All events, wherever they were found.
    trace: chrome_trace::Trace,
    evidence: Evidence,
}

/// What an object may turn out to be.
#[derive(Default)]
struct Parts {
    cpuprofile: Option<Box<cpuprofile::Parts>>,
    self_profiling: Option<Box<self_profiling::Parts>>,
    firefox: Option<Box<firefox::Parts>>,
    speedscope: Option<Box<speedscope::Parts>>,
    sentry: Option<Box<sentry::Parts>>,
    v8_log: Option<Box<v8_log::Parts>>,
}

impl Parts {
    fn cpuprofile(&mut self) -> &mut cpuprofile::Parts {
        self.cpuprofile.get_or_insert_default()
    }

    fn self_profiling(&mut self) -> &mut self_profiling::Parts {
        self.self_profiling.get_or_insert_default()
    }

    fn firefox(&mut self) -> &mut firefox::Parts {
        self.firefox.get_or_insert_default()
    }

    fn speedscope(&mut self) -> &mut speedscope::Parts {
        self.speedscope.get_or_insert_default()
    }

    fn sentry(&mut self) -> &mut sentry::Parts {
        self.sentry.get_or_insert_default()
    }

    fn v8_log(&mut self) -> &mut v8_log::Parts {
        self.v8_log.get_or_insert_default()
    }
}

/// Marks of formats that are not read.
#[derive(Default)]
struct Evidence {
    anything: bool,
    no_samples: bool,
    trace: bool,
    coverage: bool,
    source_map: bool,
    stackprof: bool,
    har: bool,
    lighthouse: bool,
    cleopatra: bool,
}

impl Evidence {
    fn verdict(&self) -> Option<DecodeError> {
        let foreign = [
            (self.trace, UnsupportedFormat::ChromeTraceWithoutSamples),
            (self.coverage, UnsupportedFormat::Coverage),
            (self.source_map, UnsupportedFormat::SourceMap),
            (self.stackprof, UnsupportedFormat::Stackprof),
            (self.har, UnsupportedFormat::Har),
            (self.lighthouse, UnsupportedFormat::Lighthouse),
            (self.cleopatra, UnsupportedFormat::Cleopatra),
        ];
        if self.no_samples {
            return Some(DecodeError::NoSamples);
        }
        foreign.iter().find(|(is_it, _)| *is_it).map(|(_, foreign)| DecodeError::UnsupportedFormat(*foreign))
    }
}

/// Keys whose presence together tells what an object is.
#[derive(Default)]
struct Marks {
    phase: bool,
    version: bool,
    mappings: bool,
    script: bool,
    functions: bool,
    mode: bool,
}

impl Documents {
    /// Whether a damaged file holds something whole: events, which came in order of time, or threads, if nothing but the
    /// end of the file is missing.
    fn can_use_what_is_before(&self, error: &DecodeError) -> bool {
        self.trace.has_samples() || (error.is_cut() && self.builder.threads() > 0)
    }

    /// Reads one line; whether it held a profile.
    fn line(&mut self, json: &mut Json) -> Result<bool, DecodeError> {
        if json.at_end()? {
            return Ok(true); // blank
        }
        let before = self.builder.threads();
        match self.value(json, 0).and_then(|()| json.at_end()) {
            Ok(at_end) => Ok(at_end && self.builder.threads() > before),
            Err(DecodeError::Syntax { .. } | DecodeError::Truncated { .. }) => Ok(false),
            Err(error) => Err(error),
        }
    }

    fn value(&mut self, json: &mut Json, wrappers: u32) -> Result<(), DecodeError> {
        if wrappers > MOST_WRAPPERS {
            return json.skip();
        }
        match json.kind()? {
            Kind::Object => self.object(json, wrappers),
            Kind::Array => self.array(json, wrappers),
            Kind::String => self.stringified(json, wrappers),
            Kind::Other => json.skip(),
        }
    }

    fn array(&mut self, json: &mut Json, wrappers: u32) -> Result<(), DecodeError> {
        json.enter_array()?;
        let mut looks = 0;
        while json.next_item()? {
            match json.kind()? {
                Kind::Object if looks < MOST_LOOKS_AHEAD && chrome_trace::comes_next(json)? => {
                    self.evidence.trace = true;
                    self.evidence.anything = true;
                    self.trace.read_event(json, &mut self.builder)?;
                    return self.trace.read(json, &mut self.builder);
                }
                Kind::Object => {
                    looks += 1;
                    self.object(json, wrappers)?;
                }
                Kind::Other => json.skip()?,
                Kind::Array | Kind::String => self.value(json, wrappers + 1)?,
            }
        }
        Ok(())
    }

    /// JSON in a string, as beacons send it. A text that is none is simply not a profile.
    fn stringified(&mut self, json: &mut Json, wrappers: u32) -> Result<(), DecodeError> {
        self.evidence.anything = true;
        let mut text = json.string_source();
        let mut inner = Json::small(&mut text);
        let read = match inner.begins_with_bracket() {
            Ok(true) => self.value(&mut inner, wrappers + 1),
            Ok(false) => Ok(()),
            Err(error) => Err(error),
        };
        match read {
            Ok(()) | Err(DecodeError::Syntax { .. } | DecodeError::Truncated { .. }) => text.finish(),
            Err(error) => Err(error),
        }
    }

    fn object(&mut self, json: &mut Json, wrappers: u32) -> Result<(), DecodeError> {
        let (mut parts, mut marks) = (Parts::default(), Marks::default());
        let before = self.builder.threads();
        if let Err(error) = self.members(json, wrappers, &mut parts, &mut marks) {
            if error.is_cut() {
                self.keep_threads(parts, before);
            }
            return Err(error);
        }
        self.weigh_marks(&marks);
        let builder = &mut self.builder;
        let mut session = builder.threads();
        let has_samples = if let Some(parts) = parts.cpuprofile.filter(|parts| parts.is_profile()) {
            if parts.is_heap {
                heapprofile::finish(*parts, builder)
            } else {
                v8::finish(*parts, "cpuprofile", builder)
            }
        } else if let Some(parts) = parts.self_profiling.filter(|parts| parts.is_profile()) {
            self_profiling::finish(*parts, builder)
        } else if let Some(parts) = parts.firefox.filter(|parts| parts.is_profile()) {
            session = before; // with the processes in it, which are profiles again
            firefox::finish(*parts, builder)
        } else if let Some(parts) = parts.speedscope.filter(|parts| parts.is_profile()) {
            speedscope::finish(*parts, builder)
        } else if let Some(parts) = parts.sentry.filter(|parts| parts.is_profile()) {
            sentry::finish(*parts, builder)
        } else if let Some(parts) = parts.v8_log.filter(|parts| parts.is_profile()) {
            v8_log::finish(*parts, builder)
        } else {
            return Ok(());
        };
        builder.end_session(session);
        self.evidence.no_samples |= !has_samples;
        Ok(())
    }

    /// What an object that is cut off has of whole threads. Where samples are of no use without what follows them, as in
    /// a `.cpuprofile`, there are none.
    fn keep_threads(&mut self, parts: Parts, before: usize) {
        let builder = &mut self.builder;
        let has_threads = parts.firefox.is_some() || parts.speedscope.is_some();
        if let Some(parts) = parts.speedscope.filter(|parts| parts.is_profile() && parts.has_all_frames()) {
            speedscope::finish(*parts, builder);
        }
        if has_threads && builder.threads() > before {
            builder.end_session(before);
        }
    }

    fn members(
        &mut self,
        json: &mut Json,
        wrappers: u32,
        parts: &mut Parts,
        marks: &mut Marks,
    ) -> Result<(), DecodeError> {
        json.enter_object()?;
        while let Some(key) = json.next_key()? {
            self.evidence.anything = true;
            self.member(json, key, wrappers, parts, marks)?;
        }
        Ok(())
    }

    fn member(
        &mut self,
        json: &mut Json,
        key: Key,
        wrappers: u32,
        parts: &mut Parts,
        marks: &mut Marks,
    ) -> Result<(), DecodeError> {
        let builder = &mut self.builder;
        match key.bytes() {
            b"nodes" => parts.cpuprofile().read_nodes(json, builder),
            b"head" => parts.cpuprofile().read_head(json, builder),
            b"timeDeltas" => parts.cpuprofile().read_time_deltas(json),
            b"timestamps" => parts.cpuprofile().read_timestamps(json),
            b"startTime" => parts.cpuprofile().read_start(json),
            b"endTime" => parts.cpuprofile().read_end(json),
            b"title" => parts.cpuprofile().read_title(json),
            b"$vscode" => parts.cpuprofile().read_vscode(json),
            b"samples" => {
                if !json.enter_array()? {
                    return Ok(());
                }
                match json.first_item()? {
                    Some(Kind::Object) if chrome_trace::sample_comes_next(json)? => {
                        self.evidence.trace = true;
                        self.trace.read_samples(json)
                    }
                    Some(Kind::Object) if heapprofile::comes_next(json)? => {
                        parts.cpuprofile().read_allocations(json)
                    }
                    Some(Kind::Object) if json.next_has_key(&[b"stack_id"])? => {
                        parts.sentry().read_samples(json)
                    }
                    Some(Kind::Object) => parts.self_profiling().read_samples(json),
                    Some(Kind::Array) => json.skip_items(),
                    Some(Kind::String | Kind::Other) => parts.cpuprofile().read_samples(json),
                    None => {
                        parts.self_profiling().no_samples();
                        json.skip_items()
                    }
                }
            }
            b"frames" => {
                if !json.enter_array()? {
                    return Ok(());
                }
                let is_object = json.first_item()? == Some(Kind::Object);
                if is_object && json.next_has_key(&[b"function", b"abs_path", b"filename", b"lineno"])? {
                    parts.sentry().read_frames(json, builder)
                } else {
                    parts.self_profiling().read_frames(json, builder)
                }
            }
            b"resources" => parts.self_profiling().read_resources(json, builder),
            b"stacks" => {
                if !json.enter_array()? {
                    return Ok(());
                }
                match json.first_item()? {
                    Some(Kind::Array) => parts.sentry().read_stacks(json),
                    _ => parts.self_profiling().read_stacks(json),
                }
            }
            b"code" => parts.v8_log().read_code(json, builder),
            b"ticks" => parts.v8_log().read_ticks(json),
            b"thread_metadata" => parts.sentry().read_thread_metadata(json),
            b"meta" => parts.firefox().read_meta(json),
            b"threads" => parts.firefox().read_threads(json, builder),
            b"shared" => shared(json, parts, builder),
            b"$schema" => parts.speedscope().read_schema(json),
            b"profiles" => parts.speedscope().read_profiles(json),
            b"unit" | b"startValue" | b"endValue" | b"events" => {
                parts.speedscope().read_single(key.bytes(), json)
            }
            b"activeProfileIndex" => parts.speedscope().read_active(json),
            b"processes" => self.value(json, wrappers + 1), // of a raw Firefox profile: each a profile again
            b"payload" | b"trace" | b"profile" | b"cpuProfile" | b"data" | b"result" => {
                self.value(json, wrappers + 1)
            }
            b"traceEvents" => {
                self.evidence.trace = true;
                if json.enter_array()? { self.trace.read(json, builder) } else { Ok(()) }
            }
            b"stackFrames" => self.trace.read_stack_frames(json, builder),
            b"metadata" => self.trace.read_metadata(json),
            b"scripts" => self.trace.read_scripts(json),
            _ => self.foreign_member(json, key, marks),
        }
    }

    /// Keys that only tell what else a file is. What is beyond doubt is refused at once: such files are large.
    fn foreign_member(&mut self, json: &mut Json, key: Key, marks: &mut Marks) -> Result<(), DecodeError> {
        match key.bytes() {
            b"snapshot" => {
                if json.has_key(&[b"meta", b"node_count"])? {
                    return Err(DecodeError::UnsupportedFormat(UnsupportedFormat::HeapSnapshot));
                }
                return Ok(());
            }
            b"recording" => {
                self.evidence.no_samples |= safari::read(json, &mut self.builder)? == Some(false);
                return Ok(());
            }
            b"log" => {
                self.evidence.har |= json.has_key(&[b"entries"])?;
                return Ok(());
            }
            b"lighthouseVersion" => self.evidence.lighthouse = true,
            b"profileJSON" => self.evidence.cleopatra = true,
            b"raw_timestamp_deltas" => self.evidence.stackprof |= marks.mode,
            b"mode" => marks.mode = true,
            b"ph" => marks.phase = true,
            b"version" => marks.version = true,
            b"mappings" | b"sections" => marks.mappings = true,
            b"scriptId" => marks.script = true,
            b"functions" => marks.functions = true,
            _ => {}
        }
        json.skip()
    }

    fn weigh_marks(&mut self, marks: &Marks) {
        let evidence = &mut self.evidence;
        evidence.trace |= marks.phase;
        evidence.source_map |= marks.version && marks.mappings;
        evidence.coverage |= marks.script && marks.functions;
    }
}

/// Tables that all parts of a profile have in common.
fn shared(json: &mut Json, parts: &mut Parts, builder: &mut ProfileBuilder) -> Result<(), DecodeError> {
    if json.enter_object()? {
        while let Some(key) = json.next_key()? {
            if key.bytes() == b"frames" {
                parts.speedscope().read_frames(json, builder)?;
            } else if !parts.firefox().read_shared(key.bytes(), json)? {
                json.skip()?;
            }
        }
    }
    Ok(())
}
