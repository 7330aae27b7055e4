//! Where all the time went, as rows for people.

use std::cmp::Reverse;

use profile::model::{Amount, Weight};

use crate::summary::{Base, Ledger, share};

/// One line of the ledger.
#[derive(Clone, Debug, PartialEq)]
pub struct LedgerRow {
    /// Its name: `placed`, `generated`, `idle`, `no-stack`, or the name of a reason.
    pub why: &'static str,
    /// The same, for display.
    pub label: String,
    /// How much it is.
    pub spent: Weight,
    /// Its share of the base, 0..1; `None` if it is not part of the base.
    pub share: Option<f64>,
    /// What it applies to: packages, paths or names.
    pub examples: Vec<String>,
}

/// The rows with any time, which add up to all time: those of the base first, each group by size.
pub fn ledger_rows(ledger: &Ledger, base: Base) -> Vec<LedgerRow> {
    let whole = ledger.base(base);
    let row = |why, label: &str, spent: Weight, is_quiet: bool| LedgerRow {
        why,
        label: label.to_owned(),
        spent,
        share: (base == Base::All || !is_quiet).then(|| share(spent.time, whole)),
        examples: Vec::new(),
    };
    let written = Weight {
        time: ledger.placed.time - ledger.generated.time,
        samples: ledger.placed.samples - ledger.generated.samples,
    };
    let mut rows = vec![
        row("placed", "On functions of this workspace", written, false),
        row("generated", "On generated lines, whose source map is missing", ledger.generated, false),
        row("idle", "Idle", ledger.idle, true),
        row("no-stack", "Without a stack: idle, or at work in the engine", ledger.no_stack, true),
    ];
    rows.extend(ledger.unplaced.iter().map(|(why, unplaced)| LedgerRow {
        examples: unplaced.top(),
        ..row(why.name(), &why.label(), unplaced.spent, false)
    }));
    rows.retain(|row| row.spent.time > Amount(0));
    rows.sort_by_key(|row| (row.share.is_none(), Reverse(row.spent.time)));
    rows
}
