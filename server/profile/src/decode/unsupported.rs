//! Formats that are not read, recognised by how they begin or by their keys, so that the message can say what a file is.

use super::error::{DecodeError, Result, UnsupportedFormat};
use super::json::Json;
use super::json_format::{Answer, JsonFormat};
use crate::builder::ProfileBuilder;

/// Binary formats, by their first bytes.
const MAGIC: [(&[u8], UnsupportedFormat); 8] = [
    (b"PK\x03\x04", UnsupportedFormat::Zip),
    (b"PERFILE2", UnsupportedFormat::PerfData),
    (b"SIMPLEPERF", UnsupportedFormat::PerfData),
    (b"Nettrace", UnsupportedFormat::DotNet),
    (b"FLR\0", UnsupportedFormat::Java),
    (b"SLOW", UnsupportedFormat::Android),
    // A header of three words and version 0, with words of 32 and of 64 bits.
    (b"\0\0\0\0\x03\0\0\0\0\0\0\0", UnsupportedFormat::OldPprof),
    (b"\0\0\0\0\0\0\0\0\x03\0\0\0\0\0\0\0\0\0\0\0", UnsupportedFormat::OldPprof),
];

/// Texts, by how their first line begins.
const FIRST_LINES: [(&str, UnsupportedFormat); 14] = [
    ("v8-version,", UnsupportedFormat::V8Log),
    ("TN:", UnsupportedFormat::Coverage),
    ("SF:", UnsupportedFormat::Coverage),
    ("heap profile:", UnsupportedFormat::OldPprof),
    ("heap_v2/", UnsupportedFormat::OldPprof),
    ("goroutine profile:", UnsupportedFormat::OldPprof),
    ("threadcreate profile:", UnsupportedFormat::OldPprof),
    ("events: ", UnsupportedFormat::Callgrind),
    ("version: 1", UnsupportedFormat::Callgrind),
    ("creator: ", UnsupportedFormat::Callgrind),
    ("*version", UnsupportedFormat::Android),
    ("Weight\tSelf Weight", UnsupportedFormat::Instruments),
    ("Running Time\tSelf", UnsupportedFormat::Instruments),
    ("Bytes Used\tCount", UnsupportedFormat::Instruments),
];

/// Refuses a file by its first bytes; a longer file has `most` of them.
pub(super) fn refuse_by_first_bytes(head: &[u8], most: usize) -> Result<()> {
    let text = head.trim_ascii_start();
    let is_binary = text.iter().any(|byte| byte.is_ascii_control() && !byte.is_ascii_whitespace());
    let found = if let Some((_, found)) = MAGIC.iter().find(|(magic, _)| head.starts_with(magic)) {
        *found
    } else if head.first() == Some(&0x0a) && is_binary {
        UnsupportedFormat::Perfetto // its first field is a packet
    } else if text.starts_with(b")]}'") {
        UnsupportedFormat::SourceMap
    } else if text.starts_with(b"--- ") {
        UnsupportedFormat::OldPprof // `--- contentionz 1 ---` and the like
    } else {
        match text.first() {
            None if head.len() == most => return Ok(()), // a lot of white space
            None => return Err(DecodeError::Empty),
            Some(b'{' | b'[' | b'"') => return Ok(()),
            Some(b'<') => UnsupportedFormat::Html,
            Some(b'0'..=b'9' | b'-') => UnsupportedFormat::OtherJson,
            Some(_) if text.trim_ascii_end() == b"null" => UnsupportedFormat::EmptyJson,
            Some(_) if is_binary => UnsupportedFormat::NotJson,
            Some(_) => return Ok(()), // perhaps collapsed stacks
        }
    };
    Err(DecodeError::UnsupportedFormat(found))
}

/// The format of a text that is not JSON, by its first line.
pub(super) fn by_first_line(line: &str) -> Option<UnsupportedFormat> {
    FIRST_LINES.iter().find(|(begin, _)| line.starts_with(begin)).map(|&(_, format)| format)
}

/// Keys that show what an object is, some only in combination.
#[derive(Default)]
pub(super) struct UnsupportedJson {
    phase: bool,
    version: Option<String>,
    mappings: bool,
    script: bool,
    functions: bool,
    mode: bool,
    timestamp_deltas: bool,
    har: bool,
    lighthouse: bool,
    cleopatra: bool,
    dhat: bool,
    haskell: bool,
    flamebearer: bool,
}

impl JsonFormat for UnsupportedJson {
    fn member(&mut self, key: &[u8], json: &mut Json, _: &mut ProfileBuilder) -> Result<Answer> {
        let mark = match key {
            b"snapshot" => {
                // Refused at once: such files are large.
                return match json.has_key(&[b"meta", b"node_count"])? {
                    true => Err(DecodeError::UnsupportedFormat(UnsupportedFormat::HeapSnapshot)),
                    false => Ok(Answer::Read),
                };
            }
            b"log" => {
                self.har |= json.has_key(&[b"entries"])?;
                return Ok(Answer::Read);
            }
            b"version" => {
                self.version = Some(json.word()?.unwrap_or_default());
                return Ok(Answer::Read);
            }
            b"lighthouseVersion" => &mut self.lighthouse,
            b"profileJSON" => &mut self.cleopatra,
            b"dhatFileVersion" => &mut self.dhat,
            b"flamebearer" => &mut self.flamebearer,
            b"rts_arguments" => &mut self.haskell,
            b"raw_timestamp_deltas" => &mut self.timestamp_deltas,
            b"mode" => &mut self.mode,
            b"ph" => &mut self.phase,
            b"mappings" | b"sections" => &mut self.mappings,
            b"scriptId" => &mut self.script,
            b"functions" => &mut self.functions,
            _ => return Ok(Answer::NotMine),
        };
        *mark = true;
        json.skip()?;
        Ok(Answer::Read)
    }

    fn unsupported(&self, whole: bool) -> Option<UnsupportedFormat> {
        let formats = [
            (whole && self.phase, UnsupportedFormat::ChromeTraceWithoutSamples),
            (whole && self.script && self.functions, UnsupportedFormat::Coverage),
            (whole && self.version.is_some() && self.mappings, UnsupportedFormat::SourceMap),
            (self.mode && self.timestamp_deltas, UnsupportedFormat::Stackprof),
            (self.har, UnsupportedFormat::Har),
            (self.lighthouse, UnsupportedFormat::Lighthouse),
            (self.cleopatra, UnsupportedFormat::Cleopatra),
            (self.dhat, UnsupportedFormat::Dhat),
            (self.haskell, UnsupportedFormat::Haskell),
            (self.flamebearer, UnsupportedFormat::Flamebearer),
        ];
        formats.into_iter().find(|(is_it, _)| *is_it).map(|(_, format)| format)
    }

    fn version(&self) -> Option<&str> {
        self.version.as_deref().filter(|version| !version.is_empty())
    }

    fn is_profile(&self) -> bool {
        false
    }

    fn finish(self: Box<Self>, _: &mut ProfileBuilder) -> bool {
        false
    }
}
