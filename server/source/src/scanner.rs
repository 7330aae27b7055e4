//! Splits any text into lexemes, without a parser and without recursion: brackets, words and signs that are code, and
//! the strings, templates, comments and regular expressions between them.
//!
//! If the meaning of a byte cannot be known (a `/`, an apostrophe in JSX), a wrong guess has an effect until the end of the line at most.

/// A piece of code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lexeme {
    /// `(`, `[` or `{`; also the `${` of a template, as `{`.
    Open(u8),
    /// `)`, `]` or `}`.
    Close(u8),
    /// A name, keyword or number, with its end.
    Word(usize),
    /// A string, regular expression or the text of a template, with its end.
    Literal(usize),
    /// A comment, with its end.
    Comment(usize),
    /// Any other byte that is not white space.
    Byte(u8),
}

/// Reads lexemes with the offsets at which they start.
pub(crate) struct Scanner<'t> {
    bytes: &'t [u8],
    /// Where it continues.
    pub(crate) at: usize,
    /// Whether a `/` here would be a division: it follows an operand.
    pub(crate) operand: bool,
    /// No regular expression ends between here and there, so each unfinished one is only searched for once.
    no_regex_until: usize,
    /// Whether a template is interrupted here, by `${`.
    interrupted: bool,
    /// The open braces: whether a template goes on after them.
    braces: Vec<bool>,
    /// Where an unterminated template text began.
    pub(crate) unfinished: Option<usize>,
}

impl<'t> Scanner<'t> {
    pub(crate) fn new(bytes: &'t [u8]) -> Self {
        Self {
            bytes,
            at: 0,
            operand: false,
            no_regex_until: 0,
            interrupted: false,
            braces: Vec::new(),
            unfinished: None,
        }
    }

    /// The comment that starts at `start`.
    fn comment(&mut self, start: usize) -> Lexeme {
        self.at = if self.bytes[start + 1] == b'/' {
            find(self.bytes, self.at, is_line_end)
        } else {
            let end = self.bytes[start + 2..].windows(2).position(|pair| pair == b"*/");
            end.map_or(self.bytes.len(), |offset| start + 2 + offset + 2)
        };
        Lexeme::Comment(self.at)
    }

    /// The regular expression that starts at `start`, or just its `/` if it does not end on its line.
    fn regex(&mut self, start: usize) -> Lexeme {
        match regex_end(self.bytes, start) {
            Ok(end) => {
                (self.at, self.operand) = (end, true);
                Lexeme::Literal(end)
            }
            Err(line_end) => {
                self.no_regex_until = line_end;
                self.sign(b'/')
            }
        }
    }

    #[inline]
    fn sign(&mut self, byte: u8) -> Lexeme {
        // `$` is a name, or part of one.
        self.operand = byte == b'$';
        Lexeme::Byte(byte)
    }

    /// The text of a template from `start` on, up to its end or the next `${`.
    fn template(&mut self, start: usize) -> Lexeme {
        let mut at = start;
        while at < self.bytes.len() {
            match self.bytes[at] {
                b'\\' => at += 1,
                b'`' => {
                    (self.at, self.operand) = (at + 1, true);
                    return Lexeme::Literal(self.at);
                }
                b'$' if self.bytes.get(at + 1) == Some(&b'{') => {
                    (self.at, self.interrupted) = (at, true);
                    return Lexeme::Literal(at);
                }
                _ => {}
            }
            at += 1;
        }
        self.unfinished.get_or_insert(start);
        self.at = self.bytes.len();
        Lexeme::Literal(self.at)
    }
}

impl Iterator for Scanner<'_> {
    type Item = (usize, Lexeme);

    fn next(&mut self) -> Option<Self::Item> {
        while let Some(b' ' | b'\t' | b'\n' | b'\r') = self.bytes.get(self.at) {
            self.at += 1;
        }
        let start = self.at;
        let byte = *self.bytes.get(start)?;
        let ahead = self.bytes.get(start + 1).copied();
        self.at += 1;
        let lexeme = match byte {
            b'/' if matches!(ahead, Some(b'/' | b'*')) => self.comment(start),
            _ if is_word(byte) => {
                self.at = find(self.bytes, self.at, |byte| !is_word(byte));
                self.operand = !is_before_operand(&self.bytes[start..self.at]);
                Lexeme::Word(self.at)
            }
            b'`' => self.template(start + 1),
            b'"' | b'\'' => {
                (self.at, self.operand) = (string_end(self.bytes, start), true);
                Lexeme::Literal(self.at)
            }
            // `</a>` ends an element.
            b'/' if !self.operand && start >= self.no_regex_until && !self.bytes[..start].ends_with(b"<") => {
                self.regex(start)
            }
            b'$' if std::mem::take(&mut self.interrupted) => {
                self.at += 1;
                self.braces.push(true);
                self.operand = true;
                Lexeme::Open(b'{')
            }
            b'(' | b'[' => {
                self.operand = false;
                Lexeme::Open(byte)
            }
            b'{' => {
                self.braces.push(false);
                self.operand = false;
                Lexeme::Open(byte)
            }
            b')' | b']' => {
                self.operand = true;
                Lexeme::Close(byte)
            }
            b'}' => {
                self.operand = true;
                if self.braces.pop() == Some(true) {
                    self.template(start + 1);
                }
                Lexeme::Close(byte)
            }
            // `n++ / 2`, and what follows the two signs.
            b'+' | b'-' if self.operand && (ahead == Some(byte) || self.bytes[start - 1] == byte) => {
                Lexeme::Byte(byte)
            }
            _ => self.sign(byte),
        };
        Some((start, lexeme))
    }
}

/// Whether a `/` after this word begins a regular expression.
fn is_before_operand(word: &[u8]) -> bool {
    matches!(
        word,
        b"await"
            | b"case"
            | b"delete"
            | b"do"
            | b"else"
            | b"in"
            | b"instanceof"
            | b"of"
            | b"return"
            | b"throw"
            | b"typeof"
            | b"void"
            | b"yield"
    )
}

/// The closing counterpart of a bracket.
pub(crate) fn closing(bracket: u8) -> u8 {
    match bracket {
        b'(' => b')',
        b'[' => b']',
        _ => b'}',
    }
}

pub(crate) fn is_line_end(byte: u8) -> bool {
    byte == b'\n' || byte == b'\r'
}

fn is_word(byte: u8) -> bool {
    WORDS[usize::from(byte)]
}

/// Indexed by byte, since it is consulted for each byte of every scanned text.
const WORDS: [bool; 256] = {
    let mut words = [false; 256];
    let mut byte = 0;
    while byte < 256 {
        words[byte] = (byte as u8).is_ascii_alphanumeric() || byte == b'_' as usize || byte >= 0x80;
        byte += 1;
    }
    words
};

fn find(bytes: &[u8], from: usize, wanted: impl Fn(u8) -> bool) -> usize {
    bytes[from..].iter().position(|&byte| wanted(byte)).map_or(bytes.len(), |offset| from + offset)
}

/// Where a string ends; just after its quote if the line ends first (then it is an apostrophe in text).
fn string_end(bytes: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    while at < bytes.len() && !is_line_end(bytes[at]) {
        match bytes[at] {
            b'\\' if bytes.get(at + 1) == Some(&b'\r') && bytes.get(at + 2) == Some(&b'\n') => at += 2,
            b'\\' => at += 1,
            byte if byte == bytes[start] => return at + 1,
            _ => {}
        }
        at += 1;
    }
    start + 1
}

/// Where a regular expression ends, or the end of the line if that comes first.
fn regex_end(bytes: &[u8], start: usize) -> Result<usize, usize> {
    let (mut at, mut in_class) = (start + 1, false);
    while at < bytes.len() && !is_line_end(bytes[at]) {
        match bytes[at] {
            b'\\' => at += 1,
            b'[' => in_class = true,
            b']' => in_class = false,
            b'/' if !in_class => return Ok(at + 1),
            _ => {}
        }
        at += 1;
    }
    Err(at)
}
