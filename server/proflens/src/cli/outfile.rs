//! Writes a file that a command was asked for, completely or not at all.

use std::fs::{self, File, Metadata};
use std::io::{self, BufWriter, ErrorKind, Write};
use std::path::{Path, PathBuf};

/// Who has chosen the name of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NamedBy {
    /// The user, who may want `/dev/stdout` or a named pipe: anything but a regular file is written to directly.
    User,
    /// We did: if something already has this name, the user did not mean it.
    Us,
}

/// Writes a file under another name first and then renames it: what was there before stays until the new file is complete and on
/// the disk. A link to a file is replaced and not followed, because the folder may belong to somebody else.
///
/// Errors of the system, including those that it reports late, such as a full disk. Nothing half-written is left behind.
pub(super) fn write_file(
    out: &Path,
    named_by: NamedBy,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    let about = match named_by {
        NamedBy::User => fs::metadata(out).ok(),
        NamedBy::Us => fs::metadata(out).ok().filter(Metadata::is_file),
    };
    match about {
        Some(about) if about.is_dir() => Err(io::Error::from(ErrorKind::IsADirectory)),
        Some(about) if !about.is_file() => {
            write_into(File::options().write(true).open(out)?, write).map(drop)
        }
        about => {
            let (file, unfinished) = create_beside(out)?;
            let written =
                write_whole(file, about.as_ref(), write).and_then(|()| fs::rename(&unfinished, out));
            if written.is_err() {
                // The failure is reported; a second message about remains would help nobody.
                let _ = fs::remove_file(&unfinished);
            }
            written
        }
    }
}

/// A new file in the folder of another one, with a name that is free.
fn create_beside(out: &Path) -> io::Result<(File, PathBuf)> {
    // There may be leftovers of programs that were killed.
    const ATTEMPTS: u32 = 100;
    let mut attempt = 0;
    loop {
        let path = out.with_file_name(format!(".proflens-{}-{attempt}", std::process::id()));
        match File::create_new(&path) {
            Err(error) if error.kind() == ErrorKind::AlreadyExists && attempt < ATTEMPTS => attempt += 1,
            created => return created.map(|file| (file, path)),
        }
    }
}

/// Writes everything, with the permissions of the file that is replaced.
fn write_whole(
    file: File,
    replaced: Option<&Metadata>,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    if let Some(replaced) = replaced {
        file.set_permissions(replaced.permissions())?;
    }
    // Some file systems only report here that the disk is full.
    write_into(file, write)?.sync_all()
}

fn write_into(file: File, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<File> {
    let mut file = BufWriter::new(file);
    write(&mut file)?;
    file.into_inner().map_err(io::IntoInnerError::into_error)
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    fn folder(name: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("proflens-outfile-{name}-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        folder
    }

    #[test]
    fn a_file_is_whole_or_as_it_was() {
        let folder = folder("whole");
        let out = folder.join("out");
        write_file(&out, NamedBy::User, |to| to.write_all(b"one")).unwrap();
        fs::set_permissions(&out, fs::Permissions::from_mode(0o600)).unwrap();
        let failed = write_file(&out, NamedBy::User, |to| {
            to.write_all(b"two")?;
            Err(io::Error::from(ErrorKind::StorageFull))
        });
        assert_eq!(failed.unwrap_err().kind(), ErrorKind::StorageFull);
        assert_eq!(fs::read(&out).unwrap(), b"one");
        write_file(&out, NamedBy::User, |to| to.write_all(b"three")).unwrap();
        assert_eq!(fs::read(&out).unwrap(), b"three");
        assert_eq!(fs::metadata(&out).unwrap().permissions().mode() & 0o777, 0o600);
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 1, "nothing else is left");
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn links_and_pipes_are_replaced() {
        let folder = folder("links");
        let (elsewhere, out) = (folder.join("elsewhere"), folder.join("out"));
        fs::write(&elsewhere, "mine").unwrap();
        symlink(&elsewhere, &out).unwrap();
        write_file(&out, NamedBy::User, |to| to.write_all(b"theirs")).unwrap();
        assert_eq!(
            (fs::read(&elsewhere).unwrap(), fs::read(&out).unwrap()),
            (b"mine".into(), b"theirs".into())
        );
        let pipe = folder.join("pipe");
        assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        write_file(&pipe, NamedBy::Us, |to| to.write_all(b"ours")).unwrap();
        assert_eq!(fs::read(&pipe).unwrap(), b"ours");
        assert_eq!(
            write_file(&folder, NamedBy::User, |_| Ok(())).unwrap_err().kind(),
            ErrorKind::IsADirectory
        );
        fs::remove_dir_all(folder).unwrap();
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_device_that_the_user_names_is_written_to() {
        let folder = folder("devices");
        let full = folder.join("full");
        symlink("/dev/full", &full).unwrap();
        let failed = write_file(&full, NamedBy::User, |to| to.write_all(b"lost"));
        assert_eq!(failed.unwrap_err().kind(), ErrorKind::StorageFull);
        assert!(fs::symlink_metadata(&full).unwrap().is_symlink());
        write_file(&full, NamedBy::Us, |to| to.write_all(b"ours")).unwrap();
        assert_eq!(fs::read(&full).unwrap(), b"ours");
        fs::remove_dir_all(folder).unwrap();
    }
}
