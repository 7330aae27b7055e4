//! The folders of this user for what belongs to no workspace, by the platform's convention.
//!
//! ```text
//! ~/.local/state/proflens/unfinished/<workspace>/<time>-<name>/   what a recording that is under way has left so far
//! ~/.local/state/proflens-recorder/<version>/                     what Node loads; of root /var/lib/proflens/recorder/<version>/
//! ```
//! A repository cannot bring anything into them, and `git clean` removes nothing from them. The first is for this user alone:
//! what lies there is believed. The second holds no secret, and is for whoever can reach it: a child of another user must be
//! able to load what `NODE_OPTIONS` names, or its Node does not start. Hence it does not lie in the first.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use crate::own::{self, Access};
use crate::place::{PlaceError, Problem};

/// Below the folder of this user alone.
const UNFINISHED: &str = "unfinished";
/// Where root keeps what all users may read.
const OF_ROOT: &str = if cfg!(target_os = "macos") { "/Library/Application Support" } else { "/var/lib" };
const NO_PLACE: &str = "Name a folder of your own with XDG_STATE_HOME.";

/// The folder for the unfinished recordings of a workspace, made if it is missing.
pub(crate) fn unfinished_of(workspace: &Path) -> Result<PathBuf, PlaceError> {
    let workspace = fs::canonicalize(workspace).map_err(|error| {
        PlaceError::new(workspace, Problem::System(error), "Name another folder with --workspace.")
    })?;
    let key = digest([workspace.as_os_str().as_encoded_bytes()]);
    first(private_places(), &[UNFINISHED, &key], Access::Private)
}

/// The folder in which each workspace has one, made if it is missing.
pub(crate) fn unfinished() -> Result<PathBuf, PlaceError> {
    first(private_places(), &[UNFINISHED], Access::Private)
}

/// The folders that may hold the recorder of a version, the best first; each is made when it is asked for. Those that cannot be
/// used are left out.
pub(crate) fn recorder_folders(version: &str) -> impl Iterator<Item = PathBuf> {
    let for_all = is_root() && Path::new(OF_ROOT).is_dir();
    let of_root = for_all.then(|| (Path::new(OF_ROOT).join("proflens"), vec!["recorder", version]));
    let others = places("proflens-recorder").into_iter().map(move |place| (place, vec![version]));
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

fn private_places() -> Vec<PathBuf> {
    places("proflens")
}

/// Where a folder with this name belongs, and where it lies if that cannot be written: among the temporary files.
fn places(name: &str) -> Vec<PathBuf> {
    let temporary = if cfg!(unix) { format!("{name}-{}", user()) } else { name.to_owned() };
    let conventional = conventional().map(|folder| folder.join(name));
    conventional.into_iter().chain([env::temp_dir().join(temporary)]).collect()
}

/// <https://specifications.freedesktop.org/basedir-spec/latest/>, which takes no relative path; and what Apple and Microsoft say.
fn conventional() -> Option<PathBuf> {
    let absolute = |path: PathBuf| path.is_absolute().then_some(path);
    let variable = |name: &str| env::var_os(name).map(PathBuf::from).and_then(absolute);
    let below_home = |path: &str| env::home_dir().and_then(absolute).map(|home| home.join(path));
    if cfg!(windows) {
        return variable("LOCALAPPDATA");
    }
    let usual = if cfg!(target_os = "macos") { "Library/Application Support" } else { ".local/state" };
    variable("XDG_STATE_HOME").or_else(|| below_home(usual))
}

/// The first place in which the folders can be made. One that is not ours ends the search: somebody put it there.
fn first(places: Vec<PathBuf>, below: &[&str], access: Access) -> Result<PathBuf, PlaceError> {
    let mut refused = None;
    for place in places {
        match chain(&place, below, access) {
            Err(error) if error.is_refusal() => refused = refused.or(Some(error.with_advice(NO_PLACE))),
            decided => return decided,
        }
    }
    Err(refused.unwrap_or_else(|| PlaceError::new(Path::new("A home"), Problem::NoFolder, NO_PLACE)))
}

/// Makes folders in one another, each with the same access, and gives the last.
fn chain(place: &Path, below: &[&str], access: Access) -> Result<PathBuf, PlaceError> {
    let base = place.parent().unwrap_or(place);
    own::make_base(base)?;
    let base =
        fs::canonicalize(base).map_err(|error| PlaceError::new(base, Problem::System(error), NO_PLACE))?;
    let mut folder = base.join(place.file_name().unwrap_or_default());
    own::make(&folder, access)?;
    for name in below {
        folder.push(name);
        own::make(&folder, access)?;
    }
    own::try_to_write(&folder).map_err(|error| PlaceError::new(&folder, Problem::System(error), NO_PLACE))?;
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
