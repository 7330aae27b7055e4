//! Takes `$0` .. `$9` and `^^^^ text` out of a text and says where they were.

use std::ops::Range;

/// One version of one file, without what the fixture wrote into it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FixtureFile {
    /// Begins with `/`: the workspace's root.
    pub path: String,
    /// The text without markers and annotation lines. Every line ends with a line feed.
    pub text: String,
    /// `$0` .. `$9`, in the order of the text.
    pub markers: Vec<Marker>,
    /// `^^^^ text`, in the order of the text.
    pub annotations: Vec<Annotation>,
}

/// A place that the fixture names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Marker {
    /// 0 to 9.
    pub number: u8,
    /// A byte offset into the text without markers and annotations.
    pub offset: usize,
}

/// What must be shown at a range.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Annotation {
    /// Byte offsets into the text without markers and annotations.
    pub range: (usize, usize),
    /// The text after the `^^^^`.
    pub text: String,
}

impl FixtureFile {
    /// The offset of a marker.
    pub fn marker(&self, number: u8) -> Option<usize> {
        Some(self.markers.iter().find(|marker| marker.number == number)?.offset)
    }
}

/// Reads the body of a file. A line `// ^^^^ text` refers to the last line above it that is not such a line, as that
/// line is drawn, markers included; `//< text` stands for the empty range at its start, which no caret can reach. `\$1`
/// is a dollar sign in the code.
pub(crate) fn read(path: &str, body: &str) -> FixtureFile {
    let mut file = FixtureFile { path: path.to_owned(), ..FixtureFile::default() };
    let mut above: Vec<usize> = Vec::new();
    for line in body.lines() {
        if let Some((columns, text)) = annotation(line) {
            let (Some(&start), Some(&end)) = (above.get(columns.start), above.get(columns.end)) else {
                panic!("{path}: `{line}` points behind the line above it")
            };
            let range = (start, end);
            file.annotations.push(Annotation { range, text: text.to_owned() });
        } else {
            above = take_line(line, &mut file);
        }
    }
    file.annotations.sort();
    file
}

/// Adds a line without its markers to the file; returns the offset of each of its columns as drawn, and its end.
fn take_line(line: &str, file: &mut FixtureFile) -> Vec<usize> {
    let mut offsets = Vec::new();
    let mut rest = line;
    while let Some(char) = rest.chars().next() {
        let (skip, keep) = if let Some(number) = marker(rest) {
            file.markers.push(Marker { number: number as u8, offset: file.text.len() });
            (2, 0)
        } else if char == '\\' && marker(&rest[1..]).is_some() {
            (1, 2)
        } else {
            (0, char.len_utf8())
        };
        offsets.extend(std::iter::repeat_n(file.text.len(), skip));
        for (_, kept) in rest[skip..skip + keep].char_indices() {
            offsets.push(file.text.len());
            file.text.push(kept);
        }
        rest = &rest[skip + keep..];
    }
    offsets.push(file.text.len());
    file.text.push('\n');
    offsets
}

/// The number of the marker that a text begins with.
fn marker(text: &str) -> Option<u32> {
    text.strip_prefix('$')?.chars().next()?.to_digit(10)
}

/// The columns and the text of a line, if it is an annotation.
fn annotation(line: &str) -> Option<(Range<usize>, &str)> {
    let comment = line.trim_start().strip_prefix("//")?;
    if let Some(text) = comment.strip_prefix("< ") {
        return Some((0..0, text.trim()));
    }
    let carets = comment.trim_start();
    let text = carets.trim_start_matches('^');
    let columns = line.len() - carets.len()..line.len() - text.len();
    // Only spaces and carets come before the text, so bytes are columns.
    (!columns.is_empty()).then(|| (columns, text.trim()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(body: &str, text: &str, markers: &[(u8, usize)], annotations: &[(&str, &str)]) {
        let file = read("/a.js", body);
        assert_eq!(file.text, text);
        assert_eq!(file.markers.iter().map(|it| (it.number, it.offset)).collect::<Vec<_>>(), markers);
        let shown = |it: &Annotation| (text[it.range.0..it.range.1].to_owned(), it.text.clone());
        let expected: Vec<_> = annotations.iter().map(|it| (it.0.to_owned(), it.1.to_owned())).collect();
        assert_eq!(file.annotations.iter().map(shown).collect::<Vec<_>>(), expected);
    }

    #[test]
    fn markers_are_taken_out() {
        check("f$1oo($0)$9", "foo()\n", &[(1, 1), (0, 4), (9, 5)], &[]);
        check("$1$2x", "x\n", &[(1, 0), (2, 0)], &[]);
    }

    #[test]
    fn dollars_of_the_code_stay() {
        check("`${a} $b $` + '\\$1' + '\\n'", "`${a} $b $` + '$1' + '\\n'\n", &[], &[]);
    }

    #[test]
    fn carets_speak_of_the_line_above_as_drawn() {
        check(
            "function $1main() {\n//         ^^^^ self 1 ms\n}\n",
            "function main() {\n}\n",
            &[(1, 9)],
            &[("main", "self 1 ms")],
        );
        check("'\\$1' $1+ abc\n//        ^^^ name\n", "'$1' + abc\n", &[(1, 5)], &[("abc", "name")]);
        check("'héé' + xy\n//      ^^ z\n", "'héé' + xy\n", &[], &[("xy", "z")]);
    }

    #[test]
    fn several_annotations_of_one_line_come_in_the_order_of_the_text() {
        check(
            "f(a => 1, b => 2)\n//        ^ second\n//^ first\n//< start\n",
            "f(a => 1, b => 2)\n",
            &[],
            &[("", "start"), ("a", "first"), ("b", "second")],
        );
    }

    #[test]
    fn other_comments_are_code() {
        check("// a ^ b\n//\n//<b\n", "// a ^ b\n//\n//<b\n", &[], &[]);
    }

    #[test]
    #[should_panic(expected = "points behind the line above it")]
    fn carets_behind_the_end() {
        read("/a.js", "ab\n//   ^^ x\n");
    }
}
