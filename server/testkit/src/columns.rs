//! Reads stacks drawn as columns: each column is a sample, with the outermost function on top.

use crate::markers::FixtureFile;

/// A trace.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FixtureTrace {
    /// What follows `//- trace`; may be empty.
    pub name: String,
    /// The columns from left to right.
    pub samples: Vec<FixtureSample>,
}

/// One column.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FixtureSample {
    /// The weight of the sample in nanoseconds: 1 ms if the fixture does not say.
    pub ns: u64,
    /// The stack, outermost first; empty for an idle sample.
    pub frames: Vec<FixtureFrame>,
}

/// One function on a stack.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FixtureFrame {
    /// The name that the engine gives it; empty for `@$1`.
    pub name: String,
    /// Where it is defined; `None` for `?name`.
    pub place: Option<FixturePlace>,
}

/// Where a function is defined.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FixturePlace {
    /// What the trace calls its script: the path of a file of the fixture, or the text between `@` and `$`.
    pub resource: String,
    /// The path of the file of the fixture and the offset into its text; `None` if the fixture has no marker.
    pub at: Option<(String, usize)>,
}

const MILLISECOND: f64 = 1e6;

/// Reads the body of a trace.
///
/// Cells are two or more spaces apart; the first row says where columns begin. A first row of numbers sets the
/// milliseconds of each. `-` ends a column early. A cell is `name@$1` (the only file with that marker), `name@/path$1`,
/// `name@resource$1` (placed by the only file with that marker), `name@resource`, or `?name`.
pub(crate) fn read(name: &str, body: &str, files: &[FixtureFile]) -> FixtureTrace {
    let mut rows = body.lines().map(cells).filter(|row| !row.is_empty()).peekable();
    let Some(first) = rows.peek() else { panic!("`//- trace {name}` has no columns") };
    let starts: Vec<usize> = first.iter().map(|(start, _)| *start).collect();
    let times: Option<Vec<f64>> = first.iter().map(|(_, cell)| cell.parse().ok()).collect();
    if times.is_some() {
        rows.next();
    }
    let milliseconds = times.unwrap_or_else(|| vec![1.0; starts.len()]);
    let mut samples: Vec<FixtureSample> = milliseconds
        .iter()
        .map(|time| FixtureSample { ns: (time * MILLISECOND).round() as u64, frames: Vec::new() })
        .collect();
    for (depth, row) in rows.enumerate() {
        for (start, cell) in row {
            let Some(column) = starts.iter().position(|other| *other == start) else {
                panic!("`{cell}` does not stand below the start of a column")
            };
            if cell == "-" {
                continue;
            }
            let frames = &mut samples[column].frames;
            assert!(frames.len() == depth, "`{cell}` hangs in the air: the cell above it is empty");
            frames.push(frame(cell, files));
        }
    }
    FixtureTrace { name: name.to_owned(), samples }
}

/// The cells of a row and where they start.
fn cells(row: &str) -> Vec<(usize, &str)> {
    let mut cells = Vec::new();
    let mut at = 0;
    for piece in row.split("  ") {
        let cell = piece.trim();
        if !cell.is_empty() {
            cells.push((at + piece.find(cell).expect("a trimmed text is part of the whole"), cell));
        }
        at += piece.len() + 2;
    }
    cells
}

fn frame(cell: &str, files: &[FixtureFile]) -> FixtureFrame {
    if let Some(name) = cell.strip_prefix('?') {
        return FixtureFrame { name: name.to_owned(), place: None };
    }
    let Some((name, place)) = cell.split_once('@') else {
        panic!("`{cell}` does not say where it is defined: write `{cell}@$1`, or `?{cell}` for nowhere");
    };
    FixtureFrame { name: name.to_owned(), place: Some(self::place(cell, place, files)) }
}

fn place(cell: &str, place: &str, files: &[FixtureFile]) -> FixturePlace {
    let Some((resource, number)) = place.rsplit_once('$') else {
        return FixturePlace { resource: place.to_owned(), at: None };
    };
    let marker = number.parse().unwrap_or_else(|_| panic!("`{cell}`: `${number}` is no marker"));
    let drawn = files.iter().any(|file| file.path == resource);
    let found: Vec<(String, usize)> = files
        .iter()
        .filter(|file| !drawn || file.path == resource)
        .filter_map(|file| Some((file.path.clone(), file.marker(marker)?)))
        .collect();
    match &found[..] {
        [at] => FixturePlace {
            resource: if resource.is_empty() { at.0.clone() } else { resource.to_owned() },
            at: Some(at.clone()),
        },
        [] => panic!("`{cell}`: no file has the marker `${marker}`"),
        _ => panic!(
            "`{cell}`: several files have the marker `${marker}`: write `{name}@/path${marker}`",
            name = cell.split('@').next().unwrap_or_default()
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files() -> Vec<FixtureFile> {
        let file = |path, body| crate::markers::read(path, body);
        vec![file("/a.js", "function $1main() {}\nfunction $2work() {}\n"), file("/b.js", "$2$3")]
    }

    fn check(body: &str, expected: &[&str]) {
        let shown: Vec<String> = read("", body, &files()).samples.iter().map(shown).collect();
        assert_eq!(shown, expected);
    }

    fn shown(sample: &FixtureSample) -> String {
        let frame = |it: &FixtureFrame| match &it.place {
            None => it.name.clone(),
            Some(FixturePlace { resource, at: None }) => format!("{} in {resource}", it.name),
            Some(FixturePlace { resource, at: Some((path, at)) }) if path == resource => {
                format!("{} at {path} {at}", it.name)
            }
            Some(FixturePlace { resource, at: Some((path, at)) }) => {
                format!("{} in {resource} at {path} {at}", it.name)
            }
        };
        format!("{}: {}", sample.ns, sample.frames.iter().map(frame).collect::<Vec<_>>().join(", "))
    }

    #[test]
    fn columns_are_samples_of_a_millisecond() {
        check(
            "main@$1  main@$1  ?gc\n         work@/a.js$2\n",
            &["1000000: main at /a.js 9", "1000000: main at /a.js 9, work at /a.js 28", "1000000: gc"],
        );
    }

    #[test]
    fn numbers_set_the_times_and_an_empty_column_is_idle() {
        check("0.5  2        10\n     main@$1\n", &["500000: ", "2000000: main at /a.js 9", "10000000: "]);
        check("-  main@$1\n", &["1000000: ", "1000000: main at /a.js 9"]);
    }

    #[test]
    fn a_dash_ends_a_column() {
        check(
            "main@$1  main@$1\n-        main@$1\n",
            &["1000000: main at /a.js 9", "1000000: main at /a.js 9, main at /a.js 9"],
        );
    }

    #[test]
    fn names_and_resources_of_all_kinds() {
        check(
            "@$1  get size@$3  read@node:fs  ?(root)  a@http://localhost/x.js$3",
            &[
                "1000000:  at /a.js 9",
                "1000000: get size at /b.js 0",
                "1000000: read in node:fs",
                "1000000: (root)",
                "1000000: a in http://localhost/x.js at /b.js 0",
            ],
        );
    }

    #[test]
    #[should_panic(expected = "several files have the marker `$2`: write `work@/path$2`")]
    fn a_marker_of_two_files() {
        read("", "work@$2", &files());
    }

    #[test]
    #[should_panic(expected = "no file has the marker `$7`")]
    fn a_marker_of_no_file() {
        read("", "work@$7", &files());
    }

    #[test]
    #[should_panic(expected = "write `work@$1`, or `?work` for nowhere")]
    fn a_frame_without_a_place() {
        read("", "work", &files());
    }

    #[test]
    #[should_panic(expected = "does not stand below the start of a column")]
    fn a_cell_between_columns() {
        read("", "main@$1  main@$1\n     ?gc\n", &files());
    }

    #[test]
    #[should_panic(expected = "hangs in the air")]
    fn a_hole_in_a_column() {
        read("", "main@$1  main@$1\n         ?a\n?b\n", &files());
    }
}
