//! Differences as text, the same in reports and editors.

use analysis::format::{self, Style};
use profile::model::{Amount, Unit};

use crate::calls::CallsChange;
use crate::change::{Change, FunctionChange};
use crate::comparison::Comparison;
use crate::power::SHOWN;
use crate::verdict::{Method, Verdict};
use crate::work::Per;

/// More runs than this would help nobody who hears of them.
const MOST_RUNS: u64 = 50;
/// A drift below this is not worth a sentence.
const SMALL_DRIFT: f64 = 0.01;

/// The change in percent with its sign: `+38 %`; from twice on, as a factor: `×2.4`.
pub fn change(amount: &Change) -> String {
    match amount.ratio() {
        None if amount.after.0 == 0 => "0 %".to_owned(),
        None => "new".to_owned(),
        Some(0.0) => "gone".to_owned(),
        Some(ratio) => signed(ratio, Style::Text),
    }
}

/// The same with `▲` and `▼` as signs, which are easier to see: `▲38 %`, `▼12 %`, `▲×2.4`.
pub fn arrow(amount: &Change, style: Style) -> String {
    let Some(ratio) = amount.ratio().filter(|ratio| *ratio > 0.0) else { return change(amount) };
    let text = signed(ratio, style);
    match text.chars().next() {
        Some('+') => text.replacen('+', "▲", 1),
        Some('−') => text.replacen('−', "▼", 1),
        Some('×') => format!("▲{text}"),
        _ => text,
    }
}

/// The interval of the change: `+30 % to +46 %`. `None` if it has none, or if it says that there is a change and the
/// verdict does not: it is that of one function, and the verdict one of many.
pub fn interval(amount: &Change) -> Option<String> {
    let [low, high] = amount.effect?.interval?;
    if amount.verdict == Verdict::Unsure && (low > 1.0 || high < 1.0) {
        return None;
    }
    Some(format!("{} to {}", signed(low, Style::Text), signed(high, Style::Text)))
}

/// How likely chance alone makes such a difference, among so many functions: `<0.001`, `0.023`; empty if not asked, or if
/// it is certain to.
pub fn p(amount: &Change) -> String {
    match amount.effect {
        None => String::new(),
        Some(effect) if effect.q < 0.001 => "<0.001".to_owned(),
        Some(effect) if effect.q >= 0.9995 => String::new(),
        Some(effect) => format!("{:.3}", effect.q),
    }
}

/// The calls before and after: `600,000 → 1,200,000`, or `600,000` if they are the same.
pub fn calls(calls: &CallsChange) -> String {
    let [before, after] = calls.calls.map(|calls| calls.map_or_else(|| "not counted".to_owned(), mean_calls));
    if before == after { before } else { format!("{before} → {after}") }
}

/// The cost of a call before and after: `6.67 µs → 13.3 µs`; `None` if neither is known.
pub fn a_call(calls: &CallsChange, change: &Change, unit: Unit) -> Option<String> {
    let costs = calls.of_a_call([change.before, change.after]);
    let [before, after] = costs.map(|cost| match cost {
        None => "not known".to_owned(),
        Some(cost) if cost > 0.0 && cost < 1.0 && unit == Unit::Time => "less than 1 ns".to_owned(),
        Some(cost) => format::amount(Amount(cost.round() as u64), unit, Style::Text),
    });
    costs.iter().any(Option::is_some).then(|| format!("{before} → {after}"))
}

/// The verdict on a function in words, with the reason why one of its times changed, as far as calls tell: `slower: more calls`.
pub fn verdict(function: &FunctionChange, change: &Change, verdict: Verdict, unit: Unit) -> String {
    let causes: Vec<_> = function.causes(change).into_iter().map(|cause| cause.words(unit)).collect();
    let words = verdict.words(unit);
    if causes.is_empty() { words.to_owned() } else { format!("{words}: {}", causes.join(", ")) }
}

/// A mean number of calls, which is usually an integer.
fn mean_calls(calls: f64) -> String {
    match calls {
        100.0.. => format::thousands(calls.round() as u64),
        _ if calls.fract() == 0.0 => format::thousands(calls as u64),
        1.0.. => format!("{calls:.1}"),
        _ => format!("{calls:.3}"),
    }
}

/// Sentences on what is compared, how it is judged, and the result.
pub fn sentences(comparison: &Comparison) -> Vec<String> {
    let mut lines = vec![whole(comparison)];
    lines.extend(basis(comparison));
    lines.push(found(comparison));
    lines.extend(more_runs(comparison));
    lines
}

/// Sentences on how it is judged.
pub fn basis(comparison: &Comparison) -> Vec<String> {
    let mut lines = vec![format!("{}: {}.", runs(comparison), method(comparison))];
    if comparison.per != Per::Run {
        let more = match &comparison.machine {
            Some(_) if comparison.per == Per::Call => ", and the machine had always been as fast as there",
            Some(machine) if machine.is_by_function => ", which slows some functions down more than others",
            _ => "",
        };
        lines.push(format!("Times are {}{more}.", comparison.per.sentence()));
    }
    lines.extend(machine(comparison));
    lines
}

/// How much longer everything took in the runs after, and how much functions differ besides, as sentences; `None` if
/// nothing tells.
pub fn machine(comparison: &Comparison) -> Option<String> {
    let machine = comparison.machine.as_ref()?;
    let [longer, slower] = match machine.ratio >= 1.0 {
        true => ["longer", "slower"],
        false => ["less time", "faster"],
    };
    let size = format::percent((machine.ratio - 1.0).abs(), Style::Text);
    let [low, high] = machine.interval().map(|ratio| signed(ratio, Style::Text));
    let why = match machine.effect.p <= comparison.settings.level {
        true if machine.is_by_turns => {
            format!(
                ": as the runs were taken by turns, that is not the machine, and everything became {slower}"
            )
        }
        true => format!(
            ": the machine was {slower}, or everything became {slower}, which runs that are taken by turns would tell"
        ),
        false => ", which may be chance".to_owned(),
    };
    let drift = match machine.drift {
        ..SMALL_DRIFT => String::new(),
        drift => format!(
            " Apart from that, functions differ by about {} between the sides although most did not change: smaller changes cannot be told, unless runs are taken by turns.",
            format::percent(drift, Style::Text)
        ),
    };
    Some(format!(
        "All functions together took {size} {longer} in the runs after ({low} to {high}){why}.{drift}"
    ))
}

/// How many more runs would help, as a sentence; `None` if there are enough, if so many would be needed that nobody
/// records them, or if nobody knows.
pub fn more_runs(comparison: &Comparison) -> Option<String> {
    let runs = comparison.sides.iter().map(|side| side.runs).min()?;
    let more = comparison.runs_needed?.checked_sub(runs).filter(|more| (1..=MOST_RUNS).contains(more))?;
    let size = format::percent(SHOWN, Style::Text);
    let runs = if more == 1 { "run" } else { "runs" };
    Some(format!("With {more} more {runs} a side, a change of {size} would show."))
}

/// How many functions have each verdict, as a sentence.
pub fn found(comparison: &Comparison) -> String {
    let found = changes(comparison);
    let functions = format::count(comparison.functions.len() as u64, "function");
    match found.is_empty() {
        true if comparison.method == Method::Nothing => format!("None of {functions} was judged."),
        true => format!("Of {functions} none changed by more than noise."),
        false => format!("Of {functions}: {found}."),
    }
}

/// How many functions changed by more than noise, by verdict: `14 slower, 1 new`; empty if none did.
pub fn changes(comparison: &Comparison) -> String {
    const CHANGED: [Verdict; 5] = [
        Verdict::Regression,
        Verdict::Improvement,
        Verdict::PossibleRegression,
        Verdict::PossibleImprovement,
        Verdict::Shifted,
    ];
    let changed = CHANGED.map(|verdict| (verdict, number(comparison, verdict)));
    let news = [Verdict::New, Verdict::Gone].map(|verdict| (verdict, number_of_news(comparison, verdict)));
    let found: Vec<String> = changed
        .into_iter()
        .chain(news)
        .filter(|(_, number)| *number > 0)
        .map(|(verdict, number)| {
            format!("{} {}", format::thousands(number as u64), verdict.words(comparison.unit))
        })
        .collect();
    found.join(", ")
}

/// How many functions have a verdict.
pub fn number(comparison: &Comparison, verdict: Verdict) -> usize {
    comparison.functions.iter().filter(|function| function.verdict == verdict).count()
}

/// How many functions are new or gone by more than chance.
fn number_of_news(comparison: &Comparison, verdict: Verdict) -> usize {
    let functions = comparison.functions.iter().filter(|function| function.verdict == verdict);
    functions.filter(|function| function.is_certain_news(comparison.settings)).count()
}

/// `10 runs before, 10 runs after`.
pub fn runs(comparison: &Comparison) -> String {
    let [before, after] = [0, 1].map(|side: usize| format::count(comparison.sides[side].runs, "run"));
    format!("{before} before, {after} after")
}

/// The method by which differences are judged, as part of a sentence.
pub fn method(comparison: &Comparison) -> String {
    match comparison.method {
        Method::Runs => "judged by how much the runs of each side differ".to_owned(),
        Method::OneAgainstMany => {
            "judged by how much the runs of the side with several differ; nothing is certain with fewer than three runs a side".to_owned()
        }
        Method::Sampling => format!(
            "judged by the error of sampling and an assumed noise between runs of {}; nothing is certain with fewer than three runs a \
             side, such as those of proflens record --repeat 10",
            format::percent(comparison.settings.noise, Style::Text)
        ),
        Method::Nothing => {
            "not judged, as nothing is known of how much runs differ; record at least three a side".to_owned()
        }
    }
}

/// How all of the active time changed, as a sentence.
pub fn whole(comparison: &Comparison) -> String {
    let whole = &comparison.whole;
    let name = format::whole(comparison.unit);
    let what = name[..1].to_uppercase() + &name[1..];
    let [before, after] =
        [whole.before, whole.after].map(|time| format::amount(time, comparison.unit, Style::Text));
    format!(
        "{what}: {before} before, {after} after ({}){}.",
        change(whole),
        match interval(whole) {
            // All runs have the same amount because of the way they are compared.
            _ if comparison.per == Per::Active => String::new(),
            Some(interval) => format!(", {interval}, {}", whole.verdict.words(comparison.unit)),
            None => String::new(),
        }
    )
}

fn signed(ratio: f64, style: Style) -> String {
    if ratio >= 2.0 {
        return match ratio {
            100.0.. => format!("×{}", format::thousands(ratio.round() as u64)),
            _ => format!("×{ratio:.1}"),
        };
    }
    let part = ratio - 1.0;
    let size = format::percent(part.abs(), style);
    match size.as_str() {
        "0 %" | "<0.01 %" | "0%" | "<0.01%" => format::percent(0.0, style),
        _ if part < 0.0 => format!("−{size}"),
        _ => format!("+{size}"),
    }
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;
    use crate::fixtures::{compare, runs};
    use crate::statistics::Effect;
    use crate::verdict::Settings;

    fn amounts(before: u64, after: u64) -> Change {
        let whole = compare("f | 5 | 5").whole;
        Change { before: Amount(before), after: Amount(after), effect: None, ..whole }
    }

    #[test]
    fn changes_as_people_read_them() {
        let cases = [
            (0, 0, "0 %", "0 %", "0 %"),
            (0, 5, "new", "new", "new"),
            (5, 0, "gone", "gone", "gone"),
            (100, 138, "+38 %", "▲38 %", "▲38%"),
            (100, 88, "−12 %", "▼12 %", "▼12%"),
            (100, 100, "0 %", "0 %", "0%"),
            (1_000_000, 1_000_001, "0 %", "0 %", "0%"),
            (1_000_000, 999_999, "0 %", "0 %", "0%"),
            (1000, 1999, "+100 %", "▲100 %", "▲100%"),
            (100, 200, "×2.0", "▲×2.0", "▲×2.0"),
            (10, 999, "×99.9", "▲×99.9", "▲×99.9"),
            (10, 1000, "×100", "▲×100", "▲×100"),
            (2, 2469, "×1,235", "▲×1,235", "▲×1,235"),
        ];
        for (before, after, text, with_arrow, compact) in cases {
            let amounts = amounts(before, after);
            let shown = [change(&amounts), arrow(&amounts, Style::Text), arrow(&amounts, Style::Compact)];
            assert_eq!(shown, [text, with_arrow, compact], "{before} → {after}");
        }
    }

    #[test]
    fn how_sure_a_change_is() {
        let cases = [
            (None, "", None),
            (Some((0.0009, None)), "<0.001", None),
            (Some((0.001, Some([0.5, 2.5]))), "0.001", Some("−50 % to ×2.5")),
            (Some((0.0234, Some([1.0, 1.46]))), "0.023", Some("0 % to +46 %")),
            (Some((0.9994, None)), "0.999", None),
            (Some((0.9995, None)), "", None),
            (Some((1.0, Some([0.5, 2.5]))), "", Some("−50 % to ×2.5")),
            (Some((0.1, Some([1.3, 1.46]))), "0.100", None),
            (Some((0.1, Some([0.5, 0.9]))), "0.100", None),
        ];
        for (effect, text, between) in cases {
            let effect = effect.map(|(q, interval)| Effect { interval, error: 0.0, p: 0.5, q });
            let change = Change { effect, ..amounts(5, 5) };
            assert_eq!((&*p(&change), interval(&change).as_deref()), (text, between));
        }
    }

    #[test]
    fn sentences_on_a_comparison() {
        let check = |table: &str, per: Per, expected: Expect| {
            let [before, after] = runs(table);
            let comparison = Comparison::of(&before, &after, per, Settings::default()).expect("functions");
            expected.assert_eq(&sentences(&comparison).join("\n"));
        };
        let slower = "
            parse | 100 101 102 | 201 202 203
            load  | 100 101 102 | 51  52  53
            came  | -   -   -   | 10  10  10
            also  | -   -   -   | 11  11  11
            once  | -   -   -   | 0   0   1
            went  | 19  19  19  | -   -   -
        ";
        check(
            slower,
            Per::Run,
            expect![[r#"
                Active time: 221 ms before, 275 ms after (+25 %), +22 % to +27 %, slower.
                3 runs before, 3 runs after: judged by how much the runs of each side differ.
                Of 6 functions: 1 slower, 1 faster, 2 new, 1 gone.
                With 13 more runs a side, a change of 10 % would show."#]],
        );
        check(
            slower,
            Per::Active,
            expect![[r#"
                Active time: 221 ms before, 275 ms after (+25 %).
                3 runs before, 3 runs after: judged by how much the runs of each side differ.
                Times are as if all runs had the same active time.
                Of 6 functions: 1 slower, 1 faster, 2 new, 1 gone.
                With 13 more runs a side, a change of 10 % would show."#]],
        );
        check(
            "f | 100 | 300",
            Per::Run,
            expect![[r#"
            Active time: 100 ms before, 300 ms after (×3.0).
            1 run before, 1 run after: judged by the error of sampling and an assumed noise between runs of 10 %; nothing is certain with fewer than three runs a side, such as those of proflens record --repeat 10.
            Of 1 function: 1 maybe slower."#]],
        );
        check(
            "f | 100 | 101",
            Per::Marker("request".to_owned()),
            expect![[r#"
            Active time: 100 ms before, 101 ms after (+1 %).
            1 run before, 1 run after: judged by the error of sampling and an assumed noise between runs of 10 %; nothing is certain with fewer than three runs a side, such as those of proflens record --repeat 10.
            Times are those of one request.
            Of 1 function none changed by more than noise."#]],
        );
        check(
            "f | 100 | 101 102",
            Per::Run,
            expect![[r#"
            Active time: 100 ms before, 102 ms after (+1.5 %).
            1 run before, 2 runs after: not judged, as nothing is known of how much runs differ; record at least three a side.
            None of 1 function was judged."#]],
        );
        check(
            "f | 100 | 101 102 103",
            Per::Run,
            expect![[r#"
            Active time: 100 ms before, 102 ms after (+2 %), −2.8 % to +7.1 %, the same.
            1 run before, 3 runs after: judged by how much the runs of the side with several differ; nothing is certain with fewer than three runs a side.
            Of 1 function none changed by more than noise."#]],
        );
    }

    #[test]
    fn allocated_bytes() {
        let [mut before, mut after] = runs("f | 100 100 100 | 200 200 200");
        before.iter_mut().chain(&mut after).for_each(|run| run.unit = Unit::Bytes);
        let comparison = Comparison::of(&before, &after, Per::Run, Settings::default()).expect("functions");
        expect![[r#"
            Allocated memory: 100 MB before, 200 MB after (×2.0), ×2.0 to ×2.0, more.
            3 runs before, 3 runs after: judged by how much the runs of each side differ.
            Of 1 function: 1 more.
            With 10 more runs a side, a change of 10 % would show."#]]
        .assert_eq(&sentences(&comparison).join("\n"));
    }
}
