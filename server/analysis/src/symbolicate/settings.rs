//! The settings for placing a profile in the workspace.

use std::time::SystemTime;

use crate::files::FilePath;
use crate::locate::LocateSettings;

/// How a profile is placed in the workspace.
#[derive(Clone, Copy)]
pub struct LoadSettings<'a> {
    /// How files of resources and sources are found.
    pub locate: &'a LocateSettings,
    /// Whether a source map may be read; for an inline map this is called with the generated file. `None` turns source
    /// maps off: none is read or reported as missing, and functions stay where they ran.
    pub maps: Option<&'a (dyn Fn(&FilePath) -> bool + Sync)>,
    /// When the trace was recorded, if known: files that were changed later are looked up in the history.
    pub recorded: Option<SystemTime>,
}
