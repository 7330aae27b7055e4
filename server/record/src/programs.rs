//! Finds the program of a command the way Windows' shells do: `npx` is a batch file there, `npx.cmd`, which the system
//! only starts by its full name.

use std::borrow::Cow;
use std::env;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// The extensions of programs if `PATHEXT` is not set.
const EXTENSIONS: &str = ".COM;.EXE;.BAT;.CMD";

/// The program that a name stands for, as the system takes it. The standard library quotes the arguments of a batch file,
/// and refuses those that cannot be quoted ([`std::process`], "Windows argument splitting").
pub(crate) fn found(name: &OsStr) -> Cow<'_, OsStr> {
    if !cfg!(windows) {
        return name.into();
    }
    file_of(name).map_or(name.into(), |file| file.into_os_string().into())
}

/// The file of the program that a name or a path stands for.
pub(crate) fn file_of(name: &OsStr) -> Option<PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    let mut folders = env::split_paths(&path);
    if cfg!(windows) {
        let extensions = env::var("PATHEXT").unwrap_or_default();
        return with_extension(name, folders, &extensions, Path::is_file);
    }
    if Path::new(name).components().count() > 1 {
        return Some(PathBuf::from(name)).filter(|file| file.is_file());
    }
    folders.find_map(|folder| Some(folder.join(name)).filter(|file| file.is_file()))
}

/// The file that a name without its extension stands for: in the folders of the PATH, or where its path says. Unlike in
/// Windows' shells, a program in the current folder must be named with a path, because the folder may be somebody else's.
fn with_extension(
    name: &OsStr,
    mut folders: impl Iterator<Item = PathBuf>,
    extensions: &str,
    is_file: impl Fn(&Path) -> bool,
) -> Option<PathBuf> {
    let extensions = if extensions.is_empty() { EXTENSIONS } else { extensions };
    let extensions: Vec<&str> = extensions.split(';').filter_map(|text| text.strip_prefix('.')).collect();
    let program_at = |path: &Path| {
        let own = path.extension().unwrap_or_default();
        let has_one = extensions.iter().any(|extension| own.eq_ignore_ascii_case(extension));
        if has_one && is_file(path) {
            return Some(path.to_owned());
        }
        let mut longer = extensions.iter().map(|extension| {
            let mut longer = path.as_os_str().to_owned();
            longer.push(format!(".{}", extension.to_ascii_lowercase()));
            PathBuf::from(longer)
        });
        longer.find(|path| is_file(path))
    };
    let says_where = name.as_encoded_bytes().iter().any(|byte| matches!(byte, b'/' | b'\\' | b':'));
    if says_where {
        program_at(Path::new(name))
    } else {
        folders.find_map(|folder| program_at(&folder.join(name)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shells_of_windows_know_the_extensions_of_programs() {
        let files = [
            "/node/npx",
            "/node/npx.cmd",
            "/node/node.exe",
            "/other/npx.exe",
            "/other/tool.js",
            "bin/run.bat",
        ];
        let found = |name: &str, extensions| {
            let folders = ["/none", "/node", "/other"].map(PathBuf::from).into_iter();
            let is_file = |file: &Path| files.iter().any(|known| Path::new(known) == file);
            let found = with_extension(name.as_ref(), folders, extensions, is_file);
            found.map(|file| file.display().to_string().replace('\\', "/"))
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
        for (name, extensions, expected) in rows {
            assert_eq!(found(name, extensions).as_deref(), expected, "{name} {extensions}");
        }
    }
}
