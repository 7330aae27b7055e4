//! The objects of a repository, wherever they are: in packs, in files of their own, and in the object folders of other
//! repositories (alternates).

use std::collections::{BTreeSet, HashSet};
use std::fs::{self, File};
use std::io::{self, BufReader};
use std::path::Path;
use std::time::{Instant, SystemTime};

use flate2::bufread::ZlibDecoder;
use profile::problem::Problem;

use super::confined::{ConfinedFolder, ONE_LINE, about, unreadable};
use super::numbers;
use super::object::{
    Limits, MAX_TEXT_BYTES, Object, ObjectKind, check_deadline, invalid, read_exactly, without_place,
};
use super::pack::Pack;
use super::refs::{Abbreviation, Id};
use super::repository::Repository;

/// How many packs stay open: the number of open files of a process is limited.
pub(super) const MAX_OPEN_PACKS: usize = 16;
/// No real repository has more packs.
const MAX_PACKS: usize = 10_000;
/// No real repository has more folders of objects, with its alternates.
const MAX_STORES: usize = 32;

/// All folders of objects. Damaged objects count as missing, like those that a shallow or partial clone leaves out.
pub(super) struct Objects {
    stores: Vec<Store>,
    /// The deadline for the answer to the current question.
    pub(super) deadline: Instant,
    /// How large an object may be.
    pub(super) most_bytes: u64,
    /// Why the first unreadable object could not be read.
    pub(super) problem: Option<Problem>,
}

/// One folder of objects.
struct Store {
    folder: ConfinedFolder,
    /// The most recently used come first.
    packs: Vec<Pack>,
    /// The folder's modification time when the packs were listed.
    listed: Option<SystemTime>,
}

impl Objects {
    /// Finds the folders of objects, with their alternates, which may be other folders of the work tree and of the
    /// repository. Packs are not listed yet.
    pub(super) fn new(repository: &Repository, deadline: Instant) -> Self {
        let mut objects = Self { stores: Vec::new(), deadline, most_bytes: MAX_TEXT_BYTES, problem: None };
        match repository.common_dir.folder("objects") {
            Ok(folder) => objects.stores.extend(folder.map(Store::new)),
            Err(why) => objects.note(why),
        }
        let mut next = 0;
        while let Some(store) = objects.stores.get(next) {
            for folder in alternates(&store.folder, repository) {
                match folder {
                    Ok(folder) if objects.stores.iter().any(|store| store.folder == folder) => {}
                    Ok(_) if objects.stores.len() >= MAX_STORES => {
                        let what = format!("it borrows from more than {MAX_STORES} folders");
                        objects.note(Problem::new(what, ""));
                    }
                    Ok(folder) => objects.stores.push(Store::new(folder)),
                    Err(why) => objects.note(why),
                }
            }
            next += 1;
        }
        objects
    }

    /// An object, if it exists, can be read and is not larger than [`Objects::most_bytes`].
    pub(super) fn get(&mut self, id: &Id) -> Option<Object> {
        let found = self.find(id);
        // Packs are created and deleted whenever git cleans up.
        if found.is_some() || !self.stores.iter_mut().any(Store::has_changed) {
            return found;
        }
        self.find(id)
    }

    /// The content of an object of this kind; `None` also where it is too large.
    pub(super) fn content(&mut self, kind: ObjectKind, id: &Id) -> Option<Vec<u8>> {
        self.get(id).filter(|object| object.kind == kind).map(|object| object.content)
    }

    /// The ids that begin with these digits.
    ///
    /// # Errors
    /// If not all objects can be looked at.
    pub(super) fn beginning_with(&mut self, start: &Abbreviation) -> Result<BTreeSet<Id>, Problem> {
        let mut ids = BTreeSet::new();
        for store in &mut self.stores {
            store.add_beginning_with(start, &mut ids, self.deadline)?;
        }
        Ok(ids)
    }

    /// Checks that the time is not over.
    ///
    /// # Errors
    /// If it is.
    pub(super) fn check_deadline(&self) -> io::Result<()> {
        check_deadline(self.deadline)
    }

    fn find(&mut self, id: &Id) -> Option<Object> {
        for number in 0..self.stores.len() {
            if let Err(late) = self.check_deadline() {
                self.note(without_place(&late));
                return None;
            }
            let limits = Limits { deadline: self.deadline, bytes: self.most_bytes };
            let packed = self.stores[number].packed(id, limits, &mut self.problem);
            match packed.map_or_else(|| self.stores[number].loose(id, limits), |found| Ok(Some(found))) {
                Ok(None) => {}
                Ok(found) => return found,
                Err(why) => self.note(why),
            }
        }
        None
    }

    fn note(&mut self, why: Problem) {
        self.problem.get_or_insert(why);
    }
}

impl Store {
    fn new(folder: ConfinedFolder) -> Self {
        Self { folder, packs: Vec::new(), listed: None }
    }

    /// An object of a pack. The first pack that cannot be read is noted as the problem.
    fn packed(&mut self, id: &Id, limits: Limits, problem: &mut Option<Problem>) -> Option<Object> {
        if self.listed.is_none() {
            self.list().unwrap_or_else(|why| _ = problem.get_or_insert(why));
        }
        for at in 0..self.packs.len() {
            if let Err(late) = check_deadline(limits.deadline) {
                problem.get_or_insert(without_place(&late));
                return None;
            }
            let found = self.packs[at].get(id, limits).unwrap_or_else(|why| {
                problem.get_or_insert(why);
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

    fn loose(&self, id: &Id, limits: Limits) -> Result<Option<Object>, Problem> {
        let hex = id.hex();
        let (folder, name) = hex.split_at(2);
        let path = format!("{folder}/{name}");
        let Some(file) = self.folder.open(&path)? else { return Ok(None) };
        loose(file, limits.bytes).map_err(|error| unreadable(&self.folder.path().join(path), &error))
    }

    fn add_beginning_with(
        &mut self,
        start: &Abbreviation,
        ids: &mut BTreeSet<Id>,
        deadline: Instant,
    ) -> Result<(), Problem> {
        self.list()?;
        for (number, pack) in self.packs.iter_mut().enumerate() {
            pack.add_beginning_with(start, ids, deadline)?;
            if number >= MAX_OPEN_PACKS {
                pack.close();
            }
        }
        let first = format!("{:02x}", start.first_byte);
        let Some(loose) = self.folder.folder(&first)? else { return Ok(()) };
        for name in names(&loose)? {
            let id = Id::of_hex(format!("{first}{}", name?).as_bytes());
            ids.extend(id.filter(|id| start.is_of(id)));
        }
        Ok(())
    }

    /// Whether packs were added or removed since they were listed; then they will be listed again.
    fn has_changed(&mut self) -> bool {
        let now = self.changed();
        let other = now.is_some() && now != self.listed;
        if other {
            self.listed = None;
        }
        other
    }

    fn changed(&self) -> Option<SystemTime> {
        fs::metadata(self.folder.path().join("pack")).ok()?.modified().ok()
    }

    /// Lists the packs. Known ones are kept as they are, with their open files.
    fn list(&mut self) -> Result<(), Problem> {
        let Some(folder) = self.folder.folder("pack")? else { return Ok(()) };
        self.listed = self.changed();
        let mut packs = HashSet::new();
        for name in names(&folder)? {
            packs.extend(name?.strip_suffix(".idx").map(|pack| format!("pack/{pack}")));
            if packs.len() > MAX_PACKS {
                let many = about(folder.path(), format!("has more than {MAX_PACKS} packs"));
                return Err(many.with_hint("`git gc` makes them one"));
            }
        }
        self.packs.retain(|pack| packs.remove(&pack.name));
        let mut packs: Vec<String> = packs.into_iter().collect();
        packs.sort_unstable();
        self.packs.extend(packs.into_iter().map(|pack| Pack::new(self.folder.clone(), pack)));
        Ok(())
    }
}

/// The names in a folder that are valid text, as git's are.
fn names(folder: &ConfinedFolder) -> Result<impl Iterator<Item = Result<String, Problem>> + '_, Problem> {
    let path = folder.path();
    let entries = fs::read_dir(path).map_err(|error| unlisted(path, &error))?;
    Ok(entries.filter_map(move |entry| match entry {
        Ok(entry) => entry.file_name().into_string().ok().map(Ok),
        Err(error) => Some(Err(unlisted(path, &error))),
    }))
}

fn unlisted(folder: &Path, error: &io::Error) -> Problem {
    about(folder, format!("cannot be listed ({error})"))
}

/// The alternates of a folder of objects: the folders, or why one is not read.
fn alternates(objects: &ConfinedFolder, repository: &Repository) -> Vec<Result<ConfinedFolder, Problem>> {
    let text = match objects.read("info/alternates", 8 * ONE_LINE) {
        Ok(text) => text.unwrap_or_default(),
        Err(why) => return vec![Err(why)],
    };
    let text = String::from_utf8_lossy(&text);
    let lines = text.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines.map(|line| alternate(line, objects, repository)).collect()
}

/// The folder that a line of the alternates names, if it may be read.
fn alternate(
    line: &str,
    objects: &ConfinedFolder,
    repository: &Repository,
) -> Result<ConfinedFolder, Problem> {
    let list = objects.path().join("info/alternates");
    let folder = ConfinedFolder::new(&objects.path().join(line))
        .ok_or_else(|| about(&list, format!("names {line}, which is not there")))?;
    if repository.work_tree.holds(&folder) || repository.common_dir.holds(&folder) {
        return Ok(folder);
    }
    let leads = about(&list, format!("leads out of the folder to {}", folder.path().display()));
    Err(leads.with_hint("`git repack -a -d` brings here what it needs of it"))
}

/// An object in a file of its own: its kind and its size as text, a zero byte, and its content. `None` if it is too large.
fn loose(file: File, most_bytes: u64) -> io::Result<Option<Object>> {
    let mut from = ZlibDecoder::new(BufReader::new(file));
    let mut header = Vec::new();
    while header.len() < 32 {
        match numbers::byte(&mut from)? {
            0 => break,
            byte => header.push(byte),
        }
    }
    let header = str::from_utf8(&header).ok().and_then(|header| header.split_once(' '));
    let (kind, size) = header.ok_or_else(|| invalid("it begins as no object does"))?;
    let kind = match kind {
        "commit" => ObjectKind::Commit,
        "tree" => ObjectKind::Tree,
        "blob" => ObjectKind::Blob,
        "tag" => ObjectKind::Tag,
        _ => return Err(invalid("it is of no kind")),
    };
    let size: u64 = size.parse().map_err(|_| invalid("it has no size"))?;
    if size > most_bytes {
        return Ok(None);
    }
    Ok(Some(Object { kind, content: read_exactly(from, size)? }))
}
