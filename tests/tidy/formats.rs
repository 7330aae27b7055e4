//! Every format that is read has recorded traces, and is named in the documentation.

use std::fs;

use profile::decode::versions::{KNOWN_FORMATS, KnownFormat, VersionOf};
use tests::{FORMATS, root};

use crate::generated::between_marks;
use crate::tree::read;

#[test]
fn every_format_has_recorded_traces_with_their_origin() {
    for format in FORMATS {
        let folder = root().join("tests/traces").join(format);
        let traces = fs::read_dir(&folder).unwrap_or_else(|_| panic!("tests/traces/{format} is missing"));
        let names: Vec<String> = traces.map(|it| it.unwrap().file_name().into_string().unwrap()).collect();
        assert!(names.len() > 1, "tests/traces/{format} has no trace");
        let origin = read(&format!("tests/traces/{format}/ORIGIN.md"));
        for name in names.iter().filter(|it| *it != "ORIGIN.md") {
            assert!(
                origin.contains(name.as_str()),
                "tests/traces/{format}/ORIGIN.md does not say who recorded {name}"
            );
        }
    }
}

#[test]
fn every_format_is_described() {
    let page = read("docs/formats.md");
    for format in FORMATS {
        let row = format!("| [`{format}`](#{format}) | ");
        assert!(page.lines().any(|it| it.starts_with(&row)), "docs/formats.md has no row for `{format}`");
        let heading = format!("\n## {format}\n\n");
        let (_, section) =
            page.split_once(&heading).unwrap_or_else(|| panic!("docs/formats.md: `{format}`?"));
        let section = section.split("\n## ").next().unwrap();
        assert!(section.len() > 100, "docs/formats.md does not say how `{format}` is read");
    }
}

/// A row of the table of versions.
fn row(known: &KnownFormat) -> String {
    let KnownFormat { format, form, version, tried, looked_at, source } = known;
    let name = if form.is_empty() { format!("`{format}`") } else { format!("`{format}`, {form}") };
    let version = match version {
        VersionOf::None => "none".to_owned(),
        VersionOf::Newest { member, newest } => format!("`{member}` {newest}"),
    };
    let source =
        if source.starts_with('#') { format!("[this page]({source})") } else { format!("<{source}>") };
    format!("| {name} | {version} | {tried} | {looked_at} | {source} |\n")
}

#[test]
fn the_page_of_formats_says_which_versions_were_tried() {
    for format in FORMATS {
        assert!(KNOWN_FORMATS.iter().any(|it| it.format == format), "versions.rs does not know `{format}`");
    }
    let head =
        "| format | newest version | tried with | looked at | source |\n| --- | --- | --- | --- | --- |\n";
    let rows: String = KNOWN_FORMATS.iter().map(|known| row(known)).collect();
    between_marks("docs/formats.md", "versions", &format!("{head}{rows}"));
}

#[test]
fn the_page_of_formats_can_be_read_in_an_editor() {
    for line in read("docs/formats.md").lines() {
        let may_be_long = line.starts_with('|') || line.contains("https://");
        assert!(may_be_long || line.chars().count() <= 124, "docs/formats.md: wrap {line}");
    }
}
