//! The content of a comparison, from which every format is made.

use analysis::FilePath;
use analysis::format::{self, Style};
use compare::{Change, Comparison, FunctionChange, LedgerRow, Method, Per, Presence, Verdict};

/// Which time of functions is listed, and what the list is ordered by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sort {
    /// The one that tells most.
    Shown,
    /// Self time.
    SelfTime,
    /// Total time.
    TotalTime,
}

/// The content of a comparison, from which every format is made.
pub(super) struct Content<'a> {
    pub(super) comparison: &'a Comparison,
    /// The workspace folder: printed paths are relative to it.
    pub(super) folder: &'a FilePath,
    pub(super) by: Sort,
    /// At most this many functions are listed.
    pub(super) limit: usize,
    /// The address below which the files are.
    pub(super) link_base: Option<&'a str>,
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

    /// Sentences on what is compared, by what it is judged, and what came out.
    pub(super) fn sentences(&self) -> Vec<String> {
        let it = self.comparison;
        let runs = |side: usize| format::count(it.sides[side].runs, "run");
        let mut lines = vec![self.whole()];
        let method = match it.method {
            Method::Runs => "judged by how much the runs of each side differ".to_owned(),
            Method::OneAgainstMany => {
                "judged by how much the runs of the side with several differ; nothing is certain with fewer than three runs a side".to_owned()
            }
            Method::Sampling => format!(
                "judged by the error of sampling and an assumed noise between runs of {}; nothing is certain with fewer than three runs a \
                 side, such as those of proflens record --repeat 10",
                format::percent(it.settings.noise, Style::Text)
            ),
            Method::Nothing => {
                "not judged, as nothing is known of how much runs differ; record at least three a side"
                    .to_owned()
            }
        };
        lines.push(format!("{} before, {} after: {method}.", runs(0), runs(1)));
        if it.per != Per::Run {
            lines.push(format!("Times are {}.", it.per.sentence()));
        }
        let settings = it.settings;
        let number = |verdict| it.functions.iter().filter(|it| it.verdict == verdict).count() as u64;
        let of = |verdict: Verdict| (number(verdict), verdict.words(it.unit));
        let found =
            [Verdict::Regression, Verdict::Improvement, Verdict::Shifted, Verdict::New, Verdict::Gone];
        let found = found.map(of).into_iter().filter(|it| it.0 > 0);
        let found: Vec<_> =
            found.map(|(number, words)| format!("{} {words}", format::thousands(number))).collect();
        let functions = format::count(it.functions.len() as u64, "function");
        lines.push(match found.is_empty() {
            true => format!("Of {functions} none changed by more than noise."),
            false => format!("Of {functions}: {}.", found.join(", ")),
        });
        lines
    }

    fn whole(&self) -> String {
        let it = self.comparison;
        let whole = &it.whole;
        let what = format::whole(it.unit);
        let what = what[..1].to_uppercase() + &what[1..];
        format!(
            "{what}: {} before, {} after ({}){}.",
            self.amount(whole.before),
            self.amount(whole.after),
            change(whole),
            match interval(whole) {
                Some(interval) => format!(", {interval}, {}", whole.verdict.words(it.unit)),
                None => String::new(),
            }
        )
    }
}

/// The change in percent with its sign: `+38 %`; from twice on as a factor: `×2.4`.
pub(super) fn change(it: &Change) -> String {
    match it.ratio() {
        None if it.after.0 == 0 => "0 %".to_owned(),
        None => "new".to_owned(),
        Some(0.0) => "gone".to_owned(),
        Some(ratio) => signed(ratio),
    }
}

/// The interval of the change: `+30 % to +46 %`.
pub(super) fn interval(it: &Change) -> Option<String> {
    let [low, high] = it.effect?.interval?;
    Some(format!("{} to {}", signed(low), signed(high)))
}

/// How likely chance alone makes such a difference, among as many functions: `<0.001`, `0.023`; nothing if it was not asked.
pub(super) fn p(it: &Change) -> String {
    match it.effect {
        None => String::new(),
        Some(effect) if effect.q < 0.001 => "<0.001".to_owned(),
        Some(effect) if effect.q >= 0.9995 => "1".to_owned(),
        Some(effect) => format!("{:.3}", effect.q),
    }
}

fn signed(ratio: f64) -> String {
    if ratio >= 2.0 {
        return match ratio {
            100.0.. => format!("×{}", format::thousands(ratio.round() as u64)),
            _ => format!("×{ratio:.1}"),
        };
    }
    let part = ratio - 1.0;
    let size = format::percent(part.abs(), Style::Text);
    match size.as_str() {
        "0 %" | "<0.01 %" => "0 %".to_owned(),
        _ if part < 0.0 => format!("−{size}"),
        _ => format!("+{size}"),
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
