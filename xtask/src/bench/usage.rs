//! What one process took, by the kernel's own account.

use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Result, ensure};
use wait4::Wait4;

/// What a process took from start to end.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Usage {
    /// Seconds on the clock.
    pub(crate) wall: f64,
    /// Seconds of all its threads, in user space and in the kernel.
    pub(crate) cpu: f64,
    /// Bytes of memory at its peak.
    pub(crate) peak: u64,
}

impl Usage {
    /// Runs one after the other.
    pub(crate) fn and(self, next: Self) -> Self {
        Self { wall: self.wall + next.wall, cpu: self.cpu + next.cpu, peak: self.peak.max(next.peak) }
    }
}

/// Runs it to its end; its output is discarded.
///
/// # Errors
/// If it does not start, or fails.
pub(crate) fn measure(command: &mut Command) -> Result<Usage> {
    command.stdin(Stdio::null()).stdout(Stdio::null());
    let start = Instant::now();
    let ended = command.spawn()?.wait4()?;
    let wall = start.elapsed().as_secs_f64();
    ensure!(ended.status.success(), "it failed ({})", ended.status);
    let cpu = ended.rusage.utime + ended.rusage.stime;
    Ok(Usage { wall, cpu: cpu.as_secs_f64(), peak: ended.rusage.maxrss })
}

/// The median.
pub(crate) fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
