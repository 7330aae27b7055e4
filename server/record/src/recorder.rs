//! Installs the recorder: the JavaScript that Node loads into each process of a command.
//!
//! It is not in a workspace: `git clean`, `rm -rf .proflens` and a private folder must not keep Node from loading it, because then
//! Node would not start. Nothing removes it when a recording is over, since programs live longer than that. What is loaded is
//! code, so nobody else may be able to change it.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::own::{self, Access};
use crate::place::PlaceError;
use crate::{regular, state};

/// What is installed: the file that Node is told to load, which any version of Node can read, and two files that each hold
/// several modules and run the last one. Finding and opening nine files would take a short program as long as running them.
const FILES: [(&str, &[(&str, &str)]); 3] = [
    ("recorder.cjs", &[("recorder.cjs", include_str!("preload/recorder.cjs"))]),
    (
        "thread.cjs",
        &[
            UNSEEN,
            ("children.cjs", include_str!("preload/children.cjs")),
            ("counts.cjs", include_str!("preload/counts.cjs")),
            ("makes_code.cjs", include_str!("preload/makes_code.cjs")),
            ("plain.cjs", include_str!("preload/plain.cjs")),
            ("samples.cjs", include_str!("preload/samples.cjs")),
            WATCH,
            ("thread.cjs", include_str!("preload/thread.cjs")),
        ],
    ),
    ("watcher.cjs", &[UNSEEN, WATCH, ("watcher.cjs", include_str!("preload/watcher.cjs"))]),
];
const UNSEEN: (&str, &str) = ("unseen.cjs", include_str!("preload/unseen.cjs"));
const WATCH: (&str, &str) = ("watch.cjs", include_str!("preload/watch.cjs"));
const NO_PLACE: &str = "name a folder of your own with XDG_STATE_HOME";

/// Writes the files, unless they are there, and returns the one that Node is told to load.
pub(crate) fn install() -> Result<PathBuf, PlaceError> {
    let files = FILES.map(|(file, modules)| (file, joined(modules)));
    let texts = files.iter().flat_map(|(file, text)| [file.as_bytes(), text.as_bytes()]);
    let version = state::digest(texts);
    let mut refused = None;
    for folder in state::recorder_folders(&version) {
        match files.iter().try_for_each(|(file, text)| keep(&folder.join(file), text)) {
            Ok(()) => return Ok(folder.join(FILES[0].0)),
            Err(error) => refused = Some(PlaceError::unwritable(&folder, error, NO_PLACE)),
        }
    }
    Err(refused.unwrap_or_else(|| {
        let error = io::ErrorKind::PermissionDenied.into();
        PlaceError::unwritable(Path::new("No folder for the recorder"), error, NO_PLACE)
    }))
}

/// Modules that require each other, as one text.
fn joined(modules: &[(&str, &str)]) -> String {
    if let [(_, text)] = modules {
        return (*text).to_owned();
    }
    let functions =
        modules.iter().map(|(name, text)| format!("'./{name}'(exports, require) {{\n{text}}},\n"));
    let (last, _) = modules[modules.len() - 1];
    format!(
        "'use strict';\n\nconst modules = {{\n{}}};\nconst loaded = {{}};\n{LOAD}module.exports = load('./{last}');\n",
        functions.collect::<String>()
    )
}

/// What `require` is inside them.
const LOAD: &str = "function load(name) {
  if (!modules[name]) return require(name);
  if (!loaded[name]) modules[name]((loaded[name] = {}), load);
  return loaded[name];
}
load.cache = require.cache;
";

/// Writes a file, unless it is already there as it should be.
fn keep(path: &Path, text: &str) -> io::Result<()> {
    if own::is_own_file(path)
        && regular::read(path, text.len() as u64).is_ok_and(|there| there == text.as_bytes())
    {
        return Ok(());
    }
    // Another `proflens` may be doing the same, and a program may be loading it right now.
    let unfinished = path.with_file_name(own::hidden_name());
    let written = own::create_file(&unfinished)
        .and_then(|mut file| file.write_all(text.as_bytes()))
        .and_then(|()| own::allow(&unfinished, Access::Readable))
        .and_then(|()| fs::rename(&unfinished, path));
    if written.is_err() {
        // A half-written file is of no use, if it exists at all.
        let _ = fs::remove_file(&unfinished);
    }
    written
}
