//! Finds the inspector of a running program: by the number of its process, by its address, or by the URL itself.

use profile::problem::Problem;

#[cfg(target_os = "linux")]
use super::by_number;
use super::inspector::{Inspector, by_address, by_url};
#[cfg(not(target_os = "linux"))]
use super::process::{ProcessError, Why};
use super::wait::Told;

/// Finds an inspector.
///
/// # Errors
/// If there is none, or it is on another machine and that was not asked for.
pub(crate) fn find(what: &str, allow_remote: bool, told: &Told) -> Result<Inspector, Problem> {
    if let Ok(process) = what.parse::<u32>() {
        #[cfg(target_os = "linux")]
        return by_number::find(process, told).map_err(Problem::from);
        #[cfg(not(target_os = "linux"))]
        return Err(ProcessError { process, why: Why::OtherSystem { is_windows: cfg!(windows) } }.into());
    }
    if what.starts_with("ws://") { by_url(what, allow_remote) } else { by_address(what, allow_remote, told) }
}
