//! Chooses among the threads of a file if one is a sum over many sessions, which must stand alone.

use crate::model::Profile;

/// Keeps only the first sum over many sessions, if there is one: the rest of the file may be part of it, and the
/// differences between sessions would be lost. Returns what was left out, as a problem.
pub(super) fn choose(profile: &mut Profile) -> Option<String> {
    let threads = &mut profile.threads;
    let first = threads.iter().position(|it| it.population.is_some())?;
    let others = threads.len() - 1;
    threads.swap(0, first);
    threads.truncate(1);
    threads[0].session = 0;
    match others {
        0 => None,
        1 => Some("it holds another profile beside a slice".to_owned()),
        _ => Some(format!("it holds {others} other profiles beside a slice")),
    }
}
