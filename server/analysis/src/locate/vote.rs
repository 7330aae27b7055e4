//! Where a folder of the trace lies in the workspace, voted on by all addresses together.
//!
//! An address and a file that end alike speak for one [`Move`]: the folder before the common end of the one is the
//! folder before the common end of the other.
//!
//! ```text
//! http://localhost:3000/lib/math.js
//! /home/me/ws/public/lib/math.js      for: http://localhost:3000 is /home/me/ws/public
//! ```
//!
//! All addresses that agree on a move add up; the move that explains more of them, or longer ends, wins where several
//! files fit one address. A move that is too weakly supported wins nothing: no file is better than a wrong one.

use std::cmp::Reverse;

use rustc_hash::FxHashMap;

use super::address::{Address, Space};
use super::known;
use super::workspace::{Place, Workspace};
use crate::FilePath;
use crate::files::below;

/// So many of the strongest moves are also tried on addresses that had too many candidates.
const MOST_COMPLETED: usize = 64;
/// The weight at which a move stands against anything else that is known.
const STRONG: u32 = 5;

/// What the vote says of one address.
#[derive(Clone, Copy, Debug)]
pub(super) enum Outcome<'a> {
    /// It is this file; `strong` is whether that stands even where another address is the same file.
    At { file: &'a FilePath, strong: bool },
    /// Several files fit.
    Ambiguous,
    /// No file fits well enough.
    Nowhere,
}

/// `prefix` in the trace is `folder` in the workspace; neither ends in a slash, nor do both end in the same name.
#[derive(Clone, Debug)]
pub(super) struct Move<'a> {
    pub(super) prefix: &'a str,
    pub(super) folder: &'a str,
    /// The length of the part of `prefix` that is not path.
    root: usize,
    space: Space,
    place: Place,
    /// Addresses that it gives a file.
    hits: u32,
    /// Path parts that agree, over all hits.
    parts: u32,
    /// `parts`, and more for names that are rare.
    weight: u32,
    /// Addresses that it ought to give a file and does not.
    misses: u32,
}

impl<'a> Move<'a> {
    /// The path that an address has under this move.
    pub(super) fn apply(&self, address: &Address) -> Option<String> {
        let rest = below(&address.text, self.prefix)?;
        Some(format!("{}/{rest}", self.folder))
    }

    /// Whether everything speaks at least as much for this move as for `other`, and something more.
    pub(super) fn beats(&self, other: &Move<'_>) -> bool {
        self.hits >= other.hits
            && self.parts >= other.parts
            && (self.hits, self.parts) != (other.hits, other.parts)
    }

    /// The weight that it needs.
    fn needs(&self) -> u32 {
        let is_mounted = self.prefix.len() > self.root;
        match (self.space, self.place) {
            (Space::Disk, Place::Top) => 2,
            (Space::Disk, _) => 3,
            (Space::Web { local: true }, place) => {
                let mounted = if is_mounted { 2 } else { 0 };
                mounted + [1, 3, 4][rank(place)]
            }
            (Space::Web { local: false }, place) => {
                let mounted = if is_mounted { 3 } else { 0 };
                mounted + [2, 4, 5][rank(place)]
            }
        }
    }

    fn is_supported(&self) -> bool {
        let misses_allowed =
            if self.place == Place::Source { self.hits.saturating_sub(1) } else { self.weight };
        self.weight >= self.needs() && self.misses <= misses_allowed
    }

    /// Whether it would be supported if its files were the only ones of their names.
    fn is_plausible(&self) -> bool {
        self.weight + self.hits >= self.needs()
    }

    /// Whether it is well supported as the move of a server besides the one that is supported most.
    fn is_other_server_beside(&self, main: &Move<'_>) -> bool {
        let shares = below(self.folder, main.folder).or(below(main.folder, self.folder)).is_some();
        let is_own_root =
            self.space == Space::Web { local: true } && self.is_root() && !shares && self.misses == 0;
        is_own_root || self.weight >= STRONG && self.hits > self.misses
    }

    /// Whether it says that the root of a server is a folder that looks like one.
    fn is_root(&self) -> bool {
        self.prefix.len() == self.root && matches!(self.place, Place::Top | Place::Root)
    }

    /// Whether it is well supported as another root of a server that has one: whole paths fit, or much of many.
    fn is_second_root(&self) -> bool {
        self.weight > STRONG || self.is_root() && self.parts >= 2 * self.hits
    }

    fn strength(&self) -> (u32, u32) {
        (self.hits, self.parts)
    }

    fn server(&self) -> (&'a str, &'a str) {
        known::server(&self.prefix[..self.root])
    }
}

fn rank(place: Place) -> usize {
    match place {
        Place::Top | Place::Root => 0,
        Place::Other => 1,
        Place::Source => 2,
    }
}

/// What came out of a vote.
pub(super) struct Votes<'a> {
    /// One for each voter.
    pub(super) outcomes: Vec<Outcome<'a>>,
    /// The moves that were accepted, strongest first: also good for addresses that had no vote.
    pub(super) moves: Vec<Move<'a>>,
}

/// One hit: the move by index, and the file.
type Hit<'a> = (usize, &'a FilePath);

/// Lets all voters, each with the readings of one url, say where the trace's folders lie.
pub(super) fn vote<'a>(voters: &[&'a [Address]], workspace: &Workspace<'a>) -> Votes<'a> {
    let folders = workspace.folders;
    let mut count =
        Count { moves: Vec::new(), numbers: FxHashMap::default(), hits: vec![Vec::new(); voters.len()] };
    let crowded = count.candidates(voters, workspace);
    count.complete(voters, &crowded, workspace);
    count.misses(voters);

    let winners = winners(&count.moves, folders);
    let accepted: Vec<bool> = accept_servers(&count.moves);
    let is_accepted = |&(number, file): &Hit<'a>| match count.moves[number].space {
        Space::Disk => {
            outermost(folders, file.as_str()).is_some_and(|folder| winners[folder] == Some(number))
        }
        Space::Web { .. } => accepted[number],
    };
    let mut chosen: Vec<Choice<'a>> =
        count.hits.iter().map(|hits| choose(hits, &count.moves, is_accepted)).collect();
    for (choice, crowded) in chosen.iter_mut().zip(&crowded) {
        if *crowded && matches!(choice, Choice::Nowhere) {
            *choice = Choice::Ambiguous;
        }
    }
    one_place_a_file(&mut chosen, &count.moves);

    let mut numbers: Vec<usize> = winners.iter().flatten().copied().collect();
    numbers.extend((0..count.moves.len()).filter(|&number| accepted[number]));
    numbers.sort_by_key(|&number| (Reverse(count.moves[number].strength()), number));
    numbers.dedup();
    let outcomes = chosen.iter().map(|choice| match choice {
        Choice::At(number, file) => Outcome::At { file, strong: count.moves[*number].weight >= STRONG },
        Choice::Ambiguous => Outcome::Ambiguous,
        Choice::Nowhere => Outcome::Nowhere,
    });
    let outcomes = outcomes.collect();
    Votes { outcomes, moves: numbers.into_iter().map(|number| count.moves[number].clone()).collect() }
}

enum Choice<'a> {
    At(usize, &'a FilePath),
    Ambiguous,
    Nowhere,
}

/// The hit of one url that beats all its others and is accepted.
fn choose<'a>(hits: &[Hit<'a>], moves: &[Move<'a>], is_accepted: impl Fn(&Hit<'a>) -> bool) -> Choice<'a> {
    let Some(first) = hits.iter().max_by_key(|(number, _)| (moves[*number].strength(), Reverse(*number)))
    else {
        return Choice::Nowhere;
    };
    let rest = hits.iter().filter(|hit| !moves[first.0].beats(&moves[hit.0]));
    let mut rivals: Vec<&Hit<'a>> = rest.collect();
    // What is built from `src/main.js` is often `dist/main.js`, and that one is served.
    if rivals.iter().all(|rival| matches!(moves[rival.0].space, Space::Web { .. })) {
        let roots = rivals.iter().filter(|rival| moves[rival.0].place == Place::Root).count();
        let sources = rivals.iter().filter(|rival| moves[rival.0].place == Place::Source).count();
        if roots == 1 && roots + sources == rivals.len() {
            rivals.retain(|rival| moves[rival.0].place == Place::Root);
        }
    }
    match rivals[..] {
        [only] if is_accepted(only) => Choice::At(only.0, only.1),
        [_] if !hits.iter().any(&is_accepted) => Choice::Nowhere,
        [_] => Choice::Ambiguous,
        _ if rivals.iter().filter(|rival| moves[rival.0].is_plausible()).count() > 1 => Choice::Ambiguous,
        _ if rivals.iter().any(|rival| is_accepted(rival)) => Choice::Ambiguous,
        _ => Choice::Nowhere,
    }
}

/// Two moves that come to the same file cannot both be right: the stronger keeps it, or none.
fn one_place_a_file(chosen: &mut [Choice<'_>], moves: &[Move<'_>]) {
    let mut claims: FxHashMap<&str, Vec<usize>> = FxHashMap::default();
    for choice in chosen.iter() {
        if let Choice::At(number, file) = choice {
            let claims = claims.entry(file.as_str()).or_default();
            if !claims.contains(number) {
                claims.push(*number);
            }
        }
    }
    for choice in chosen {
        let Choice::At(number, file) = choice else { continue };
        let (number, own) = (*number, &moves[*number]);
        let is_same_place = |other: &Move<'_>| {
            own.server() == other.server() && own.prefix[own.root..] == other.prefix[other.root..]
        };
        let others =
            claims[file.as_str()].iter().filter(|&&other| other != number).map(|&other| &moves[other]);
        if !others.into_iter().all(|other| is_same_place(other) || own.beats(other)) {
            *choice = Choice::Ambiguous;
        }
    }
}

/// For each folder that lies in no other, the one move of disk paths that fills it: a project was at one place when
/// it was recorded.
fn winners(moves: &[Move<'_>], folders: &[FilePath]) -> Vec<Option<usize>> {
    let touches = |number: usize, folder: &str| {
        moves[number].space == Space::Disk
            && (below(moves[number].folder, folder).is_some()
                || below(folder, moves[number].folder).is_some())
    };
    let winner = |folder: &FilePath| {
        let rivals = (0..moves.len()).filter(|&number| touches(number, folder.as_str()));
        let best = rivals.clone().max_by_key(|&number| (moves[number].strength(), Reverse(number)))?;
        let is_best = rivals.into_iter().all(|number| number == best || moves[best].beats(&moves[number]));
        (is_best && moves[best].is_supported()).then_some(best)
    };
    let is_outermost = |at: usize| outermost(folders, folders[at].as_str()).is_none_or(|outer| outer == at);
    (0..folders.len()).map(|at| is_outermost(at).then(|| winner(&folders[at])).flatten()).collect()
}

/// Which moves of servers are accepted, strongest first. A server besides the one that is supported most may be
/// anybody's, and where a move already says that an address has no file, another that finds one needs better reasons.
fn accept_servers(moves: &[Move<'_>]) -> Vec<bool> {
    let mut supported: Vec<usize> = (0..moves.len()).collect();
    supported
        .retain(|&number| matches!(moves[number].space, Space::Web { .. }) && moves[number].is_supported());
    let rank = |number: usize| (moves[number].space, moves[number].strength());
    supported.sort_by_key(|&number| (Reverse(rank(number)), number));
    let mut accepted = vec![false; moves.len()];
    // Several that are supported alike are all of them the one that is supported most.
    let is_most = |number: &&usize| rank(**number) == rank(supported[0]);
    let mains: Vec<&Move<'_>> = supported.iter().take_while(is_most).map(|&number| &moves[number]).collect();
    for (at, &number) in supported.iter().enumerate() {
        let of = &moves[number];
        let mut before = supported[..at].iter().map(|&number| &moves[number]);
        let is_second = before.any(|first| below(of.prefix, first.prefix).is_some() && first.beats(of));
        let is_main = mains
            .iter()
            .any(|main| of.server() == main.server() || of.space == main.space && !main.beats(of));
        let is_beside = mains.iter().all(|main| of.is_other_server_beside(main));
        accepted[number] = (is_main || is_beside) && (!is_second || of.is_second_root());
    }
    accepted
}

/// The outermost of the folders in which a path lies.
fn outermost(folders: &[FilePath], path: &str) -> Option<usize> {
    let around = (0..folders.len()).filter(|&at| below(path, folders[at].as_str()).is_some());
    around.min_by_key(|&at| folders[at].as_str().len())
}

/// The moves and hits that are found so far.
struct Count<'a> {
    moves: Vec<Move<'a>>,
    numbers: FxHashMap<(&'a str, &'a str), usize>,
    hits: Vec<Vec<Hit<'a>>>,
}

impl<'a> Count<'a> {
    /// Compares each address with the files that end like it; says for which of them some were left out.
    fn candidates(&mut self, voters: &[&'a [Address]], workspace: &Workspace<'a>) -> Vec<bool> {
        let mut crowded = vec![false; voters.len()];
        for (voter, addresses) in voters.iter().enumerate() {
            for address in *addresses {
                let found = workspace.ending_like(address.path());
                crowded[voter] |= found.more;
                for file in found.files {
                    let (prefix, folder, parts) = common_end(address, file);
                    let number = *self.numbers.entry((prefix, folder)).or_insert_with(|| {
                        let place = workspace.place(folder);
                        let (root, space) = (address.root, address.space);
                        let (hits, parts, weight, misses) = (0, 0, 0, 0);
                        self.moves.push(Move {
                            prefix,
                            folder,
                            root,
                            space,
                            place,
                            hits,
                            parts,
                            weight,
                            misses,
                        });
                        self.moves.len() - 1
                    });
                    self.hit(voter, number, file, parts, address, found.only);
                }
            }
        }
        crowded
    }

    /// Tries the strongest moves on addresses for which files were left out.
    fn complete(&mut self, voters: &[&'a [Address]], crowded: &[bool], workspace: &Workspace<'a>) {
        let mut strongest: Vec<usize> = (0..self.moves.len()).collect();
        strongest.sort_by_key(|&number| (Reverse(self.moves[number].strength()), number));
        strongest.truncate(MOST_COMPLETED);
        for voter in (0..voters.len()).filter(|&voter| crowded[voter]) {
            for address in voters[voter] {
                for &number in &strongest {
                    let path = self.moves[number].apply(address);
                    if let Some(file) = path.and_then(|path| workspace.get(&path)) {
                        let rest = &address.text[self.moves[number].prefix.len()..];
                        let parts = rest.matches('/').count() as u32;
                        self.hit(voter, number, file, parts, address, false);
                    }
                }
            }
        }
    }

    fn hit(
        &mut self,
        voter: usize,
        number: usize,
        file: &'a FilePath,
        parts: u32,
        address: &Address,
        only: bool,
    ) {
        if self.hits[voter].iter().any(|(known, _)| *known == number) {
            return;
        }
        self.hits[voter].push((number, file));
        let of = &mut self.moves[number];
        of.hits += 1;
        of.parts += parts;
        let rare = u32::from(!known::is_common_name(file.name())) + u32::from(only);
        of.weight += if address.guessed { 1 } else { parts + rare };
    }

    /// Counts the addresses that each move leaves without a file: of a disk all, as everything that was recorded
    /// elsewhere was there; of a server those below the move's prefix.
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
        for of in &mut self.moves {
            let all =
                if of.space == Space::Disk { on_disk } else { below.get(of.prefix).copied().unwrap_or(0) };
            of.misses = all.saturating_sub(of.hits);
        }
    }
}

/// What stands before the longest common end of an address and a file, and the number of parts in that end.
fn common_end<'a>(address: &'a Address, file: &'a FilePath) -> (&'a str, &'a str, u32) {
    let (ours, theirs) = (address.text.as_bytes(), file.as_str().as_bytes());
    let (mut at, mut parts) = ((ours.len(), theirs.len()), 0);
    let both = ours[address.root..].iter().rev().zip(theirs.iter().rev()).enumerate();
    for (back, (own, their)) in both {
        if own != their {
            break;
        }
        if *own == b'/' {
            at = (ours.len() - back - 1, theirs.len() - back - 1);
            parts += 1;
        }
    }
    (&address.text[..at.0], &file.as_str()[..at.1], parts)
}
