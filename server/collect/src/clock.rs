//! The time as it appears in file names and lines, in UTC.

use std::time::SystemTime;

/// `2026-11-22T12:56:47.123Z`.
pub(crate) fn utc_text(time: SystemTime) -> String {
    humantime::format_rfc3339_millis(time).to_string()
}

/// `20261122T125647Z`, which sorts by time and is a valid file name everywhere.
pub(crate) fn utc_file_name(time: SystemTime) -> String {
    humantime::format_rfc3339_seconds(time).to_string().replace(['-', ':'], "")
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, UNIX_EPOCH};

    use super::*;

    #[test]
    fn dates() {
        let time = UNIX_EPOCH + Duration::from_millis(1_795_352_207_123);
        assert_eq!(utc_text(time), "2026-11-22T12:56:47.123Z");
        assert_eq!(utc_file_name(time), "20261122T125647Z");
    }
}
