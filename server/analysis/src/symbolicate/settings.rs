//! What the user and the disk say about loading.

use std::time::SystemTime;

use crate::FilePath;
use crate::locate::LocateSettings;

/// How a profile is placed in the workspace.
#[derive(Clone, Copy)]
pub struct LoadSettings<'a> {
    /// How resources are found.
    pub locate: &'a LocateSettings,
    /// Whether a source map may be read; of an inline map the generated file is asked about. `None`: maps are
    /// neither read nor missed, and every text was written as it stands.
    pub maps: Option<&'a dyn Fn(&FilePath) -> bool>,
    /// When the trace was recorded, as far as its file tells: sources that were changed later are looked up in the
    /// history.
    pub recorded: Option<SystemTime>,
}
