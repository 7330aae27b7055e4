//! What the user and the debug configurations say about where files are.

use std::collections::BTreeMap;

use super::mapping::Mappings;
use crate::files::FilePath;
use crate::rules::Rules;

/// What the user said about where files are.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LocateSettings {
    /// Where the user said that resources are.
    pub mappings: Mappings,
    /// Whether code below `node_modules` counts as workspace code.
    pub dependencies: bool,
    /// Paths of any server and their folders (`webRoot` and `pathMapping` of a debug configuration). Unlike with
    /// mappings, other rules apply if the folder has no such file.
    pub served: Mappings,
    /// `sourceMapPathOverrides`, one list per debug configuration; they only apply to sources of maps.
    pub overrides: Vec<Vec<(String, String)>>,
    /// The source maps that the user chose, by generated file. For these files no other map is looked for.
    pub maps: BTreeMap<FilePath, FilePath>,
    /// The rules that apply.
    pub rules: Rules,
}
