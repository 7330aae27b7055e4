//! Maps ids of nodes, which may be any number, to small ones.

use rustc_hash::FxHashMap;

use crate::decode::json::Number;

/// No node id.
pub(crate) const NONE: u32 = u32::MAX;
/// Ids below this are kept as they are; all others are numbered from here on.
const ODD_IDS: u32 = 1 << 31;

/// Node ids may be any number. Nearly all are small and whole.
#[derive(Default)]
pub(crate) struct NodeIds {
    odd: FxHashMap<(bool, u64), u32>,
}

impl NodeIds {
    #[inline]
    pub(crate) fn id(&mut self, number: Option<Number>) -> u32 {
        let odd = match number {
            None => return NONE,
            Some(Number::Integer(value)) if (0..i64::from(ODD_IDS)).contains(&value) => return value as u32,
            Some(Number::Integer(value)) => (false, value as u64),
            Some(Number::Float(value)) if value.fract() == 0.0 && value.abs() < 9e15 => {
                return self.id(Some(Number::Integer(value as i64)));
            }
            Some(Number::Float(value)) => (true, value.to_bits()),
        };
        let next = ODD_IDS + self.odd.len() as u32;
        *self.odd.entry(odd).or_insert(next)
    }
}

/// An id that is kept as it is.
pub(super) fn plain_id(number: i64) -> Option<u32> {
    u32::try_from(number).ok().filter(|&id| id < ODD_IDS)
}
