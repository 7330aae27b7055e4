//! What was looked at, and how two results are held against each other.

use anyhow::{Result, bail, ensure};

/// What was looked at, told as it goes.
#[derive(Default)]
pub(super) struct Checks {
    pub(super) passed: usize,
    pub(super) failed: usize,
}

impl Checks {
    pub(super) fn note(&mut self, what: &str, result: Result<()>) {
        match result {
            Ok(()) => {
                self.passed += 1;
                println!("ok   {what}");
            }
            Err(error) => {
                self.failed += 1;
                println!("FAIL {what}\n{error:#}");
            }
        }
    }

    pub(super) fn end(self) -> Result<()> {
        println!("{} passed, {} failed", self.passed, self.failed);
        ensure!(self.failed == 0, "{} checks failed", self.failed);
        Ok(())
    }
}

/// Whether two results are the same, byte by byte.
pub(super) fn same(ours: &[u8], theirs: &[u8]) -> Result<()> {
    if ours == theirs {
        return Ok(());
    }
    let (ours, theirs) = (String::from_utf8_lossy(ours), String::from_utf8_lossy(theirs));
    let at = ours.lines().zip(theirs.lines()).position(|it| it.0 != it.1);
    let at = at.unwrap_or_else(|| ours.lines().count().min(theirs.lines().count()));
    let line = |text: &str| text.lines().nth(at).unwrap_or("no line").to_owned();
    bail!("line {}: proflens-fleet has {}, the engine {}", at + 1, line(&ours), line(&theirs))
}
