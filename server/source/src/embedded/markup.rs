//! Finds the scripts in the markup of a file.
//!
//! The rules are those of HTML (13.2.5, "Tokenization"), of Vue's compiler (at the root every element except
//! `<template>` is raw text), of Svelte's `preprocess` (whatever looks like a script outside comments is one) and of Astro's compiler
//! (the same behind a frontmatter, where TypeScript stands between two fences of three dashes).

use std::ops::Range;

use memchr::memmem;

use super::script_type::code_language;
use super::tag::{Tag, find, is_tag};
use crate::language::Language;

/// The code inside a script element.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Script {
    /// From the end of the start tag to the end tag.
    pub(super) range: Range<usize>,
    /// The language of the code.
    pub(super) language: Language,
}

/// Finds the scripts of a Vue, Svelte, Astro or HTML file, or the code of an MDX file, in order, and whether all that was
/// opened is closed: if not, some of the file may have been taken for something else.
pub(super) fn scripts(text: &str, language: Language) -> (Vec<Script>, bool) {
    let rules = match language {
        Language::Mdx => {
            let (code, closed) = super::mdx::code(text);
            let scripts = code.into_iter().map(|range| Script { range, language: Language::JavaScript });
            return (scripts.collect(), closed);
        }
        Language::Vue => Rules::Vue,
        Language::Svelte | Language::Astro => Rules::Loose,
        _ => Rules::Html,
    };
    let mut reader = MarkupReader {
        text,
        rules,
        at: 0,
        foreign: 0,
        scripts: Vec::new(),
        closed: true,
        missing: Vec::new(),
    };
    if language == Language::Astro {
        reader.frontmatter();
    }
    reader.read();
    if language == Language::Astro {
        reader.scripts.iter_mut().for_each(|script| script.language = Language::TypeScriptJsx);
    }
    (reader.scripts, reader.closed)
}

/// The kinds of markup.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Rules {
    /// A page.
    Html,
    /// Elements at the root of a Vue file.
    Vue,
    /// Svelte and Astro, where `{a <b}` is not a tag; also a Vue file whose template does not end.
    Loose,
}

struct MarkupReader<'a> {
    text: &'a str,
    rules: Rules,
    at: usize,
    /// How many `<svg>` and `<math>` of a page are open.
    foreign: usize,
    scripts: Vec<Script>,
    closed: bool,
    /// Ends that do not occur in the rest of the text.
    missing: Vec<&'static str>,
}

/// Elements of a page whose content is text (HTML 13.2.6.4, where scripting is enabled).
const RAW_TEXT: [&str; 8] =
    ["style", "textarea", "title", "noscript", "iframe", "xmp", "noembed", "noframes"];

/// What Astro's frontmatter begins and ends with.
const FENCE: &str = "---";

impl<'a> MarkupReader<'a> {
    /// Takes the code of the frontmatter. Only text may come before it. Its closing fence starts a line, since code
    /// may contain dashes too.
    fn frontmatter(&mut self) {
        let text = self.text;
        let before_tags = &text[..text.find('<').unwrap_or(text.len())];
        let Some(start) = before_tags.find(FENCE).map(|fence| fence + FENCE.len()) else { return };
        let mut line_ends = memchr::memchr_iter(b'\n', &text.as_bytes()[start..]).map(|end| start + end);
        let fence_after = |line_end: usize| {
            let rest = text[line_end + 1..].trim_start_matches([' ', '\t']);
            rest.starts_with(FENCE).then_some(text.len() - rest.len())
        };
        match line_ends.find_map(fence_after) {
            Some(end) => {
                self.at = end + FENCE.len();
                self.scripts.push(Script { range: start..end, language: Language::TypeScriptJsx });
            }
            None => self.closed = false,
        }
    }

    fn read(&mut self) {
        while let Some(start) =
            memchr::memchr(b'<', &self.text.as_bytes()[self.at..]).map(|offset| self.at + offset)
        {
            self.at = start + 1;
            let rest = &self.text[self.at..];
            if rest.starts_with("!--") {
                self.comment();
            } else if self.foreign > 0 && rest.starts_with("![CDATA[") {
                self.pass("]]>");
            } else if rest.starts_with(['!', '?']) && self.rules == Rules::Html {
                self.pass(">");
            } else if rest.starts_with('/') {
                self.end_tag();
            } else {
                self.start_tag(start);
            }
        }
    }

    fn start_tag(&mut self, start: usize) {
        let is_script = self.is_tag_at(start + 1, "script");
        if self.rules == Rules::Loose && !is_script && !self.is_tag_at(start + 1, "style") {
            return;
        }
        let Some(tag) = Tag::read(self.text, start) else { return };
        self.opened(&tag);
        match self.rules {
            _ if is_script => self.script(&tag),
            Rules::Loose => {
                self.content(&tag);
            }
            Rules::Vue
                if tag.name == "template" && tag.value("lang").is_none_or(|language| language == "html") =>
            {
                self.template(&tag);
            }
            Rules::Vue => {
                self.content(&tag);
            }
            Rules::Html => {
                let is_foreign = ["svg", "math"].iter().any(|name| self.is_tag_at(start + 1, name));
                self.foreign += usize::from(is_foreign && !tag.is_closed);
                if self.foreign == 0 && RAW_TEXT.iter().any(|name| self.is_tag_at(start + 1, name)) {
                    self.content(&tag);
                }
            }
        }
    }

    /// Whether a tag with a given name starts at an offset. `<Script>` is a component, except in a page.
    fn is_tag_at(&self, start: usize, name: &str) -> bool {
        is_tag(&self.text[start..], name, self.rules == Rules::Html)
    }

    fn opened(&mut self, tag: &Tag<'_>) {
        self.at = tag.end;
        self.closed &= tag.is_whole;
    }

    fn end_tag(&mut self) {
        let name = &self.text[self.at + 1..];
        if is_tag(name, "svg", true) || is_tag(name, "math", true) {
            self.foreign = self.foreign.saturating_sub(1);
        }
        if self.rules == Rules::Html && name.starts_with(|letter: char| letter.is_ascii_alphabetic()) {
            self.pass(">");
        }
    }

    /// Takes the code of a script, if it has any.
    fn script(&mut self, tag: &Tag<'_>) {
        if self.is_empty(tag) {
            return;
        }
        let mut range = self.content(tag);
        if self.foreign > 0
            && let Some(data) = self.text[range.clone()].trim_start().strip_prefix("<![CDATA[")
        {
            let start = range.end - data.len();
            range = start..start + data.find("]]>").unwrap_or(data.len());
        }
        if let Some(language) = code_language(tag, self.rules == Rules::Html) {
            self.scripts.push(Script { range, language });
        }
    }

    /// Passes over the content of an element of raw text, and its end tag.
    fn content(&mut self, tag: &Tag<'_>) -> Range<usize> {
        if self.is_empty(tag) {
            return tag.end..tag.end;
        }
        let content = &self.text[tag.end..];
        let any_case = self.rules == Rules::Html;
        let end = if any_case && is_tag(tag.name, "script", true) && self.foreign == 0 {
            end_of_script(content)
        } else {
            let mut ends = memmem::find_iter(content.as_bytes(), b"</");
            ends.find(|at| is_tag(&content[at + "</".len()..], tag.name, any_case))
        };
        self.closed &= end.is_some();
        let range = tag.end..end.map_or(self.text.len(), |offset| tag.end + offset);
        self.at = find(self.text.as_bytes(), range.end, |byte| byte == b'>');
        range
    }

    /// Whether the element ends with its start tag. In a page, `/>` only means that inside pictures.
    fn is_empty(&self, tag: &Tag<'_>) -> bool {
        tag.is_closed && (self.rules != Rules::Html || self.foreign > 0)
    }

    /// Passes over the markup of a Vue file. While its end is not typed yet, what follows still counts.
    fn template(&mut self, tag: &Tag<'_>) {
        let closed = self.closed;
        self.closed = true;
        let ends = tag.is_closed || self.skip_templates() && self.closed;
        if !ends {
            (self.at, self.closed, self.rules) = (tag.end, false, Rules::Loose);
            // The end may be in the part that is read again.
            self.missing.clear();
        }
        self.closed &= closed;
    }

    /// Passes over the end tag of the open template; false if there is no such tag.
    fn skip_templates(&mut self) -> bool {
        let bytes = self.text.as_bytes();
        let mut depth = 1;
        while let Some(start) = memchr::memchr2(b'<', b'{', &bytes[self.at..]).map(|offset| self.at + offset)
        {
            self.at = start + 1;
            let rest = &self.text[start..];
            if rest.starts_with("{{") {
                // What is between braces is not markup; braces that do not close are text.
                self.at = self.behind("}}").unwrap_or(self.at);
            } else if rest.starts_with("<!--") {
                self.comment();
            } else if rest.strip_prefix("</").is_some_and(|name| is_tag(name, "template", false)) {
                // `</template`, still being typed, continues in the next tag.
                let end = find(bytes, self.at, |byte| matches!(byte, b'<' | b'>'));
                self.closed &= bytes.get(end) == Some(&b'>');
                self.at = end;
                depth -= 1;
                if depth == 0 {
                    return true;
                }
            } else if rest.starts_with('<')
                && let Some(tag) = Tag::read(self.text, start)
            {
                self.opened(&tag);
                depth += usize::from(tag.name == "template" && !tag.is_closed);
                if matches!(tag.name, "script" | "style" | "textarea" | "title") {
                    self.content(&tag);
                }
            }
        }
        false
    }

    /// Passes over the comment whose `<` was read. `<!-->` is a whole one.
    fn comment(&mut self) {
        let start = self.at;
        self.at += "!".len();
        self.pass("-->");
        if self.rules == Rules::Html
            && let Some(length) = self.text[start..self.at].find("--!>")
        {
            self.at = start + length + "--!>".len();
        }
    }

    /// Passes over the next `end`.
    fn pass(&mut self, end: &'static str) {
        match self.behind(end) {
            Some(at) => self.at = at,
            None => self.closed = false,
        }
    }

    /// Just after the next `end`.
    fn behind(&mut self, end: &'static str) -> Option<usize> {
        if self.missing.contains(&end) {
            return None;
        }
        let found = memmem::find(&self.text.as_bytes()[self.at..], end.as_bytes());
        if found.is_none() {
            self.missing.push(end);
        }
        found.map(|offset| self.at + offset + end.len())
    }
}

/// Where the script of a page ends. A script inside `<!-- -->` hides its own end tag (HTML 13.2.5.20, "Script data
/// escaped state", to 13.2.5.31).
fn end_of_script(content: &str) -> Option<usize> {
    let bytes = content.as_bytes();
    let (mut escaped, mut inner) = (false, false);
    let mut at = 0;
    while let Some(found) = memchr::memchr2(b'<', b'-', &bytes[at..]) {
        at += found;
        let rest = &content[at..];
        if rest.starts_with("<!--") {
            escaped = true;
            // Its dashes may also be those of its end.
            at += 1;
        } else if rest.starts_with("-->") {
            (escaped, inner) = (false, false);
        } else if rest.strip_prefix('<').is_some_and(|name| is_tag(name, "script", true)) {
            inner = escaped;
        } else if rest.strip_prefix("</").is_some_and(|name| is_tag(name, "script", true)) {
            if !inner {
                return Some(at);
            }
            inner = false;
        }
        at += 1;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Finds the scripts of a text in which `[` and `]` mark the expected ones, and compares them and their languages.
    fn check(language: Language, drawn: &str, languages: &[Language]) {
        let text = drawn.replace(['⟦', '⟧'], "");
        let (scripts, closed) = scripts(&text, language);
        let mut found = text.clone();
        for script in scripts.iter().rev() {
            found.insert(script.range.end, '⟧');
            found.insert(script.range.start, '⟦');
        }
        assert_eq!(found, drawn);
        assert_eq!(scripts.iter().map(|it| it.language).collect::<Vec<_>>(), languages, "{drawn}");
        assert_eq!(closed, !drawn.starts_with("open"), "{drawn}");
    }

    const JS: Language = Language::JavaScript;
    const TS: Language = Language::TypeScript;
    const TSX: Language = Language::TypeScriptJsx;

    #[test]
    fn scripts_of_a_page() {
        let rows = [
            ("<script>⟦a⟧</script><SCRIPT>⟦b⟧</Script\n>", 2),
            ("<!-- <script>a</script> --><script>⟦b⟧</script>", 1),
            ("<!--><script>⟦a⟧</script>--> <!--- -- --!><script>⟦b⟧</script> -->", 2),
            ("<!doctype html><?php a ?><script>⟦b⟧</script>", 1),
            ("<a onclick='\"<script>a</script>' b=<script>⟦b⟧</script>", 0),
            ("<a b=\"<script>a</script>\"/><script>⟦b⟧</script>", 1),
            ("<style>a { content: '<script>' }</style><script>⟦b⟧</script>", 1),
            ("<textarea><script>a</script></textarea><title><script></title><script>⟦b⟧</script>", 1),
            ("<noscript><script>a</script></noscript><script>⟦b⟧</script>", 1),
            ("<template><script>⟦a⟧</script></template><script>⟦b⟧</script>", 2),
            ("<script>⟦'</scripts>' </ script> < /script>⟧</script/>", 1),
            ("<script>⟦<!-- <script>a</script> -->⟧</script>", 1),
            ("<script>⟦<!-- a⟧</script><script>⟦<!--> <script>b⟧</script>", 2),
            ("<script>⟦<!-- <script> --> b⟧</script>", 1),
            ("<script/>⟦a⟧</script>", 1),
            ("<![CDATA[ > <script>⟦a⟧</script>]]>", 1),
            ("<svg><![CDATA[ > <script>a</script>]]><script/><style>a</style></svg><script>⟦b⟧</script>", 1),
            ("<svg><script> <![CDATA[⟦a⟧]]> </script></SVG><script>⟦<![CDATA[a]]>⟧</script>", 2),
            ("a < b <script>⟦a⟧</script> <3", 1),
            ("open <script>⟦a", 1),
            ("open <!-- <script>⟦a⟧</script>", 1),
            ("open <a b=\"\n<script>⟦c = \"d\"⟧</script>", 1),
            ("open <a b='c <script>", 0),
        ];
        for (drawn, count) in rows {
            let drawn = if count == 0 { drawn.replace(['⟦', '⟧'], "") } else { drawn.to_owned() };
            let drawn = if drawn.starts_with("open <script") { format!("{drawn}⟧") } else { drawn };
            check(Language::Html, &drawn, &vec![JS; count]);
        }
    }

    #[test]
    fn only_code_is_a_script() {
        for (attributes, language) in [
            ("", Some(JS)),
            (" type=''", Some(JS)),
            (" type=\" Text/JavaScript \"", Some(JS)),
            (" type=module async", Some(JS)),
            (" type=text/babel data-presets='react'", Some(JS)),
            (" TYPE=text/typescript", Some(TS)),
            (" lang=en", Some(JS)),
            (" lang=tsx", Some(TSX)),
            (" language=JavaScript1.2", Some(JS)),
            (" language=VBScript", None),
            (" src=a.js", None),
            (" type=application/json", None),
            (" type=importmap", None),
            (" type='text/x-template'", None),
            (" type='text/javascript; charset=utf-8'", None),
        ] {
            let (open, close) = if language.is_some() { ("⟦", "⟧") } else { ("", "") };
            let drawn = format!("<script{attributes}>{open}a{close}</script>");
            check(Language::Html, &drawn, &Vec::from_iter(language));
        }
    }

    #[test]
    fn scripts_of_a_vue_file() {
        let rows: &[(&str, &[Language])] = &[
            (
                "<script>⟦a⟧</script>\n<script setup lang=\"ts\" generic=\"T extends A<B>\">⟦b⟧</script>",
                &[JS, TS],
            ),
            (
                "<template><template #a><script>a</script></template></template><script lang='tsx'>⟦b⟧</script>",
                &[TSX],
            ),
            (
                "<template><p v-if='a > b'>{{ c <d ? '</template>' : \"e\" }}</p></template><script>⟦b⟧</script>",
                &[JS],
            ),
            ("<template><!-- </template> --><a/><template/></template><script>⟦b⟧</script>", &[JS]),
            ("<template>{{ a </template><script>⟦b⟧</script>", &[JS]),
            ("<template lang=\"pug\">a(b=\"<template>\")</template><script>⟦b⟧</script>", &[JS]),
            ("<template src='./a.html'/><script>⟦b⟧</script><script src='./a.ts'/>", &[JS]),
            (
                "<docs><script>a</script></docs><style lang='scss'>a</style><script lang='js'>⟦b⟧</script>",
                &[JS],
            ),
            ("<script lang='coffee'>a</script><Script>a</Script>", &[]),
            ("<!-- <script>a</script> --><script>⟦'<!-- <script>'⟧</script>", &[JS]),
            ("open <template><template></template><script>⟦b⟧</script>", &[JS]),
            ("open <template><p a=\"</p>\n</template><script lang=\"ts\">⟦b⟧</script>", &[TS]),
            ("open <template><!-- </template><script>⟦b⟧</script><style>'<script>'</style>", &[JS]),
        ];
        for (drawn, languages) in rows {
            check(Language::Vue, drawn, languages);
        }
    }

    #[test]
    fn scripts_of_a_svelte_file() {
        let rows: &[(&str, &[Language])] = &[
            ("<script module lang=\"ts\">⟦a⟧</script>{#if a <b}'{/if}<script>⟦b⟧</script><p b='", &[TS, JS]),
            ("<script context='module' type=\"text/typescript\">⟦a⟧</script >", &[TS]),
            ("<!-- <script>a</script> --><Script>a</Script><style>'<script>'</style>", &[]),
            ("<script\n  lang='ts'\n>⟦a⟧</script>", &[TS]),
        ];
        for (drawn, languages) in rows {
            check(Language::Svelte, drawn, languages);
        }
    }

    #[test]
    fn scripts_of_an_astro_file() {
        let rows: &[(&str, &[Language])] = &[
            ("---⟦\nconst a = <b/>;\n⟧---\n<p/>{a <b}<script>⟦c⟧</script>", &[TSX, TSX]),
            ("\n text\r\n ---⟦ a\r\n--x; '---'\r\n\t⟧--- <script is:inline>⟦b⟧</script>", &[TSX, TSX]),
            ("---⟦\n⟧---<script define:vars={{ a, b: 'c' }}>⟦a⟧</script>", &[TSX, TSX]),
            (
                "<p/>\n---\na\n---\n<!-- <script>a</script> --><Script>a</Script><script type=application/json>a</script>",
                &[],
            ),
            ("open ---\na <script>⟦b⟧</script> ---", &[TSX]),
        ];
        for (drawn, languages) in rows {
            check(Language::Astro, drawn, languages);
        }
    }

    #[test]
    fn code_of_an_mdx_file() {
        for drawn in [
            "---\ntags: {a}\n--- \n⟦import A from 'a'⟧\n\n⟦export const b = () => (\n\n  <p/>\n)\nexport function c() { return `\n\n${1}` }⟧\n\n# export d",
            "text\nexport const a = ⟦{ 1 }⟧\n\n exports ⟦{b}⟧ \\é⟦{c}⟧ \\\n`{a}` ``{`b}`` ⟦{c}⟧ \\{d} it's ⟦{`}${e}`}⟧ `f ⟦{g}⟧",
            "```js\n{a}\n``\nexport b\n~~~\n````\n⟦{c}⟧\n\n  > ~~~ `\n  > {d}\n  > ~~~\n\n⟦export e⟧\n\n```{f}",
            "<A b=\"{c}\" d=⟦{(e) => <i>{e} it :)</i>}⟧ f='{g}'\n⟦{{h: 1}}⟧ ⟦{...i}⟧⟦{\n/* } */\n\n}⟧\n\n⟦import 'j'⟧",
            "open ⟦{a}⟧ { {b}\n\n⟦export c⟧",
        ] {
            check(Language::Mdx, drawn, &vec![JS; drawn.matches('⟦').count()]);
        }
    }

    /// The end of the file is not searched for again and again.
    #[test]
    fn broken_files_are_read_in_one_pass() {
        let pieces =
            ["<!--", "<svg><![CDATA[", "<a b='", "<template>", "{{", "<?", "</a", "<a b=\"'\n<", "\n \n"];
        for piece in pieces {
            let text = format!("---<template>{}", piece.repeat(100_000));
            for language in [Language::Html, Language::Vue, Language::Svelte, Language::Astro, Language::Mdx]
            {
                let (scripts, closed) = scripts(&text, language);
                assert_eq!(scripts, [], "{piece}");
                assert!(!closed || language != Language::Vue, "{piece}");
            }
        }
    }
}
