//! Finds the program of a command where Windows' shells find it: `npx` is a batch file there, `npx.cmd`, which the system starts only by
//! its whole name.

use std::borrow::Cow;
use std::env;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

/// What `PATHEXT` is if it is not set.
const ENDINGS: &str = ".COM;.EXE;.BAT;.CMD";

/// The program that is meant by a name, as the system takes it. The standard library quotes the arguments of a batch file, and refuses
/// those that cannot be quoted ([`std::process`], "Windows argument splitting").
pub(crate) fn found(name: &OsStr) -> Cow<'_, OsStr> {
    if !cfg!(windows) {
        return name.into();
    }
    let endings = env::var("PATHEXT").unwrap_or_default();
    let folders = env::var_os("PATH").unwrap_or_default();
    let found = with_ending(name, env::split_paths(&folders), &endings, Path::is_file);
    found.map_or(name.into(), |file| file.into_os_string().into())
}

/// The file that is meant by a name without its ending: in the folders of the PATH, or where its path says. Unlike in a shell of Windows, a
/// program in the current folder is only meant where the name says so: the folder may be somebody else's.
fn with_ending(
    name: &OsStr,
    folders: impl Iterator<Item = PathBuf>,
    endings: &str,
    is_file: impl Fn(&Path) -> bool,
) -> Option<PathBuf> {
    let endings = if endings.is_empty() { ENDINGS } else { endings };
    let candidates = |path: PathBuf| {
        let has_ending = path.extension().is_some_and(|own| {
            endings
                .split(';')
                .any(|ending| ending.strip_prefix('.').is_some_and(|ending| own.eq_ignore_ascii_case(ending)))
        });
        let itself = has_ending.then(|| path.clone());
        let longer = endings.split(';').filter(|ending| ending.starts_with('.')).map(move |ending| {
            let mut name = OsString::from(path.as_os_str());
            name.push(ending.to_ascii_lowercase());
            PathBuf::from(name)
        });
        itself.into_iter().chain(longer.collect::<Vec<_>>())
    };
    let says_where = name.as_encoded_bytes().iter().any(|byte| matches!(byte, b'/' | b'\\' | b':'));
    if says_where {
        return candidates(name.into()).find(|file| is_file(file));
    }
    folders.map(|folder| folder.join(name)).flat_map(candidates).find(|file| is_file(file))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shells_of_windows_know_the_endings_of_programs() {
        let files = [
            "/node/npx",
            "/node/npx.cmd",
            "/node/node.exe",
            "/other/npx.exe",
            "/other/tool.js",
            "bin/run.bat",
        ];
        let found = |name: &str, endings| {
            let folders = ["/none", "/node", "/other"].map(PathBuf::from).into_iter();
            let is_file = |file: &Path| files.iter().any(|known| Path::new(known) == file);
            with_ending(name.as_ref(), folders, endings, is_file).map(|file| file.display().to_string())
        };
        let rows = [
            ("npx", "", Some("/node/npx.cmd")),
            ("npx.cmd", "", Some("/node/npx.cmd")),
            ("NODE.EXE", "", None),
            ("node.exe", "", Some("/node/node.exe")),
            ("node", ".COM;.EXE", Some("/node/node.exe")),
            ("npx", ".EXE", Some("/other/npx.exe")),
            ("tool.js", "", None),
            ("run", "", None),
            ("bin/run", "", Some("bin/run.bat")),
            ("/other/npx", "", Some("/other/npx.exe")),
            ("no-such-program", "", None),
        ];
        for (name, endings, expected) in rows {
            assert_eq!(found(name, endings).as_deref(), expected, "{name} {endings}");
        }
    }
}
