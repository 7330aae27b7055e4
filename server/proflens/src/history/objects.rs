//! The objects of a repository, wherever they lie: in packs, in files of their own, and in the object folders of other
//! repositories (alternates).

use std::collections::{BTreeSet, HashSet};
use std::io::{self, BufRead, BufReader, Read};
use std::time::{Instant, SystemTime};

use flate2::Decompress;

use super::confined::{ConfinedFolder, ONE_LINE};
use super::inflate::InflateReader;
use super::object::{Found, MAX_OBJECT_BYTES, Object, ObjectKind, check_deadline, invalid};
use super::pack::Pack;
use super::refs::Id;
use super::repository::Repository;

/// At most this many packs stay open: the number of open files of a process is limited.
pub(super) const MAX_OPEN_PACKS: usize = 16;
/// No real repository has more packs.
const MAX_PACKS: usize = 10_000;
/// No real repository has more folders of objects, with its alternates.
const MAX_STORES: usize = 32;

/// All folders of objects. Damaged objects count as missing, like those that a shallow or partial clone leaves out.
pub(super) struct Objects {
    stores: Vec<Store>,
    decompressor: Decompress,
    /// Why the first object that could not be read was not, as the end of a sentence.
    pub(super) problem: Option<String>,
}

/// One folder of objects.
struct Store {
    folder: ConfinedFolder,
    /// Those that were used last come first.
    packs: Vec<Pack>,
    /// The folder's modification time when the packs were listed.
    listed: Option<SystemTime>,
}

impl Objects {
    /// Finds the folders of objects, with their alternates, which may be other folders of the work tree and of the
    /// repository. Packs are not listed yet.
    pub(super) fn new(repository: &Repository) -> Self {
        let mut objects = Self { stores: Vec::new(), decompressor: Decompress::new(true), problem: None };
        match repository.common_dir.folder("objects") {
            Ok(folder) => objects.stores.extend(folder.map(Store::new)),
            Err(why) => objects.note(why),
        }
        let mut next = 0;
        while let Some(store) = objects.stores.get(next) {
            let alternates = borrowed(&store.folder, repository);
            for folder in alternates {
                match folder {
                    Ok(folder) if objects.stores.iter().any(|it| it.folder == folder) => {}
                    Ok(_) if objects.stores.len() >= MAX_STORES => {
                        objects.note(format!("it borrows from more than {MAX_STORES} folders"));
                    }
                    Ok(folder) => objects.stores.push(Store::new(folder)),
                    Err(why) => objects.note(why),
                }
            }
            next += 1;
        }
        objects
    }

    /// An object, if it exists and can be read.
    pub(super) fn get(&mut self, id: &Id, deadline: Instant) -> Option<Found> {
        let found = self.find(id, deadline);
        // Packs are created and deleted whenever git cleans up.
        if found.is_some() || !self.stores.iter_mut().any(|it| it.has_changed()) {
            return found;
        }
        self.find(id, deadline)
    }

    /// The content of an object of this kind; `None` also where it is too large.
    pub(super) fn content(&mut self, kind: ObjectKind, id: &Id, deadline: Instant) -> Option<Vec<u8>> {
        match self.get(id, deadline)? {
            Found::Object(object) if object.kind == kind => Some(object.content),
            Found::Object(_) | Found::TooLarge => None,
        }
    }

    /// The ids that begin with these digits, at least two, and have so many bytes.
    ///
    /// # Errors
    /// Why not all objects can be looked at, as the end of a sentence.
    pub(super) fn beginning_with(&mut self, digits: &str, hash: usize) -> Result<BTreeSet<Id>, String> {
        let mut ids = BTreeSet::new();
        for store in &mut self.stores {
            store.beginning_with(digits, hash, &mut ids)?;
        }
        Ok(ids)
    }

    fn find(&mut self, id: &Id, deadline: Instant) -> Option<Found> {
        let Self { stores, decompressor, problem } = self;
        for store in stores {
            let mut noted = |why: String| _ = problem.get_or_insert(why);
            match store.packed(id, deadline, decompressor, &mut noted) {
                Some(found) => return Some(found),
                None => match store.loose(id, decompressor) {
                    Ok(None) => {}
                    Ok(found) => return found,
                    Err(why) => noted(why),
                },
            }
        }
        None
    }

    fn note(&mut self, why: String) {
        self.problem.get_or_insert(why);
    }
}

impl Store {
    fn new(folder: ConfinedFolder) -> Self {
        Self { folder, packs: Vec::new(), listed: None }
    }

    fn packed(
        &mut self,
        id: &Id,
        deadline: Instant,
        decompressor: &mut Decompress,
        note: &mut dyn FnMut(String),
    ) -> Option<Found> {
        if self.listed.is_none() {
            self.list().unwrap_or_else(&mut *note);
        }
        for at in 0..self.packs.len() {
            if let Err(late) = check_deadline(deadline) {
                note(late.to_string());
                return None;
            }
            let pack = &mut self.packs[at];
            let found = pack.get(id, deadline, (&self.folder, decompressor)).unwrap_or_else(|why| {
                note(why);
                None
            });
            if found.is_some() {
                self.packs[..=at].rotate_right(1);
                self.packs.iter_mut().skip(MAX_OPEN_PACKS).for_each(Pack::close);
                return found;
            }
            if at >= MAX_OPEN_PACKS {
                self.packs[at].close();
            }
        }
        None
    }

    fn loose(&self, id: &Id, decompressor: &mut Decompress) -> Result<Option<Found>, String> {
        let hex = id.hex();
        let (folder, name) = hex.split_at(2);
        let path = format!("{folder}/{name}");
        let Some(file) = self.folder.open(&path)? else { return Ok(None) };
        let found = loose(InflateReader::new(BufReader::new(file), decompressor));
        let path = || self.folder.path().join(&path);
        found.map(Some).map_err(|error| format!("{} cannot be read ({error})", path().display()))
    }

    fn beginning_with(&mut self, digits: &str, hash: usize, ids: &mut BTreeSet<Id>) -> Result<(), String> {
        self.list()?;
        for (pack, number) in self.packs.iter_mut().zip(0..) {
            pack.beginning_with(digits, hash, &self.folder, ids)?;
            if number >= MAX_OPEN_PACKS {
                pack.close();
            }
        }
        let (folder, rest) = digits.split_at(2);
        let Some(loose) = self.folder.folder(folder)? else { return Ok(()) };
        let because = |error: io::Error| format!("{} cannot be listed ({error})", loose.path().display());
        for entry in std::fs::read_dir(loose.path()).map_err(because)? {
            let name = entry.map_err(because)?.file_name();
            let name = name.to_str().filter(|it| it.len() == 2 * hash - 2 && it.starts_with(rest));
            ids.extend(name.and_then(|it| Id::of_hex(format!("{folder}{it}").as_bytes())));
        }
        Ok(())
    }

    /// Whether packs were added or removed since they were listed; then they will be listed again.
    fn has_changed(&mut self) -> bool {
        let now = changed(&self.folder);
        let other = now.is_some() && now != self.listed;
        if other {
            self.listed = None;
        }
        other
    }

    /// Lists the packs. Known ones are kept as they are, with their open files.
    fn list(&mut self) -> Result<(), String> {
        let Some(folder) = self.folder.folder("pack")? else { return Ok(()) };
        self.listed = changed(&self.folder);
        let because = |error: io::Error| format!("{} cannot be listed ({error})", folder.path().display());
        let name = |entry: io::Result<std::fs::DirEntry>| -> io::Result<Option<String>> {
            let name = entry?.file_name();
            Ok(name.to_str().and_then(|it| it.strip_suffix(".idx")).map(|it| format!("pack/{it}")))
        };
        let entries = std::fs::read_dir(folder.path()).map_err(because)?;
        let names = entries.filter_map(|it| name(it).transpose()).take(MAX_PACKS + 1);
        let mut names: HashSet<String> = names.collect::<io::Result<_>>().map_err(because)?;
        if names.len() > MAX_PACKS {
            return Err(format!(
                "{} has more than {MAX_PACKS} packs; `git gc` makes them one",
                folder.path().display()
            ));
        }
        self.packs.retain(|it| names.remove(&it.name));
        let mut names: Vec<String> = names.into_iter().collect();
        names.sort_unstable();
        self.packs.extend(names.into_iter().map(Pack::new));
        Ok(())
    }
}

fn changed(folder: &ConfinedFolder) -> Option<SystemTime> {
    std::fs::metadata(folder.path().join("pack")).ok()?.modified().ok()
}

/// The alternates of a folder of objects: the folders, or why one is not read.
fn borrowed(objects: &ConfinedFolder, repository: &Repository) -> Vec<Result<ConfinedFolder, String>> {
    let text = match objects.read("info/alternates", 8 * ONE_LINE) {
        Ok(text) => text.unwrap_or_default(),
        Err(why) => return vec![Err(why)],
    };
    let place = objects.path().join("info/alternates");
    let folder = |line: &str| match ConfinedFolder::new(&objects.path().join(line)) {
        Some(folder) if repository.work_tree.holds(&folder) || repository.common_dir.holds(&folder) => {
            Ok(folder)
        }
        Some(folder) => Err(format!(
            "{} leads out of the folder to {}; `git repack -a -d` brings here what it needs of it",
            place.display(),
            folder.path().display()
        )),
        None => Err(format!("{} names {line}, which is not there", place.display())),
    };
    let text = String::from_utf8_lossy(&text);
    let lines = text.lines().filter(|it| !it.is_empty() && !it.starts_with('#'));
    lines.map(folder).collect()
}

fn loose<R: BufRead>(mut from: InflateReader<'_, R>) -> io::Result<Found> {
    let (mut header, mut byte) = (Vec::new(), [0]);
    while header.len() < 32 && from.read_exact(&mut byte).map(|()| byte != [0])? {
        header.push(byte[0]);
    }
    let header = str::from_utf8(&header).ok().and_then(|it| it.split_once(' '));
    let (kind, size) = header.ok_or_else(|| invalid("it begins as no object does"))?;
    let kind = match kind {
        "commit" => ObjectKind::Commit,
        "tree" => ObjectKind::Tree,
        "blob" => ObjectKind::Blob,
        "tag" => ObjectKind::Tag,
        _ => return Err(invalid("it is of no kind")),
    };
    let size: u64 = size.parse().map_err(|_| invalid("it has no size"))?;
    if size > MAX_OBJECT_BYTES {
        return Ok(Found::TooLarge);
    }
    Ok(Found::Object(Object { kind, content: from.exactly(size)? }))
}
