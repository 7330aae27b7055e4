//! Labels of samples, which Proflens writes as markers: each has a key, a value, and the rows of the samples that have it.

use std::collections::BTreeMap;

use crate::builder::ProfileBuilder;
use crate::model::StringId;

/// A sample has labels with at most this many keys, since a few lines of a file can label millions of samples.
const MAX_KEYS: usize = 256;

/// A label of some samples.
pub(super) struct SampleLabel {
    /// The row of the marker, whose name is the key.
    pub(super) marker: u32,
    pub(super) value: Box<str>,
    /// The row of the first sample.
    pub(super) first: u32,
    /// The number of samples.
    pub(super) samples: u32,
}

/// The number of the set of labels of each sample; empty if there are no labels. Of several labels with one key, the last
/// counts. `key` returns the name of a marker.
pub(super) fn sets<'k>(
    labels: &[SampleLabel],
    samples: usize,
    key: impl Fn(u32) -> &'k str,
    builder: &mut ProfileBuilder,
) -> Vec<u32> {
    if labels.is_empty() {
        return Vec::new();
    }
    let mut begin: Vec<&SampleLabel> = labels.iter().filter(|it| it.samples > 0).collect();
    begin.sort_by_key(|it| it.first);
    let mut begin = begin.into_iter().peekable();
    // The value of each key, and the first row without it.
    let mut open: BTreeMap<StringId, (StringId, usize)> = BTreeMap::new();
    let (mut set, mut next_end) = (0, usize::MAX);
    let mut sets = Vec::with_capacity(samples);
    for row in 0..samples {
        let is_end = next_end == row;
        if is_end {
            open.retain(|_, (_, end)| *end > row);
        }
        let mut is_begin = false;
        while let Some(label) = begin.next_if(|it| it.first as usize == row) {
            let (key, value) = (builder.string(key(label.marker)), builder.string(&label.value));
            if open.len() < MAX_KEYS || open.contains_key(&key) {
                open.insert(key, (value, row + label.samples as usize));
                is_begin = true;
            }
        }
        if is_end || is_begin {
            set = builder.labels(open.iter().map(|(key, (value, _))| (*key, *value)).collect());
            next_end = open.values().map(|it| it.1).min().unwrap_or(usize::MAX);
        }
        sets.push(set);
    }
    sets
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The key of each marker.
    const KEYS: [&str; 3] = ["endpoint", "tenant", "endpoint"];

    /// The labels of each of five samples.
    fn shown(labels: &[(u32, u32, &str)]) -> Vec<String> {
        let labels: Vec<SampleLabel> = (0..)
            .zip(labels)
            .map(|(marker, &(first, samples, value))| SampleLabel {
                marker,
                value: value.into(),
                first,
                samples,
            })
            .collect();
        let mut builder = ProfileBuilder::new("firefox");
        let sets = sets(&labels, 5, |marker| KEYS[marker as usize], &mut builder);
        let profile = builder.finish();
        let label = |it: &StringId| profile.strings.get(*it).to_owned();
        let set = |number: &u32| {
            let labels = profile.label_sets.get(*number as usize).into_iter().flatten();
            labels
                .map(|(key, value)| format!("{}={}", label(key), label(value)))
                .collect::<Vec<_>>()
                .join(" ")
        };
        sets.iter().map(set).collect()
    }

    #[test]
    fn samples_have_the_labels_of_their_rows() {
        assert_eq!(shown(&[]), Vec::<String>::new());
        assert_eq!(
            shown(&[(1, 3, "/cart"), (2, 1, "a"), (4, 1, "/home")]),
            ["", "endpoint=/cart", "endpoint=/cart tenant=a", "endpoint=/cart", "endpoint=/home"]
        );
        // Rows that do not exist, no rows, and the same key twice.
        assert_eq!(
            shown(&[(3, u32::MAX, "/cart"), (0, 0, "a"), (4, 9, "/home")]),
            ["", "", "", "endpoint=/cart", "endpoint=/home"]
        );
        assert_eq!(shown(&[(9, 1, "/cart")]), [""; 5]);
    }
}
