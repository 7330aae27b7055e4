//! What the user and the debug configurations say about where files are.

use std::collections::BTreeMap;

use super::mapping::Mappings;
use crate::FilePath;

/// What the user said about where files are.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LocateSettings {
    /// Where the user said that resources are.
    pub mappings: Mappings,
    /// Whether code below `node_modules` counts as workspace code.
    pub dependencies: bool,
    /// Paths of any server and their folders; unlike mappings they are not the last word (`webRoot` and
    /// `pathMapping` of a debug configuration).
    pub served: Mappings,
    /// `sourceMapPathOverrides` of debug configurations, those of each in their order; for sources of maps only.
    pub overrides: Vec<Vec<(String, String)>>,
    /// Source maps by the generated files that the user gave them to; the last word about these.
    pub maps: BTreeMap<FilePath, FilePath>,
}
