//! The query `compare`: the sums, squares and products from which the difference of two sets of sessions is estimated.
//!
//! Users have different numbers of sessions, and the sessions of one user are alike: they form a cluster, whose cost `x` is related to
//! its work `n`. Squares of microseconds do not fit into 64-bit sums, so each product is split before it is added.

use super::{Asked, By, Query, all_columns, columns, integer, select};
use crate::comparison::Per;
use crate::condition::{Column, Condition};
use crate::moments::CompareRow;
use crate::tables::COSTS;

/// Where a product is split: 2^32.
const SPLIT: u64 = 1 << 32;
/// The largest factor, so that the product fits into 64 bits: 2^31 - 1.
const MOST: u64 = (1 << 31) - 1;

impl Asked {
    /// The query `compare`; its result has [`CompareRow::COLUMNS`].
    pub fn compare(&self, sides: &[Condition; 2], per: Per, by: By) -> String {
        let mut query = Query::new("compare", self.dialect);
        self.sides(&mut query, sides, by);
        query.table(COSTS.name, &self.rows(&COSTS, &all_columns(&COSTS), &self.partitions_of(sides)));
        let work = match per {
            Per::Session => "count(*)".to_owned(),
            Per::Active => self.dialect.divided("cast(sum(sessions.active_ns) as bigint)", 1000),
        };
        query.table("clusters", &self.clusters(&work));
        query.table("ran", RAN);
        query.table("measured", &self.measured());
        query.table("summed", &format!("{}\nunion all\n{}", self.base(), self.definitions()));
        query.select(&format!(
            "select\n  {}\nfrom summed\norder by side, definition",
            CompareRow::COLUMNS.join(",\n  ")
        ))
    }

    /// The sessions of both sides, with the cluster of each: a user, or a session.
    fn sides(&self, query: &mut Query, sides: &[Condition; 2], by: By) {
        let user = self.dialect.name_of(Column::User);
        let [cluster_user, cluster_session] = match by {
            By::User => {
                [format!("coalesce({user}, '')"), format!("case when {user} is null then session else 0 end")]
            }
            By::Session => ["''".to_owned(), "session".to_owned()],
        };
        let names = match by {
            By::User => vec!["session", "samples", "active_ns", &user],
            By::Session => vec!["session", "samples", "active_ns"],
        };
        let sides = [0, 1].map(|side| {
            format!(
                "select\n  {side} as side, session, lake_date, lake_release, samples, active_ns,\n  {cluster_user} as cluster_user,\n  {}\nfrom (\n  {}\n) as chosen",
                integer(&cluster_session, "cluster_session"),
                self.select_sessions(&names, &sides[side]).replace('\n', "\n  ")
            )
        });
        query.table("sessions", &sides.join("\nunion all\n"));
    }

    /// Which partitions the sessions of either side are in.
    fn partitions_of(&self, sides: &[Condition; 2]) -> Vec<String> {
        let [a, b] = sides.each_ref().map(|condition| self.terms(condition, Column::is_partition));
        if a.is_empty() || b.is_empty() {
            return Vec::new();
        }
        vec![format!("({} or {})", a.join(" and "), b.join(" and "))]
    }

    fn clusters(&self, work: &str) -> String {
        let values = [
            ("count(*)", "sessions"),
            ("sum(sessions.samples)", "samples"),
            ("sum(sessions.active_ns)", "active_ns"),
            (&format!("least({work}, {MOST})"), "work"),
        ];
        format!(
            "select\n  side, cluster_user, cluster_session,\n  {}\nfrom sessions\ngroup by side, cluster_user, cluster_session",
            columns(&values)
        )
    }

    /// The time that clusters spent in definitions, in microseconds, with their work.
    fn measured(&self) -> String {
        let [own, total] = ["ran.self_ns", "ran.total_ns"]
            .map(|ns| format!("least({}, {MOST})", self.dialect.divided(ns, 1000)));
        format!(
            "select\n  ran.side as side, ran.definition as definition, ran.sessions as sessions,\n  ran.self_samples as self_samples, ran.total_samples as total_samples,\n  ran.self_ns as self_ns, ran.total_ns as total_ns,\n  {},\n  {},\n  clusters.work as work\nfrom ran\njoin clusters\n  on ran.side = clusters.side\n  and ran.cluster_user = clusters.cluster_user\n  and ran.cluster_session = clusters.cluster_session",
            integer(&own, "self_us"),
            integer(&total, "total_us"),
        )
    }

    /// The rows of definition 0: all clusters of a side.
    fn base(&self) -> String {
        let [high, low] = self.split("clusters.work * clusters.work");
        select(
            [
                "clusters.side",
                "0",
                "count(*)",
                "sum(clusters.sessions)",
                "sum(clusters.samples)",
                "0",
                "sum(clusters.active_ns)",
                "sum(clusters.work)",
                "0",
                "0",
                &high,
                &low,
                "0",
                "0",
                "0",
                "0",
            ],
            CompareRow::COLUMNS,
            "from clusters\ngroup by clusters.side",
        )
    }

    fn definitions(&self) -> String {
        let [self_square, total_square] =
            ["self_us", "total_us"].map(|us| self.split(&format!("measured.{us} * measured.{us}")));
        let [self_work, total_work] =
            ["self_us", "total_us"].map(|us| self.split(&format!("measured.{us} * measured.work")));
        select(
            [
                "measured.side",
                "measured.definition",
                "count(*)",
                "sum(measured.sessions)",
                "sum(measured.self_samples)",
                "sum(measured.total_samples)",
                "sum(measured.self_ns)",
                "sum(measured.total_ns)",
                &self_square[0],
                &self_square[1],
                &total_square[0],
                &total_square[1],
                &self_work[0],
                &self_work[1],
                &total_work[0],
                &total_work[1],
            ],
            CompareRow::COLUMNS,
            "from measured\ngroup by measured.side, measured.definition",
        )
    }

    fn split(&self, product: &str) -> [String; 2] {
        let high = self.dialect.divided(&format!("({product})"), SPLIT);
        [format!("sum({high})"), format!("sum(({product}) % {SPLIT})")]
    }
}

/// The time that clusters spent in definitions.
const RAN: &str = "select
  sessions.side as side, sessions.cluster_user as cluster_user, sessions.cluster_session as cluster_session,
  costs.definition as definition,
  cast(count(*) as bigint) as sessions,
  cast(sum(costs.self_samples) as bigint) as self_samples,
  cast(sum(costs.total_samples) as bigint) as total_samples,
  cast(sum(costs.self_ns) as bigint) as self_ns,
  cast(sum(costs.total_ns) as bigint) as total_ns
from costs
join sessions
  on costs.session = sessions.session
  and costs.lake_date = sessions.lake_date
  and costs.lake_release = sessions.lake_release
group by sessions.side, sessions.cluster_user, sessions.cluster_session, costs.definition";
