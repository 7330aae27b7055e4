//! The texts of a release that the lake keeps, so that functions can be placed wherever a shard is ingested: scripts, source maps
//! and sources, by content, and the paths of all files.
//!
//! The folders have names of their own, `/workspace` and `/maps-1`: nothing tells where they were on the build machine.

use std::collections::BTreeMap;
use std::io::{ErrorKind, Read, Write};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use analysis::files::{FilePath, Files};
use analysis::locate::{LocateSettings, PathMapping};
use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use fleet::ids::{self, Id};
use profile::problem::Problem;
use serde::{Deserialize, Serialize};

use crate::lake::{self, Lake};

/// The folder of the workspace.
pub(crate) const WORKSPACE: &str = "/workspace";

/// How many bytes the list of the files of a release may have, and a packed text.
const MAX_MANIFEST: u64 = 256 << 20;
const MAX_TEXT: u64 = 1 << 30;
/// How large a text may be, in bytes, and how much more for each byte of its file: scripts and maps never reach that.
const TEXT_ALWAYS: u64 = 64 << 20;
const TEXT_TIMES: u64 = 64;

/// Which texts belong to a release, as in `releases/<release>.json`.
#[derive(Debug, Default, Serialize, Deserialize, PartialEq, Eq)]
pub(crate) struct Manifest {
    /// `/workspace`, and one for each folder of maps outside it.
    pub(crate) folders: Vec<String>,
    /// All files of the folders.
    pub(crate) files: Vec<String>,
    /// The hashes of the texts that are kept, by file.
    pub(crate) texts: BTreeMap<String, Id>,
    /// Where the scripts of addresses are: pairs of an address and a folder.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) mappings: Vec<(String, String)>,
}

/// A release whose texts the lake has.
pub(crate) struct Release {
    lake: Lake,
    manifest: Manifest,
    folders: Vec<FilePath>,
    list: Arc<[FilePath]>,
    read: Mutex<BTreeMap<FilePath, Arc<[u8]>>>,
}

impl Release {
    /// Reads what the lake has of a release; `None` if it has nothing.
    ///
    /// # Errors
    /// If it is damaged.
    pub(crate) fn open(lake: &Lake, release: &str) -> Result<Option<Self>, Problem> {
        let path = manifest_path(lake, release);
        let again = format!("run proflens-fleet symbolicate --release {release} again");
        let bytes = match lake::read(&path, MAX_MANIFEST) {
            Ok(bytes) => bytes,
            Err(why) if why.kind() == ErrorKind::NotFound => return Ok(None),
            Err(why) => return Err(Problem::new(format!("{} cannot be read: {why}", path.display()), again)),
        };
        match serde_json::from_slice(&bytes) {
            Ok(manifest) => Ok(Some(Self::of(lake, manifest))),
            Err(why) => Err(Problem::new(format!("{} is damaged: {why}", path.display()), again)),
        }
    }

    fn of(lake: &Lake, manifest: Manifest) -> Self {
        Self {
            lake: lake.clone(),
            folders: manifest.folders.iter().map(|path| FilePath::new(path)).collect(),
            list: manifest.files.iter().map(|path| FilePath::new(path)).collect(),
            manifest,
            read: Mutex::default(),
        }
    }

    /// Keeps the texts of a release.
    ///
    /// # Errors
    /// If they cannot be written.
    pub(crate) fn store(
        lake: &Lake,
        release: &str,
        mut manifest: Manifest,
        texts: &BTreeMap<String, Arc<[u8]>>,
    ) -> Result<(), Problem> {
        for (file, text) in texts {
            let hash = ids::of_bytes(text);
            let path = text_path(lake, hash);
            if !path.exists() {
                let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
                let packed = encoder
                    .write_all(text)
                    .and_then(|()| encoder.finish())
                    .map_err(|why| Problem::new(format!("{file} cannot be packed: {why}"), ""))?;
                lake.put(&path, &packed)?;
            }
            manifest.texts.insert(file.clone(), hash);
        }
        let json = serde_json::to_vec(&manifest)
            .map_err(|why| Problem::new(format!("The texts of {release} cannot be listed: {why}"), ""))?;
        lake.put(&manifest_path(lake, release), &json)
    }

    /// How files are found in it.
    pub(crate) fn locate_settings(&self) -> LocateSettings {
        let pairs = self.manifest.mappings.iter();
        let mappings = pairs.map(|(from, to)| PathMapping { from: from.clone(), to: to.clone() }).collect();
        LocateSettings { mappings, ..LocateSettings::default() }
    }

    /// The hash of a file's text, or [`ids::NONE`].
    pub(crate) fn hash(&self, file: &FilePath) -> Id {
        self.manifest.texts.get(file.as_str()).copied().unwrap_or(ids::NONE)
    }

    /// A file's name in tables: below the workspace, or below the folder of maps.
    pub(crate) fn name<'a>(&self, file: &'a FilePath) -> &'a str {
        self.folders.iter().find_map(|folder| file.relative_to(folder)).unwrap_or(file.as_str())
    }
}

impl Files for Release {
    fn folders(&self) -> &[FilePath] {
        &self.folders
    }

    fn list(&self) -> Arc<[FilePath]> {
        Arc::clone(&self.list)
    }

    fn read(&self, file: &FilePath) -> Option<Arc<[u8]>> {
        let hash = *self.manifest.texts.get(file.as_str())?;
        let mut read = self.read.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(text) = read.get(file) {
            return Some(Arc::clone(text));
        }
        let text: Arc<[u8]> = text(&self.lake, hash)?.into();
        read.insert(file.clone(), Arc::clone(&text));
        Some(text)
    }

    fn resolve(&self, file: &FilePath) -> Option<FilePath> {
        self.list.binary_search(file).is_ok().then(|| file.clone())
    }
}

/// A text by its hash, if it is there, has that hash, and is no larger than a file of its size may be.
pub(crate) fn text(lake: &Lake, hash: Id) -> Option<Vec<u8>> {
    let packed = lake::read(&text_path(lake, hash), MAX_TEXT).ok()?;
    let max = TEXT_ALWAYS + TEXT_TIMES * packed.len() as u64;
    let mut text = Vec::new();
    GzDecoder::new(&packed[..]).take(max + 1).read_to_end(&mut text).ok()?;
    (text.len() as u64 <= max && ids::of_bytes(&text) == hash).then_some(text)
}

fn manifest_path(lake: &Lake, release: &str) -> PathBuf {
    lake.root().join("releases").join(format!("{release}.json"))
}

fn text_path(lake: &Lake, hash: Id) -> PathBuf {
    let name = format!("{hash:016x}");
    lake.root().join("texts").join(&name[..2]).join(format!("{name}.gz"))
}
