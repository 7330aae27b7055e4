//! Path mappings: prefixes of urls and paths for which the user or a debug configuration named the folder.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

use rustc_hash::{FxHashMap, FxHashSet};
use serde::{Deserialize, Serialize};

use super::address::{self, Resource};
use crate::files::{FilePath, Files, below, has_drive};

/// A prefix of resources and the folder that it stands for.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct PathMapping {
    /// `http://localhost:3000/`, `/app/` (on a disk or on any server), `webpack://app/`. It matches up to a `/` of the url.
    pub from: String,
    /// An absolute path: a folder, or a file if `from` is a whole url.
    pub to: String,
}

/// Path mappings without duplicates, longest prefix first. Those that fit a resource are looked up by their text, so
/// there may be thousands.
#[derive(Clone, Debug, Default)]
pub struct Mappings {
    all: Vec<PathMapping>,
    /// Mappings whose prefix is an address on a disk or a server.
    addresses: PrefixIndex,
    /// Mappings of all other prefixes, such as `webpack://app/`.
    texts: PrefixIndex,
    /// How far each mapping has led so far. Copies share it.
    led: Arc<[AtomicU8]>,
}

/// A mapping has led nowhere yet: no name fits it.
const NOWHERE: u8 = 0;
/// A name fits it, and it has no such file.
const TO_NO_FILE: u8 = 1;
/// It led to a file, or a longer one that fits the same name did.
const TO_A_FILE: u8 = 2;

/// The indices of the mappings of each prefix.
#[derive(Clone, Debug, Default)]
struct PrefixIndex {
    numbers: FxHashMap<String, Vec<usize>>,
    /// The lengths of all prefixes. A resource has a possible prefix for each slash, and most of these have a length that
    /// no known prefix has, so they need not be hashed.
    lengths: FxHashSet<usize>,
}

impl PrefixIndex {
    fn add(&mut self, prefix: String, number: usize) {
        self.lengths.insert(prefix.len());
        self.numbers.entry(prefix).or_default().push(number);
    }

    fn get(&self, prefix: &str) -> &[usize] {
        let numbers = self.lengths.contains(&prefix.len()).then(|| self.numbers.get(prefix));
        numbers.flatten().map_or(&[], Vec::as_slice)
    }
}

/// What the mappings say about a resource.
pub(crate) enum Mapped {
    /// The file, and the index of the mapping that gave it.
    File(FilePath, usize),
    /// The mapping with this index fits, but has no such file.
    Missing(usize),
    /// No mapping fits.
    Unmapped,
}

impl Mappings {
    /// All mappings, longest prefix first; those of one length in the order in which they were given.
    pub fn iter(&self) -> impl Iterator<Item = &PathMapping> {
        self.all.iter()
    }

    /// The mappings that have led to no file so far, and whether any name fits them.
    pub fn without_file(&self) -> impl Iterator<Item = (&PathMapping, bool)> {
        let led = self.led.iter().map(|led| led.load(Ordering::Relaxed));
        self.all.iter().zip(led).filter(|it| it.1 != TO_A_FILE).map(|(it, led)| (it, led != NOWHERE))
    }

    /// The file by the longest fitting prefix that has one.
    pub(crate) fn find(&self, url: &str, resource: &Resource, files: &dyn Files) -> Mapped {
        let mut result = Mapped::Unmapped;
        let fitting = self.fitting(url, resource);
        for (at, &(number, rest)) in fitting.iter().enumerate() {
            let mapping = &self.all[number];
            // A file by its whole name, such as `index.js=build/`, keeps that name in the folder.
            let is_whole = rest.is_empty() && mapping.to.ends_with('/');
            let rest = if is_whole { mapping.from.rsplit('/').next().unwrap_or_default() } else { rest };
            let file = FilePath::new(&mapping.to).join(rest);
            let spelled = spelled_inside(file.as_str(), files.folders());
            if let Some(file) = spelled.and_then(|file| files.resolve(&file)) {
                fitting[at..].iter().for_each(|it| self.has_led(it.0, TO_A_FILE));
                return Mapped::File(file, number);
            }
            self.has_led(number, TO_NO_FILE);
            if matches!(result, Mapped::Unmapped) {
                result = Mapped::Missing(number);
            }
        }
        result
    }

    fn has_led(&self, number: usize, how_far: u8) {
        self.led[number].fetch_max(how_far, Ordering::Relaxed);
    }

    /// The mappings that fit a server's path: their index, and the rest of the path after their prefix.
    pub(crate) fn of_path<'p>(&self, path: &'p str) -> impl Iterator<Item = (usize, &PathMapping, &'p str)> {
        heads(path).flat_map(move |head| {
            self.addresses.get(head).iter().map(move |&it| (it, &self.all[it], &path[head.len()..]))
        })
    }

    /// The mappings that fit a resource, in order: their index, and the rest of each reading of the url after their prefix.
    fn fitting<'u>(&self, url: &'u str, resource: &'u Resource) -> Vec<(usize, &'u str)> {
        let mut fitting = Vec::new();
        let addresses = if let Resource::Absolute(addresses) = resource { &addresses[..] } else { &[] };
        for (reading, address) in addresses.iter().enumerate() {
            // A prefix without a host, `/static`, also fits paths of any server.
            for text in [&address.text, address.path()] {
                let numbers =
                    |head: &'u str| self.addresses.get(head).iter().map(move |it| (*it, head.len()));
                let fits = heads(text).flat_map(numbers);
                fitting.extend(fits.map(|(number, end)| (number, reading, &text[end..])));
            }
        }
        let with_slash = heads(url).filter_map(|head| url.get(..=head.len()));
        for head in heads(url).chain(with_slash) {
            let rest = &url[head.len()..];
            for &number in self.texts.get(head) {
                let end = rest.find(['?', '#']).filter(|_| url.contains(':')).unwrap_or(rest.len());
                fitting.push((number, 0, &rest[..end]));
            }
        }
        fitting.sort_by_key(|&(number, reading, _)| (number, reading));
        fitting.dedup_by_key(|&mut (number, reading, _)| (number, reading));
        fitting.into_iter().map(|(number, _, rest)| (number, rest)).collect()
    }
}

impl Extend<PathMapping> for Mappings {
    /// Adds mappings, each after those of equal length.
    fn extend<T: IntoIterator<Item = PathMapping>>(&mut self, more: T) {
        let mut more = more.into_iter().peekable();
        if more.peek().is_none() {
            return;
        }
        let all = std::mem::take(&mut self.all).into_iter().chain(more);
        let mut seen = FxHashSet::default();
        let mut all: Vec<_> = all.filter(|it| !it.from.is_empty() && seen.insert(it.clone())).collect();
        all.sort_by_key(|it| std::cmp::Reverse(it.from.len()));
        let (mut addresses, mut texts) = (PrefixIndex::default(), PrefixIndex::default());
        for (number, mapping) in all.iter().enumerate() {
            match address::of_prefix(&mapping.from) {
                Some(address) => addresses.add(address, number),
                None => texts.add(mapping.from.clone(), number),
            }
        }
        let led = all.iter().map(|_| AtomicU8::new(NOWHERE)).collect();
        *self = Self { all, addresses, texts, led };
    }
}

impl FromIterator<PathMapping> for Mappings {
    fn from_iter<T: IntoIterator<Item = PathMapping>>(mappings: T) -> Self {
        let mut all = Self::default();
        all.extend(mappings);
        all
    }
}

impl PartialEq for Mappings {
    fn eq(&self, other: &Self) -> bool {
        self.all == other.all
    }
}

impl Eq for Mappings {}

/// The text up to each of its slashes, and the whole text.
fn heads(text: &str) -> impl Iterator<Item = &str> {
    text.match_indices('/').map(|(at, _)| &text[..at]).chain([text])
}

/// A path inside the workspace, spelled like the workspace folder around it, since Windows ignores case. `None` for paths
/// outside of the workspace.
pub(crate) fn spelled_inside(path: &str, folders: &[FilePath]) -> Option<FilePath> {
    folders.iter().find_map(|folder| {
        let own = folder.as_str();
        if below(path, own).is_some() {
            return Some(FilePath::new(path));
        }
        let start = path.get(..own.len()).filter(|_| has_drive(path) || path.starts_with("//"))?;
        let rest = below(path, start).filter(|_| start.eq_ignore_ascii_case(own))?;
        Some(folder.join(rest))
    })
}

/// A path below `node_modules` in a folder around a workspace folder, where the packages of a monorepo are installed.
pub(crate) fn hoisted(path: &str, folders: &[FilePath]) -> Option<FilePath> {
    let (around, _) = path.split_once("/node_modules/")?;
    folders.iter().any(|it| below(it.as_str(), around).is_some()).then(|| FilePath::new(path))
}

/// A path inside the workspace, or inside what is installed for it.
pub(crate) fn spelled_reachable(path: &str, folders: &[FilePath]) -> Option<FilePath> {
    spelled_inside(path, folders).or_else(|| hoisted(path, folders))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::files::FixtureFiles;

    /// The mappings that fit, each with the rest of the url.
    fn fitting(froms: &[&str], url: &str) -> Vec<String> {
        let mapping = |from: &&str| PathMapping { from: (*from).to_owned(), to: "/ws".to_owned() };
        let mappings: Mappings = froms.iter().map(mapping).collect();
        let resource = address::read(url);
        let fitting = mappings.fitting(url, &resource).into_iter();
        fitting.map(|(number, rest)| format!("{} {rest}", mappings.all[number].from)).collect()
    }

    #[test]
    fn prefixes_end_at_slashes_and_the_longest_comes_first() {
        let all = [
            "/",
            "http://h",
            "http://h/",
            "http://h/a",
            "http://h/a/b",
            "/a/",
            "/b",
            "http://h/ab",
            "https://h/a",
            "http://H:80/a/b.js",
        ];
        let rows: [(&[&str], &str, &[&str]); 9] = [
            (
                &all,
                "http://h/a/b.js?v=1",
                &[
                    "http://H:80/a/b.js ",
                    "http://h/a b.js",
                    "http://h/ a/b.js",
                    "http://h a/b.js",
                    "/a/ b.js",
                    "/ a/b.js",
                ],
            ),
            (&all, "/a/b.js", &["/a/ b.js", "/ a/b.js"]),
            (&all, "/b", &["/b ", "/ b"]),
            (
                &["webpack://app/", "webpack://app", "webpack://ap"],
                "webpack://app/./a.js?x",
                &["webpack://app/ ./a.js", "webpack://app /./a.js"],
            ),
            (&["webpack://a?b/"], "webpack://a?b/c.js?d", &["webpack://a?b/ c.js"]),
            (&["src/", "src", "sr"], "src/a.js", &["src/ a.js", "src /a.js"]),
            (&["src/a.js"], "src/a.js", &["src/a.js "]),
            (&["src/", "src/"], "src/", &["src/ "]),
            (&["", "none"], "src/a.js", &[]),
        ];
        for (froms, url, expected) in rows {
            let trimmed = fitting(froms, url).iter().map(|it| it.replacen(" /", " ", 1)).collect::<Vec<_>>();
            let expected = expected.iter().map(|it| it.replacen(" /", " ", 1)).collect::<Vec<_>>();
            assert_eq!(trimmed, expected, "{url}");
        }
    }

    #[test]
    fn a_file_keeps_its_name_in_the_folder_of_a_mapping() {
        let files = FixtureFiles::of([("/w/out/index.js", ""), ("/w/out/a/b.js", "")]);
        let rows = [
            ("index.js", "index.js", "/w/out/"),
            ("index.js", "index.js", "/w/out/index.js"),
            ("a/b.js", "a/b.js", "/w/out/a/"),
            ("http://h/index.js?v=1", "http://h/index.js", "/w/out/"),
            ("index.js", "index.js", "/w/out"),
            ("http://h/", "http://h/", "/w/out/"),
        ];
        let found = rows.map(|(url, from, to)| {
            let mapping = PathMapping { from: from.to_owned(), to: to.to_owned() };
            match Mappings::from_iter([mapping]).find(url, &address::read(url), &files) {
                Mapped::File(file, _) => file.to_string(),
                Mapped::Missing(_) => "missing".to_owned(),
                Mapped::Unmapped => "unmapped".to_owned(),
            }
        });
        assert_eq!(
            found,
            ["/w/out/index.js", "/w/out/index.js", "/w/out/a/b.js", "/w/out/index.js", "missing", "missing"]
        );
    }

    #[test]
    fn which_mappings_lead_to_no_file() {
        let files = FixtureFiles::of([("/w/a/b.js", "")]);
        let mapping = |text: &str| {
            let (from, to) = text.split_once(' ').unwrap();
            PathMapping { from: from.to_owned(), to: to.to_owned() }
        };
        let all =
            ["http://h/ /w/", "http://h/a/ /w/a/", "http://h/a/b/ /w/", "http://g/ /w/", "http://f/ /x/"];
        let mappings: Mappings = all.map(mapping).into_iter().collect();
        for url in ["http://h/a/b.js", "http://h/a/b/c.js", "http://f/a/b.js"] {
            mappings.clone().find(url, &address::read(url), &files);
        }
        let without: Vec<_> = mappings.without_file().map(|(it, fits)| (it.from.as_str(), fits)).collect();
        assert_eq!(without, [("http://h/a/b/", true), ("http://g/", false), ("http://f/", true)]);
    }

    #[test]
    fn equal_mappings_are_one_and_later_ones_come_behind_those_of_their_length() {
        let mapping = |text: &str| {
            let (from, to) = text.split_once(' ').unwrap();
            PathMapping { from: from.to_owned(), to: to.to_owned() }
        };
        let mut mappings: Mappings =
            ["/a /x", "/long /x", "/a /x", "/b /x"].map(mapping).into_iter().collect();
        mappings.extend(["/a /y", "/b /x", "/longer /x"].map(mapping));
        let all: Vec<_> = mappings.iter().map(|it| format!("{} {}", it.from, it.to)).collect();
        assert_eq!(all, ["/longer /x", "/long /x", "/a /x", "/b /x", "/a /y"]);
        let number = |from: &str| mappings.addresses.get(from).to_vec();
        assert_eq!(["/longer", "/a", "/none"].map(number), [vec![0], vec![2, 4], vec![]]);
    }

    #[test]
    fn paths_are_spelled_as_the_folder_is() {
        let folders = [FilePath::new("c:\\Code\\app"), FilePath::new("/srv/app")];
        let spelled = |path: &str| spelled_inside(path, &folders).map(|path| path.to_string());
        assert_eq!(spelled("C:/code/APP/Src/x.js").as_deref(), Some("C:/Code/app/Src/x.js"));
        assert_eq!(spelled("/srv/app/x.js").as_deref(), Some("/srv/app/x.js"));
        assert_eq!(spelled("/SRV/app/x.js"), None);
        assert_eq!(spelled("C:/code/application/x.js"), None);
        assert_eq!(spelled("/srv/app2/x.js"), None);
    }
}
