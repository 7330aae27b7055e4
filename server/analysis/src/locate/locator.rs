//! What all ways to find a file need: the files of the workspace, the settings, and what counts as a dependency.

use super::known;
use super::located::{FoundBy, Located};
use super::settings::LocateSettings;
use crate::files::{FilePath, Files};
use crate::locate::unplaced::UnplacedReason;

/// Where files are looked for, and how.
#[derive(Clone, Copy)]
pub(super) struct Locator<'a> {
    pub(super) files: &'a dyn Files,
    pub(super) settings: &'a LocateSettings,
}

impl Locator<'_> {
    /// The answer for a resource whose file was found.
    pub(super) fn found(self, file: FilePath, found_by: FoundBy) -> Located {
        if self.leaves_out(&file) {
            return Located::Unplaced(UnplacedReason::Dependency);
        }
        Located::File { file, found_by, transformed: false }
    }

    /// The answer for a listed file, which may be gone by now; `otherwise` if it is.
    pub(super) fn resolved(self, file: &FilePath, found_by: FoundBy, otherwise: UnplacedReason) -> Located {
        match self.files.resolve(file) {
            Some(file) => self.found(file, found_by),
            None => Located::Unplaced(otherwise),
        }
    }

    /// Whether a file is a dependency, and those do not count as workspace code.
    pub(super) fn leaves_out(self, file: &FilePath) -> bool {
        !self.settings.dependencies && depends(file, self.files.folders())
    }

    /// The reason for a resource or a source that has no file in the workspace.
    pub(super) fn reason_without_file(self, is_dependency: bool) -> UnplacedReason {
        if is_dependency && !self.settings.dependencies {
            UnplacedReason::Dependency
        } else {
            UnplacedReason::NotInWorkspace
        }
    }
}

/// Whether a file counts as a dependency: seen from every workspace folder around it, it lies in `node_modules`.
pub(crate) fn depends(file: &FilePath, folders: &[FilePath]) -> bool {
    let mut around = folders.iter().filter_map(|folder| file.relative_to(folder));
    around.all(known::has_node_modules)
}
