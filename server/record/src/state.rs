//! The folders of this user for what does not belong to a workspace, by the platform's convention.
//!
//! ```text
//! ~/.local/state/proflens/unfinished/<workspace>/<time>-<name>/   what a recording that is under way has left so far
//! ~/.local/state/proflens/base/<time>/                            the files of another commit, while it is recorded
//! ~/.local/state/proflens-recorder/<version>/                     what Node loads; of root /var/lib/proflens/recorder/<version>/
//! ```
//! A repository cannot put anything into them, and `git clean` removes nothing from them. The first two are for this user alone:
//! their content is trusted. The last holds no secret, and is for whoever can reach it: a child process of another user must
//! be able to load what `NODE_OPTIONS` names, or its Node does not start. That is why it is not beside the others.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use crate::own::{self, Access};
use crate::place::PlaceError;

/// Below the folder of this user alone.
const UNFINISHED: &str = "unfinished";
const BASE: &str = "base";
/// Where root keeps what all users may read.
const OF_ROOT: &str = if cfg!(target_os = "macos") { "/Library/Application Support" } else { "/var/lib" };
const NO_PLACE: &str = "name a folder of your own with XDG_STATE_HOME";

/// The folder for the unfinished recordings of a workspace, made if it is missing.
pub(crate) fn unfinished_of(workspace: &Path) -> Result<PathBuf, PlaceError> {
    let workspace = fs::canonicalize(workspace)
        .map_err(|error| PlaceError::unwritable(workspace, error, "name another folder with --workspace"))?;
    let key = digest([workspace.as_os_str().as_encoded_bytes()]);
    private(&[UNFINISHED, &key])
}

/// The folder in which each workspace has one, made if it is missing.
pub(crate) fn unfinished() -> Result<PathBuf, PlaceError> {
    private(&[UNFINISHED])
}

/// The folder for the files of other commits, made if it is missing.
pub(crate) fn bases() -> Result<PathBuf, PlaceError> {
    private(&[BASE])
}

/// The folders that may hold the recorder of a version, the best first; each is made when it is asked for. Those that cannot be
/// used are left out.
pub(crate) fn recorder_folders(version: &str) -> impl Iterator<Item = PathBuf> {
    let for_all = is_root() && Path::new(OF_ROOT).is_dir();
    let of_root = for_all.then(|| (Path::new(OF_ROOT).join("proflens"), vec!["recorder", version]));
    let places = [usual("proflens-recorder"), Some(temporary("proflens-recorder"))];
    let others = places.into_iter().flatten().map(move |place| (place, vec![version]));
    of_root
        .into_iter()
        .chain(others)
        .filter_map(|(place, below)| chain(&place, &below, Access::Readable).ok())
}

/// 32 digits that name a text.
pub(crate) fn digest<'a>(texts: impl IntoIterator<Item = &'a [u8]>) -> String {
    let mut hash = Sha256::new();
    for text in texts {
        hash.update(text.len().to_le_bytes());
        hash.update(text);
    }
    hash.finalize().iter().take(16).map(|byte| format!("{byte:02x}")).collect()
}

/// Where a folder with this name belongs.
fn usual(name: &str) -> Option<PathBuf> {
    // Node gets the path in an environment variable.
    conventional().map(|folder| folder.join(name)).filter(|path| path.to_str().is_some())
}

/// Where it is if nothing can be written there: among the temporary files.
fn temporary(name: &str) -> PathBuf {
    env::temp_dir().join(if cfg!(unix) { format!("{name}-{}", user()) } else { name.to_owned() })
}

/// <https://specifications.freedesktop.org/basedir-spec/latest/>, which takes no relative path; and what Apple and Microsoft say.
fn conventional() -> Option<PathBuf> {
    if cfg!(windows) {
        return absolute_variable("LOCALAPPDATA");
    }
    let usual = if cfg!(target_os = "macos") { "Library/Application Support" } else { ".local/state" };
    let home = env::home_dir().filter(|home| home.is_absolute());
    absolute_variable("XDG_STATE_HOME").or_else(|| Some(home?.join(usual)))
}

/// The path that a variable of the environment has, if it is absolute.
fn absolute_variable(name: &str) -> Option<PathBuf> {
    env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute())
}

/// Makes the folders of this user alone, in the first place where the system allows it. A folder there that is not ours ends the
/// search, because somebody else put it there.
fn private(below: &[&str]) -> Result<PathBuf, PlaceError> {
    const NAME: &str = "proflens";
    match usual(NAME).map(|place| chain(&place, below, Access::Private)) {
        Some(Err(error)) if error.is_refusal() => {}
        Some(decided) => return decided,
        None => {}
    }
    chain(&temporary(NAME), below, Access::Private)
}

/// Makes nested folders, each with the same access, and returns the innermost.
fn chain(place: &Path, below: &[&str], access: Access) -> Result<PathBuf, PlaceError> {
    let base = place.parent().unwrap_or(place);
    own::make_base(base).map_err(|error| error.with_advice(NO_PLACE))?;
    let base = dunce::canonicalize(base).map_err(|error| PlaceError::unwritable(base, error, NO_PLACE))?;
    let mut folder = base.join(place.file_name().unwrap_or_default());
    own::make(&folder, access)?;
    for name in below {
        folder.push(name);
        own::make(&folder, access)?;
    }
    own::try_to_write(&folder).map_err(|error| PlaceError::unwritable(&folder, error, NO_PLACE))?;
    Ok(folder)
}

#[cfg(unix)]
fn user() -> u32 {
    own::user()
}

#[cfg(not(unix))]
fn user() -> u32 {
    0
}

fn is_root() -> bool {
    cfg!(unix) && user() == 0
}
