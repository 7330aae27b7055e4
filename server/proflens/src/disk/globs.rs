//! Globs as the settings write them.

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};

/// What makes a glob of a path.
pub(super) const WILD: [char; 4] = ['*', '?', '[', '{'];

/// A matcher of paths relative to a workspace folder; patterns that are no globs match nothing. `None` where no
/// pattern is left.
pub(crate) fn glob_set<T: AsRef<str>>(patterns: impl IntoIterator<Item = T>) -> Option<GlobSet> {
    let glob = |it: T| GlobBuilder::new(it.as_ref()).literal_separator(true).build().ok();
    let set = patterns.into_iter().filter_map(glob).fold(GlobSetBuilder::new(), |mut set, glob| {
        set.add(glob);
        set
    });
    set.build().ok().filter(|it| !it.is_empty())
}

/// A pattern relative to a workspace folder, without the variable that may say so.
pub(crate) fn in_folder(pattern: &str) -> &str {
    pattern.strip_prefix("${workspaceFolder}/").unwrap_or(pattern)
}
