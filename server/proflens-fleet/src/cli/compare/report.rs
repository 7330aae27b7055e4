//! What a comparison of sessions says besides its functions.

use std::collections::BTreeSet;

use analysis::format::{count, thousands};
use compare::comparison::Comparison;
use compare::texts;
use fleet::condition::Condition;

use crate::compare_fold::{Cluster, Side, Work};

/// What is printed.
pub(super) struct Report<'a> {
    /// Which sessions each side has.
    pub(super) conditions: [Condition; 2],
    pub(super) per: Work,
    pub(super) by: Cluster,
    pub(super) sides: &'a [Side; 2],
    pub(super) comparison: &'a Comparison,
}

impl Report<'_> {
    /// What is compared, how it is judged, and the result.
    pub(super) fn sentences(&self) -> Vec<String> {
        let per = match self.per {
            Work::Session => "Times are those of a mean session.",
            Work::Active => {
                "Times are as if all sessions had the same active time, that of a mean session before."
            }
        };
        let [before, after] = [0, 1].map(|side| self.comparison.sides[side].runs);
        let judged = if self.sides.iter().all(|side| side.users == 0) || self.by == Cluster::Session {
            "Judged by how much sessions differ.".to_owned()
        } else {
            format!(
                "Judged by how much users differ, of whom there are {} before and {} after with each session of nobody in particular.",
                thousands(before),
                thousands(after)
            )
        };
        vec![
            texts::whole(self.comparison),
            self.side(0, "Before"),
            self.side(1, "After"),
            per.to_owned(),
            judged,
            texts::found(self.comparison),
        ]
    }

    fn side(&self, number: usize, name: &str) -> String {
        let (side, condition) = (&self.sides[number], &self.conditions[number]);
        let users = match side.users {
            0 => String::new(),
            users => format!(", {}", count(users, "user")),
        };
        let releases: Vec<&str> = side.releases().into_iter().collect();
        format!(
            "{name}: {condition}: {}{users}, {} {}.",
            count(side.chosen.totals.sessions, "session"),
            if releases.len() == 1 { "release" } else { "releases" },
            releases.join(", ")
        )
    }
}

impl Side {
    /// The releases of its sessions.
    pub(super) fn releases(&self) -> BTreeSet<&str> {
        self.chosen.parts.iter().map(|part| part.file.release.as_str()).collect()
    }
}
