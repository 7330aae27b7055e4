//! Numbers as people read them: three significant digits and the fitting unit.
//!
//! Hints are compact (`12.3ms`, no trailing zeros, no space) because editors cut long ones; everything else is
//! set as in running text (`12.3 ms`, `48.0 ms`, `4.6 %`).

use profile::Nanos;

/// How a number is set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// `12.3ms`, `48ms`, `4.6%`.
    Compact,
    /// The same with two digits, for costs that may no longer hold: `12ms`.
    Rough,
    /// `12.3 ms`, `48.0 ms`, `4.6 %`.
    Text,
}

const UNITS: [(f64, &str); 5] = [(1.0, "ns"), (1e3, "µs"), (1e6, "ms"), (1e9, "s"), (60e9, "m")];
/// From 1,000 seconds on, minutes read better.
const FIRST_MINUTE: f64 = 1_000e9;

/// A time: `812 µs`, `12.3 ms`, `1.24 s`, `16.7 m`.
pub fn time(time: Nanos, style: Style) -> String {
    let nanos = time.0 as f64;
    let gap = if style == Style::Text { " " } else { "" };
    if time.0 == 0 {
        return format!("0{gap}ms");
    }
    let mut unit =
        UNITS.iter().rposition(|&(size, name)| nanos >= size && (name != "m" || nanos >= FIRST_MINUTE));
    // 999.6 µs rounds up to 1,000 µs, which is 1.00 ms.
    if let Some(at) = unit.filter(|&at| at < 3 && digits(nanos / UNITS[at].0, style).parse() == Ok(1000.0)) {
        unit = Some(at + 1);
    }
    let (size, name) = UNITS[unit.unwrap_or(0)];
    format!("{}{gap}{name}", digits(nanos / size, style))
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

fn digits(value: f64, style: Style) -> String {
    match style {
        Style::Compact => without_zeros(significant(value, 3)),
        Style::Rough => without_zeros(significant(value, 2)),
        Style::Text => significant(value, 3),
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
            let nanos = Nanos(nanos);
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
        ];
        for (nanos, text) in expected {
            assert_eq!(shown(nanos), text, "{nanos} ns");
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
