//! The time as file names and lines have it: UTC, to the millisecond.

use std::time::{SystemTime, UNIX_EPOCH};

/// A moment in UTC.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Utc {
    milliseconds: u64,
}

impl Utc {
    pub(crate) fn now() -> Self {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Self { milliseconds: since.as_millis() as u64 }
    }

    /// `2026-11-22T12:56:47.123Z`.
    pub(crate) fn text(self) -> String {
        let [year, month, day, hour, minute, second] = self.parts();
        let rest = self.milliseconds % 1000;
        format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{rest:03}Z")
    }

    /// `20261122T125647Z`, which sorts as time does and is a file name everywhere.
    pub(crate) fn file_name(self) -> String {
        let [year, month, day, hour, minute, second] = self.parts();
        format!("{year:04}{month:02}{day:02}T{hour:02}{minute:02}{second:02}Z")
    }

    fn parts(self) -> [u64; 6] {
        let seconds = self.milliseconds / 1000;
        let (mut days, of_day) = (seconds / 86_400, seconds % 86_400);
        let is_leap =
            |year: u64| (year.is_multiple_of(4) && !year.is_multiple_of(100)) || year.is_multiple_of(400);
        let mut year = 1970;
        while days >= 365 + u64::from(is_leap(year)) {
            days -= 365 + u64::from(is_leap(year));
            year += 1;
        }
        let months = [31, 28 + u64::from(is_leap(year)), 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
        let mut month = 0;
        while days >= months[month] {
            days -= months[month];
            month += 1;
        }
        [year, month as u64 + 1, days + 1, of_day / 3600, of_day / 60 % 60, of_day % 60]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates() {
        let text = |seconds: u64| Utc { milliseconds: seconds * 1000 + 7 }.text();
        assert_eq!(text(0), "1970-01-01T00:00:00.007Z");
        assert_eq!(text(951_782_399), "2000-02-28T23:59:59.007Z");
        assert_eq!(text(951_782_400), "2000-02-29T00:00:00.007Z");
        assert_eq!(text(1_735_689_599), "2024-12-31T23:59:59.007Z");
        assert_eq!(text(4_107_542_400), "2100-03-01T00:00:00.007Z");
        assert_eq!(Utc { milliseconds: 1_795_352_207_000 }.file_name(), "20261122T125647Z");
    }
}
