//! How much a frame changed, as a colour and as a text. The page has the same steps (`editors/flame/src/difference.ts`).

use analysis::format::{Style, percent, thousands};
use profile::model::Weight;

/// The ratios of the larger time to the smaller one at which each step of the scale begins. The last step, for frames that only one
/// side has, has no ratio.
const STEPS: [f64; 3] = [1.05, 1.25, 2.0];
/// A difference of equal times lies within this many standard deviations with 95 % probability.
const SURE: f64 = 1.96;

/// The place of a difference on the scale: from -4, gone, through 0, about the same, to 4, new. A difference that may only be the
/// error of sampling counts as about the same.
pub(crate) fn step(before: Weight, after: Weight) -> i8 {
    let (low, high) = (before.time.min(after.time).0 as f64, before.time.max(after.time).0 as f64);
    if high == low || !is_more_than_sampling(before, after) {
        return 0;
    }
    let size = match low {
        0.0 => 4,
        _ => STEPS.iter().filter(|step| high / low >= **step).count() as i8,
    };
    if after.time > before.time { size } else { -size }
}

/// Whether two times differ by more than the chance of when samples are taken.
fn is_more_than_sampling(before: Weight, after: Weight) -> bool {
    let difference = before.time.0.abs_diff(after.time.0) as f64;
    difference > SURE * (variance(before) + variance(after)).sqrt()
}

fn variance(weight: Weight) -> f64 {
    (weight.time.0 as f64).powi(2) / weight.samples.max(1) as f64
}

/// The change in words, as in `compare`: `+38 %`, `−12 %`, `×2.4`, `new`, `gone`.
pub(crate) fn words(before: Weight, after: Weight) -> String {
    let (before, after) = (before.time.0, after.time.0);
    let ratio = after as f64 / before as f64;
    match (before, after) {
        (0, 0) => "0 %".to_owned(),
        (0, _) => "new".to_owned(),
        (_, 0) => "gone".to_owned(),
        _ if ratio >= 100.0 => format!("×{}", thousands(ratio.round() as u64)),
        _ if ratio >= 2.0 => format!("×{ratio:.1}"),
        _ => match &*percent((ratio - 1.0).abs(), Style::Text) {
            "0 %" | "<0.01 %" => "0 %".to_owned(),
            size => format!("{}{size}", if ratio < 1.0 { '−' } else { '+' }),
        },
    }
}

/// The colours of the steps from gone to new: blue and orange can be told apart with any colour vision, and get darker the more a
/// frame changed. They are lighter than those of the page, because pictures have black text on all of them.
pub(crate) const COLORS: [[u8; 3]; 9] = [
    [66, 146, 214],
    [107, 174, 224],
    [158, 202, 236],
    [208, 226, 242],
    [232, 232, 232],
    [253, 224, 190],
    [252, 190, 120],
    [240, 145, 50],
    [217, 108, 14],
];

#[cfg(test)]
mod tests {
    use profile::model::Amount;

    use super::*;

    fn weight((time, samples): (u64, u64)) -> Weight {
        Weight { time: Amount(time), samples }
    }

    #[test]
    fn black_text_can_be_read_and_each_step_is_darker() {
        let luminance = |color: [u8; 3]| {
            let linear = color.map(|it| ((f64::from(it) / 255.0 + 0.055) / 1.055).powf(2.4));
            0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
        };
        let all = COLORS.map(luminance);
        assert!(all.iter().all(|it| (it + 0.05) / 0.05 >= 4.5), "{all:?}");
        assert!(all[..5].is_sorted() && all[4..].is_sorted_by(|a, b| a > b), "{all:?}");
    }

    #[test]
    fn steps_and_words() {
        let rows = [
            ((0, 0), (0, 0), 0, "0 %"),
            ((0, 0), (5000, 50), 4, "new"),
            ((5000, 50), (0, 0), -4, "gone"),
            ((1000, 10_000), (1040, 10_400), 0, "+4 %"),
            ((1000, 10_000), (1100, 11_000), 1, "+10 %"),
            ((1100, 11_000), (1000, 10_000), -1, "−9.1 %"),
            ((1000, 10_000), (1500, 15_000), 2, "+50 %"),
            ((1500, 15_000), (1000, 10_000), -2, "−33 %"),
            ((1000, 10_000), (2400, 24_000), 3, "×2.4"),
            ((2400, 24_000), (1000, 10_000), -3, "−58 %"),
            // A few samples more or less are chance.
            ((0, 0), (300, 3), 0, "new"),
            ((400, 4), (920, 9), 0, "×2.3"),
            ((4000, 40), (9200, 92), 3, "×2.3"),
            ((1000, 10_000), (1000, 10_000), 0, "0 %"),
        ];
        for (before, after, expected, text) in rows {
            let (before, after) = (weight(before), weight(after));
            assert_eq!(
                (step(before, after), &*words(before, after)),
                (expected, text),
                "{before:?} {after:?}"
            );
        }
    }
}
