//! The query `compare`: the sums of both sides over clusters of sessions, on all cores.
//!
//! The times of a user have to be together before they are squared, and the sessions of a user are in any shard of any day. So what users
//! of several sessions cost is kept by user and definition, of so many users at a time as fit in memory; all other sessions are added
//! up as they come.

use fleet::{Condition, Id, Moments, ids, tables, work_of};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::chosen::{Chosen, Part, choose};
use crate::fold::on_all_cores;
use crate::lake::{Lake, LakeFile};
use crate::parquet_limits::Use;
use crate::table_file::TableReader;

/// So many times, each of a user and a definition, are kept at once: half a gigabyte at the most.
const MOST_KEPT: u64 = 8 << 20;

/// What times are divided by.
#[derive(clap::ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Work {
    /// The number of sessions.
    Session,
    /// The active time.
    Active,
}

/// What is independent of each other.
#[derive(clap::ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cluster {
    /// Users, and sessions that have none.
    User,
    /// Sessions.
    Session,
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
    /// By session, but not of sessions that are alone and of work 1.
    members: FxHashMap<Id, Member>,
    /// The number of sessions that share their cluster with others.
    shared: u64,
    /// The work of each cluster of several sessions.
    work: Vec<u64>,
}

#[derive(Clone, Copy)]
struct Member {
    /// The work of a session that is alone.
    work: u32,
    /// An index of [`Clusters::work`], or [`ALONE`].
    cluster: u32,
}

const ALONE: u32 = u32::MAX;

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
/// One sentence about a file that cannot be read.
pub(crate) fn side(lake: &Lake, condition: &Condition, work: Work, by: Cluster) -> Result<Side, String> {
    let mut moments = Moments::default();
    let mut users: FxHashMap<Id, User> = FxHashMap::default();
    let mut names = FxHashSet::default();
    let mut sessions: Vec<(Id, Id)> = Vec::new();
    let mut clusters = Clusters::default();
    let work_in = |sessions: u64, active_ns: u64| match work {
        Work::Session => work_of(sessions),
        Work::Active => work_of(active_ns / 1000),
    };
    let alone = |work: u64| Member { work: u32::try_from(work).unwrap_or(u32::MAX), cluster: ALONE };
    let chosen = choose(lake, condition, |it| {
        moments.add_samples(it.samples);
        let user = it.user.map(|it| ids::of_bytes(it.as_bytes()));
        names.extend(user);
        if let Some(user) = user.filter(|_| by == Cluster::User) {
            let known = users.entry(user).or_default();
            known.sessions += 1;
            known.active_ns = known.active_ns.saturating_add(it.active);
            sessions.push((it.session, user));
            return;
        }
        let own = work_in(1, it.active);
        moments.add_cluster(own, 1, it.active);
        if own != 1 {
            clusters.members.insert(it.session, alone(own));
        }
    })?;
    for it in users.values_mut() {
        let work = work_in(it.sessions, it.active_ns);
        moments.add_cluster(work, it.sessions, it.active_ns);
        it.cluster = ALONE;
        if it.sessions > 1 {
            it.cluster = clusters.work.len() as u32;
            clusters.work.push(work);
            clusters.shared += it.sessions;
        }
    }
    for (session, user) in sessions {
        let Some(it) = users.get(&user) else { continue };
        let own = work_in(1, it.active_ns);
        match it.cluster {
            ALONE if own == 1 => {}
            ALONE => _ = clusters.members.insert(session, alone(own)),
            cluster => _ = clusters.members.insert(session, Member { work: 0, cluster }),
        }
    }
    drop(users);
    let users = names.len() as u64;
    drop(names);
    let passes = passes(lake, &chosen, &clusters)?;
    for pass in 0..passes {
        moments.merge(costs(lake, &chosen.parts, &clusters, [pass, passes])?);
    }
    Ok(Side { chosen, moments, users })
}

/// In how many parts the users have to be taken.
fn passes(lake: &Lake, chosen: &Chosen, clusters: &Clusters) -> Result<u32, String> {
    let mut rows = 0;
    for part in chosen.parts.iter().filter(|_| clusters.shared > 0) {
        let LakeFile { date, release, shard, .. } = &part.file;
        let path = lake.file(&tables::COSTS, date, release, shard);
        if path.exists() {
            rows += TableReader::open(&path, &tables::COSTS, &[], Use::Passing)?.len();
        }
    }
    let kept = u128::from(rows) * u128::from(clusters.shared) / u128::from(chosen.totals.sessions.max(1));
    Ok(u32::try_from(kept / u128::from(MOST_KEPT)).unwrap_or(u32::MAX - 1) + 1)
}

/// What a thread has added up.
#[derive(Default)]
struct Sums {
    moments: Moments,
    /// Of clusters of several sessions, by cluster and definition: self and total time.
    kept: FxHashMap<(u32, Id), [u64; 2]>,
}

/// Adds up the costs of the clusters whose turn it is, and in the first pass those of all sessions that are alone.
fn costs(
    lake: &Lake,
    parts: &[Part],
    clusters: &Clusters,
    [pass, passes]: [u32; 2],
) -> Result<Moments, String> {
    let sums = on_all_cores(parts, |part, sums: &mut Sums| {
        let columns = ["session", "definition", "self_ns", "total_ns", "self_samples", "total_samples"];
        part.read(lake, &tables::COSTS, &columns, |rows| {
            let [session, definition, self_ns, total_ns, self_samples, total_samples] =
                columns.map(|it| rows.integers(it));
            let mut from = 0;
            for same in session.chunk_by(|a, b| a == b) {
                let rows = from..from + same.len();
                from = rows.end;
                let alone = Member { work: 1, cluster: ALONE };
                let member = clusters.members.get(&same[0]).copied().unwrap_or(alone);
                let is_alone = member.cluster == ALONE;
                if (if is_alone { 0 } else { member.cluster % passes }) != pass {
                    continue;
                }
                for row in rows {
                    let ns = [self_ns, total_ns].map(|it| it[row].cast_unsigned());
                    let samples = [self_samples, total_samples].map(|it| it[row].cast_unsigned());
                    sums.moments.add_cost(definition[row], samples, ns);
                    if is_alone {
                        sums.moments.add_product(definition[row], u64::from(member.work), ns);
                    } else {
                        add(&mut sums.kept, (member.cluster, definition[row]), ns);
                    }
                }
            }
            Ok(())
        })
        .map(|_| ())
    })?;
    let mut moments = Moments::default();
    let mut all: FxHashMap<(u32, Id), [u64; 2]> = FxHashMap::default();
    for it in sums {
        moments.merge(it.moments);
        let (larger, smaller) = if it.kept.len() > all.len() { (it.kept, all) } else { (all, it.kept) };
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
    sums.iter_mut().zip(ns).for_each(|(sum, it)| *sum = sum.saturating_add(it));
}
