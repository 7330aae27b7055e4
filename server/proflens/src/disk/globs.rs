//! Globs as they are written in settings.

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};

/// A path with one of these characters is a glob.
pub(super) const WILD: [char; 4] = ['*', '?', '[', '{'];

/// A matcher of paths relative to a workspace folder; invalid globs match nothing. `None` if no valid glob is left.
pub(crate) fn glob_set<T: AsRef<str>>(patterns: impl IntoIterator<Item = T>) -> Option<GlobSet> {
    let mut set = GlobSetBuilder::new();
    for pattern in patterns {
        if let Ok(glob) = GlobBuilder::new(pattern.as_ref()).literal_separator(true).build() {
            set.add(glob);
        }
    }
    set.build().ok().filter(|set| !set.is_empty())
}

/// Whether a path matches one of the globs; without globs none does.
pub(crate) fn is_match(globs: &Option<GlobSet>, path: &str) -> bool {
    globs.as_ref().is_some_and(|globs| globs.is_match(path))
}

/// A pattern relative to a workspace folder, without the variable for that folder.
pub(crate) fn in_folder(pattern: &str) -> &str {
    pattern.strip_prefix("${workspaceFolder}/").unwrap_or(pattern)
}
