//! The analysis's view of the disk: the form of a path, and the trait [`Files`] for reading files. It allows the analysis
//! to run without a disk: in tests, and on files that the server has already read.

use std::fmt;
use std::sync::Arc;
use std::time::SystemTime;

use serde::{Deserialize, Serialize};

/// An absolute path with `/` between its parts (`/home/me/x.js`, `C:/x.js`, `//server/share/x.js`), without `.` and `..`
/// and without a trailing slash. It is spelled as in the editor, except for a drive letter, which editors spell both ways
/// and which is upper-case here. Paths are compared by their text.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FilePath(Arc<str>);

impl FilePath {
    /// Normalizes the text of an absolute path. Backslashes are separators only in Windows paths; `..` stops at the root.
    pub fn new(path: &str) -> FilePath {
        FilePath(normal_path(path).into())
    }

    /// The whole path.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The part before the last slash; empty for a file at the root.
    pub(crate) fn folder(&self) -> &str {
        self.0.rsplit_once('/').map_or("", |(folder, _)| folder)
    }

    /// The part after the last slash.
    pub fn name(&self) -> &str {
        self.0.rsplit('/').next().unwrap_or_default()
    }

    /// The folder that it is in; `None` for a root.
    pub fn parent(&self) -> Option<FilePath> {
        self.as_str().rsplit_once('/').filter(|it| !it.0.is_empty()).map(|it| FilePath::new(it.0))
    }

    /// The path relative to `folder`, such as `src/a.js`; `None` if it is not below it.
    pub fn relative_to(&self, folder: &FilePath) -> Option<&str> {
        below(&self.0, folder.as_str()).filter(|rest| !rest.is_empty())
    }

    /// The path of `rest` below this folder; `..` in `rest` stops at this folder.
    pub fn join(&self, rest: &str) -> FilePath {
        let mut path = String::from(self.0.trim_end_matches('/'));
        push_parts(&mut path, rest);
        FilePath(if path.is_empty() { "/".into() } else { path.into() })
    }
}

impl fmt::Display for FilePath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for FilePath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The files of the workspace, wherever they are kept: on disk, or in the fixture of a test.
pub trait Files: Send + Sync {
    /// The workspace folders, as given by the editor or the command line.
    fn folders(&self) -> &[FilePath];

    /// All regular files below the folders, sorted; those below `node_modules` only if dependencies count as workspace
    /// code. The list is made once, on demand.
    fn list(&self) -> Arc<[FilePath]>;

    /// The bytes of a regular file inside the folders; `None` if there is none, or if it must not be read (outside once
    /// links are resolved, a device, too large).
    fn read(&self, file: &FilePath) -> Option<Arc<[u8]>>;

    /// The bytes of a file inside the folders as of the newest commit that is not later than `when`; `None` if there is
    /// no history. This may take a while and must not be called while an editor waits.
    fn committed(&self, _file: &FilePath, _when: SystemTime) -> Option<Arc<[u8]>> {
        None
    }

    /// All files inside the folders that were committed at that time, sorted; `None` if there is no history. This may
    /// take as long as [`Files::committed`].
    fn committed_files(&self, _when: SystemTime) -> Option<Arc<[FilePath]>> {
        None
    }

    /// What runners whose caches may be read made of files with this name, newest first. Nothing says that one of these
    /// texts ran. This may read many files.
    fn cached_texts(&self, _file: &FilePath) -> Vec<CachedText> {
        Vec::new()
    }

    /// When a file was last written; `None` if not known.
    fn modified(&self, _file: &FilePath) -> Option<SystemTime> {
        None
    }

    /// The real path of a regular file inside the folders. Links are resolved, and the path begins like a workspace
    /// folder, so that each file has one path. `None` if there is no such file, or if links lead outside. A listed file
    /// may be gone by now, or be a link; [`Files::read`] looks again.
    fn resolve(&self, file: &FilePath) -> Option<FilePath>;
}

/// A program that transforms code in memory and keeps its output in a cache on disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Runner {
    /// tsx.
    Tsx,
    /// Jest, whatever it transforms code with.
    Jest,
    /// `@babel/register`.
    Babel,
}

impl Runner {
    /// All of them.
    pub const ALL: [Runner; 3] = [Runner::Tsx, Runner::Jest, Runner::Babel];

    /// The name in settings and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Tsx => "tsx",
            Self::Jest => "jest",
            Self::Babel => "babel",
        }
    }
}

/// A text that a runner made from a file, as stored in the runner's cache.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CachedText {
    /// Whose cache it is.
    pub runner: Runner,
    /// The text.
    pub text: String,
    /// Its source map, as JSON.
    pub map: String,
    /// The runner made it at this time or later.
    pub made: SystemTime,
}

/// Whether a path starts with a Windows drive: `C:`, `C:\x`, `C:/x`.
pub(crate) fn has_drive(path: &str) -> bool {
    let bytes = path.as_bytes();
    matches!(bytes, [letter, b':', ..] if letter.is_ascii_alphabetic())
        && matches!(bytes.get(2), None | Some(b'/' | b'\\'))
}

/// The rest of `path` after `folder/`; empty for the folder itself, `None` if the path is not in the folder.
pub(crate) fn below<'a>(path: &'a str, folder: &str) -> Option<&'a str> {
    let rest = path.strip_prefix(folder.trim_end_matches('/'))?;
    if rest.is_empty() { Some(rest) } else { rest.strip_prefix('/') }
}

/// The prefixes that Windows puts before a path of any length that it takes as it is, and before the names of devices,
/// which include drives (learn.microsoft.com, "File path formats on Windows systems").
const BEFORE_DEVICES: [&str; 4] = ["\\\\?\\", "\\\\.\\", "//?/", "//./"];

/// A path without the prefix that Windows may put before it; `None` if there is none, or if it does not precede a drive or a share.
fn without_device(path: &str) -> Option<String> {
    let rest = BEFORE_DEVICES.iter().find_map(|before| path.strip_prefix(before))?;
    let share =
        rest.get(..4).filter(|start| ["UNC\\", "UNC/"].iter().any(|unc| unc.eq_ignore_ascii_case(start)));
    match share {
        Some(start) => Some(format!("//{}", rest[start.len()..].replace('\\', "/"))),
        None => has_drive(rest).then(|| rest.to_owned()),
    }
}

/// The normal form of an absolute path's text.
pub(crate) fn normal_path(path: &str) -> String {
    if let Some(path) = without_device(path) {
        return normal_path(&path);
    }
    let is_windows = has_drive(path) || path.starts_with("\\\\");
    let slashed;
    let path = if is_windows && path.contains('\\') {
        slashed = path.replace('\\', "/");
        &slashed
    } else {
        path
    };
    let (root, rest) = match path.get(..2) {
        Some(drive) if is_windows && has_drive(path) => (drive, &path[2..]),
        Some("//") => ("/", &path[1..]),
        _ => ("", path),
    };
    let mut normal = String::with_capacity(path.len());
    normal.push_str(root);
    normal.make_ascii_uppercase();
    push_parts(&mut normal, rest);
    if normal.len() == root.len() {
        normal.push('/');
    }
    normal
}

/// Appends the parts of a path to `base`, each after a slash; `..` only removes parts that were appended.
pub(crate) fn push_parts(base: &mut String, rest: &str) {
    let start = base.len();
    for part in rest.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                let end = base[start..].rfind('/').map_or(start, |at| start + at);
                base.truncate(end);
            }
            part => {
                base.push('/');
                base.push_str(part);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_have_one_form() {
        let rows = [
            ("/a/b.js", "/a/b.js"),
            ("/a//./b/../c.js", "/a/c.js"),
            ("/../../x.js", "/x.js"),
            ("/", "/"),
            ("/a/", "/a"),
            ("/a\\b.js", "/a\\b.js"),
            ("C:\\a\\..\\b.js", "C:/b.js"),
            ("\\\\?\\c:\\a\\b.js", "C:/a/b.js"),
            ("\\\\?\\UNC\\server\\share\\a.js", "//server/share/a.js"),
            ("//?/c:/a/b.js", "C:/a/b.js"),
            ("//?/unc/server/share/a.js", "//server/share/a.js"),
            ("\\\\.\\C:\\a\\..\\b.js", "C:/b.js"),
            ("\\\\?\\Volume{0}\\a.js", "//?/Volume{0}/a.js"),
            ("c:/a/b.js", "C:/a/b.js"),
            ("C:\\", "C:/"),
            ("\\\\server\\share\\x.js", "//server/share/x.js"),
            ("//server/share/x.js", "//server/share/x.js"),
            ("", "/"),
        ];
        for (text, path) in rows {
            assert_eq!(FilePath::new(text).as_str(), path, "{text}");
        }
    }

    #[test]
    fn a_path_below_a_folder() {
        let folder = FilePath::new("/home/me/ws");
        assert_eq!(FilePath::new("/home/me/ws/src/a.js").relative_to(&folder), Some("src/a.js"));
        assert_eq!(FilePath::new("/home/me/ws2/a.js").relative_to(&folder), None);
        assert_eq!(folder.relative_to(&folder), None);
        assert_eq!(FilePath::new("/a.js").relative_to(&FilePath::new("/")), Some("a.js"));
        assert_eq!(FilePath::new("/home/a.js").name(), "a.js");
    }

    #[test]
    fn joining_never_climbs_out() {
        let folder = FilePath::new("/ws");
        assert_eq!(folder.join("a/../../../etc/x.js").as_str(), "/ws/etc/x.js");
        assert_eq!(folder.join("").as_str(), "/ws");
        assert_eq!(FilePath::new("/").join("a.js").as_str(), "/a.js");
    }
}
