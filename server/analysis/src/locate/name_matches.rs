//! Counts how many names of a trace or map have files if some folder is taken to be a folder of the workspace: the root
//! of a build (`build`), or a folder that a trace names (`vote`).

use super::known;

/// The names that one such guess concerns.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct NameMatches {
    /// Names that have a file.
    pub(super) hits: u32,
    /// Path parts that agree, over all hits.
    pub(super) parts: u32,
    /// `parts`, plus one for each rare name and one for each name that only one file has.
    pub(super) weight: u32,
    /// Names that ought to have a file but do not.
    pub(super) misses: u32,
}

impl NameMatches {
    /// Counts a name for which there is a file with that name; `parts` of their paths agree.
    pub(super) fn add_hit(&mut self, file_name: &str, parts: u32, is_only: bool) {
        self.hits += 1;
        self.parts += parts;
        self.weight += parts + u32::from(!known::is_common_name(file_name)) + u32::from(is_only);
    }

    /// Counts a name for which there is a file, but under a guessed name, which proves little.
    pub(super) fn add_guessed_hit(&mut self, parts: u32) {
        self.hits += 1;
        self.parts += parts;
        self.weight += 1;
    }
}
