//! Everything that the commands print. Each line passes [`profile::plain`] and the check for commands of build servers on its way
//! out, so that no caller can forget it, and a failed write is an error of the command.

use std::borrow::Cow;
use std::io::{self, ErrorKind, IsTerminal, Write};
use std::sync::OnceLock;

use profile::plain::{is_hidden, plain, plain_lines};
use profile::problem::Problem;
use serde::Serialize;

use super::wrap::wrapped;

/// The emphasis of our own tables: the only control sequences that are printed.
const STYLES: [&str; 6] = ["\x1b[0m", "\x1b[1m", "\x1b[2m", "\x1b[33m", "\x1b[36m", "\x1b[3;36m"];

/// A longer note is cut off, because a name in it may have any length.
const NOTE_CHARS: usize = 400;

/// When emphasis is used.
#[derive(clap::ValueEnum, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ColorWhen {
    /// On a terminal, unless NO_COLOR is set
    #[default]
    Auto,
    /// Also in files and pipes
    Always,
    /// Nowhere
    Never,
}

/// The setting for this process.
static COLOR: OnceLock<ColorWhen> = OnceLock::new();

/// Sets when emphasis is used, before anything is printed.
pub fn set_color(when: ColorWhen) {
    // If something was printed before, it was printed with the first setting.
    let _ = COLOR.set(when);
}

/// Where something is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stream {
    Out,
    Err,
}

impl Stream {
    /// Whether emphasis is shown there.
    pub(super) fn is_coloured(self) -> bool {
        match COLOR.get().copied().unwrap_or_default() {
            ColorWhen::Always => true,
            ColorWhen::Never => false,
            ColorWhen::Auto => {
                let is_terminal = match self {
                    Self::Out => io::stdout().is_terminal(),
                    Self::Err => io::stderr().is_terminal(),
                };
                let is_unwanted = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
                let is_dumb = std::env::var_os("TERM").is_some_and(|name| name == "dumb");
                is_terminal && !is_unwanted && !is_dumb && self.obeys_sequences()
            }
        }
    }

    /// Whether a terminal obeys control sequences. All do, but old consoles of Windows, and newer ones only once they are asked to
    /// (learn.microsoft.com, "Console Virtual Terminal Sequences").
    #[cfg(windows)]
    fn obeys_sequences(self) -> bool {
        use winsafe::{HSTD, co};

        let handle = match self {
            Self::Out => co::STD_HANDLE::OUTPUT,
            Self::Err => co::STD_HANDLE::ERROR,
        };
        // It stays open.
        let Ok(console) = HSTD::GetStdHandle(handle).map(|mut handle| handle.leak()) else { return false };
        // What has no mode is a terminal of another kind, such as that of Git for Windows.
        let Ok(mode) = console.GetConsoleMode() else { return true };
        console.SetConsoleMode(mode | co::CONSOLE::ENABLE_VIRTUAL_TERMINAL_PROCESSING).is_ok()
    }

    #[cfg(not(windows))]
    fn obeys_sequences(self) -> bool {
        true
    }

    /// How many columns there are; unlimited if it is not a terminal.
    pub(super) fn columns(self) -> usize {
        let size = match self {
            Self::Out => terminal_size::terminal_size_of(io::stdout()),
            Self::Err => terminal_size::terminal_size_of(io::stderr()),
        };
        size.map_or(usize::MAX, |(width, _)| usize::from(width.0).max(1))
    }
}

/// Writes a result of several lines to stdout.
///
/// # Errors
/// If stdout accepts no more. A reader that has closed its pipe (`proflens report … | head`) is not an error.
pub fn print(text: &str) -> Result<(), Problem> {
    write_out(&safe(text, Stream::Out.is_coloured()))
}

/// Writes one line to stdout, whatever it contains.
///
/// # Errors
/// As for [`print`].
pub fn print_line(text: &str) -> Result<(), Problem> {
    write_out(&format!("{}\n", without_command(&plain(text))))
}

/// An object as [`print_json`] takes it, with its names in order.
///
/// # Panics
/// Never: plain structs with string keys always serialize.
pub fn json_text(object: &impl Serialize) -> String {
    let object = serde_json::to_value(object).expect("plain structs with string keys always serialize");
    format!("{object:#}\n")
}

/// Writes JSON to stdout, with the same values but without anything that a terminal or a build server would obey.
///
/// # Errors
/// As for [`print`].
pub fn print_json(text: &str) -> Result<(), Problem> {
    write_out(&safe_json(text))
}

/// Writes one line to stderr, whatever it contains; on a terminal it is wrapped as needed.
pub fn say(text: &str) {
    let lines = wrapped(&plain(text), Stream::Err.columns());
    lines.split('\n').for_each(|line| write_err(&format!("{}\n", without_command(line))));
}

/// Writes a text of several lines to stderr, such as a table whose cells are plain.
pub fn say_lines(text: &str) {
    write_err(&format!("{}\n", safe(text, Stream::Err.is_coloured())));
}

/// Says what failed and what to do about it.
pub(super) fn say_failure(problem: &Problem) {
    say(&problem.to_string());
}

/// Prints a note for the user to stderr.
pub(super) fn note(text: &str) {
    say(&format!("Note: {}.", printable(text, NOTE_CHARS)));
}

/// Prints something odd as a note: `Note: app.json: 3 samples name nodes that do not exist; their time is counted as unknown.`
pub(super) fn note_problem(problem: &Problem) {
    let Problem { what, place, hint } = problem;
    let colon = if place.is_empty() { "" } else { ": " };
    let semicolon = if hint.is_empty() { "" } else { "; " };
    note(&format!("{place}{colon}{what}{semicolon}{hint}"));
}

/// Prints a failure as a note, if the work goes on: `Note: app.json cannot be read: permission denied. Check the path.`
pub(super) fn note_failure(problem: &Problem) {
    // The text of a note ends with its full stop.
    say(&format!("Note: {}", printable(&problem.to_string(), NOTE_CHARS + 1)));
}

/// Shows progress on a terminal's stderr, in the line of the previous one; clears that line when it is over.
pub(super) fn show_progress(text: &str) {
    write_err(&format!("\r\x1b[K{}", plain(text)));
}

/// A text from outside as part of a line; if it is longer, its beginning is cut off.
pub(super) fn printable(text: &str, at_most: usize) -> String {
    let text = plain(text);
    let length = text.chars().count();
    if length <= at_most {
        return text.into_owned();
    }
    let end: String = text.chars().skip(length - (at_most - 1)).collect();
    format!("…{end}")
}

/// A problem in a report: one line, or several if the terminal is narrow.
pub(super) fn problem_line(problem: &Problem, columns: usize) -> String {
    let (place, what) = (printable(&problem.place, 80), printable(&problem.what, 300));
    let sentence = format!("Note: {place}: {what}; {}.", plain(&problem.hint));
    format!("{}\n", wrapped(&sentence, columns))
}

fn write_out(text: &str) -> Result<(), Problem> {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            let what = format!("The output cannot be written: {error}");
            Err(Problem::new(what, "make room for it, or send it elsewhere"))
        }
        _ => Ok(()),
    }
}

fn write_err(text: &str) {
    // There is nobody left to tell that this failed.
    let _ = io::stderr().write_all(text.as_bytes());
}

/// The lines as they were, apart from hidden characters and commands.
fn safe(text: &str, with_styles: bool) -> String {
    let mut safe = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        let line = if with_styles { styled(line) } else { plain_lines(line) };
        safe += &without_command(&line);
    }
    safe
}

/// A line in which our own emphasis stays.
fn styled(line: &str) -> Cow<'_, str> {
    if !line.contains('\x1b') {
        return plain_lines(line);
    }
    let (mut safe, mut rest) = (String::new(), line);
    while let Some(at) = rest.find('\x1b') {
        safe += &plain_lines(&rest[..at]);
        let style = STYLES.iter().find(|style| rest[at..].starts_with(**style));
        let length = style.map_or(1, |style| style.len());
        safe += style.unwrap_or(&"\u{FFFD}");
        rest = &rest[at + length..];
    }
    Cow::Owned(safe + &plain_lines(rest))
}

/// A line that no build server takes for a command: a space splits what would make it one.
///
/// GitHub's runner takes `::name::` after white space at the start of a line, and `##[name]` anywhere in it (ActionCommand.cs of
/// actions/runner); that of Azure also `##vso[…]` anywhere, and TeamCity `##teamcity[…]`.
fn without_command(line: &str) -> Cow<'_, str> {
    let start = line.len() - line.trim_start().len();
    if line[start..].starts_with("::") {
        return Cow::Owned(format!("{}: {}", &line[..start], divided(&line[start + 1..], " ")));
    }
    divided(line, " ")
}

/// Puts something between the first characters of `##[` and `##word[`.
fn divided<'a>(line: &'a str, between: &str) -> Cow<'a, str> {
    let (mut text, mut done) = (String::new(), 0);
    // Those of `###[` overlap, and only the second one begins a command.
    for at in (0..line.len()).filter(|&at| line.as_bytes()[at..].starts_with(b"##")) {
        let word = &line[at + 2..];
        if !word.trim_start_matches(|char: char| char.is_ascii_alphanumeric()).starts_with('[') {
            continue;
        }
        text += &line[done..=at];
        text += between;
        done = at + 1;
    }
    if done == 0 { Cow::Borrowed(line) } else { Cow::Owned(text + &line[done..]) }
}

/// The same JSON: hidden characters can only be in its strings, where each may be written by its number (RFC 8259, 7).
fn safe_json(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for char in text.chars() {
        if is_hidden(char) && char != '\n' {
            safe.extend(char.encode_utf16(&mut [0; 2]).iter().map(|unit| format!("\\u{unit:04x}")));
        } else {
            safe.push(char);
        }
    }
    match divided(&safe, "\0") {
        // `#`, NUL, `#`: the second one becomes its number.
        Cow::Owned(divided) => divided.replace("\0#", "\\u0023"),
        Cow::Borrowed(_) => safe,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_plain_and_no_commands() {
        let rows = [
            ("a  b\n\tc\r\nd", "a  b\n\tc\r\nd"),
            ("a \x1b[2J\x1b]0;x\x07\n\r::error::b\n", "a �[2J�]0;x�\n�::error::b\n"),
            ("::error::a\n \t::warning file=x::b\na::b\n", ": :error::a\n \t: :warning file=x::b\na::b\n"),
            ("f ##[error]x ##vso[task.x]y ###[group]\n", "f # #[error]x # #vso[task.x]y ## #[group]\n"),
            ("## Title\n#[a] ## [b]", "## Title\n#[a] ## [b]"),
            ("::##[error]", ": :# #[error]"),
        ];
        for (text, expected) in rows {
            assert_eq!(safe(text, false), expected, "{text:?}");
        }
    }

    #[test]
    fn only_our_own_emphasis_reaches_a_terminal() {
        let text = "\x1b[1mbold\x1b[0m \x1b[5mblink \x1b[2J\x1b]8;;http://x\x07 \x1b[3;36m hint\x1b[0m\n";
        let expected = "\x1b[1mbold\x1b[0m �[5mblink �[2J�]8;;http://x� \x1b[3;36m hint\x1b[0m\n";
        assert_eq!(safe(text, true), expected);
        assert!(!safe(text, false).contains('\x1b'));
    }

    #[test]
    fn json_has_the_same_values() {
        let values = [
            "a\u{202e}b",
            "\u{7f}\u{9b}31m",
            "\u{e0041}",
            "##[error]x",
            "###vso[a]",
            "# #[",
            "\\##[",
            "\n::error::",
        ];
        let json = serde_json::json!({ "names": values, "##[key]": null });
        let text = format!("{json:#}\n");
        let safe = safe_json(&text);
        assert_eq!(serde_json::from_str::<serde_json::Value>(&safe).unwrap(), json);
        assert!(!safe.chars().any(|char| is_hidden(char) && char != '\n'), "{safe}");
        assert!(!["##[", "##vso["].iter().any(|command| safe.contains(command)), "{safe}");
    }

    #[test]
    fn a_long_text_is_shown_by_its_end() {
        assert_eq!(printable("src/a/b.js", 10), "src/a/b.js");
        assert_eq!(printable("src/aa/b\n.js", 6), "…b�.js");
    }
}
