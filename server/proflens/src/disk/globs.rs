//! Globs as the settings write them.

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};

/// A path with one of these characters is a glob.
pub(super) const WILD: [char; 4] = ['*', '?', '[', '{'];

/// A matcher of paths relative to a workspace folder; invalid globs match nothing. `None` if no valid glob is left.
pub(crate) fn glob_set<T: AsRef<str>>(patterns: impl IntoIterator<Item = T>) -> Option<GlobSet> {
    let glob = |it: T| GlobBuilder::new(it.as_ref()).literal_separator(true).build().ok();
    let set = patterns.into_iter().filter_map(glob).fold(GlobSetBuilder::new(), |mut set, glob| {
        set.add(glob);
        set
    });
    set.build().ok().filter(|it| !it.is_empty())
}

/// A pattern relative to a workspace folder, without the variable for that folder.
pub(crate) fn in_folder(pattern: &str) -> &str {
    pattern.strip_prefix("${workspaceFolder}/").unwrap_or(pattern)
}
