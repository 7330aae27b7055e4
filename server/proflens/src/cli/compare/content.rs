//! The content of a comparison, from which every format is made.

use analysis::FilePath;
use analysis::format::{self, Style};
use compare::{Change, Comparison, FunctionChange, LedgerRow, Presence, Verdict};

/// Which time of functions is listed, and what the list is ordered by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sort {
    /// The one that tells most.
    Shown,
    /// Self time.
    SelfTime,
    /// Total time.
    TotalTime,
}

/// The content of a comparison, from which every format is made.
pub struct Content<'a> {
    /// The comparison.
    pub comparison: &'a Comparison,
    /// The workspace folder: printed paths are relative to it.
    pub folder: &'a FilePath,
    /// Which time is listed.
    pub by: Sort,
    /// At most this many functions are listed.
    pub limit: usize,
    /// The address below which the files are.
    pub link_base: Option<&'a str>,
}

/// A function with the time that is listed.
#[derive(Clone, Copy)]
pub(super) struct Row<'a> {
    pub(super) function: &'a FunctionChange,
    pub(super) change: &'a Change,
    /// `self` or `total`.
    pub(super) which: &'static str,
    pub(super) verdict: Verdict,
}

impl<'a> Content<'a> {
    /// All functions in order.
    pub(super) fn rows(&self) -> Vec<Row<'a>> {
        let row = |it: &'a FunctionChange| {
            let total = match self.by {
                Sort::Shown => it.shows_total(),
                Sort::SelfTime => false,
                Sort::TotalTime => true,
            };
            let (change, which) = if total { (&it.total_time, "total") } else { (&it.self_time, "self") };
            let verdict = match (self.by, it.presence) {
                (Sort::Shown, _) | (_, Presence::Before | Presence::After) => it.verdict,
                _ => change.verdict,
            };
            Row { function: it, change, which, verdict }
        };
        let mut rows: Vec<_> = self.comparison.functions.iter().map(row).collect();
        // They are in the order of what tells most.
        if self.by != Sort::Shown {
            rows.sort_by_key(|it| {
                (!it.verdict.is_change(), std::cmp::Reverse(it.change.difference().unsigned_abs()))
            });
        }
        rows
    }

    /// An amount.
    pub(super) fn amount(&self, it: profile::Amount) -> String {
        format::amount(it, self.comparison.unit, Style::Text)
    }

    /// A difference with its sign: `+4.70 ms`.
    pub(super) fn difference(&self, difference: i64) -> String {
        let sign = match difference {
            0 => "",
            1.. => "+",
            _ => "−",
        };
        format!("{sign}{}", self.amount(profile::Amount(difference.unsigned_abs())))
    }
}

/// What a row of the ledger is called.
pub(super) fn row_label(row: LedgerRow) -> String {
    match row {
        LedgerRow::Placed => "Functions".to_owned(),
        LedgerRow::Unplaced(reason) => reason.label(),
        LedgerRow::Idle => "Idle".to_owned(),
        LedgerRow::NoStack => "Without a stack".to_owned(),
    }
}
