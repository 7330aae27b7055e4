//! A temporary folder for a test, removed after it.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

/// A temporary folder.
#[derive(Debug)]
pub struct Folder {
    path: PathBuf,
}

impl Folder {
    /// A new folder, below the system's folder for temporary files.
    ///
    /// # Panics
    /// If it cannot be made.
    pub fn new() -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("proflens-test-{}-{number}", std::process::id()));
        fs::create_dir_all(&path).expect("a temporary folder can be made");
        Self { path: dunce::canonicalize(path).expect("a folder just made exists") }
    }

    /// A new folder with a copy of everything below a folder of the repository.
    ///
    /// # Panics
    /// If it cannot be copied.
    pub fn copy_of(folder: &str) -> Self {
        let result = Self::new();
        copy(&crate::paths::root().join(folder), &result.path);
        result
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Writes a file, with the folders around it.
    ///
    /// # Panics
    /// If it cannot be written.
    pub fn write(&self, file: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path.join(file);
        fs::create_dir_all(path.parent().expect("a file lies in a folder")).expect("a folder can be made");
        fs::write(&path, content).expect("a file can be written");
        path
    }

    /// The text of a file.
    ///
    /// # Panics
    /// If it cannot be read.
    pub fn read(&self, file: &str) -> String {
        fs::read_to_string(self.path.join(file)).expect("the file is there")
    }

    /// The `file:` URL of a file.
    pub fn uri(&self, file: &str) -> String {
        crate::paths::uri(&self.path.join(file))
    }
}

impl Default for Folder {
    fn default() -> Self {
        Self::new()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        if std::env::var_os("KEEP_FOLDERS").is_some() {
            return;
        }
        // If that fails, the system will clear its temporary files some day.
        drop(fs::remove_dir_all(&self.path));
        drop(fs::remove_dir_all(state_of(&self.path)));
    }
}

/// The state folder for programs that run in a temporary folder, or below it. It is beside that folder, because what runs there
/// may look at all of it. It is removed with it.
pub fn state_of(folder: &Path) -> PathBuf {
    let is_temporary = |path: &&Path| {
        path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b"proflens-test-"))
    };
    folder.ancestors().find(is_temporary).unwrap_or(folder).with_extension("state")
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a folder can be made");
    for entry in fs::read_dir(from).expect("the folder is there") {
        let entry = entry.expect("an entry can be read");
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).expect("a file can be copied");
        }
    }
}
