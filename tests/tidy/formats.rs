//! Every format that is read has recorded traces, and people are told about it.

use std::fs;

use tests::{FORMATS, root};

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
        assert!(
            page.lines().any(|it| it.starts_with(&format!("| `{format}` |"))),
            "docs/formats.md has no row for `{format}`"
        );
    }
}
