//! The guess that a folder of the trace is a folder of the workspace, and the evidence that it needs (`vote`).

use super::address::{Address, Space};
use super::known;
use super::name_matches::NameMatches;
use super::workspace::FolderRole;
use crate::bars;
use crate::files::below;

/// The guess that `prefix` in the trace is `folder` in the workspace. Neither ends in a slash, and their last parts
/// differ.
#[derive(Clone, Debug)]
pub(super) struct Relocation<'a> {
    pub(super) prefix: &'a str,
    pub(super) folder: &'a str,
    /// The length of the part of `prefix` before its path.
    pub(super) root: usize,
    pub(super) space: Space,
    /// What `folder` is probably used for.
    pub(super) role: FolderRole,
    pub(super) matches: NameMatches,
}

impl<'a> Relocation<'a> {
    /// The workspace path of an address if this relocation is right; `None` if the relocation does not apply to it.
    pub(super) fn apply(&self, address: &Address) -> Option<String> {
        let rest = below(&address.text, self.prefix)?;
        Some(format!("{}/{rest}", self.folder))
    }

    /// Whether it maps a disk path into a workspace folder, or to one above it.
    pub(super) fn touches(&self, folder: &str) -> bool {
        self.space == Space::Disk
            && (below(self.folder, folder).is_some() || below(folder, self.folder).is_some())
    }

    /// Whether both give a place for the same folder of the same server.
    pub(super) fn is_same_place(&self, other: &Relocation<'_>) -> bool {
        self.server() == other.server() && self.prefix[self.root..] == other.prefix[other.root..]
    }

    /// Whether it has at least as many hits and parts as `other`, and more of one of them.
    pub(super) fn beats(&self, other: &Relocation<'_>) -> bool {
        let (own, others) = (self.strength(), other.strength());
        own.0 >= others.0 && own.1 >= others.1 && own != others
    }

    /// The weight that it needs to count: little for a whole path in a workspace folder or a served one, more for other
    /// people's servers, for a server's path that is mounted on another folder, and for source folders.
    fn needs(&self) -> u32 {
        let weights = match (self.space, self.role) {
            (Space::Disk, FolderRole::Top) => return bars::WEIGHT_ON_DISK,
            (Space::Disk | Space::Extension, _) => return bars::WEIGHT_OF_INNER_FOLDER,
            (Space::Web { local: true }, _) => bars::OWN_SERVER,
            (Space::Web { local: false }, _) => bars::OTHER_SERVER,
        };
        let is_mounted = self.prefix.len() > self.root;
        let folder = match self.role {
            FolderRole::Top | FolderRole::Root => weights.served,
            FolderRole::Other => weights.other,
            FolderRole::Source => weights.source,
        };
        folder + if is_mounted { weights.mounted } else { 0 }
    }

    /// Whether it has enough evidence to count.
    pub(super) fn is_supported(&self) -> bool {
        let NameMatches { hits, weight, misses, .. } = self.matches;
        let misses_allowed = if self.role == FolderRole::Source { hits.saturating_sub(1) } else { weight };
        weight >= self.needs() && misses <= misses_allowed
    }

    /// Whether it would have enough weight if each of its files were the only one with its name.
    pub(super) fn is_plausible(&self) -> bool {
        self.matches.weight + self.matches.hits >= self.needs()
    }

    /// Whether it has enough evidence for a server other than that of `main`, the relocation with the most evidence.
    pub(super) fn is_other_server_beside(&self, main: &Relocation<'_>) -> bool {
        let shares = below(self.folder, main.folder).or(below(main.folder, self.folder)).is_some();
        let is_own_root =
            self.space == Space::Web { local: true } && self.is_root() && !shares && self.matches.misses == 0;
        is_own_root || self.matches.weight >= bars::STRONG_WEIGHT && self.matches.hits > self.matches.misses
    }

    /// Whether it maps the root of a server to a folder that is probably served.
    fn is_root(&self) -> bool {
        self.prefix.len() == self.root && matches!(self.role, FolderRole::Top | FolderRole::Root)
    }

    /// Whether it has enough evidence for a second folder of a server: much weight, or long common ends.
    pub(super) fn is_second_root(&self) -> bool {
        self.matches.weight > bars::STRONG_WEIGHT
            || self.is_root() && self.matches.parts >= bars::PARTS_OF_LONG_END * self.matches.hits
    }

    /// Whether it says that a server has a folder for each version, such as `/app/1.2.3/main.js` or `/assets/3fa9c1d/main.js`.
    /// Servers of builds have such folders, but other people's packages are served this way as well.
    pub(super) fn is_claim(&self) -> bool {
        let is_served = matches!(self.role, FolderRole::Top | FolderRole::Root | FolderRole::Other);
        is_served && self.prefix[self.root..].split('/').any(known::is_version)
    }

    /// What relocations are compared by: hits, then parts.
    pub(super) fn strength(&self) -> (u32, u32) {
        (self.matches.hits, self.matches.parts)
    }

    /// The host and port of the server; see [`known::server`].
    pub(super) fn server(&self) -> (&'a str, &'a str) {
        known::server(&self.prefix[..self.root])
    }
}
