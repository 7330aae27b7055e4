//! Formats numbers for people, in one way for editors and reports: three significant digits and a fitting unit.
//!
//! Hints are compact (`12.3ms`, no trailing zeros, no space) because editors cut long ones; everything else is formatted
//! as in running text (`12.3 ms`, `48.0 ms`, `4.6 %`).

use profile::{Amount, Interval, Unit};

/// How a number is formatted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// `12.3ms`, `48ms`, `4.6%`.
    Compact,
    /// As `Compact` but with two digits, for costs that may no longer be true: `12ms`.
    Rough,
    /// `12.3 ms`, `48.0 ms`, `4.6 %`.
    Text,
}

const TIMES: [(f64, &str); 7] =
    [(1.0, "ns"), (1e3, "µs"), (1e6, "ms"), (1e9, "s"), (60e9, "m"), (3_600e9, "h"), (86_400e9, "d")];
const SIZES: [(f64, &str); 5] = [(1.0, "B"), (1e3, "kB"), (1e6, "MB"), (1e9, "GB"), (1e12, "TB")];

/// An amount in its unit: a [`time`] or a [`size`].
pub fn amount(amount: Amount, unit: Unit, style: Style) -> String {
    match unit {
        Unit::Time => time(amount, style),
        Unit::Bytes => size(amount.0, style),
    }
}

/// What 100 % means, unless idle time is counted, as part of a sentence.
pub fn whole(unit: Unit) -> &'static str {
    match unit {
        Unit::Time => "active time",
        Unit::Bytes => "allocated memory",
    }
}

/// An amount with no more digits than are known: 123 ms that may be 90 ms as well are `0.12 s`.
pub fn known(it: Amount, unit: Unit, style: Style, interval: Option<Interval>) -> String {
    match (unit, interval) {
        (Unit::Time, Some(interval)) => time_to(it, style, known_digits(interval)),
        _ => amount(it, unit, style),
    }
}

/// Whether fewer digits of an amount are known than are shown of one that is sure.
pub fn is_rounded(unit: Unit, interval: Option<Interval>) -> bool {
    unit == Unit::Time && interval.is_some_and(|it| known_digits(it) < 3)
}

/// An amount and how sure it is: `570 ms ± 12 ms`, and where that would say little, the ends of the interval: `2.1 ms (0.4 to 11 ms)`.
pub fn with_error(it: Amount, unit: Unit, interval: Option<Interval>) -> String {
    let shown = known(it, unit, Style::Text, interval);
    let Some(interval) = interval.filter(|_| unit == Unit::Time && it.0 > 0) else { return shown };
    let nanos = it.0 as f64;
    let at = |factor: f64| time_to(Amount((nanos * factor).round() as u64), Style::Text, 2);
    if half_width(interval) > 0.5 {
        return format!("{shown} ({} to {})", at(interval.low), at(interval.high));
    }
    format!("{shown} ± {}", at(half_width(interval)))
}

/// Whether an interval is wider than the value itself.
pub fn is_vague(interval: Option<Interval>) -> bool {
    interval.is_some_and(|it| it.high - it.low > 1.0)
}

fn half_width(interval: Interval) -> f64 {
    (interval.high - interval.low) / 2.0
}

/// How many digits of a value are known, 1 to 3: the last one may be wrong by a few.
fn known_digits(interval: Interval) -> i32 {
    let digits = (1.0 / half_width(interval).max(1e-3)).log10().floor() as i32 + 2;
    digits.clamp(1, 3)
}

/// A time: `812 µs`, `12.3 ms`, `1.24 s`, `16.7 m`, and for sums over many sessions `33.4 h`, `116 d`.
pub fn time(time: Amount, style: Style) -> String {
    time_to(time, style, 3)
}

/// A time with so many digits. Where two are known of a number of three, it is shown in the next unit: `0.12 s`.
fn time_to(time: Amount, style: Style, known: i32) -> String {
    let nanos = time.0 as f64;
    let gap = if style == Style::Text { " " } else { "" };
    if time.0 == 0 {
        return format!("0{gap}ms");
    }
    // From 1,000 of a unit on the next one reads better.
    let mut unit = (0..TIMES.len()).rfind(|&at| at == 0 || nanos >= 1_000.0 * TIMES[at - 1].0);
    let shown = |nanos: f64| digits(nanos, style, known.max(if nanos >= 9.95 { 2 } else { 1 }));
    // 999.6 µs rounds up to 1,000 µs, which is 1.00 ms.
    let is_next = |at: usize| {
        shown(nanos / TIMES[at].0).parse() == Ok(1000.0) || (known < 3 && nanos / TIMES[at].0 >= 99.5)
    };
    if let Some(at) = unit.filter(|&at| at < 3 && is_next(at)) {
        unit = Some(at + 1);
    }
    let (size, name) = TIMES[unit.unwrap_or(0)];
    format!("{}{gap}{name}", shown(nanos / size))
}

/// A number of bytes, a kB being 1,000: `812 B`, `12.3 kB`, `48.0 MB`.
pub fn size(bytes: u64, style: Style) -> String {
    let gap = if style == Style::Text { " " } else { "" };
    let number = bytes as f64;
    let Some(unit) = SIZES.iter().rposition(|&(size, _)| number >= size).filter(|&at| at > 0) else {
        return format!("{bytes}{gap}B");
    };
    // 999.6 kB rounds up to 1,000 kB, which is 1.00 MB.
    let carry = digits(number / SIZES[unit].0, style, 3).parse() == Ok(1000.0) && unit + 1 < SIZES.len();
    let (size, name) = SIZES[unit + usize::from(carry)];
    format!("{}{gap}{name}", digits(number / size, style, 3))
}

/// A share of the base as percent, two significant digits: `18 %`, `4.6 %`, `0.052 %`.
pub fn percent(share: f64, style: Style) -> String {
    let gap = if style == Style::Text { " " } else { "" };
    let percent = share * 100.0;
    if percent == 0.0 {
        return format!("0{gap}%");
    }
    if percent < 0.01 {
        return format!("<0.01{gap}%");
    }
    format!("{}{gap}%", without_zeros(significant(percent, 2)))
}

/// A count with its noun: `1 sample`, `214 samples`, `12,345 samples`.
pub fn count(number: u64, noun: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{} {noun}{plural}", thousands(number))
}

/// `12,345`.
pub fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A number with so many significant digits at most.
fn digits(value: f64, style: Style, known: i32) -> String {
    match style {
        Style::Compact => without_zeros(significant(value, known)),
        Style::Rough => without_zeros(significant(value, known.min(2))),
        Style::Text => significant(value, known),
    }
}

fn significant(value: f64, digits: i32) -> String {
    let magnitude = value.abs().log10().floor() as i32;
    let scale = 10f64.powi(digits - 1 - magnitude);
    let rounded = (value * scale).round() / scale;
    // Rounding may have gained a digit: 99.96 is 100, not 100.0.
    let magnitude = rounded.abs().log10().floor() as i32;
    format!("{rounded:.*}", (digits - 1 - magnitude).max(0) as usize)
}

fn without_zeros(text: String) -> String {
    if !text.contains('.') {
        return text;
    }
    text.trim_end_matches('0').trim_end_matches('.').to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times() {
        let shown = |nanos| {
            let nanos = Amount(nanos);
            [time(nanos, Style::Compact), time(nanos, Style::Rough), time(nanos, Style::Text)].join(" | ")
        };
        let expected = [
            (0, "0ms | 0ms | 0 ms"),
            (7, "7ns | 7ns | 7.00 ns"),
            (812_345, "812µs | 810µs | 812 µs"),
            (999_600, "1ms | 1ms | 1.00 ms"),
            (12_345_678, "12.3ms | 12ms | 12.3 ms"),
            (48_000_000, "48ms | 48ms | 48.0 ms"),
            (99_960_000, "100ms | 100ms | 100 ms"),
            (1_239_999_999, "1.24s | 1.2s | 1.24 s"),
            (999_000_000_000, "999s | 1000s | 999 s"),
            (1_002_000_000_000, "16.7m | 17m | 16.7 m"),
            (59_940_000_000_000, "999m | 1000m | 999 m"),
            (120_120_000_000_000, "33.4h | 33h | 33.4 h"),
            (9_999_000_000_000_000, "116d | 120d | 116 d"),
            (9_000_000_000_000_000_000, "104000d | 100000d | 104000 d"),
        ];
        for (nanos, text) in expected {
            assert_eq!(shown(nanos), text, "{nanos} ns");
        }
    }

    #[test]
    fn no_more_digits_than_are_known() {
        let shown = |nanos, half: f64| {
            let interval = Some(Interval { low: (1.0 - half).max(0.1), high: 1.0 + half });
            let nanos = Amount(nanos);
            let hint = known(nanos, Unit::Time, Style::Compact, interval);
            format!("{hint} | {}", with_error(nanos, Unit::Time, interval))
        };
        let expected = [
            (570_313_000, 0.02, "570ms | 570 ms ± 11 ms"),
            (123_400_000, 0.2, "0.12s | 0.12 s ± 25 ms"),
            (12_345_678, 0.2, "12ms | 12 ms ± 2.5 ms"),
            (12_345_678, 0.6, "12ms | 12 ms (4.9 ms to 20 ms)"),
            (2_345_678, 1.4, "2ms | 2 ms (0.23 ms to 5.6 ms)"),
            (1_000_000, 3.0, "1ms | 1 ms (0.10 ms to 4.0 ms)"),
        ];
        for (nanos, half, text) in expected {
            assert_eq!(shown(nanos, half), text, "{nanos} ns");
        }
    }

    #[test]
    fn sizes() {
        let shown = |bytes| [Style::Compact, Style::Rough, Style::Text].map(|it| size(bytes, it)).join(" | ");
        let expected = [
            (0, "0B | 0B | 0 B"),
            (7, "7B | 7B | 7 B"),
            (999, "999B | 999B | 999 B"),
            (1_000, "1kB | 1kB | 1.00 kB"),
            (12_345, "12.3kB | 12kB | 12.3 kB"),
            (48_000_000, "48MB | 48MB | 48.0 MB"),
            (996_000, "996kB | 1MB | 996 kB"),
            (999_600, "1MB | 1MB | 1.00 MB"),
            (1_239_999_999, "1.24GB | 1.2GB | 1.24 GB"),
            (5_000_000_000_000_000, "5000TB | 5000TB | 5000 TB"),
        ];
        for (bytes, text) in expected {
            assert_eq!(shown(bytes), text, "{bytes} bytes");
        }
    }

    #[test]
    fn percents_and_counts() {
        let shown: Vec<_> =
            [0.0, 0.00001, 0.00052, 0.0461, 0.18, 0.997, 1.0].map(|it| percent(it, Style::Text)).into();
        assert_eq!(shown, ["0 %", "<0.01 %", "0.052 %", "4.6 %", "18 %", "100 %", "100 %"]);
        assert_eq!(percent(0.0461, Style::Compact), "4.6%");
        assert_eq!([count(1, "sample"), count(12_345, "sample")], ["1 sample", "12,345 samples"]);
    }
}
