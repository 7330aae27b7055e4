//! Sentences on a narrow terminal, broken between words, because the terminal would break them anywhere.

/// What the lines after the first one begin with.
const INDENT: &str = "  ";

/// A longer word after a number is not a unit.
const LONGEST_UNIT: usize = 3;

/// A sentence in lines of this many columns, without a line end after the last one. A longer word stays whole, because it may be a path
/// that somebody copies.
pub(super) fn wrapped(sentence: &str, columns: usize) -> String {
    let (mut text, mut width) = (String::new(), 0);
    let mut words = sentence.split(' ').peekable();
    while let Some(word) = words.next() {
        let length = word.chars().count();
        // A unit stays with its number.
        let unit = words
            .peek()
            .filter(|next| word.ends_with(|char: char| char.is_ascii_digit()) && next.len() <= LONGEST_UNIT);
        let needed = length + unit.map_or(0, |unit| 1 + unit.chars().count());
        if width > 0 && width + 1 + needed > columns {
            text += &format!("\n{INDENT}");
            width = INDENT.len();
        } else if width > 0 {
            text.push(' ');
            width += 1;
        }
        text += word;
        width += length;
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_end_between_words() {
        let rows = [
            (80, "one line", "one line"),
            (16, "41 % of 12.3 ms lies on 2 functions.", "41 % of 12.3 ms\n  lies on 2\n  functions."),
            (13, "41 % of 12.3 ms lies on it.", "41 % of\n  12.3 ms\n  lies on it."),
            (10, "Note: /home/me/app.js: it is gone.", "Note:\n  /home/me/app.js:\n  it is\n  gone."),
            (6, "größer als", "größer\n  als"),
            (1, "a b", "a\n  b"),
            (20, "", ""),
        ];
        for (columns, sentence, expected) in rows {
            assert_eq!(wrapped(sentence, columns), expected, "{columns}: {sentence}");
        }
        assert_eq!(wrapped("a file has no end", usize::MAX), "a file has no end");
    }
}
