//! The report as Markdown, for pull requests and issues.

use analysis::format::thousands;
use analysis::summary::{DefinitionKey, Measured};
use analysis::views::hottest;
use profile::plain::plain;

use super::content::Report;
use super::table::{calls, ledger_lines, sessions};
use super::{packages, printable, relative, rendering};
use crate::proto::ext;

/// A zero-width space, written by its number so that it is visible in the source: it splits what a site would turn into a link.
const PART: &str = "&#8203;";

/// A table of the hottest functions and the ledger below it.
pub(super) fn render(report: &Report) -> String {
    let rows = hottest(&report.recording.summary, report.by);
    let mut text = String::new();
    if packages::are_most(&report.packages, report.recording, report.base) {
        text += &format!("{}\n", of_packages(report));
    }
    if !rows.is_empty() {
        text += &format!("{}\n", functions(report, &rows));
    }
    for line in ledger_lines(report, rows.len()) {
        text += &format!("- {}\n", inert(&line));
    }
    for (number, line) in rendering::lines(report).iter().enumerate() {
        let indent = if number > 0 { "  " } else { "" };
        text += &format!("{indent}- {}\n", inert(line));
    }
    text
}

/// A row for each of the hottest functions.
fn functions(report: &Report, rows: &[(&DefinitionKey, &Measured)]) -> String {
    let (several_sessions, has_calls) = (report.recording.sessions() > 1, report.recording.counts.is_some());
    let mut heads = vec!["Self", "", "Total", "", "Samples"];
    heads.extend(several_sessions.then_some("Sessions"));
    heads.extend(has_calls.then_some("Calls"));
    let lines = "--:|".repeat(heads.len());
    let heads: String =
        heads.iter().map(|head| format!("{head}{}| ", if head.is_empty() { "" } else { " " })).collect();
    let mut text = format!("| {heads}Function | Where |\n|{lines}:--|:--|\n");
    for (key, measured) in rows.iter().take(report.limit) {
        let mut cells = report.amounts().costs(measured).map(ext::Amount::cells).concat();
        cells.push(thousands(measured.cost.total_samples));
        cells.extend(several_sessions.then(|| sessions(measured)));
        cells.extend(has_calls.then(|| calls(report.recording, key)));
        cells.push(code(&measured.name));
        cells.push(code(&format!("{}:{}", relative(&key.file, report.folder), measured.start.line + 1)));
        text += &format!("| {} |\n", cells.join(" | "));
    }
    text
}

/// A row for each of the hottest packages, where a tool was recorded.
fn of_packages(report: &Report) -> String {
    let mut text = "| Self | | Package |\n|--:|--:|:--|\n".to_owned();
    for package in report.packages.iter().take(report.limit.min(packages::LISTED)) {
        let cells = package.cells(report.amounts()).join(" | ");
        text += &format!("| {cells} | {} |\n", code(&package.title()));
    }
    text
}

/// Inline code for a cell of a table, safe for any name: its fence is longer than any run of backticks in it, and the spaces that
/// keep a backtick away from the fence are removed again (CommonMark, 6.1). A pipe would end the cell even there (GFM, 4.10).
pub(super) fn code(text: &str) -> String {
    code_span(&printable(text, 80).replace('|', "\\|"))
}

/// A text of one line as inline code, without a way out of it.
pub(super) fn code_span(text: &str) -> String {
    let longest = text.split(|char| char != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest + 1);
    let loses_spaces = text.starts_with(' ') && text.ends_with(' ');
    let is_padded = text.is_empty() || loses_spaces || text.starts_with('`') || text.ends_with('`');
    let pad = if is_padded { " " } else { "" };
    format!("{fence}{pad}{text}{pad}{fence}")
}

/// A text that is nothing but text in one line of Markdown: no emphasis, HTML, link or picture, and nothing that GitHub or GitLab
/// turn into a link later, on the page, where a backslash before it is gone: mentions, addresses, numbers of issues.
pub(super) fn inert(text: &str) -> String {
    let text = plain(text);
    let mut safe = String::with_capacity(text.len());
    for (at, char) in text.char_indices() {
        let (before, after) = (&text[..at], &text[at + char.len_utf8()..]);
        match char {
            // `https://…` and `www.…` (GFM, 6.9).
            ':' if after.starts_with("//") => safe += PART,
            '.' if ends_with_www(before) => safe += PART,
            _ => {}
        }
        match char {
            // Otherwise it would begin a numeric character reference, such as that of `@`.
            '&' => safe += "&amp;",
            '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '>' | '|' | '#' | '~' | '$' => {
                safe.extend(['\\', char])
            }
            _ => safe.push(char),
        }
        if begins_reference(before, char, after) {
            safe += PART;
        }
    }
    safe
}

fn ends_with_www(text: &str) -> bool {
    text.len() >= 3 && text.as_bytes()[text.len() - 3..].eq_ignore_ascii_case(b"www")
}

/// Whether sites turn what follows into a link: `@user`, `#12`, `GH-12`, and with GitLab `!12`, `$12`, `%12`, `&12`,
/// `~label`.
fn begins_reference(before: &str, char: char, after: &str) -> bool {
    let is_mark = match char {
        '@' | '#' | '!' | '$' | '%' | '&' | '~' => true,
        '-' => before.len() >= 2 && before.as_bytes()[before.len() - 2..].eq_ignore_ascii_case(b"gh"),
        _ => false,
    };
    is_mark && after.starts_with(|next: char| next.is_alphanumeric() || matches!(next, '_' | '"'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fence_of_code_is_longer_than_what_is_in_it() {
        let rows = [
            ("parse", "`parse`"),
            ("", "`  `"),
            ("a|b", "`a\\|b`"),
            ("a`b", "``a`b``"),
            ("``@everyone ``", "``` ``@everyone `` ```"),
            ("` `` ```", "```` ` `` ``` ````"),
            (" x ", "`  x  `"),
            (" x", "` x`"),
            ("a\n`\x1b", "``a�`�``"),
        ];
        for (text, expected) in rows {
            assert_eq!(code(text), expected, "{text:?}");
        }
    }

    #[test]
    fn text_is_inert() {
        let rows = [
            ("12 % of 3.4 ms lies on 2 functions.", "12 % of 3.4 ms lies on 2 functions."),
            ("@user, @org/team, a@b.example", "@&#8203;user, @&#8203;org/team, a@&#8203;b.example"),
            (
                "#12, GH-12, gh-12, o/r#1, !5",
                "\\#&#8203;12, GH-&#8203;12, gh-&#8203;12, o/r\\#&#8203;1, !&#8203;5",
            ),
            ("https://a.example, WWW.a.example", "https&#8203;://a.example, WWW&#8203;.a.example"),
            (
                "![i](u) <img> *b* _c_ `d` ~e~ a|b",
                "!\\[i\\](u) \\<img\\> \\*b\\* \\_c\\_ \\`d\\` \\~&#8203;e\\~ a\\|b",
            ),
            ("&#64;user &amp; &lt;", "&amp;\\#&#8203;64;user &amp;&#8203;amp; &amp;&#8203;lt;"),
            ("\\@user", "\\\\@&#8203;user"),
            ("two\nlines", "two�lines"),
        ];
        for (text, expected) in rows {
            assert_eq!(inert(text), expected, "{text:?}");
        }
    }
}
