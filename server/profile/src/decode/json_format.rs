//! What a format of JSON is to [`detect`](super::detect), which reads a file once and offers each format what it meets.

use super::error::{Result, UnsupportedFormat};
use super::json::Json;
use crate::builder::ProfileBuilder;

/// A reader of one format. It is offered the members of an object in the order of the file, and takes those that it knows;
/// at the end of the object it says whether they made a profile.
pub(super) trait JsonFormat {
    /// Reads the value of a member, which comes next in `json`, if the format has such a member.
    ///
    /// Where several formats have a key, they look at its value: [`Json::peek_items`] and its like look ahead and take
    /// nothing. Of two formats that would take a member the first in the table has it.
    fn member(&mut self, key: &[u8], json: &mut Json, builder: &mut ProfileBuilder) -> Result<Answer>;

    /// Whether the members that were read make a profile, perhaps one without samples.
    fn is_profile(&self) -> bool;

    /// Makes threads of the profile; `false` if it has no samples.
    fn finish(self: Box<Self>, builder: &mut ProfileBuilder) -> bool;

    /// In place of [`JsonFormat::finish`] where the file ends in the middle of the object: makes threads of the part that
    /// is of use.
    fn finish_cut(self: Box<Self>, _: &mut ProfileBuilder) {}

    /// Whether the profiles within the object are of the same session: the processes of a Firefox profile are.
    fn contains_processes(&self) -> bool {
        false
    }

    /// What else the object is, if it is certain that it is not to be read. Of a file that ends within the object there may
    /// be more to come: it is not `whole`.
    fn unsupported(&self, _whole: bool) -> Option<UnsupportedFormat> {
        None
    }

    /// What the object says of its version, where its format does not read that itself. One reader takes it for all.
    fn version(&self) -> Option<&str> {
        None
    }

    /// Reads the rest of a list that is not in an object, if the object that comes next shows that it is of this format.
    /// Asked of formats with pieces only.
    fn rest_of_list(&mut self, _: &mut Json, _: &mut ProfileBuilder) -> Result<bool> {
        Ok(false)
    }

    /// Whether there are samples that can be used, whatever follows. Asked of formats with pieces only.
    fn has_samples(&self) -> bool {
        false
    }
}

/// What a format does with a member.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Answer {
    /// It is of another format: nothing was read.
    NotMine,
    /// The value was read.
    Read,
    /// The value may be a profile by itself, or a list of profiles: nothing was read.
    Nested,
    /// The value is an object with members for several formats: nothing was read. They are offered next, `{"a": {"b": 1}}`
    /// with the key `a.b`.
    Group,
}
