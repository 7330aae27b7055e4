//! Folders and files of our own: made without following a link, and used only if nobody else can change them.
//!
//! A repository may bring links, and in a folder for temporary files anybody may have been there first.

use std::fs::{self, File, OpenOptions};
use std::hash::{BuildHasher, Hasher, RandomState};
use std::io::{self, ErrorKind};
use std::path::Path;

use crate::place::{Fault, PlaceError};

/// Who may look into a folder of ours. Nobody else may ever change it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Access {
    /// This user alone.
    Private,
    /// Anybody who can reach it.
    Readable,
}

const PRIVATE_ADVICE: &str =
    "remove it, make it yours alone (chmod 700), or name another folder with XDG_STATE_HOME";

impl Access {
    #[cfg(unix)]
    fn mode(self) -> u32 {
        match self {
            Self::Private => 0o700,
            Self::Readable => 0o755,
        }
    }

    /// What must not be allowed.
    #[cfg(unix)]
    fn forbidden(self) -> u32 {
        match self {
            Self::Private => 0o077,
            Self::Readable => 0o022,
        }
    }
}

/// Makes a folder below another one, unless it is there; then it must be one that this user made with this access.
pub(crate) fn make(folder: &Path, access: Access) -> Result<(), PlaceError> {
    match create(folder, access) {
        Err(error) if error.kind() != ErrorKind::AlreadyExists => {
            Err(PlaceError::unwritable(folder, error, PRIVATE_ADVICE))
        }
        _ => check(folder, access),
    }
}

/// Whether a folder is one of ours.
pub(crate) fn check(folder: &Path, access: Access) -> Result<(), PlaceError> {
    match fault_of(folder, access) {
        Some(fault) => Err(PlaceError::new(folder, fault, PRIVATE_ADVICE)),
        None => Ok(()),
    }
}

fn fault_of(folder: &Path, access: Access) -> Option<Fault> {
    match fs::symlink_metadata(folder) {
        Ok(about) if about.is_symlink() => Some(Fault::Link),
        Ok(about) if !about.is_dir() => Some(Fault::NoFolder),
        Ok(about) => fault_of_rights(&about, access),
        Err(error) => Some(Fault::System(error)),
    }
}

#[cfg(unix)]
fn create(folder: &Path, access: Access) -> io::Result<()> {
    use std::os::unix::fs::DirBuilderExt;
    fs::DirBuilder::new().mode(access.mode()).create(folder)?;
    // The umask may have removed more permissions than that.
    allow_folder(folder, access)
}

/// Gives those who may look into a folder of ours access to it.
#[cfg(unix)]
pub(crate) fn allow_folder(folder: &Path, access: Access) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    fs::set_permissions(folder, fs::Permissions::from_mode(access.mode()))
}

#[cfg(not(unix))]
pub(crate) fn allow_folder(_: &Path, _: Access) -> io::Result<()> {
    Ok(())
}

/// On Windows, what is below a user's own folder belongs to that user.
#[cfg(not(unix))]
fn create(folder: &Path, _: Access) -> io::Result<()> {
    fs::create_dir(folder)
}

#[cfg(unix)]
fn fault_of_rights(about: &fs::Metadata, access: Access) -> Option<Fault> {
    use std::os::unix::fs::MetadataExt;
    if about.uid() != user() {
        return Some(Fault::Foreign);
    }
    (about.mode() & access.forbidden() != 0).then_some(Fault::Open)
}

#[cfg(not(unix))]
fn fault_of_rights(_: &fs::Metadata, _: Access) -> Option<Fault> {
    None
}

/// The number of the user who runs this process.
#[cfg(unix)]
pub(crate) fn user() -> u32 {
    rustix::process::geteuid().as_raw()
}

/// Makes the folder that is to hold a folder of ours, with mode 0700 as the XDG specification asks. If it is already there, it
/// must be a place where only this user or root can put something, or one like /tmp, where nobody can replace what belongs to
/// others.
pub(crate) fn make_base(base: &Path) -> Result<(), PlaceError> {
    let missing: Vec<&Path> = base.ancestors().take_while(|path| !path.exists()).collect();
    let there = missing.last().map_or(Some(base), |path| path.parent()).unwrap_or(base);
    let about = fs::metadata(there).map_err(|error| PlaceError::unwritable(there, error, ""))?;
    if !is_safe_base(&about) {
        // As with `sudo -E`, which leaves root the HOME of another user. Another place will do.
        return Err(PlaceError::unwritable(there, ErrorKind::PermissionDenied.into(), ""));
    }
    for folder in missing.into_iter().rev() {
        make(folder, Access::Private)?;
    }
    Ok(())
}

#[cfg(unix)]
fn is_safe_base(about: &fs::Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    const OTHERS_MAY_WRITE: u32 = 0o002;
    const STICKY: u32 = 0o1000;
    let is_ours = about.uid() == user() || about.uid() == 0;
    is_ours && (about.mode() & OTHERS_MAY_WRITE == 0 || about.mode() & STICKY != 0)
}

#[cfg(not(unix))]
fn is_safe_base(_: &fs::Metadata) -> bool {
    true
}

/// Makes a file that nobody has made before, without following a link (POSIX: `O_CREAT` with `O_EXCL`).
pub(crate) fn create_file(path: &Path) -> io::Result<File> {
    OpenOptions::new().write(true).create_new(true).open(path)
}

/// A hidden name that nobody can have guessed. It is short, because the file's own name may already have the maximum length.
pub(crate) fn hidden_name() -> String {
    // The keys of the hasher are random numbers of the system.
    format!(".proflens-{:016x}", RandomState::new().build_hasher().finish())
}

/// Whether a file can be made in a folder; this is tried.
pub(crate) fn try_to_write(folder: &Path) -> io::Result<()> {
    let probe = folder.join(hidden_name());
    create_file(&probe)?;
    fs::remove_file(probe)
}

/// Gives those who may look into its folder access to a file of ours.
#[cfg(unix)]
pub(crate) fn allow(file: &Path, access: Access) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    const EXECUTE: u32 = 0o111;
    fs::set_permissions(file, fs::Permissions::from_mode(access.mode() & !EXECUTE))
}

#[cfg(not(unix))]
pub(crate) fn allow(_: &Path, _: Access) -> io::Result<()> {
    Ok(())
}

/// Whether a file is one that this user wrote and nobody else can change.
pub(crate) fn is_own_file(file: &Path) -> bool {
    fs::symlink_metadata(file)
        .is_ok_and(|about| about.is_file() && fault_of_rights(&about, Access::Readable).is_none())
}
