//! What a recording says of itself, before anything else in its file, so that it can be read without the rest:
//!
//! ```text
//! {"proflens":{"time":1700000000000,"name":"main.ts","commit":"1a2b…","branch":"main","tree":"clean"},
//! "traceEvents":[
//! ```

use std::io::{self, Read, Write};
use std::time::{Duration, SystemTime};

use flate2::read::MultiGzDecoder;
use serde::{Deserialize, Serialize};

const BEGIN: &[u8] = b"{\"proflens\":";
/// No head is longer.
const MAX_BYTES: u64 = 64 << 10;

/// Which allocations are recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Allocations {
    /// Those that are still in use at the end.
    InUse,
    /// All, also those that were collected.
    All,
}

/// When a recording was made, of what, and from which commit.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Head {
    /// When it began, in milliseconds since 1970.
    pub time: u64,
    /// What was recorded, as its file is named: `main.ts`.
    pub name: String,
    /// Which allocations it has, if it has no times.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory: Option<Allocations>,
    /// From which commit, if the workspace has one.
    #[serde(flatten)]
    pub checkout: Option<Checkout>,
}

/// The commit that was checked out in the workspace.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Checkout {
    /// Its id.
    pub commit: String,
    /// The branch, if one was checked out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub branch: Option<String>,
    /// The state of its tracked files; `None` if it could not be determined.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tree: Option<TreeState>,
}

/// Whether the tracked files of a workspace are those of the commit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TreeState {
    /// All of them are.
    Clean,
    /// At least one was changed since.
    Changed,
}

impl Head {
    /// When it began; `None` if it is beyond this system's clock.
    pub fn recorded(&self) -> Option<SystemTime> {
        SystemTime::UNIX_EPOCH.checked_add(Duration::from_millis(self.time))
    }

    /// Writes it, as the first member of an object whose next member follows.
    pub(crate) fn write(&self, to: &mut dyn Write) -> io::Result<()> {
        to.write_all(BEGIN)?;
        serde_json::to_writer(&mut *to, self)?;
        to.write_all(b",\n")
    }

    /// Reads it from the file of a recording; `None` for any other file.
    ///
    /// # Errors
    /// If reading fails.
    pub fn read(file: impl Read) -> io::Result<Option<Self>> {
        let mut packed = file.take(MAX_BYTES);
        let mut first = [0; 2];
        let is_gzip = match packed.read_exact(&mut first) {
            Ok(()) => first == [0x1f, 0x8b],
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(None),
            Err(error) => return Err(error),
        };
        let all = (&first[..]).chain(packed);
        let whole: Box<dyn Read> = if is_gzip { Box::new(MultiGzDecoder::new(all)) } else { Box::new(all) };
        let mut text = whole.take(MAX_BYTES);
        let mut begin = [0; BEGIN.len()];
        // A file that is cut off or not gzip is not a recording of ours.
        if text.read_exact(&mut begin).is_err() || begin != *BEGIN {
            return Ok(None);
        }
        let mut heads = serde_json::Deserializer::from_reader(text).into_iter();
        Ok(heads.next().and_then(Result::ok))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::Compression;
    use flate2::write::GzEncoder;

    #[test]
    fn a_head_is_read_without_the_rest() {
        let checkout = Checkout { commit: "1a2b".into(), branch: None, tree: Some(TreeState::Clean) };
        for checkout in [None, Some(checkout)] {
            let head = Head {
                time: 1_700_000_000_123,
                name: "a \"b\".ts".into(),
                memory: Some(Allocations::All),
                checkout,
            };
            let mut text = Vec::new();
            head.write(&mut text).unwrap();
            // What follows is neither JSON nor gzip.
            text.extend(b"\"traceEvents\":[");
            text.extend((0..200_000_u32).flat_map(u32::to_le_bytes));
            let mut packed = GzEncoder::new(Vec::new(), Compression::fast());
            packed.write_all(&text).unwrap();
            let packed = packed.finish().unwrap();
            assert_eq!(Head::read(&text[..]).unwrap().as_ref(), Some(&head));
            assert_eq!(Head::read(&packed[..packed.len() / 2]).unwrap(), Some(head));
        }
    }

    #[test]
    fn other_files_have_none() {
        for text in
            ["", "{", "{\"traceEvents\":[]}", "{\"proflens\":7}", "{\"proflens\":{\"time\":", "\x1f\u{8b}x"]
        {
            assert_eq!(Head::read(text.as_bytes()).unwrap(), None, "{text}");
        }
    }
}
