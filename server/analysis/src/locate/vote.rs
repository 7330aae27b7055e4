//! Finds where a folder of the trace lies in the workspace, by a vote of all addresses together.
//!
//! An address and a file that end alike are evidence for one [`Relocation`]: the part of the address before the common
//! end corresponds, in the workspace, to the part of the file before it.
//!
//! ```text
//! the trace:      http://localhost:3000/lib/math.js, http://localhost:3000/app.js
//! the workspace:  /ws/public/lib/math.js, /ws/public/app.js, /ws/old/app.js
//!
//! relocation                              hits  path parts that agree
//! http://localhost:3000 -> /ws/public     2     3  (lib/math.js, app.js)
//! http://localhost:3000 -> /ws/old        1     1  (app.js)
//! ```
//!
//! Both files named `app.js` fit the second address. The first relocation has more hits and more parts, so it wins, and
//! the address is `/ws/public/app.js`. If one had more hits and the other more parts, neither would win, and the address
//! would be ambiguous. A relocation with too little evidence ([`Relocation::needs`]) never wins, even without rivals: no
//! file is better than a wrong one.

use std::cmp::Reverse;

use rustc_hash::{FxHashMap, FxHashSet};

use super::address::{Address, Space};
use super::chosen::Chosen;
use super::known;
use super::located::FoundBy;
use super::name_matches::NameMatches;
use super::relocation::Relocation;
use super::workspace::{FolderRole, Workspace, before_common_end};
use crate::bars;
use crate::files::{FilePath, below};
use crate::locate::unplaced::UnplacedReason;

/// At most this many of the strongest relocations are also tried on addresses that had too many candidates.
const MAX_RELOCATIONS_COMPLETED: usize = 64;

/// How a file is found by a relocation with too little evidence.
const CLAIM: FoundBy = FoundBy::Claim { otherwise: UnplacedReason::NotInWorkspace };

/// The file of one address.
#[derive(Clone, Copy, Debug)]
pub(super) struct VotedFile<'a> {
    pub(super) file: &'a FilePath,
    /// Whether this holds even if another address turns out to be the same file.
    pub(super) strong: bool,
    pub(super) found_by: FoundBy,
}

/// The result of a vote.
pub(super) struct VoteResult<'a> {
    /// One for each voter.
    pub(super) outcomes: Vec<Chosen<VotedFile<'a>>>,
    /// The accepted relocations, strongest first; they also hold for addresses that had no vote.
    pub(super) relocations: Vec<Relocation<'a>>,
}

/// A file that fits an address.
#[derive(Clone, Copy)]
struct Hit<'a> {
    /// The relocation that makes it fit, by index.
    by: usize,
    file: &'a FilePath,
}

/// Lets all voters vote on where the trace's folders lie. Each voter is the readings of one url.
pub(super) fn vote<'a>(voters: &[&'a [Address]], workspace: &Workspace<'a>) -> VoteResult<'a> {
    let folders = workspace.folders;
    let mut ballot = Ballot {
        relocations: Vec::new(),
        numbers: FxHashMap::default(),
        hits: vec![Vec::new(); voters.len()],
    };
    let crowded = ballot.candidates(voters, workspace);
    ballot.complete(voters, &crowded, workspace);
    ballot.misses(voters);

    let disk_winners = disk_winners(&ballot.relocations, folders);
    let accepted: Vec<bool> = accept_servers(&ballot.relocations);
    let is_accepted = |hit: &Hit<'a>| match ballot.relocations[hit.by].space {
        Space::Disk => {
            outermost(folders, hit.file.as_str()).is_some_and(|folder| disk_winners[folder] == Some(hit.by))
        }
        Space::Extension | Space::Web { .. } => accepted[hit.by] || ballot.relocations[hit.by].is_claim(),
    };
    let mut chosen: Vec<Chosen<Hit<'a>>> =
        ballot.hits.iter().map(|hits| choose(hits, &ballot.relocations, is_accepted)).collect();
    for (choice, crowded) in chosen.iter_mut().zip(&crowded) {
        if *crowded && matches!(choice, Chosen::Nowhere) {
            *choice = Chosen::Ambiguous;
        }
    }
    drop_claims(&mut chosen, &accepted, &ballot.relocations);
    resolve_conflicts(&mut chosen, &ballot.relocations);

    let mut numbers: Vec<usize> = disk_winners.iter().flatten().copied().collect();
    numbers.extend((0..ballot.relocations.len()).filter(|&number| accepted[number]));
    numbers.sort_by_key(|&number| (Reverse(ballot.relocations[number].strength()), number));
    numbers.dedup();
    let outcomes = chosen.iter().map(|choice| match choice {
        Chosen::Is(hit) => {
            let by = &ballot.relocations[hit.by];
            let is_accepted = accepted[hit.by] || by.space == Space::Disk;
            let found_by = if is_accepted { FoundBy::EndOfPath } else { CLAIM };
            let strong = by.matches.weight >= bars::STRONG_WEIGHT;
            Chosen::Is(VotedFile { file: hit.file, strong, found_by })
        }
        Chosen::Ambiguous => Chosen::Ambiguous,
        Chosen::Nowhere => Chosen::Nowhere,
    });
    let outcomes = outcomes.collect();
    VoteResult {
        outcomes,
        relocations: numbers.into_iter().map(|number| ballot.relocations[number].clone()).collect(),
    }
}

/// The hit of one url that beats all its others and is accepted.
fn choose<'a>(
    hits: &[Hit<'a>],
    relocations: &[Relocation<'a>],
    is_accepted: impl Fn(&Hit<'a>) -> bool,
) -> Chosen<Hit<'a>> {
    let of = |hit: &Hit<'a>| &relocations[hit.by];
    let Some(first) = hits.iter().max_by_key(|hit| (of(hit).strength(), Reverse(hit.by))) else {
        return Chosen::Nowhere;
    };
    let mut rivals: Vec<&Hit<'a>> = hits.iter().filter(|hit| !of(first).beats(of(hit))).collect();
    // `dist/main.js` is often the bundle of `src/main.js`, and servers serve the bundle.
    if rivals.iter().all(|rival| matches!(of(rival).space, Space::Web { .. })) {
        let roots = rivals.iter().filter(|rival| of(rival).role == FolderRole::Root).count();
        let sources = rivals.iter().filter(|rival| of(rival).role == FolderRole::Source).count();
        if roots == 1 && roots + sources == rivals.len() {
            rivals.retain(|rival| of(rival).role == FolderRole::Root);
        }
    }
    match rivals[..] {
        [only] if is_accepted(only) => Chosen::Is(*only),
        [_] if !hits.iter().any(&is_accepted) => Chosen::Nowhere,
        [_] => Chosen::Ambiguous,
        _ if rivals.iter().filter(|rival| of(rival).is_plausible()).count() > 1 => Chosen::Ambiguous,
        _ if rivals.iter().any(|rival| is_accepted(rival)) => Chosen::Ambiguous,
        _ => Chosen::Nowhere,
    }
}

/// Drops claims on files that another choice has for certain.
fn drop_claims(chosen: &mut [Chosen<Hit<'_>>], accepted: &[bool], relocations: &[Relocation<'_>]) {
    let (mut certain, mut claims) = (FxHashSet::default(), Vec::new());
    for choice in chosen {
        let Chosen::Is(Hit { by, file }) = *choice else { continue };
        if accepted[by] || relocations[by].space == Space::Disk {
            certain.insert(file.as_str());
        } else {
            claims.push((file.as_str(), choice));
        }
    }
    for (_, claim) in claims.into_iter().filter(|(file, _)| certain.contains(file)) {
        *claim = Chosen::Nowhere;
    }
}

/// If two relocations lead to the same file, they cannot both be right: the stronger one keeps it, or none does.
fn resolve_conflicts(chosen: &mut [Chosen<Hit<'_>>], relocations: &[Relocation<'_>]) {
    let mut claims: FxHashMap<&str, Vec<usize>> = FxHashMap::default();
    for choice in chosen.iter() {
        if let Chosen::Is(hit) = choice {
            let claims = claims.entry(hit.file.as_str()).or_default();
            if !claims.contains(&hit.by) {
                claims.push(hit.by);
            }
        }
    }
    for choice in chosen {
        let Chosen::Is(Hit { by, file }) = *choice else { continue };
        let own = &relocations[by];
        let others = claims[file.as_str()].iter().filter(|&&other| other != by);
        let mut others = others.map(|&other| &relocations[other]);
        if !others.all(|other| own.is_same_place(other) || own.beats(other)) {
            *choice = Chosen::Ambiguous;
        }
    }
}

/// The winning relocation of disk paths for each workspace folder that lies in no other. The project was in one place
/// when the trace was recorded.
fn disk_winners(relocations: &[Relocation<'_>], folders: &[FilePath]) -> Vec<Option<usize>> {
    let winners = folders.iter().enumerate().map(|(at, folder)| {
        let is_outermost = outermost(folders, folder.as_str()).is_none_or(|outer| outer == at);
        is_outermost.then(|| disk_winner(relocations, folder.as_str())).flatten()
    });
    winners.collect()
}

fn disk_winner(relocations: &[Relocation<'_>], folder: &str) -> Option<usize> {
    let rivals = (0..relocations.len()).filter(|&number| relocations[number].touches(folder));
    let best = rivals.clone().max_by_key(|&number| (relocations[number].strength(), Reverse(number)))?;
    let is_best =
        rivals.into_iter().all(|number| number == best || relocations[best].beats(&relocations[number]));
    (is_best && relocations[best].is_supported()).then_some(best)
}

/// Which relocations of servers are accepted. A server other than the one with the most evidence may be anybody's, so it
/// needs more. So does a second folder for a prefix if a stronger relocation of the prefix says that it has no such file.
fn accept_servers(relocations: &[Relocation<'_>]) -> Vec<bool> {
    let mut supported: Vec<usize> = (0..relocations.len()).collect();
    supported.retain(|&number| {
        matches!(relocations[number].space, Space::Web { .. }) && relocations[number].is_supported()
    });
    let rank = |number: usize| (relocations[number].space, relocations[number].strength());
    supported.sort_by_key(|&number| (Reverse(rank(number)), number));
    let mut accepted = vec![false; relocations.len()];
    // If several have equal evidence, each counts as the one with the most.
    let firsts = supported.iter().take_while(|&&number| rank(number) == rank(supported[0]));
    let mains: Vec<&Relocation<'_>> = firsts.map(|&number| &relocations[number]).collect();
    for (at, &number) in supported.iter().enumerate() {
        let of = &relocations[number];
        let mut before = supported[..at].iter().map(|&number| &relocations[number]);
        let is_second = before.any(|first| below(of.prefix, first.prefix).is_some() && first.beats(of));
        let is_main = mains
            .iter()
            .any(|main| of.server() == main.server() || of.space == main.space && !main.beats(of));
        let is_beside = mains.iter().all(|main| of.is_other_server_beside(main));
        accepted[number] = (is_main || is_beside) && (!is_second || of.is_second_root());
    }
    accepted
}

/// The outermost of the folders around a path.
fn outermost(folders: &[FilePath], path: &str) -> Option<usize> {
    let around = (0..folders.len()).filter(|&at| below(path, folders[at].as_str()).is_some());
    around.min_by_key(|&at| folders[at].as_str().len())
}

/// The relocations and hits found so far.
struct Ballot<'a> {
    relocations: Vec<Relocation<'a>>,
    /// Indices of relocations by prefix and folder.
    numbers: FxHashMap<(&'a str, &'a str), usize>,
    /// By voter.
    hits: Vec<Vec<Hit<'a>>>,
}

impl<'a> Ballot<'a> {
    /// Compares each address with the files that end like it. Returns, for each voter, whether files were left out.
    fn candidates(&mut self, voters: &[&'a [Address]], workspace: &Workspace<'a>) -> Vec<bool> {
        let (mut crowded, mut all, mut said) = (vec![false; voters.len()], Vec::new(), Vec::new());
        for (voter, addresses) in voters.iter().enumerate() {
            let mut candidates = Vec::new();
            for address in *addresses {
                let found = workspace.ending_like(address.path());
                crowded[voter] |= found.is_truncated;
                for &file in found.files {
                    let (prefix, folder, parts) = common_end(address, file);
                    // `x/node_modules/y` is a different package from `node_modules/y`.
                    if known::has_node_modules(&prefix[address.root..]) || workspace.is_in_dependency(folder)
                    {
                        continue;
                    }
                    let number = *self.numbers.entry((prefix, folder)).or_insert_with(|| {
                        let role = workspace.role(folder);
                        let (root, space) = (address.root, address.space);
                        let matches = NameMatches::default();
                        self.relocations.push(Relocation { prefix, folder, root, space, role, matches });
                        self.relocations.len() - 1
                    });
                    said.resize(self.relocations.len(), 0);
                    said[number] += 1;
                    candidates.push(Suggestion { number, file, parts, address, is_only: found.is_only });
                }
            }
            all.push(candidates);
        }
        for (voter, candidates) in all.into_iter().enumerate() {
            for it in best_readings(candidates, &said) {
                self.hit(voter, it.number, it.file, it.parts, it.address, it.is_only);
            }
        }
        crowded
    }

    /// Tries the strongest relocations on addresses for which files were left out.
    fn complete(&mut self, voters: &[&'a [Address]], crowded: &[bool], workspace: &Workspace<'a>) {
        let mut strongest: Vec<usize> = (0..self.relocations.len()).collect();
        strongest.sort_by_key(|&number| (Reverse(self.relocations[number].strength()), number));
        strongest.truncate(MAX_RELOCATIONS_COMPLETED);
        for voter in (0..voters.len()).filter(|&voter| crowded[voter]) {
            for address in voters[voter] {
                for &number in &strongest {
                    let path = self.relocations[number].apply(address);
                    if let Some(file) = path.and_then(|path| workspace.get(&path)) {
                        let rest = &address.text[self.relocations[number].prefix.len()..];
                        let parts = rest.matches('/').count() as u32;
                        self.hit(voter, number, file, parts, address, false);
                    }
                }
            }
        }
    }

    /// Counts a file that fits an address, once for each voter and relocation.
    fn hit(
        &mut self,
        voter: usize,
        number: usize,
        file: &'a FilePath,
        parts: u32,
        address: &Address,
        is_only: bool,
    ) {
        if self.hits[voter].iter().any(|known| known.by == number) {
            return;
        }
        self.hits[voter].push(Hit { by: number, file });
        let matches = &mut self.relocations[number].matches;
        if address.guessed {
            matches.add_guessed_hit(parts);
        } else {
            matches.add_hit(file.name(), parts, is_only);
        }
    }

    /// Counts the addresses for which each relocation has no file. For a disk path these are all others, since the
    /// recorded project was in one place; for a server, those below the prefix.
    fn misses(&mut self, voters: &[&'a [Address]]) {
        let mut below: FxHashMap<&str, u32> = FxHashMap::default();
        let mut on_disk = 0;
        for address in voters.iter().filter_map(|addresses| addresses.first()).filter(|first| !first.guessed)
        {
            on_disk += u32::from(address.space == Space::Disk);
            for (slash, _) in address.path().match_indices('/') {
                *below.entry(&address.text[..address.root + slash]).or_default() += 1;
            }
        }
        for of in &mut self.relocations {
            let all =
                if of.space == Space::Disk { on_disk } else { below.get(of.prefix).copied().unwrap_or(0) };
            of.matches.misses = all.saturating_sub(of.matches.hits);
        }
    }
}

/// A file that ends like one reading of a url.
struct Suggestion<'a> {
    /// The relocation by index.
    number: usize,
    file: &'a FilePath,
    parts: u32,
    address: &'a Address,
    is_only: bool,
}

/// For each file, the reading with which it shares the longest end. Among equal ones, that is the one whose relocation
/// more readings suggest (`said`), or else the likelier one. The `%20` of a folder that the workspace does not have can
/// be read in two ways that say the same: they are one vote, not rivals.
fn best_readings<'a>(candidates: Vec<Suggestion<'a>>, said: &[u32]) -> Vec<Suggestion<'a>> {
    let mut best: Vec<Suggestion<'a>> = Vec::new();
    for candidate in candidates {
        match best.iter_mut().find(|it| std::ptr::eq(it.file, candidate.file)) {
            Some(other) if (other.parts, said[other.number]) < (candidate.parts, said[candidate.number]) => {
                *other = candidate;
            }
            Some(_) => {}
            None => best.push(candidate),
        }
    }
    best
}

/// The parts of an address and a file before their longest common end, and the number of path parts in that end.
fn common_end<'a>(address: &'a Address, file: &'a FilePath) -> (&'a str, &'a str, u32) {
    let (before, folder) = before_common_end(address.path(), file.as_str());
    let (prefix, end) = address.text.split_at(address.root + before.len());
    (prefix, folder, end.matches('/').count() as u32)
}
