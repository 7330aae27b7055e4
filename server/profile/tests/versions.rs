//! A file that is newer than what was tried is read with a sentence about that, or refused: never in silence.

use std::fs;
use std::io::Read;
use std::path::Path;

use expect_test::expect;
use flate2::read::GzDecoder;
use profile::decode::decode;
use profile::decode::versions::{KNOWN_FORMATS, KnownFormat, VersionOf};

/// A recorded trace of each format that has a version, as text.
fn recorded(known: &KnownFormat) -> String {
    let path = match (known.format, known.form) {
        ("chrome-trace", _) => "chrome-trace/orders-enhanced-chromium156.json.gz",
        ("firefox", "raw") => "firefox/zoo-gecko-firefox153.json.gz",
        ("firefox", _) => "firefox/zoo-processed75.json.gz",
        ("speedscope", _) => "speedscope/zoo-sampled.speedscope.json",
        ("safari", _) => "safari/kinds-older.json.gz",
        ("sentry", _) => "sentry/zoo-chunk-node20.json.gz",
        ("slice", _) => "slice/orders-release-42.slice.gz",
        (format, _) => panic!("{format} has a version: name a recorded trace"),
    };
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/traces").join(path);
    let bytes = fs::read(&path).expect("a recorded trace");
    let mut text = String::new();
    match path.extension().is_some_and(|it| it == "gz") {
        true => GzDecoder::new(&*bytes).read_to_string(&mut text).expect("gzip"),
        false => (&*bytes).read_to_string(&mut text).expect("a text"),
    };
    text
}

/// The trace as of another version, wherever it says it; a member that it lacks comes first.
fn of_version(text: &str, member: &str, version: &str) -> String {
    let key = format!("\"{}\":", member.rsplit('.').next().unwrap_or(member));
    let mut parts = text.split(&key);
    let mut changed = parts.next().unwrap_or_default().to_owned();
    if changed.len() == text.len() {
        return text.replacen('{', &format!("{{{key}\"{version}\","), 1);
    }
    for part in parts {
        let end = part.find([',', '}']).expect("more members, or the end");
        let quote = if part.starts_with('"') { "\"" } else { "" };
        changed += &format!("{key}{quote}{version}{quote}{}", &part[end..]);
    }
    changed
}

/// What is said of a trace: that it is refused, or its problems.
fn said(text: &str) -> String {
    match decode(&mut text.as_bytes(), "it", &()) {
        Ok(profile) => {
            let problems: Vec<String> = profile.problems.iter().map(ToString::to_string).collect();
            format!("read. {}", problems.join(" "))
        }
        Err(error) => error.problem("it").to_string(),
    }
}

#[test]
fn nothing_newer_is_read_in_silence() {
    let mut all = Vec::new();
    for known in KNOWN_FORMATS {
        let VersionOf::Newest { member, newest } = known.version else { continue };
        if known.form == "in JsonSlabs" {
            continue; // the version is in the head: `decode/tests/detect.rs`
        }
        let text = recorded(known);
        assert_eq!(said(&of_version(&text, member, newest)), said(&text), "{}", known.format);
        let (before, last) = newest.rsplit_once('.').map_or(("", newest), |(before, last)| (before, last));
        let raised = last.parse::<u32>().expect("a number") + 100;
        let raised = if before.is_empty() { raised.to_string() } else { format!("{before}.{raised}") };
        all.push(format!(
            "{} {} {raised}: {}",
            known.format,
            known.form,
            said(&of_version(&text, member, &raised))
        ));
    }
    expect![[r#"
        chrome-trace with scripts 101: read. it: version 101 is newer than 1, the newest that was tried. What is needed of it was found; compare a few numbers with the tool that wrote it.
        firefox raw 136: read. it: version 136 is newer than 36, the newest that was tried. What is needed of it was found; compare a few numbers with the tool that wrote it.
        firefox processed 175: read. it: version 175 is newer than 75, the newest that was tried. What is needed of it was found; compare a few numbers with the tool that wrote it.
        speedscope  0.0.101: read. it: version 0.0.101 is newer than 0.0.1, the newest that was tried. What is needed of it was found; compare a few numbers with the tool that wrote it.
        safari  101: read. it: version 101 is newer than 1, the newest that was tried. What is needed of it was found; compare a few numbers with the tool that wrote it.
        sentry  102: read. it: the recording has 2 gaps. Their time is counted as unsampled, not as that of a function. it: version 102 is newer than 2, the newest that was tried. What is needed of it was found; compare a few numbers with the tool that wrote it.
        slice  101: it is not a profile that Proflens reads: it is a slice of another version. Update Proflens, or make it again with proflens-fleet slice."#]].assert_eq(&all.join("\n"));
}
