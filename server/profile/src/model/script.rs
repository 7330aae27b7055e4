//! What a trace holds of a script, so that it can be placed without the file that it was.

use crate::model::units::Position;

/// A script as it ran, as far as the trace holds it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Script {
    /// Its text.
    pub text: Option<Box<str>>,
    /// The text of its source map.
    pub map: Option<Box<str>>,
    /// Where the map was, as the script names it or as a url of its own.
    pub map_url: Option<Box<str>>,
    /// Whether its text is the one that was written, before it was built: functions are in it by the starts of their names, and the
    /// resource is a path below the workspace.
    pub is_source: bool,
    /// Where its text starts in the resource, which may be a page; `None` where the trace does not say.
    pub start: Option<Position>,
}
