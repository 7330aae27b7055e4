//! Whether a comparison of two releases finds what is slower, and nothing else.

use super::Checks;
use super::programs::Programs;
use anyhow::Result;

pub(super) fn check(_programs: &Programs, _checks: &mut Checks) -> Result<()> {
    Ok(())
}
