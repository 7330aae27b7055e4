//! Differences as people read them, in one way for reports and editors.

use analysis::format::{self, Style};

use crate::change::{Change, FunctionChange};
use crate::comparison::Comparison;
use crate::verdict::{Method, Verdict};
use crate::work::Per;

/// The change in percent with its sign: `+38 %`; from twice on as a factor: `×2.4`.
pub fn change(it: &Change) -> String {
    match it.ratio() {
        None if it.after.0 == 0 => "0 %".to_owned(),
        None => "new".to_owned(),
        Some(0.0) => "gone".to_owned(),
        Some(ratio) => signed(ratio, Style::Text),
    }
}

/// The same with `▲` and `▼` for signs, as they are seen at a glance: `▲38 %`, `▼12 %`, `▲×2.4`.
pub fn arrow(it: &Change, style: Style) -> String {
    let Some(ratio) = it.ratio().filter(|it| *it > 0.0) else { return change(it) };
    let text = signed(ratio, style);
    match text.chars().next() {
        Some('+') => text.replacen('+', "▲", 1),
        Some('−') => text.replacen('−', "▼", 1),
        Some('×') => format!("▲{text}"),
        _ => text,
    }
}

/// The interval of the change: `+30 % to +46 %`.
pub fn interval(it: &Change) -> Option<String> {
    let [low, high] = it.effect?.interval?;
    Some(format!("{} to {}", signed(low, Style::Text), signed(high, Style::Text)))
}

/// How likely chance alone makes such a difference, among as many functions: `<0.001`, `0.023`; nothing if it was not asked.
pub fn p(it: &Change) -> String {
    match it.effect {
        None => String::new(),
        Some(effect) if effect.q < 0.001 => "<0.001".to_owned(),
        Some(effect) if effect.q >= 0.9995 => "1".to_owned(),
        Some(effect) => format!("{:.3}", effect.q),
    }
}

/// Sentences on what is compared, by what it is judged, and what came out.
pub fn sentences(it: &Comparison) -> Vec<String> {
    let mut lines = vec![whole(it), format!("{}: {}.", runs(it), method(it))];
    if it.per != Per::Run {
        lines.push(format!("Times are {}.", it.per.sentence()));
    }
    lines.push(found(it));
    lines
}

/// How many functions have which verdict, as a sentence.
pub fn found(it: &Comparison) -> String {
    let found = [
        Verdict::Regression,
        Verdict::Improvement,
        Verdict::PossibleRegression,
        Verdict::PossibleImprovement,
        Verdict::Shifted,
    ];
    let found = found.map(|verdict| (number(it, verdict), verdict.words(it.unit)));
    let news = |which: Verdict| {
        let is_news =
            |change: &&FunctionChange| change.verdict == which && change.is_certain_news(it.settings);
        (it.functions.iter().filter(is_news).count(), which.words(it.unit))
    };
    let found = found.into_iter().chain([Verdict::New, Verdict::Gone].map(news)).filter(|it| it.0 > 0);
    let found: Vec<_> =
        found.map(|(number, words)| format!("{} {words}", format::thousands(number as u64))).collect();
    let functions = format::count(it.functions.len() as u64, "function");
    match found.is_empty() {
        true if it.method == Method::Nothing => format!("None of {functions} was judged."),
        true => format!("Of {functions} none changed by more than noise."),
        false => format!("Of {functions}: {}.", found.join(", ")),
    }
}

/// How many functions have a verdict.
pub fn number(it: &Comparison, verdict: Verdict) -> usize {
    it.functions.iter().filter(|it| it.verdict == verdict).count()
}

/// `10 runs before, 10 runs after`.
pub fn runs(it: &Comparison) -> String {
    let [before, after] = [0, 1].map(|side: usize| format::count(it.sides[side].runs, "run"));
    format!("{before} before, {after} after")
}

/// By what differences are judged, as part of a sentence.
pub fn method(it: &Comparison) -> String {
    match it.method {
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
            "not judged, as nothing is known of how much runs differ; record at least three a side".to_owned()
        }
    }
}

/// How all of the active time changed, as a sentence.
pub fn whole(it: &Comparison) -> String {
    let whole = &it.whole;
    let what = format::whole(it.unit);
    let what = what[..1].to_uppercase() + &what[1..];
    let [before, after] = [whole.before, whole.after].map(|of| format::amount(of, it.unit, Style::Text));
    format!(
        "{what}: {before} before, {after} after ({}){}.",
        change(whole),
        match interval(whole) {
            // All runs have the same, by the way of comparing them.
            _ if it.per == Per::Active => String::new(),
            Some(interval) => format!(", {interval}, {}", whole.verdict.words(it.unit)),
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
