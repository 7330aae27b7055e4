//! Cuts a fixture into its files, edits and traces.

use crate::columns::{self, FixtureTrace};
use crate::markers::{self, FixtureFile};

/// Everything that one test draws.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Fixture {
    /// `//- /path`: the files of the workspace, in the order drawn.
    pub files: Vec<FixtureFile>,
    /// `//- committed /path`: files as they were when the traces were recorded. If any is drawn, there are no others.
    pub committed: Vec<FixtureFile>,
    /// `//- edit /path`: later versions of these files, in order of time.
    pub edits: Vec<FixtureFile>,
    /// `//- trace` and `//- trace name`.
    pub traces: Vec<FixtureTrace>,
}

impl Fixture {
    /// Reads a fixture. Indentation that all its lines share is removed first.
    ///
    /// # Panics
    /// With a sentence, if it cannot be read.
    pub fn parse(fixture: &str) -> Self {
        let fixture = without_shared_indent(fixture);
        let mut result = Self::default();
        let mut traces = Vec::new();
        for (head, body) in sections(&fixture) {
            match head.split_once(' ').unwrap_or((head, "")) {
                (path, "") if path.starts_with('/') => {
                    assert!(
                        result.file(path).is_none(),
                        "`//- {path}` is drawn twice: write `//- edit {path}`"
                    );
                    result.files.push(markers::read(path, &body));
                }
                ("edit", path) => {
                    assert!(result.file(path).is_some(), "`//- edit {path}` edits a file that is not drawn");
                    result.edits.push(markers::read(path, &body));
                }
                ("committed", path) => result.committed.push(markers::read(path, &body)),
                ("trace", name) => traces.push((name, body)),
                _ => panic!(
                    "`//- {head}` is neither a path, nor `committed /path`, nor `edit /path`, nor `trace`"
                ),
            }
        }
        // Traces name places in files, including files drawn below them.
        let ran = result.ran();
        result.traces = traces.iter().map(|(name, body)| columns::read(name, body, &ran)).collect();
        result
    }

    /// All files that places of traces may be in.
    pub fn ran(&self) -> Vec<FixtureFile> {
        self.committed.iter().chain(&self.files).cloned().collect()
    }

    /// The first version of a file.
    pub fn file(&self, path: &str) -> Option<&FixtureFile> {
        self.files.iter().find(|file| file.path == path)
    }

    /// The only file of a fixture and its only cursor, `$0`: for tests of a single text.
    ///
    /// # Panics
    /// If there are more files, or no `$0`.
    pub fn cursor(&self) -> (&FixtureFile, usize) {
        let [file] = &self.files[..] else { panic!("one file was expected, not {}", self.files.len()) };
        (file, file.marker(0).expect("the fixture has no `$0`"))
    }
}

fn sections(fixture: &str) -> Vec<(&str, String)> {
    let mut sections: Vec<(&str, String)> = Vec::new();
    for line in fixture.lines() {
        if let Some(head) = line.strip_prefix("//- ") {
            sections.push((head.trim(), String::new()));
        } else if let Some((_, body)) = sections.last_mut() {
            body.push_str(line);
            body.push('\n');
        } else {
            assert!(line.trim().is_empty(), "`{line}` stands before the first `//- /path`");
        }
    }
    sections
}

fn without_shared_indent(text: &str) -> String {
    // The line of the closing quote does not belong to the last file.
    let lines = text.trim_end_matches(' ').lines();
    let code = lines.clone().filter(|line| !line.trim().is_empty());
    let indents = code.map(|line| line.len() - line.trim_start_matches(' ').len());
    let shared = indents.min().unwrap_or(0);
    lines.map(|line| line.get(shared..).unwrap_or("").to_owned() + "\n").collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_edits_and_traces() {
        let fixture = Fixture::parse(
            "
            //- /a.js
            function $1a() {
              return 1;
            }
            //- trace before
            a@/a.js$1
            //- trace after
            a@/a.js$1  b@/b.js$1
            //- /b.js
            function $1b() {}
            //- edit /a.js
            // new
            function a() {}
            //          ^ moved
            ",
        );
        let paths = |files: &[FixtureFile]| files.iter().map(|it| it.path.clone()).collect::<Vec<_>>();
        assert_eq!(paths(&fixture.files), ["/a.js", "/b.js"]);
        assert_eq!(paths(&fixture.edits), ["/a.js"]);
        assert_eq!(fixture.files[0].text, "function a() {\n  return 1;\n}\n");
        assert_eq!(fixture.edits[0].text, "// new\nfunction a() {}\n");
        assert_eq!(fixture.edits[0].annotations[0].text, "moved");
        let names: Vec<_> = fixture.traces.iter().map(|it| (it.name.as_str(), it.samples.len())).collect();
        assert_eq!(names, [("before", 1), ("after", 2)]);
    }

    #[test]
    fn a_cursor() {
        let fixture = Fixture::parse("//- /a.js\nlet a = $0b;\n");
        let (file, offset) = fixture.cursor();
        assert_eq!((file.text.as_str(), offset), ("let a = b;\n", 8));
    }

    #[test]
    fn shared_indentation_goes_and_blank_lines_stay() {
        let fixture = Fixture::parse("\n    //- /a.js\n    if (x)\n\n      y();\n");
        assert_eq!(fixture.files[0].text, "if (x)\n\n  y();\n");
    }

    #[test]
    #[should_panic(expected = "`let x;` stands before the first `//- /path`")]
    fn text_outside_of_files() {
        Fixture::parse("let x;\n//- /a.js\n");
    }

    #[test]
    #[should_panic(
        expected = "`//- tracer` is neither a path, nor `committed /path`, nor `edit /path`, nor `trace`"
    )]
    fn an_unknown_section() {
        Fixture::parse("//- tracer\n");
    }

    #[test]
    #[should_panic(expected = "edits a file that is not drawn")]
    fn an_edit_of_nothing() {
        Fixture::parse("//- edit /a.js\n");
    }
}
