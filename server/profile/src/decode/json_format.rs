//! The interface of JSON formats to [`detect`](super::detect), which reads a file once and offers its parts to each format.

use super::error::{Result, UnsupportedFormat};
use super::json::Json;
use crate::builder::ProfileBuilder;

/// A reader of one format. It is offered the members of an object in the order of the file, and takes those that it
/// knows; at the end of the object, it says whether they made a profile.
pub(super) trait JsonFormat {
    /// Reads the value of a member, which comes next in `json`, if the format has such a member.
    ///
    /// If several formats have a key, they look at its value: [`Json::peek_items`] and similar methods look ahead without
    /// consuming anything. If two formats would take a member, the first one in the table gets it.
    fn member(&mut self, key: &[u8], json: &mut Json, builder: &mut ProfileBuilder) -> Result<Answer>;

    /// Whether the members that were read make a profile, perhaps one without samples.
    fn is_profile(&self) -> bool;

    /// Makes threads of the profile; `false` if it has no samples.
    fn finish(self: Box<Self>, builder: &mut ProfileBuilder) -> bool;

    /// Called instead of [`JsonFormat::finish`] if the file ends in the middle of the object: makes threads of the part that is useful.
    fn finish_cut(self: Box<Self>, _: &mut ProfileBuilder) {}

    /// Whether the profiles within the object belong to the same session, as the processes of a Firefox profile do.
    fn contains_processes(&self) -> bool {
        false
    }

    /// What else the object is, if it certainly is not supported. It is not `whole` if the file ends within it, so that more may follow.
    fn unsupported(&self, _whole: bool) -> Option<UnsupportedFormat> {
        None
    }

    /// The object's version, if its format does not read it itself. One reader handles it for all.
    fn version(&self) -> Option<&str> {
        None
    }

    /// Reads the rest of a list that is not in an object, if the next object shows that it is of this format. Only asked
    /// of formats with pieces.
    fn rest_of_list(&mut self, _: &mut Json, _: &mut ProfileBuilder) -> Result<bool> {
        Ok(false)
    }

    /// Whether there are samples that can be used, whatever follows. Only asked of formats with pieces.
    fn has_samples(&self) -> bool {
        false
    }
}

/// What a format does with a member.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Answer {
    /// It belongs to another format; nothing was read.
    NotMine,
    /// The value was read.
    Read,
    /// The value may itself be a profile or a list of profiles; nothing was read.
    Nested,
    /// The value is an object with members for several formats; nothing was read. The members are offered next,
    /// `{"a": {"b": 1}}` with the key `a.b`.
    Group,
}
