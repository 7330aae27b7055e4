//! Prefixes of urls whose folders the user named.

use super::PathMapping;
use super::address::{self, Address, Resource};
use crate::files::{below, has_drive};
use crate::{FilePath, Files};

/// The mappings, longest prefix first.
pub(crate) struct Mappings<'a> {
    mappings: Vec<(From, &'a PathMapping)>,
}

enum From {
    /// An address on a disk or a server.
    Address(String),
    /// The beginning of a url of which nothing else is known, `webpack://app/`.
    Text(String),
}

/// What the mappings say of a resource.
pub(crate) enum Mapped {
    /// It is this file, by the mapping of that index.
    File(FilePath, usize),
    /// The mapping of that index has no such file.
    Missing(usize),
    /// No mapping speaks of it.
    Unmapped,
}

impl<'a> Mappings<'a> {
    pub(crate) fn new(mappings: &'a [PathMapping]) -> Mappings<'a> {
        let from = |mapping: &'a PathMapping| match address::of_prefix(&mapping.from) {
            Some(text) => (From::Address(text), mapping),
            None => (From::Text(mapping.from.clone()), mapping),
        };
        let mut mappings: Vec<_> =
            mappings.iter().filter(|mapping| !mapping.from.is_empty()).map(from).collect();
        mappings.sort_by_key(|(_, mapping)| std::cmp::Reverse(mapping.from.len()));
        Mappings { mappings }
    }

    /// The file that the longest fitting prefix gives; shorter ones are tried where it gives none.
    pub(crate) fn find(&self, url: &str, resource: &Resource, files: &dyn Files) -> Mapped {
        let mut result = Mapped::Unmapped;
        for (number, (from, mapping)) in self.mappings.iter().enumerate() {
            for rest in rests(from, url, resource) {
                let to = FilePath::new(&mapping.to);
                let file = to.join(&rest);
                let spelled = spelled_inside(file.as_str(), files.folders());
                if let Some(file) = spelled.and_then(|file| files.resolve(&file)) {
                    return Mapped::File(file, number);
                }
                if matches!(result, Mapped::Unmapped) {
                    result = Mapped::Missing(number);
                }
            }
        }
        result
    }
}

/// What stands behind the prefix, in each reading of the url.
fn rests(from: &From, url: &str, resource: &Resource) -> Vec<String> {
    match (from, resource) {
        (From::Address(from), Resource::At(addresses)) => {
            addresses.iter().filter_map(|address| rest_of(from, address)).map(str::to_owned).collect()
        }
        (From::Text(from), _) => match url.strip_prefix(from.as_str()) {
            Some(rest) if from.ends_with('/') || rest.is_empty() || rest.starts_with('/') => {
                let end = rest.find(['?', '#']).filter(|_| url.contains(':')).unwrap_or(rest.len());
                vec![rest[..end].to_owned()]
            }
            _ => Vec::new(),
        },
        _ => Vec::new(),
    }
}

/// A prefix without a host, `/static`, means paths of any server too.
fn rest_of<'a>(from: &str, address: &'a Address) -> Option<&'a str> {
    let without_host =
        if from.is_empty() || from.starts_with('/') { below(address.path(), from) } else { None };
    below(&address.text, from).or(without_host)
}

/// The path as it is spelled below the workspace folder in which it lies, by its text: Windows does not tell cases
/// apart. `None` outside.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_spelled_as_the_folder_is() {
        let folders = [FilePath::new("c:\\Code\\app"), FilePath::new("/srv/app")];
        let spelled = |path: &str| spelled_inside(path, &folders).map(|path| path.to_string());
        assert_eq!(spelled("C:/code/APP/Src/x.js").as_deref(), Some("c:/Code/app/Src/x.js"));
        assert_eq!(spelled("/srv/app/x.js").as_deref(), Some("/srv/app/x.js"));
        assert_eq!(spelled("/SRV/app/x.js"), None);
        assert_eq!(spelled("C:/code/application/x.js"), None);
        assert_eq!(spelled("/srv/app2/x.js"), None);
    }
}
