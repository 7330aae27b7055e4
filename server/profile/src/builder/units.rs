//! Chooses what a profile measures, since time and bytes have no sum.

use crate::model::{Profile, Unit};

/// Leaves out threads that count bytes if others measured time, and reports that.
pub(super) fn choose(profile: &mut Profile) -> Option<String> {
    let threads = &mut profile.threads;
    let in_bytes = threads.iter().filter(|it| it.unit == Unit::Bytes).count();
    if in_bytes == 0 {
        return None;
    }
    if in_bytes == threads.len() {
        profile.unit = Unit::Bytes;
        return None;
    }
    threads.retain(|it| it.unit == Unit::Time);
    Some(match in_bytes {
        1 => "1 thread counts allocated bytes".to_owned(),
        _ => format!("{in_bytes} threads count allocated bytes"),
    })
}
