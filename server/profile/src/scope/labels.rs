//! Labels of samples: what the program said about itself when they were taken, such as the request that it worked on.
//!
//! A sample has at most one value per key. `endpoint=/cart` selects the samples with that value, `endpoint=` those
//! without the key. Several values of one key widen the selection, and different keys narrow it:
//!
//! ```text
//! endpoint=/cart  endpoint=/home  tenant=a       (/cart or /home) and tenant a
//! ```

use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::BTreeMap;

use crate::model::{Label, Profile, StringId, Thread, Weight};
use crate::problem::Problem;
use crate::scope::kept::KeptSamples;
use crate::scope::selection::Selection;

/// How many labels are listed in a sentence.
const LISTED: usize = 10;
/// How many values of a key, the costliest ones, are listed separately in sums. A key such as `span_id` has millions.
const MAX_VALUES: usize = 100;

/// Selects the samples with some labels.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Labels {
    /// Whether the samples of each set of labels are selected; samples without a set count for the first.
    sets: Vec<bool>,
    /// For display: `endpoint=/cart or /home`, by key.
    words: Vec<String>,
}

/// What the samples with a value of a label cost.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LabelSum {
    /// The key.
    pub key: String,
    /// Which samples they are.
    pub value: LabelValue,
    /// Their sum.
    pub weight: Weight,
}

/// The samples that a sum is made of.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum LabelValue {
    /// Those with this value.
    Is(String),
    /// Samples with one of this many values, each of which costs less than every listed one.
    Others(u64),
    /// Those without the key.
    None,
}

impl Labels {
    /// Selects the samples with these labels, each given as `KEY=VALUE`.
    ///
    /// # Errors
    /// If a label is written differently or no sample has it; the problem is about the first such label, and lists those that exist.
    pub fn of(profile: &Profile, trace: &str, wanted: &[String]) -> Result<Self, Problem> {
        let mut by_key: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for label in wanted {
            let (key, value) = split(profile, label).ok_or_else(|| {
                Problem::new(
                    format!("\"{label}\" is no label"),
                    "write it as KEY=VALUE, or KEY= for samples without it",
                )
            })?;
            let values = key_values(profile, key);
            if values.is_empty() || (!value.is_empty() && !values.contains(&value)) {
                return Err(unknown(profile, trace, label));
            }
            by_key.entry(key).or_default().push(value);
        }
        let fits = |set: &Vec<Label>| {
            by_key
                .iter()
                .all(|(key, values)| values.contains(&value_in(profile, set, key).unwrap_or_default()))
        };
        let sets = profile.label_sets.iter().map(fits).collect();
        let words = by_key.iter().map(|(key, values)| format!("{key}={}", values.join(" or "))).collect();
        Ok(Self { sets, words })
    }

    /// For display: `endpoint=/cart or /home`, one text per key.
    pub fn words(&self) -> &[String] {
        &self.words
    }
}

/// Splits a label into key and value. Both may contain `=`; a key that exists takes precedence.
fn split<'l>(profile: &Profile, label: &'l str) -> Option<(&'l str, &'l str)> {
    let mut all = label
        .match_indices('=')
        .map(|(at, _)| (&label[..at], &label[at + 1..]))
        .filter(|it| !it.0.is_empty());
    let first = all.clone().next();
    all.find(|(key, _)| profile.label_sets.iter().flatten().any(|it| profile.strings.get(it.0) == *key))
        .or(first)
}

fn value_in<'p>(profile: &'p Profile, set: &[Label], key: &str) -> Option<&'p str> {
    let found = set.iter().find(|it| profile.strings.get(it.0) == key);
    found.map(|it| profile.strings.get(it.1))
}

fn key_values<'p>(profile: &'p Profile, key: &str) -> Vec<&'p str> {
    profile.label_sets.iter().filter_map(|set| value_in(profile, set, key)).collect()
}

fn unknown(profile: &Profile, trace: &str, label: &str) -> Problem {
    if profile.label_sets.is_empty() {
        let hint = "profiles of pprof and OTLP have them, if the program sets them";
        return Problem::new(format!("{trace} has no labels"), hint);
    }
    let sums = label_sums(profile, &profile.measured().map(Cow::Borrowed).collect::<Vec<_>>());
    let named: Vec<String> = sums.iter().filter_map(LabelSum::name).collect();
    let more = named.len().checked_sub(LISTED + 1).map(|it| format!("{} more", it + 1));
    let list = named.into_iter().take(LISTED).chain(more).collect::<Vec<_>>().join("; ");
    Problem::new(format!("{trace} has no samples with {label}"), format!("name one of these: {list}"))
}

impl LabelSum {
    /// The label to select it by; `None` for the sum of several.
    pub fn name(&self) -> Option<String> {
        match &self.value {
            LabelValue::Is(value) => Some(format!("{}={value}", self.key)),
            LabelValue::None => Some(format!("{}=", self.key)),
            LabelValue::Others(_) => None,
        }
    }
}

impl Selection<'_> {
    /// Reduces the selection to the samples with these labels; threads on which nothing remains are left out.
    #[must_use]
    pub fn labelled(self, labels: &Labels) -> Self {
        let kept = self
            .threads
            .into_iter()
            .zip(self.role_of)
            .filter_map(|(thread, role)| Some((Cow::Owned(kept(&thread, labels)?), role)));
        let (threads, role_of) = kept.unzip();
        Self { threads, role_of, ..self }
    }
}

fn kept(thread: &Thread, labels: &Labels) -> Option<Thread> {
    let start = thread.start.unwrap_or_default();
    let mut left = KeptSamples::default();
    for ((taken, sample, place), set) in thread.in_order.with_times_and_places().zip(thread.in_order.labels())
    {
        if labels.sets.get(set as usize).copied().unwrap_or(false) {
            left.add(start.0.saturating_add_signed(taken), sample, place, set);
        }
    }
    left.of(thread)
}

/// The cost of the samples of threads by each of their labels, ordered by key and then costliest first. The sums of a key
/// add up to all samples, because samples without the key are one of them.
pub fn label_sums(profile: &Profile, threads: &[Cow<'_, Thread>]) -> Vec<LabelSum> {
    let mut by_set = vec![Weight::default(); profile.label_sets.len()];
    if by_set.is_empty() {
        return Vec::new();
    }
    for thread in threads {
        for (sample, set) in thread.in_order.iter().zip(thread.in_order.labels()) {
            by_set[set as usize] += sample.weight;
        }
    }
    let mut all = Weight::default();
    by_set.iter().for_each(|&weight| all += weight);
    let mut by_key: BTreeMap<&str, BTreeMap<StringId, Weight>> = BTreeMap::new();
    for (set, &weight) in profile.label_sets.iter().zip(&by_set).filter(|it| *it.1 != Weight::default()) {
        for &(key, value) in set {
            *by_key.entry(profile.strings.get(key)).or_default().entry(value).or_default() += weight;
        }
    }
    by_key.into_iter().flat_map(|(key, values)| sums_of_key(profile, key, values, all)).collect()
}

fn sums_of_key(
    profile: &Profile,
    key: &str,
    values: BTreeMap<StringId, Weight>,
    all: Weight,
) -> Vec<LabelSum> {
    let mut values: Vec<(&str, Weight)> =
        values.into_iter().map(|it| (profile.strings.get(it.0), it.1)).collect();
    values.sort_by_key(|&(value, weight)| (Reverse(weight.time), Reverse(weight.samples), value));
    let mut without = all;
    let mut take = |weight: Weight| {
        without.time = without.time - weight.time;
        without.samples -= weight.samples;
    };
    let sum = |value, weight| LabelSum { key: key.to_owned(), value, weight };
    let mut sums: Vec<LabelSum> = Vec::new();
    let mut others = (0, Weight::default());
    for (index, (value, weight)) in values.into_iter().enumerate() {
        take(weight);
        if index < MAX_VALUES {
            sums.push(sum(LabelValue::Is(value.to_owned()), weight));
        } else {
            others.0 += 1;
            others.1 += weight;
        }
    }
    if others.0 > 0 {
        sums.push(sum(LabelValue::Others(others.0), others.1));
    }
    if without != Weight::default() {
        sums.push(sum(LabelValue::None, without));
    }
    sums
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::builder::ProfileBuilder;
    use crate::model::Amount;
    use crate::scope::threads::Threads;

    /// A profile with a sample of 1 ns for each text, which gives its labels; the last one costs 5.
    fn drawn(samples: &[&str]) -> Profile {
        let mut builder = ProfileBuilder::new("drawing");
        let name = builder.string("work");
        let function = builder.function(name, None, None);
        let stack = builder.stack(None, function);
        for (index, labels) in samples.iter().enumerate() {
            let labels = labels.split_whitespace().filter_map(|it| it.split_once('='));
            let labels = labels.map(|(key, value)| (builder.string(key), builder.string(value))).collect();
            let set = builder.labels(labels);
            builder.next_sample_has(set);
            let time = Amount(if index + 1 == samples.len() { 5 } else { 1 });
            builder.add_on_stack(stack, Weight { time, samples: 1 });
        }
        builder.end_thread(Thread::default());
        builder.end_session(0);
        builder.finish()
    }

    const SAMPLES: [&str; 6] = ["", "at=/cart to=a", "at=/cart", "at=/home to=a", "at=x=y to=b", "to=b"];

    #[test]
    fn labels_of_one_key_add_to_each_other_and_keys_narrow() {
        let profile = drawn(&SAMPLES);
        let left = |wanted: &[&str]| {
            let wanted: Vec<String> = wanted.iter().map(|&it| it.to_owned()).collect();
            let labels = Labels::of(&profile, "t.pb", &wanted).map_err(|problem| problem.to_string())?;
            let left = Selection::of(&profile, &Threads::All).labelled(&labels);
            let time: u64 = left.threads.iter().map(|it| it.all().0).sum();
            Ok::<_, String>((time, labels.words().join(", ")))
        };
        let rows: [(&[&str], u64, &str); 7] = [
            (&["at=/cart"], 2, "at=/cart"),
            (&["at=/cart", "at=/home"], 3, "at=/cart or /home"),
            (&["at=/cart", "to=a"], 1, "at=/cart, to=a"),
            (&["at="], 6, "at="),
            (&["at=", "to=b"], 5, "at=, to=b"),
            (&["at=x=y"], 1, "at=x=y"),
            (&["at=/home", "to=b"], 0, "at=/home, to=b"),
        ];
        for (wanted, time, words) in rows {
            assert_eq!(left(wanted), Ok((time, words.to_owned())));
        }
        let list = "Name one of these: at=/cart; at=/home; at=x=y; at=; to=b; to=a; to=.";
        for wanted in ["at=/car", "of=x"] {
            assert_eq!(left(&[wanted]), Err(format!("t.pb has no samples with {wanted}. {list}")));
        }
        let none = "\"at\" is no label. Write it as KEY=VALUE, or KEY= for samples without it.";
        assert_eq!(left(&["at"]), Err(none.to_owned()));
        let bare = Labels::of(&drawn(&[""]), "t.pb", &["at=x".to_owned()]).unwrap_err().to_string();
        assert_eq!(
            bare,
            "t.pb has no labels. Profiles of pprof and OTLP have them, if the program sets them."
        );
    }

    #[test]
    fn the_sums_of_a_key_add_up_to_everything() {
        let many: Vec<String> = (0..103).map(|it| format!("id={it:03}")).collect();
        let many: Vec<&str> = many.iter().map(String::as_str).collect();
        for (samples, expected) in [
            (&SAMPLES[..], "at: /cart 2, /home 1, x=y 1, - 6; to: b 6, a 2, - 2"),
            (&many, "id: 102 5, 000 1, 097 1, 098 1, +3 3"),
            (&[""], ""),
        ] {
            let profile = drawn(samples);
            let threads: Vec<Cow<'_, Thread>> = profile.threads.iter().map(Cow::Borrowed).collect();
            let sums = label_sums(&profile, &threads);
            let mut keys: Vec<String> = Vec::new();
            for of_key in sums.chunk_by(|a, b| a.key == b.key) {
                let whole: u64 = of_key.iter().map(|it| it.weight.time.0).sum();
                assert_eq!(whole, profile.threads[0].all().0);
                let words = of_key.iter().map(|it| match &it.value {
                    LabelValue::Is(value) => format!("{value} {}", it.weight.time.0),
                    LabelValue::Others(number) => format!("+{number} {}", it.weight.time.0),
                    LabelValue::None => format!("- {}", it.weight.time.0),
                });
                let mut words: Vec<String> = words.collect();
                if words.len() > 50 {
                    words.drain(2..words.len() - 3);
                }
                keys.push(format!("{}: {}", of_key[0].key, words.join(", ")));
            }
            assert_eq!(keys.join("; "), expected);
        }
    }
}
