//! Formats numbers for people, the same way in editors and reports: three significant digits and a fitting unit.
//!
//! Hints are compact (`12.3ms`, no trailing zeros, no space) because editors cut long ones; everything else is formatted
//! as in running text (`12.3 ms`, `48.0 ms`, `4.6 %`).

use profile::model::{Amount, Unit};
use profile::uncertainty::Interval;

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

/// A unit of time or of memory.
struct UnitSize {
    name: &'static str,
    /// In nanoseconds or bytes.
    size: f64,
    /// From this number on, the next unit reads better.
    end: f64,
    /// Significant digits of a compact number.
    compact_digits: i32,
}

impl UnitSize {
    /// The significant digits of a number in this unit, `most` of them at most.
    fn digits(&self, style: Style, most: i32) -> i32 {
        match style {
            Style::Compact => self.compact_digits.min(most),
            Style::Rough => most.min(2),
            Style::Text => most,
        }
    }
}

const TIMES: [UnitSize; 7] = [
    UnitSize { name: "ns", size: 1.0, end: 1000.0, compact_digits: 3 },
    UnitSize { name: "µs", size: 1e3, end: 1000.0, compact_digits: 3 },
    UnitSize { name: "ms", size: 1e6, end: 1000.0, compact_digits: 3 },
    UnitSize { name: "s", size: 1e9, end: 60.0, compact_digits: 3 },
    UnitSize { name: "min", size: 60e9, end: 60.0, compact_digits: 2 },
    UnitSize { name: "h", size: 3_600e9, end: 1000.0, compact_digits: 3 },
    UnitSize { name: "d", size: 86_400e9, end: f64::INFINITY, compact_digits: 3 },
];
const SIZES: [UnitSize; 4] = [
    UnitSize { name: "kB", size: 1e3, end: 1000.0, compact_digits: 3 },
    UnitSize { name: "MB", size: 1e6, end: 1000.0, compact_digits: 3 },
    UnitSize { name: "GB", size: 1e9, end: 1000.0, compact_digits: 3 },
    UnitSize { name: "TB", size: 1e12, end: f64::INFINITY, compact_digits: 3 },
];

/// The unit in which a value reads best. One that rounds up to the next unit is in that: 999.6 µs is 1.00 ms.
fn fitting(value: f64, units: &[UnitSize], style: Style, significant: i32) -> &UnitSize {
    let fits = |unit: &&UnitSize| rounded(value / unit.size, unit.digits(style, significant)) < unit.end;
    units.iter().find(fits).expect("the last unit has no end")
}

/// An amount in its unit: a [`time`] or a [`size`].
pub fn amount(amount: Amount, unit: Unit, style: Style) -> String {
    match unit {
        Unit::Time => time(amount, style),
        Unit::Bytes => size(amount.0, style),
    }
}

/// What 100 % is, unless idle time is counted, as part of a sentence.
pub fn whole(unit: Unit) -> &'static str {
    match unit {
        Unit::Time => "active time",
        Unit::Bytes => "allocated memory",
    }
}

/// An amount, marked with `~` if its error is more than a tenth of it: `~123 ms`.
pub fn about(it: Amount, unit: Unit, interval: Option<Interval>) -> String {
    let is_rough = it.0 > 0 && unit == Unit::Time && interval.is_some_and(|it| half_width(it) > ROUGH);
    format!("{}{}", if is_rough { "~" } else { "" }, amount(it, unit, Style::Text))
}

/// An amount and its uncertainty: `570 ms ± 12 ms`, or, if that would say little, the ends of the interval: `2.1 ms (0.4 to 11 ms)`.
pub fn with_error(it: Amount, unit: Unit, interval: Option<Interval>) -> String {
    let shown = amount(it, unit, Style::Text);
    let Some(interval) = interval.filter(|_| unit == Unit::Time && it.0 > 0) else { return shown };
    let [low, high, error] = [interval.low, interval.high, half_width(interval)]
        .map(|factor| time_to(Amount((it.0 as f64 * factor).round() as u64), Style::Text, 2));
    if half_width(interval) > 0.5 {
        format!("{shown} ({low} to {high})")
    } else {
        format!("{shown} ± {error}")
    }
}

/// From this error on, relative to the value, a number counts as rough.
const ROUGH: f64 = 0.1;

fn half_width(interval: Interval) -> f64 {
    (interval.high - interval.low) / 2.0
}

/// A time: `812 µs`, `154 ms`, `1.35 s`, `12 min 5 s`, `3.21 h`, and for sums over many sessions `116 d`. In compact
/// style, minutes come without seconds, for which a hint has no room: `12min`.
pub fn time(time: Amount, style: Style) -> String {
    time_to(time, style, 3)
}

fn time_to(time: Amount, style: Style, significant: i32) -> String {
    let nanos = time.0 as f64;
    let gap = if style == Style::Text { " " } else { "" };
    if time.0 == 0 {
        return format!("0{gap}ms");
    }
    let unit = fitting(nanos, &TIMES, style, significant);
    if unit.name == "min" && style == Style::Text {
        let seconds = (nanos / 1e9).round() as u64;
        return format!("{} min {} s", seconds / 60, seconds % 60);
    }
    let number = number((nanos / unit.size).max(1.0), style, unit.digits(style, significant));
    format!("{number}{gap}{}", unit.name)
}

/// A number of bytes, with 1,000 bytes in a kB: `812 B`, `12.3 kB`, `48.0 MB`.
pub fn size(bytes: u64, style: Style) -> String {
    let gap = if style == Style::Text { " " } else { "" };
    if bytes < 1000 {
        return format!("{bytes}{gap}B");
    }
    let unit = fitting(bytes as f64, &SIZES, style, 3);
    let number = number(bytes as f64 / unit.size, style, unit.digits(style, 3));
    format!("{number}{gap}{}", unit.name)
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

/// A share in whole percent, which never rounds up to 100 % or down to 0 %: `94 %`, `>99 %`, `<1 %`.
pub fn whole_percent(share: f64) -> String {
    match share {
        0.0 | 1.0.. => format!("{:.0} %", share * 100.0),
        ..0.01 => "<1 %".to_owned(),
        _ if share > 0.99 => ">99 %".to_owned(),
        _ => format!("{:.0} %", (share * 100.0).round()),
    }
}

/// The texts of a column, with their decimal points and units aligned.
pub fn column(texts: &[String]) -> Vec<String> {
    let rows = texts.iter().map(|text| {
        let number = text.find(' ').unwrap_or(text.len());
        let point = text[..number].find('.').unwrap_or(number);
        [&text[..point], &text[point..number], &text[number..]]
    });
    let rows: Vec<[&str; 3]> = rows.collect();
    let [whole, fraction, unit] = column_widths(&rows);
    rows.iter().map(|[a, b, c]| format!("{a:>whole$}{b:<fraction$}{c:<unit$}")).collect()
}

/// The length in characters of the longest text of each column.
pub(crate) fn column_widths<const N: usize>(rows: &[[impl AsRef<str>; N]]) -> [usize; N] {
    std::array::from_fn(|column| {
        rows.iter().map(|row| row[column].as_ref().chars().count()).max().unwrap_or_default()
    })
}

/// How often code ran: `ran 1,200 times`, `ran once`, `never ran`.
pub fn ran(times: u64) -> String {
    match times {
        0 => "never ran".to_owned(),
        1 => "ran once".to_owned(),
        _ => format!("ran {} times", thousands(times)),
    }
}

/// A count with its noun: `1 sample`, `214 samples`, `12,345 samples`.
pub fn count(number: u64, noun: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{} {noun}{plural}", thousands(number))
}

/// `12,345`.
pub fn thousands(number: u64) -> String {
    match number {
        ..1000 => number.to_string(),
        _ => format!("{},{:03}", thousands(number / 1000), number % 1000),
    }
}

/// A number with this many significant digits; trailing zeros are only kept in running text.
fn number(value: f64, style: Style, digits: i32) -> String {
    match style {
        Style::Compact | Style::Rough => without_zeros(significant(value, digits)),
        Style::Text => significant(value, digits),
    }
}

fn rounded(value: f64, digits: i32) -> f64 {
    let magnitude = value.abs().log10().floor() as i32;
    let scale = 10f64.powi(digits - 1 - magnitude);
    (value * scale).round() / scale
}

fn significant(value: f64, digits: i32) -> String {
    let rounded = rounded(value, digits);
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
            (996_000_000, "996ms | 1s | 996 ms"),
            (1_239_999_999, "1.24s | 1.2s | 1.24 s"),
            (59_940_000_000, "59.9s | 1min | 59.9 s"),
            (59_970_000_000, "1min | 1min | 1 min 0 s"),
            (725_400_000_000, "12min | 12min | 12 min 5 s"),
            (3_570_000_000_000, "1h | 1h | 59 min 30 s"),
            (3_599_600_000_000, "1h | 1h | 1.00 h"),
            (11_554_000_000_000, "3.21h | 3.2h | 3.21 h"),
            (120_120_000_000_000, "33.4h | 33h | 33.4 h"),
            (9_999_000_000_000_000, "116d | 120d | 116 d"),
            (9_000_000_000_000_000_000, "104000d | 100000d | 104000 d"),
        ];
        for (nanos, text) in expected {
            assert_eq!(shown(nanos), text, "{nanos} ns");
        }
    }

    #[test]
    fn how_well_a_time_is_known() {
        let shown = |nanos, half: f64| {
            let interval = Some(Interval { low: (1.0 - half).max(0.1), high: 1.0 + half });
            let nanos = Amount(nanos);
            format!("{} | {}", about(nanos, Unit::Time, interval), with_error(nanos, Unit::Time, interval))
        };
        let expected = [
            (570_313_000, 0.02, "570 ms | 570 ms ± 11 ms"),
            (123_400_000, 0.2, "~123 ms | 123 ms ± 25 ms"),
            (12_345_678, 0.6, "~12.3 ms | 12.3 ms (4.9 ms to 20 ms)"),
            (2_345_678, 1.4, "~2.35 ms | 2.35 ms (230 µs to 5.6 ms)"),
            (0, 0.2, "0 ms | 0 ms"),
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
    fn columns() {
        let texts = ["97.1 ms", "~380 ms", "1.35 s", "12 min 5 s", "0 ms"].map(str::to_owned);
        let expected =
            ["  97.1  ms     ", "~380    ms     ", "   1.35 s      ", "  12    min 5 s", "   0    ms     "];
        assert_eq!(column(&texts), expected);
    }

    #[test]
    fn percents_and_counts() {
        let shown: Vec<_> =
            [0.0, 0.00001, 0.00052, 0.0461, 0.18, 0.997, 1.0].map(|it| percent(it, Style::Text)).into();
        assert_eq!(shown, ["0 %", "<0.01 %", "0.052 %", "4.6 %", "18 %", "100 %", "100 %"]);
        assert_eq!(percent(0.0461, Style::Compact), "4.6%");
        let whole = [0.0, 0.004, 0.01, 0.94, 0.99, 0.996, 1.0].map(whole_percent);
        assert_eq!(whole, ["0 %", "<1 %", "1 %", "94 %", "99 %", ">99 %", "100 %"]);
        assert_eq!([count(1, "sample"), count(12_345, "sample")], ["1 sample", "12,345 samples"]);
    }
}
