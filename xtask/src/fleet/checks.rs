//! What was checked, and how two results are compared.

use anyhow::{Result, bail, ensure};

use crate::count::Count;

/// What was checked, reported as it goes.
#[derive(Default)]
pub(super) struct Checks(pub(super) Count);

impl Checks {
    pub(super) fn note(&mut self, what: &str, result: Result<()>) {
        let count = match result {
            Ok(()) => {
                println!("ok   {what}");
                Count::passed(1)
            }
            Err(error) => {
                println!("FAIL {what}\n{error:#}");
                Count::failed(&format!("{what}\n{error:#}"))
            }
        };
        self.0 = std::mem::take(&mut self.0).and(count);
    }

    pub(super) fn end(self) -> Result<()> {
        let (passed, failed) = (self.0.number_passed(), self.0.number_failed());
        println!("{passed} passed, {failed} failed");
        ensure!(failed == 0, "{failed} checks failed");
        Ok(())
    }
}

/// Whether two results are the same, byte by byte.
pub(super) fn same(ours: &[u8], theirs: &[u8]) -> Result<()> {
    if ours == theirs {
        return Ok(());
    }
    let (ours, theirs) = (String::from_utf8_lossy(ours), String::from_utf8_lossy(theirs));
    let different = ours.lines().zip(theirs.lines()).position(|it| it.0 != it.1);
    let at = different.unwrap_or_else(|| ours.lines().count().min(theirs.lines().count()));
    let line = |text: &str| text.lines().nth(at).unwrap_or("no line").to_owned();
    bail!("line {}: proflens-fleet has {}, the engine {}", at + 1, line(&ours), line(&theirs))
}
