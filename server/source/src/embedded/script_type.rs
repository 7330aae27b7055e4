//! Decides which scripts are code, by their start tags.

use super::tag::Tag;
use crate::language::Language;

/// Legacy MIME types of JavaScript (MIME Sniffing, 4.6, "JavaScript MIME type"), and those of languages that a library in
/// the page compiles to it.
const JAVASCRIPT: [&str; 21] = [
    "",
    "module",
    "application/ecmascript",
    "application/javascript",
    "application/x-ecmascript",
    "application/x-javascript",
    "text/ecmascript",
    "text/javascript",
    "text/javascript1.0",
    "text/javascript1.1",
    "text/javascript1.2",
    "text/javascript1.3",
    "text/javascript1.4",
    "text/javascript1.5",
    "text/jscript",
    "text/livescript",
    "text/x-ecmascript",
    "text/x-javascript",
    "text/babel",
    "text/jsx",
    "jsx",
];

const TYPESCRIPT: [&str; 5] =
    ["ts", "text/typescript", "application/typescript", "text/x-typescript", "application/x-typescript"];

/// The language of the code inside a script; `None` for data, for code in other languages, and if the code is in another
/// file. In a page, `lang` may also be a human language.
pub(super) fn code_language(tag: &Tag<'_>, in_page: bool) -> Option<Language> {
    if tag.value("src").is_some() {
        return None;
    }
    match tag.value("lang") {
        Some("ts" | "typescript") => return Some(Language::TypeScript),
        Some("tsx") => return Some(Language::TypeScriptJsx),
        Some("js" | "jsx" | "javascript") => return Some(Language::JavaScript),
        Some("") | None => {}
        Some(_) if in_page => {}
        Some(_) => return None,
    }
    // HTML, "prepare the script element", 8 to 12.
    let kind = match (tag.value("type"), tag.value("language")) {
        (Some(kind), _) => kind.trim_ascii().to_ascii_lowercase(),
        (None, Some("") | None) => String::new(),
        (None, Some(language)) => format!("text/{}", language.to_ascii_lowercase()),
    };
    if TYPESCRIPT.contains(&kind.as_str()) {
        return Some(Language::TypeScript);
    }
    JAVASCRIPT.contains(&kind.as_str()).then_some(Language::JavaScript)
}
