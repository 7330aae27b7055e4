//! Paths: `outer.inner`, unique in a file.

use std::borrow::Cow;
use std::hash::Hasher;

use rustc_hash::{FxHashMap, FxHasher};

use crate::definition::{Definition, TOP_LEVEL};

/// Longer paths are cut and end with `…`, so that deep nesting does not make texts long.
pub(super) const MAX_PATH: usize = 200;

/// Makes the paths of a file unique.
#[derive(Default)]
pub(crate) struct Paths {
    /// By the hash of a path; a second path with the same hash is at the next number.
    taken: FxHashMap<u64, Taken>,
}

/// A path that is taken; its text is that of the definition.
struct Taken {
    definition: u32,
    /// How often it was asked for.
    count: u32,
}

impl Paths {
    /// The path of the next definition after `before`, below its parent's path; twins get `#2`, `#3`, ...
    pub(crate) fn add(&mut self, before: &[Definition], parent: &str, prefix: &str, name: &str) -> String {
        let parent = if parent.is_empty() || parent == TOP_LEVEL {
            Cow::Borrowed("")
        } else if parent.len() > MAX_PATH {
            let end = (0..=MAX_PATH).rev().find(|&at| parent.is_char_boundary(at)).unwrap_or(0);
            Cow::Owned(format!("{}….", &parent[..end].trim_end_matches('…')))
        } else {
            Cow::Owned(format!("{parent}."))
        };
        let definition = before.len() as u32;
        let base = [&*parent, prefix, name].concat();
        let own = self.place(before, &base);
        let Some(twin) = self.taken.get(&own) else {
            self.taken.insert(own, Taken { definition, count: 1 });
            return base;
        };
        // A path that is only taken as the twin of another one was not requested itself.
        let mut count = twin.count.max(1);
        let (path, place) = loop {
            count += 1;
            let path = format!("{base}#{count}");
            let place = self.place(before, &path);
            if !self.taken.contains_key(&place) {
                break (path, place);
            }
        };
        self.taken.entry(own).and_modify(|taken| taken.count = count);
        self.taken.insert(place, Taken { definition, count: 0 });
        path
    }

    /// The key at which a path is, or would be.
    fn place(&self, definitions: &[Definition], path: &str) -> u64 {
        let mut hasher = FxHasher::default();
        hasher.write(path.as_bytes());
        let mut place = hasher.finish();
        while let Some(taken) = self.taken.get(&place)
            && definitions[taken.definition as usize].path != path
        {
            place = place.wrapping_add(1);
        }
        place
    }
}

/// The part of a path that belongs to the definition itself, without the number that tells it from others with the same path.
pub(crate) fn own_path<'a>(definition: &'a Definition, around: &str) -> &'a str {
    let path = definition.path.as_str();
    let own = path.strip_prefix(around).map_or(path, |rest| rest.strip_prefix('.').unwrap_or(rest));
    match own.rsplit_once('#') {
        Some((own, number))
            if own.ends_with(&definition.name) && number.bytes().all(|digit| digit.is_ascii_digit()) =>
        {
            own
        }
        _ => own,
    }
}
