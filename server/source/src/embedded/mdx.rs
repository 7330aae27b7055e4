//! Finds the code in an MDX file: blocks that begin with `import` or `export`, and expressions in braces in text and in
//! attributes. Code blocks, code in text and quoted attributes are left out.

use std::ops::Range;

use memchr::{memchr, memchr_iter, memmem};

use crate::scanner::{Lexeme, Scanner};

/// The code, in order, and whether all braces are closed: if not, some of it may be missing.
pub(super) fn code(text: &str) -> (Vec<Range<usize>>, bool) {
    let bytes = text.as_bytes();
    let mut reader = MdxReader { bytes, code: Vec::new(), closed: true };
    let (mut at, mut may_begin, mut code_block) = (front_matter(text), true, None);
    while at < text.len() {
        let end = memchr(b'\n', &bytes[at..]).map_or(text.len(), |length| at + length + 1);
        let line = &text[at..end];
        may_begin |= line.trim().is_empty();
        at = match (fence(line), code_block) {
            (Some((fence, "")), Some(open)) if fence.starts_with(open) => {
                code_block = None;
                end
            }
            (_, Some(_)) => end,
            (Some((fence, _)), None) => {
                code_block = Some(fence);
                end
            }
            _ if may_begin && (line.starts_with("import ") || line.starts_with("export ")) => {
                reader.block(at)
            }
            _ => {
                may_begin = line.trim().is_empty();
                reader.line(at, end)
            }
        };
    }
    (reader.code, reader.closed)
}

/// The length of the YAML that a file may begin with, between two lines of three dashes; its braces are not code.
fn front_matter(text: &str) -> usize {
    let mut lines = text.split_inclusive('\n');
    if lines.next().map(str::trim_end) != Some("---") {
        return 0;
    }
    let mut end = text.len() - lines.clone().map(str::len).sum::<usize>();
    for line in lines {
        end += line.len();
        if line.trim_end() == "---" {
            return end;
        }
    }
    0
}

/// The fence of a code block that a line begins with, inside lists and quotes too, and the rest of the line.
fn fence(line: &str) -> Option<(&str, &str)> {
    let line = line.trim_start_matches([' ', '\t', '>']);
    let mark = line.chars().next().filter(|mark| matches!(mark, '`' | '~'))?;
    let (fence, rest) = line.split_at(line.len() - line.trim_start_matches(mark).len());
    (fence.len() >= 3 && !(mark == '`' && rest.contains('`'))).then_some((fence, rest.trim()))
}

struct MdxReader<'a> {
    bytes: &'a [u8],
    code: Vec<Range<usize>>,
    closed: bool,
}

impl MdxReader<'_> {
    /// Takes a block of code and returns where it ends: at a blank line that is in no bracket.
    fn block(&mut self, start: usize) -> usize {
        let mut scanner = Scanner::new(self.bytes);
        scanner.at = start;
        let (mut end, mut depth) = (start, 0_usize);
        while let Some((at, lexeme)) = scanner.next() {
            if depth == 0 && memchr_iter(b'\n', &self.bytes[end..at]).count() > 1 {
                break;
            }
            match lexeme {
                Lexeme::Open(_) => depth += 1,
                Lexeme::Close(_) => depth = depth.saturating_sub(1),
                _ => {}
            }
            end = scanner.at;
        }
        self.code.push(start..end);
        end
    }

    /// Takes the expressions that begin on a line of text, and returns where it or the last of them ends.
    fn line(&mut self, mut at: usize, end: usize) -> usize {
        while at < end {
            let rest = &self.bytes[at..end];
            at += match rest[0] {
                b'\\' => 2,
                b'`' => {
                    let (ticks, rest) = rest.split_at(rest.iter().take_while(|&&byte| byte == b'`').count());
                    ticks.len() + memmem::find(rest, ticks).map_or(0, |length| length + ticks.len())
                }
                quote @ (b'"' | b'\'') if self.bytes[..at].ends_with(b"=") => {
                    1 + memchr(quote, &rest[1..]).map_or(0, |length| length + 1)
                }
                // The end is searched for in vain only once.
                b'{' if self.closed => self.expression(at),
                _ => 1,
            };
        }
        at
    }

    /// Takes an expression with its braces, and returns its length. Other brackets may be text between elements.
    fn expression(&mut self, start: usize) -> usize {
        let mut scanner = Scanner::new(self.bytes);
        scanner.at = start;
        let mut depth = 0_usize;
        let close = scanner.find(|(_, lexeme)| {
            match lexeme {
                Lexeme::Open(b'{') => depth += 1,
                Lexeme::Close(b'}') => depth -= 1,
                _ => {}
            }
            depth == 0
        });
        self.closed = close.is_some();
        self.code.extend(close.map(|(at, _)| start..at + 1));
        close.map_or(1, |(at, _)| at + 1 - start)
    }
}
