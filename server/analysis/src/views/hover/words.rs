//! What the parts of a hover share: what the client can show, and names of functions as Markdown, whatever characters they contain.

use profile::plain::is_hidden;

use crate::files::FilePath;
use crate::recording::Recording;
use crate::summary::{Base, CallEnd, DefinitionKey, Measured};

/// At most this many callers and callees are listed; the rest are only counted.
pub(super) const MAX_LISTED: usize = 5;

/// What a hover needs besides the recording.
pub struct HoverConfig<'a> {
    /// What 100 % is.
    pub base: Base,
    /// How long ago the trace was written, such as `2 minutes ago`.
    pub age: Option<String>,
    /// The client's way to show the costs of lines, in Markdown, if it has one; offered for functions that have such costs.
    pub line_costs: Option<&'a str>,
    /// The client's way to show a function in the flame graph, in Markdown, if it has one.
    pub flame_graph: Option<&'a dyn Fn(&DefinitionKey) -> String>,
    /// The address of a 0-based line of a file, for links.
    pub link: &'a dyn Fn(&FilePath, u32) -> String,
    /// The 0-based line of a definition in the text as it is now, which may be open and edited.
    pub line: &'a dyn Fn(&DefinitionKey, &Measured) -> u32,
}

/// A caller or callee in a list, with a link if it is a definition.
pub(super) fn call_end(recording: &Recording, end: &CallEnd, config: &HoverConfig) -> String {
    match end {
        CallEnd::Entry => {
            let (name, meaning) = recording.entry();
            format!("{}: {meaning})", name.trim_end_matches(')'))
        }
        CallEnd::Definition(key) => match recording.summary.definitions.get(key) {
            Some(it) => {
                let line = (config.line)(key, it);
                let (name, file) = (escaped(&it.name), escaped(key.file.name()));
                format!("[{name}]({}) {file}:{}", (config.link)(&key.file, line), line + 1)
            }
            None => escaped(&key.path),
        },
        CallEnd::Unplaced(function) => {
            let name = if function.name.is_empty() { "(anonymous)" } else { &function.name };
            let name = escaped(&shortened(name));
            let origin = match (&function.made_by, &function.resource) {
                (Some(maker), _) => {
                    let words = escaped(&maker.words());
                    let link = maker.definition.as_ref().map(|key| (config.link)(&key.file, maker.line));
                    link.map_or(words.clone(), |link| format!("[{words}]({link})"))
                }
                (None, Some(resource)) => escaped(&shortened(resource)),
                (None, None) => return name,
            };
            format!("{name} · {origin}")
        }
    }
}

/// A text cut to at most 80 characters. The end is kept, since it has the file name.
pub(super) fn shortened(text: &str) -> String {
    let length = text.chars().count();
    if length <= 80 {
        return text.to_string();
    }
    let end: String = text.chars().skip(length - 79).collect();
    format!("…{end}")
}

/// A text as inline code, so that editors do not turn it into links.
pub(super) fn code(text: &str) -> String {
    let safe: String = text.chars().filter(|&it| !is_hidden(it) && it != '`').collect();
    format!("`{safe}`")
}

/// A text escaped for Markdown, without control characters. Editors that show Markdown source show each backslash, so
/// only the necessary ones are written: none in `#private` and `snake_case` (CommonMark, sections 4.2 and 6.2).
pub fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    let mut before = None;
    let mut chars = text.chars().filter(|&it| !is_hidden(it)).peekable();
    while let Some(char) = chars.next() {
        let after = chars.peek().copied();
        let is_markup = match char {
            '\\' | '`' | '*' | '[' | ']' | '<' | '>' | '|' | '~' => true,
            '#' => after.is_none_or(|it| it == '#' || it.is_whitespace()),
            '_' => ![before, after].iter().all(|it| it.is_some_and(char::is_alphanumeric)),
            _ => false,
        };
        if is_markup {
            safe.push('\\');
        }
        safe.push(char);
        before = Some(char);
    }
    safe
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_would_be_markup_is_escaped() {
        let rows = [
            ("#dispatch", "#dispatch"),
            ("# heading", "\\# heading"),
            ("## heading", "\\#\\# heading"),
            ("#", "\\#"),
            ("to_snake_case", "to_snake_case"),
            ("_private", "\\_private"),
            ("__proto__", "\\_\\_proto\\_\\_"),
            ("a|b [x](y) <i> `c` *d* ~e~ \\", "a\\|b \\[x\\](y) \\<i\\> \\`c\\` \\*d\\* \\~e\\~ \\\\"),
        ];
        for (text, markdown) in rows {
            assert_eq!(escaped(text), markdown, "{text}");
        }
    }
}
