//! The values of flags as people write them: sizes, times, percentages, addresses.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::time::Duration;

use analysis::files::Runner;
use clap::builder::TypedValueParser;
use profile::problem::Problem;
use profile::scope::{END, parse_time};

/// A parser for clap, which shows errors at the end of a line of its own, without a full stop.
pub(super) fn parser<T: Clone + Send + Sync + 'static>(
    read: fn(&str) -> Result<T, Problem>,
) -> impl TypedValueParser<Value = T> {
    move |text: &str| read(text).map_err(|problem| problem.what)
}

/// Where to listen: `127.0.0.1:9180`, `localhost:9180`, or a port of this machine.
pub(super) fn address(text: &str) -> Result<SocketAddr, Problem> {
    let port = text.strip_prefix("localhost:").unwrap_or(text).parse::<u16>();
    let here = port.map(|port| SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), port));
    here.or_else(|_| text.parse())
        .map_err(|_| Problem::new("an address with its port, such as 127.0.0.1:9180, or a port", ""))
}

/// The address of a page, as it may be typed into a browser: `localhost:5173` is of a server.
pub(super) fn page(text: &str) -> String {
    let has_scheme = text.contains("://") || text.starts_with("about:") || text.starts_with("data:");
    if has_scheme { text.to_owned() } else { format!("http://{text}") }
}

/// `500kb`, `5mb`, `2gb`; a kB is 1,000 bytes.
pub(super) fn size(text: &str) -> Result<u64, Problem> {
    let units = [("kb", 1000), ("mb", 1_000_000), ("gb", 1_000_000_000), ("tb", 1_000_000_000_000)];
    scaled(text, &units).ok_or_else(|| Problem::new("a size with its unit, such as 500kb, 5mb or 2gb", ""))
}

/// `30s`, `15m`, `24h`, `7d`.
pub(super) fn age(text: &str) -> Result<Duration, Problem> {
    let units = [("s", 1), ("m", 60), ("h", 3600), ("d", 86_400)];
    let seconds = scaled(text, &units)
        .ok_or_else(|| Problem::new("a time with its unit, such as 30s, 15m, 24h or 7d", ""))?;
    Ok(Duration::from_secs(seconds))
}

/// A fraction of a time: `10%`, `2.5 %` or `10`.
pub(super) fn part(text: &str) -> Result<f64, Problem> {
    let number = text.trim().trim_end_matches('%').trim_end().parse::<f64>();
    let percent = number.ok().filter(|percent| percent.is_finite() && *percent >= 0.0);
    let part = percent.map(|percent| percent / 100.0);
    part.ok_or_else(|| Problem::new(format!("{text} is no percentage such as 10%"), ""))
}

/// A duration: `10s`, `100ms`, or `1.5`, which is in seconds.
pub(super) fn duration(text: &str) -> Result<Duration, Problem> {
    match parse_time(text) {
        Ok(amount) if amount != END => Ok(Duration::from_nanos(amount.0)),
        _ => Err(Problem::new("a time is written as 10s, 100ms or 1.5, which are seconds", "")),
    }
}

/// The time between two samples in microseconds: `1ms`, `200us`.
pub(super) fn interval(text: &str) -> Result<u32, Problem> {
    // A number without a unit means seconds elsewhere, but nobody means seconds here.
    let has_unit = text.contains(|char: char| char.is_alphabetic());
    let duration = duration(text).ok().filter(|_| has_unit);
    let micros = duration.and_then(|duration| u32::try_from(duration.as_micros()).ok());
    micros.filter(|micros| (50..=1_000_000).contains(micros)).ok_or_else(|| {
        Problem::new("an interval is written with its unit, from 50us to 1s, such as 1ms or 200us", "")
    })
}

/// A runner by its name.
pub(super) fn runner(name: &str) -> Result<Runner, Problem> {
    let found = Runner::ALL.into_iter().find(|runner| runner.name() == name);
    found.ok_or_else(|| Problem::new(format!("is none of {}", Runner::ALL.map(Runner::name).join(", ")), ""))
}

fn scaled(text: &str, units: &[(&str, u64)]) -> Option<u64> {
    let text = text.trim().to_ascii_lowercase();
    let (number, factor) =
        units.iter().find_map(|&(unit, factor)| Some((text.strip_suffix(unit)?.trim(), factor)))?;
    number.parse::<u64>().ok()?.checked_mul(factor).filter(|&scaled| scaled > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_without_a_scheme_is_of_a_server() {
        let pages = ["localhost:5173", "app.test/a?b", "https://app.test", "file:///a.html", "about:blank"];
        let expected = [
            "http://localhost:5173",
            "http://app.test/a?b",
            "https://app.test",
            "file:///a.html",
            "about:blank",
        ];
        assert_eq!(pages.map(page), expected);
    }

    #[test]
    fn times_have_units() {
        let times = ["100ms", "10s", "1.5", "0", "end", "soon", "-1s"].map(|it| duration(it).ok());
        let millis = |it| Some(Duration::from_millis(it));
        assert_eq!(times, [millis(100), millis(10_000), millis(1500), millis(0), None, None, None]);
        let intervals =
            ["1ms", "200us", "1s", "1", "0.001", "49us", "2s", "end", "soon"].map(|it| interval(it).ok());
        assert_eq!(intervals, [Some(1000), Some(200), Some(1_000_000), None, None, None, None, None, None]);
    }
}
