//! Suggests what a user may have meant by a name that nothing has.

/// At most this many names are offered.
const OFFERED: usize = 3;

/// How alike two names must be, from 0 to 1: two swapped letters in a short name, and not many more in a long one.
const LEAST: f64 = 0.8;

/// The names that are most similar to one, best first; each once.
///
/// Similarity is Jaro-Winkler, which favours a common beginning, and ignores case. A name that contains the typed text is
/// similar too: people type the part that they remember.
pub fn similar<'n>(wanted: &str, names: impl IntoIterator<Item = &'n str>) -> Vec<String> {
    let wanted_lower = wanted.to_lowercase();
    if wanted_lower.is_empty() {
        return Vec::new();
    }
    let score = |name: &str| {
        let name = name.to_lowercase();
        let contains = wanted_lower.chars().count() >= 3 && name.contains(&wanted_lower);
        // A method may be meant by its own name alone.
        let last = name.rsplit('.').next().unwrap_or(&name);
        let alike = [&*name, last].map(|it| strsim::jaro_winkler(&wanted_lower, it));
        let alike = alike[0].max(alike[1]);
        if contains { alike.max(LEAST) } else { alike }
    };
    let mut scored: Vec<(f64, &str)> = names.into_iter().map(|it| (score(it), it)).collect();
    scored.retain(|it| it.0 >= LEAST);
    scored.sort_by(|a, b| b.0.total_cmp(&a.0).then((a.1.len(), a.1).cmp(&(b.1.len(), b.1))));
    scored.dedup_by_key(|it| it.1);
    scored.into_iter().take(OFFERED).map(|it| it.1.to_owned()).collect()
}

/// `did you mean a, b or c?`, as the hint of a problem; nothing if there are no similar names.
pub fn question(similar: &[String]) -> String {
    match similar {
        [] => String::new(),
        [only] => format!("did you mean {only}?"),
        [first @ .., last] => format!("did you mean {} or {last}?", first.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_are_meant() {
        let names = ["parse", "Parser.parse", "prase", "sieve", "isPrime", "nextPrimes", "main", "main"];
        let rows: [(&str, &[&str]); 7] = [
            ("prse", &["prase", "parse", "Parser.parse"]),
            ("PARSE", &["parse", "Parser.parse", "prase"]),
            ("prime", &["isPrime", "nextPrimes"]),
            ("siev", &["sieve"]),
            ("mian", &["main"]),
            ("nobody", &[]),
            ("", &[]),
        ];
        for (wanted, expected) in rows {
            assert_eq!(similar(wanted, names), expected, "{wanted}");
        }
        assert_eq!(question(&[]), "");
        assert_eq!(question(&["a".into()]), "did you mean a?");
        assert_eq!(question(&["a".into(), "b".into(), "c".into()]), "did you mean a, b or c?");
    }
}
