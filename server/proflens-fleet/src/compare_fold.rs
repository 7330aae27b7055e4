//! The query `compare`: the sums of both sides over clusters of sessions, on all cores.
//!
//! The times of a user have to be added up before they are squared, and the sessions of a user may be in any shard of any day. So the
//! costs of users with several sessions are kept by user and definition, for as many users at a time as fit in memory; all other sessions
//! are added up as they come.

use fleet::comparison::Per;
use fleet::condition::Condition;
use fleet::ids::Id;
use fleet::moments::{Moments, work_of};
use fleet::{ids, tables};
use profile::problem::Problem;
use rustc_hash::{FxHashMap, FxHashSet};
use serde::Serialize;

use crate::chosen::{Chosen, Part, choose};
use crate::fold::on_all_cores;
use crate::lake::Lake;
use crate::parquet_limits::Use;
use crate::table_reader::TableReader;

/// How many times, one for each user and definition, are kept at once: at most half a gigabyte.
const MOST_KEPT: u64 = 8 << 20;

/// What times are divided by.
#[derive(clap::ValueEnum, Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum Work {
    /// The number of sessions.
    Session,
    /// The active time.
    Active,
}

/// What is taken to be independent.
#[derive(clap::ValueEnum, Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum Cluster {
    /// Users, and sessions without one.
    User,
    /// Sessions.
    Session,
}

impl Work {
    /// The work of sessions with this much active time.
    fn of(self, sessions: u64, active_ns: u64) -> u64 {
        match self {
            Self::Session => work_of(sessions),
            Self::Active => work_of(active_ns / 1000),
        }
    }
}

impl From<Work> for Per {
    fn from(work: Work) -> Self {
        match work {
            Work::Session => Self::Session,
            Work::Active => Self::Active,
        }
    }
}

/// A side that was added up.
pub(crate) struct Side {
    pub(crate) chosen: Chosen,
    pub(crate) moments: Moments,
    /// The number of users; 0 if no session names one.
    pub(crate) users: u64,
}

/// How the sessions of a side belong together.
#[derive(Default)]
struct Clusters {
    /// By session, but without sessions that are alone in their cluster and have work 1.
    members: FxHashMap<Id, Member>,
    /// The number of sessions that share their cluster with others.
    shared: u64,
    /// The work of each cluster of several sessions.
    work: Vec<u64>,
}

#[derive(Clone, Copy)]
struct Member {
    /// The work of a session that is alone in its cluster.
    work: u32,
    /// An index into [`Clusters::work`], or [`ALONE`].
    cluster: u32,
}

const ALONE: u32 = u32::MAX;

impl Member {
    fn alone(work: u64) -> Self {
        Self { work: u32::try_from(work).unwrap_or(u32::MAX), cluster: ALONE }
    }
}

/// The sessions of a user.
#[derive(Default)]
struct User {
    sessions: u64,
    active_ns: u64,
    cluster: u32,
}

/// Adds up the sessions of a side.
///
/// # Errors
/// If a file cannot be read.
pub(crate) fn side(lake: &Lake, condition: &Condition, per: Work, by: Cluster) -> Result<Side, Problem> {
    let mut moments = Moments::default();
    let mut users: FxHashMap<Id, User> = FxHashMap::default();
    let mut names = FxHashSet::default();
    let mut sessions_of_users: Vec<(Id, Id)> = Vec::new();
    let mut clusters = Clusters::default();
    let chosen = choose(lake, condition, |session| {
        moments.add_samples(session.samples);
        let name = session.user.map(|name| ids::of_bytes(name.as_bytes()));
        names.extend(name);
        if let Some(name) = name.filter(|_| by == Cluster::User) {
            let user = users.entry(name).or_default();
            user.sessions += 1;
            user.active_ns = user.active_ns.saturating_add(session.active);
            sessions_of_users.push((session.session, name));
            return;
        }
        let work = per.of(1, session.active);
        moments.add_cluster(work, 1, session.active);
        if work != 1 {
            clusters.members.insert(session.session, Member::alone(work));
        }
    })?;
    for user in users.values_mut() {
        let work = per.of(user.sessions, user.active_ns);
        moments.add_cluster(work, user.sessions, user.active_ns);
        user.cluster = ALONE;
        if user.sessions > 1 {
            user.cluster = clusters.work.len() as u32;
            clusters.work.push(work);
            clusters.shared += user.sessions;
        }
    }
    for (session, name) in sessions_of_users {
        let Some(user) = users.get(&name) else { continue };
        let work = per.of(1, user.active_ns);
        match user.cluster {
            ALONE if work == 1 => {}
            ALONE => _ = clusters.members.insert(session, Member::alone(work)),
            cluster => _ = clusters.members.insert(session, Member { work: 0, cluster }),
        }
    }
    drop(users);
    let users = names.len() as u64;
    drop(names);
    let passes = passes(lake, &chosen, &clusters)?;
    for number in 0..passes {
        let pass = Pass { number, passes };
        moments.merge(costs(lake, &chosen.parts, &clusters, pass)?);
    }
    Ok(Side { chosen, moments, users })
}

/// How many passes it takes to go through the users.
fn passes(lake: &Lake, chosen: &Chosen, clusters: &Clusters) -> Result<u32, Problem> {
    if clusters.shared == 0 {
        return Ok(1);
    }
    let mut rows = 0;
    for part in &chosen.parts {
        let path = lake.beside(&part.file, &tables::COSTS);
        if path.exists() {
            rows += TableReader::open(&path, &tables::COSTS, &[], Use::Passing)?.len();
        }
    }
    let kept = u128::from(rows) * u128::from(clusters.shared) / u128::from(chosen.totals.sessions.max(1));
    Ok(u32::try_from(kept / u128::from(MOST_KEPT)).unwrap_or(u32::MAX - 1) + 1)
}

/// A part of the users, when they are taken in several passes.
#[derive(Clone, Copy)]
struct Pass {
    number: u32,
    passes: u32,
}

impl Pass {
    /// Whether it is the turn of a session: those that are alone are added up in the first pass.
    fn has(self, member: Member) -> bool {
        match member.cluster {
            ALONE => self.number == 0,
            cluster => cluster % self.passes == self.number,
        }
    }
}

/// The sums of one thread.
#[derive(Default)]
struct Sums {
    moments: Moments,
    /// For clusters of several sessions, by cluster and definition: self and total time.
    kept: FxHashMap<(u32, Id), [u64; 2]>,
}

/// Adds up the costs of the sessions whose turn it is.
fn costs(lake: &Lake, parts: &[Part], clusters: &Clusters, pass: Pass) -> Result<Moments, Problem> {
    let of_threads = on_all_cores(parts, |part, sums: &mut Sums| {
        let columns = ["session", "definition", "self_ns", "total_ns", "self_samples", "total_samples"];
        part.read(lake, &tables::COSTS, &columns, |rows| {
            let [session, definition, self_ns, total_ns, self_samples, total_samples] =
                rows.all_integers(columns);
            let mut from = 0;
            for same in session.chunk_by(|a, b| a == b) {
                let rows_of_session = from..from + same.len();
                from = rows_of_session.end;
                let member = clusters.members.get(&same[0]).copied().unwrap_or(Member::alone(1));
                if !pass.has(member) {
                    continue;
                }
                for row in rows_of_session {
                    let ns = [self_ns, total_ns].map(|values| values[row].cast_unsigned());
                    let samples = [self_samples, total_samples].map(|values| values[row].cast_unsigned());
                    sums.moments.add_cost(definition[row], samples, ns);
                    if member.cluster == ALONE {
                        sums.moments.add_product(definition[row], u64::from(member.work), ns);
                    } else {
                        add(&mut sums.kept, (member.cluster, definition[row]), ns);
                    }
                }
            }
            Ok(())
        })
    })?;
    let mut moments = Moments::default();
    let mut all: FxHashMap<(u32, Id), [u64; 2]> = FxHashMap::default();
    for sums in of_threads {
        moments.merge(sums.moments);
        let (larger, smaller) = if sums.kept.len() > all.len() { (sums.kept, all) } else { (all, sums.kept) };
        all = larger;
        smaller.into_iter().for_each(|(key, ns)| add(&mut all, key, ns));
    }
    for ((cluster, definition), ns) in all {
        moments.add_product(definition, clusters.work[cluster as usize], ns);
    }
    Ok(moments)
}

fn add(kept: &mut FxHashMap<(u32, Id), [u64; 2]>, key: (u32, Id), ns: [u64; 2]) {
    let sums = kept.entry(key).or_default();
    sums.iter_mut().zip(ns).for_each(|(sum, ns)| *sum = sum.saturating_add(ns));
}
