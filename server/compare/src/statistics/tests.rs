//! Differences with numbers that other programs give, and with random ones.

use super::*;
use crate::fixtures::normal;

fn effect(before: &Estimate, after: &Estimate, noise: f64) -> Option<Effect> {
    super::effect(before, after, noise, 0.05)
}

#[test]
fn pairs_are_compared_by_their_ratios() {
    // The logarithms of the ratios are 0.05, 0.10 and 0.15, whatever the machine did: t is 0.1 / (0.05 / √3) = 3.464, for
    // which Student's t with two degrees of freedom gives p = 0.074.
    let pairs =
        [(100.0, 0.05_f64), (300.0, 0.1), (20.0, 0.15)].map(|(before, log)| [before, before * log.exp()]);
    let shown = |level| {
        let (ratio, effect) = effect_of_pairs(&pairs, level)?;
        Some((format!("{ratio:.3}"), rounded(Some(effect))))
    };
    assert_eq!(shown(0.05), Some(("1.105".to_owned(), expected("0.074", "0.976", "1.251"))));
    assert_eq!(shown(0.5), Some(("1.105".to_owned(), expected("0.074", "1.079", "1.132"))));
    assert_eq!(effect_of_pairs(&pairs[..1], 0.05), None);
}

fn side(times: &[f64]) -> Estimate {
    let squares = times.iter().map(|it| it * it).sum();
    Estimate::new(times.len() as u64, times.iter().sum(), squares, None)
}

fn single(mean: f64, sampling: f64) -> Estimate {
    Estimate { runs: 1, mean, between: None, sampling: Some(sampling * sampling), ..Estimate::default() }
}

fn rounded(it: Option<Effect>) -> Option<(String, [String; 2])> {
    let text = |it: f64| format!("{it:.3}");
    it.map(|it| (text(it.p), it.interval.unwrap_or_default().map(text)))
}

fn expected(p: &str, low: &str, high: &str) -> Option<(String, [String; 2])> {
    Some((p.to_owned(), [low.to_owned(), high.to_owned()]))
}

#[test]
fn runs_are_compared_by_how_much_they_differ() {
    // SciPy's ttest_ind(equal_var=False) on the same numbers, for differences instead of ratios, gives p = 0.0012 and 0.8964.
    let before = side(&[100.0, 103.0, 98.0, 101.0, 99.0]);
    let slower = side(&[108.0, 104.0, 109.0, 106.0, 105.0]);
    let same = side(&[100.0, 102.0, 99.0, 97.0, 104.0]);
    assert_eq!(rounded(effect(&before, &slower, 0.1)), expected("0.001", "1.032", "1.092"));
    assert_eq!(rounded(effect(&before, &same, 0.1)), expected("0.896", "0.968", "1.037"));
    assert_eq!(rounded(effect(&before, &before, 0.1)), expected("1.000", "0.972", "1.028"));
}

#[test]
fn what_is_not_known_is_assumed_or_not_told() {
    let many = side(&[100.0, 103.0, 98.0, 101.0, 99.0]);
    let one = side(&[120.0]);
    assert_eq!(rounded(effect(&many, &one, 0.1)), expected("0.001", "1.130", "1.270"), "as the others vary");
    assert_eq!(effect(&side(&[100.0, 101.0]), &one, 0.1), None, "two runs do not say how much runs vary");
    assert_eq!(effect(&side(&[100.0]), &one, 0.1), None, "a single time that was not sampled");
    let sampled = [single(100.0, 0.02), single(120.0, 0.02)];
    assert_eq!(rounded(effect(&sampled[0], &sampled[1], 0.0)), expected("0.000", "1.135", "1.268"));
    assert_eq!(rounded(effect(&sampled[0], &sampled[1], 0.1)), expected("0.206", "0.905", "1.592"));
    let few = Estimate { sampling: Some(0.01), ..side(&[100.0, 100.1]) };
    assert_eq!(
        rounded(effect(&few, &few, 0.1)),
        expected("1.000", "0.650", "1.538"),
        "two runs that agree by chance are no surer than their samples"
    );
}

#[test]
fn what_came_has_no_ratio() {
    let none = Estimate { runs: 5, ..Estimate::default() };
    let there = side(&[10.0, 12.0, 9.0, 11.0, 10.0]);
    let came = effect(&none, &there, 0.1).unwrap();
    assert_eq!((came.interval, came.p < 1e-4), (None, true));
    let once = side(&[0.0, 0.0, 3.0, 0.0, 0.0]);
    assert!(effect(&none, &once, 0.1).unwrap().p > 0.3);
    assert_eq!(effect(&none, &none, 0.1), None);
}

#[test]
fn sides_of_other_sizes_and_other_variation() {
    // By numerical integration of Student's density.
    let few = side(&[100.0, 140.0, 60.0]);
    let many = side(&[200.0, 210.0, 190.0, 230.0, 170.0, 200.0]);
    assert_eq!(rounded(effect(&few, &many, 0.1)), expected("0.091", "0.771", "5.191"));
    let (three, one) = (side(&[100.0, 103.0, 98.0]), side(&[120.0]));
    assert_eq!(rounded(effect(&three, &one, 0.1)), expected("0.025", "1.056", "1.355"));
    assert_eq!(rounded(effect(&one, &three, 0.1)), expected("0.025", "0.738", "0.947"));
    let [same, more] = [10.0, 11.0].map(|time| side(&[time; 3]));
    assert_eq!(rounded(effect(&same, &more, 0.1)), expected("0.000", "1.100", "1.100"));
    assert_eq!(rounded(effect(&same, &same, 0.1)), expected("1.000", "1.000", "1.000"));
}

#[test]
fn what_came_or_went_differs_from_nothing() {
    let none = Estimate { runs: 3, ..Estimate::default() };
    let cases = [
        ("it varies little", side(&[10.0, 12.0, 9.0]), Some(0.0072)),
        ("it varies much", side(&[10.0, 30.0, 2.0]), Some(0.2347)),
        ("a single run that was sampled", single(10.0, 0.5), Some(0.0455)),
        ("a single run that was not", side(&[10.0]), None),
    ];
    for (name, there, expected) in cases {
        for sides in [[&none, &there], [&there, &none]] {
            let p = effect(sides[0], sides[1], 0.1).map(|effect| (effect.p * 1e4).round() / 1e4);
            assert_eq!(p, expected, "{name}");
        }
    }
}

#[test]
fn means_and_variation() {
    let text = |it: Estimate| format!("{} runs, mean {}, {:.6?}", it.runs, it.mean, it.between);
    let cases = [
        ([3.0, 90.0, 4100.0], "3 runs, mean 30, Some(0.777778)"),
        ([1.0, 90.0, 8100.0], "1 runs, mean 90, None"),
        ([3.0, 0.0, 0.0], "3 runs, mean 0, None"),
        ([0.0, 0.0, 0.0], "0 runs, mean 0, None"),
    ];
    for ([runs, sum, squares], expected) in cases {
        assert_eq!(text(Estimate::new(runs as u64, sum, squares, None)), expected);
    }
    assert_eq!(text(Estimate::unknown(4, 7.0)), "4 runs, mean 7, None");
}

/// Users with 10, 20 and 60 of a time in one, two and three sessions: 7/36 is 4.5 times the sum of the squares of 1/9 -
/// 1/6, 2/9 - 2/6 and 6/9 - 3/6.
#[test]
fn clusters_of_sessions() {
    let sums =
        ClusterSums { clusters: 3, time: 90, work: 6, time_squares: 4100, products: 230, work_squares: 14 };
    let text = |sums: ClusterSums| {
        let it = Estimate::of_clusters(&sums, 2.0);
        format!("{} of {}, {:.6?}, {}", it.mean, it.runs, it.between, it.has_heavy_tails)
    };
    assert_eq!(text(sums), "30 of 3, Some(0.194444), true");
    let one = ClusterSums { clusters: 1, ..sums };
    assert_eq!(text(one), "30 of 1, None, true");
    for nothing in [ClusterSums { time: 0, ..sums }, ClusterSums { work: 0, ..sums }] {
        assert_eq!(text(nothing), "0 of 3, None, false");
    }
    let even = ClusterSums { time: 12, time_squares: 56, products: 28, ..sums };
    assert_eq!(text(even), "4 of 3, Some(0.000000), true", "all have the same per session");
}

#[test]
fn how_much_runs_vary_and_from_how_many_that_is_known() {
    let estimate = |runs, between, sampling| Estimate { runs, between, sampling, ..Estimate::default() };
    let tails = |runs| Estimate { has_heavy_tails: true, ..estimate(runs, Some(1.0), None) };
    let cases = [
        ("few runs vary at least as samples do", estimate(4, Some(0.25), Some(0.5)), Some((0.5, 3.0))),
        ("they vary more", estimate(4, Some(0.25), Some(0.125)), Some((0.25, 3.0))),
        ("enough runs", estimate(5, Some(0.25), Some(0.5)), Some((0.25, 4.0))),
        ("times that were not sampled", estimate(4, Some(0.25), None), Some((0.25, 3.0))),
        ("one run", estimate(1, None, Some(0.5)), None),
        ("sessions", tails(41), Some((1.0, 5.0))),
        ("few sessions", tails(3), Some((1.0, 1.0))),
    ];
    for (name, estimate, expected) in cases {
        assert_eq!(estimate.variation(), expected, "{name}");
    }
}

#[test]
fn how_many_runs_tell_of_a_time() {
    let side = |runs, mean, between| Estimate { between, ..Estimate::unknown(runs, mean) };
    let cases = [
        ("all alike", [side(10, 2.0, Some(0.0)), side(30, 2.0, Some(0.0))], 10.0),
        ("not known how they vary", [side(10, 2.0, None), side(30, 2.0, None)], 10.0),
        // 80² / (4 (9 + 10) + 4 30) 10 / 40
        ("one side varies", [side(10, 2.0, Some(1.0)), side(30, 2.0, Some(0.0))], 8.163_265),
        ("only one side has it", [side(10, 0.0, None), side(30, 2.0, Some(0.0))], 7.5),
        ("one side has no runs", [side(0, 0.0, None), side(30, 2.0, Some(0.0))], 0.0),
        ("nobody has it", [side(10, 0.0, None), side(30, 0.0, None)], 0.0),
    ];
    for (name, sides, expected) in cases {
        let runs = (effective(sides.each_ref()) * 1e6).round() / 1e6;
        assert_eq!(runs, expected, "{name}");
    }
}

#[test]
fn many_questions_need_surer_answers() {
    let mut effects = [0.01, 0.04, 0.03, 0.005].map(|p| Effect { interval: None, error: 0.0, p, q: 1.0 });
    adjust(&mut effects.iter_mut().collect::<Vec<_>>());
    // Benjamini and Hochberg by hand: 0.005 4/1, 0.01 4/2, 0.03 4/3, 0.04 4/4.
    assert_eq!(effects.map(|it| (it.q * 1000.0).round()), [20.0, 40.0, 40.0, 20.0]);
}

/// How many of these comparisons raise an alarm. Each compares two sides of the same program, with forty functions.
#[test]
fn at_most_five_of_a_hundred_comparisons_of_the_same_raise_an_alarm() {
    let mut state = 1;
    for (runs, noise) in [(3, 0.05), (5, 0.2), (10, 0.07)] {
        let mut alarms = 0;
        for _ in 0..1000 {
            let mut side_of = || {
                // Skewed, because a busy machine only ever makes runs slower.
                let times: Vec<f64> = (0..runs).map(|_| 100.0 * (noise * normal(&mut state)).exp()).collect();
                side(&times)
            };
            let mut effects: Vec<Effect> =
                (0..40).filter_map(|_| effect(&side_of(), &side_of(), 0.1)).collect();
            adjust(&mut effects.iter_mut().collect::<Vec<_>>());
            alarms += u32::from(effects.iter().any(|it| it.q <= 0.05));
        }
        assert!(alarms <= 65, "{alarms} of 1000 with {runs} runs"); // 50 expected, and two standard errors
    }
}

#[test]
fn half_of_the_weight_lies_below_the_median() {
    let cases: [(&[(f64, f64)], f64); 6] = [
        (&[], 1.0),
        (&[(3.0, 1.0)], 3.0),
        (&[(3.0, 1.0), (1.0, 1.0)], 2.0),
        (&[(1.0, 1.0), (2.0, 1.0), (9.0, 1.0)], 2.0),
        (&[(1.0, 3.0), (2.0, 1.0), (9.0, 1.0)], 1.0),
        (&[(1.0, 2.0), (2.0, 1.0), (9.0, 1.0)], 1.5),
    ];
    for (values, expected) in cases {
        assert_eq!(weighted_median(values.to_vec()), expected, "{values:?}");
    }
}
