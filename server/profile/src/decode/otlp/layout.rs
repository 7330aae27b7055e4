//! Finds out which field of a sample is which: opentelemetry-proto 1.10 renumbered them, and no file says which numbers it uses.
//!
//! ```text
//! field           2             3             4          5
//! 1.8 and 1.9     values        attributes    link       times
//! since 1.10      attributes    link          values     times
//! ```
//!
//! Indices tell: an attribute or link that is in no table is a value. The newer numbers apply unless the samples fit only
//! the older ones. JSON has names and is always of the newer kind.

use super::tables::{Dictionary, Samples};

/// The places of the fields, counted from field 2.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Layout {
    pub(super) attributes: usize,
    pub(super) link: usize,
    pub(super) values: usize,
}

/// The place of the times.
pub(super) const TIMES: usize = 3;

/// Since 1.10.
pub(super) const NEW: Layout = Layout { attributes: 0, link: 1, values: 2 };
/// 1.8 and 1.9.
const OLD: Layout = Layout { values: 0, attributes: 1, link: 2 };

impl Layout {
    /// The layout of all samples of a file.
    pub(super) fn of<'s>(
        samples: impl Iterator<Item = &'s Samples> + Clone,
        dictionary: &Dictionary,
    ) -> Self {
        let fits = |layout: Self| samples.clone().all(|it| layout.fits(it, dictionary));
        if fits(NEW) || !fits(OLD) { NEW } else { OLD }
    }

    fn fits(self, samples: &Samples, dictionary: &Dictionary) -> bool {
        (0..samples.stacks.len()).all(|sample| {
            let field = |field: usize| samples.field(sample, field);
            let (values, times, link) = (field(self.values), field(TIMES), field(self.link));
            let is_measured = !values.is_empty() || !times.is_empty();
            let is_parallel = values.is_empty() || times.is_empty() || values.len() == times.len();
            is_measured
                && is_parallel
                && link.len() <= 1
                && is_below(link, dictionary.links.len())
                && is_below(field(self.attributes), dictionary.attributes.len())
        })
    }
}

/// Whether all are rows of a table of this length; row 0 stands for nothing, and may be missing.
fn is_below(rows: &[u64], length: usize) -> bool {
    rows.iter().all(|&row| row < length.max(1) as u64)
}
