//! How much stack a text needs to be parsed.
//!
//! The parser works by recursion and a stack that overflows ends the process, so the need is estimated from
//! the bytes first. The figures are what oxc 0.146 takes for a level of each construct on x86-64, optimised
//! or not, plus half: measured with texts of nothing but that construct.

/// What one byte of text can cost at most; the dearest is `[` repeated.
const BYTE: usize = 3_000;

/// More than any text of people or tools needs; deeper is refused.
const MOST: usize = 512 << 20;

/// More open type arguments make the parser try each in turn, in time that grows with their square.
const MOST_ANGLES: usize = 1_500;

/// The bytes of stack that a text needs, or `None` where it is nested too deeply to be parsed at all.
pub(crate) fn stack_for(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    // A level takes at least a byte of text. That bound needs no look at what the bytes mean.
    let bound = bytes.len() * BYTE;
    let angles = bytes.iter().filter(|&&it| it == b'<').count();
    if bound <= MOST / 2 && angles <= MOST_ANGLES {
        return Some(bound);
    }
    let depth = scan(bytes);
    (depth.stack <= MOST && depth.angles <= MOST_ANGLES).then_some(depth.stack)
}

/// The greatest needs at any place of a text.
#[derive(Default)]
struct Depth {
    stack: usize,
    angles: usize,
}

/// What is open since a bracket, and what it costs.
#[derive(Clone, Copy, Default)]
struct Level {
    /// The bracket that ends it; 0 for the text itself.
    end: u8,
    /// Whether a template goes on behind its end.
    template: bool,
    /// The cost of all levels around and of the bracket.
    base: usize,
    /// The cost of what needs no brackets to nest (`a ? b : c ? ..`, `a => b => ..`), since the last `;` or `,`.
    loose: usize,
    /// `<` without `>`, since the last `;`.
    angles: usize,
    /// `<` without `</` or `/>`, since the last `;`.
    elements: usize,
    /// `else`, of which each may be inside the one before.
    elses: usize,
}

impl Level {
    fn cost(&self) -> usize {
        self.base + self.loose + self.angles * 2_200 + self.elements * 700 + self.elses * 600
    }

    fn end_statement(&mut self) {
        (self.loose, self.angles, self.elements) = (0, 0, 0);
    }
}

/// Adds up the open levels at each place. Strings, templates, comments and regular expressions count as
/// nothing; where it is doubtful what a text means, rather too much is counted than too little.
fn scan(bytes: &[u8]) -> Depth {
    let mut depth = Depth::default();
    let mut levels = Levels::default();
    // Whether a `/` here would divide: behind an operand.
    let mut operand = false;
    // No regular expression ends between here and there: each unfinished one is looked through once.
    let mut no_regex_until = 0;
    let mut at = 0;
    while at < bytes.len() {
        let byte = bytes[at];
        let mut next = at + 1;
        let was_operand = std::mem::replace(&mut operand, false);
        match byte {
            b'(' => levels.open(b')', false, 3_000),
            b'[' => levels.open(b']', false, 3_000),
            b'{' => levels.open(b'}', false, 5_000),
            b')' | b']' | b'}' => {
                operand = true;
                if levels.close(byte) {
                    (next, operand) = levels.template(bytes, next);
                }
            }
            b'`' => (next, operand) = levels.template(bytes, next),
            b'"' | b'\'' => {
                next = string_end(bytes, at);
                operand = true;
            }
            b'/' if bytes.get(next) == Some(&b'/') => {
                next = find(bytes, next, |it| it == b'\n' || it == b'\r');
                operand = was_operand;
            }
            b'/' if bytes.get(next) == Some(&b'*') => {
                let end = bytes[next + 1..].windows(2).position(|it| it == b"*/");
                next = end.map_or(bytes.len(), |it| next + 1 + it + 2);
                operand = was_operand;
            }
            b'/' if !was_operand && at >= no_regex_until => match regex_end(bytes, at) {
                Ok(end) => (next, operand) = (end, true),
                Err(line_end) => no_regex_until = line_end,
            },
            b';' => levels.last.end_statement(),
            b',' => levels.last.loose = 0,
            // Type arguments end at `>`, casts and JSX elements go on.
            b'<' => {
                levels.last.angles += 1;
                levels.last.loose += 250;
                match bytes.get(next) {
                    Some(b'/') => levels.last.elements = levels.last.elements.saturating_sub(1),
                    _ => levels.last.elements += 1,
                }
            }
            b'>' => match at.checked_sub(1).map(|before| bytes[before]) {
                Some(b'=') => {}
                Some(b'/') => {
                    levels.last.elements = levels.last.elements.saturating_sub(1);
                    levels.last.angles = levels.last.angles.saturating_sub(1);
                }
                _ => levels.last.angles = levels.last.angles.saturating_sub(1),
            },
            b'=' => levels.last.loose += 2_000,
            b'?' => levels.last.loose += 1_500,
            b':' => levels.last.loose += 900,
            b'*' | b'.' => levels.last.loose += 350,
            b'!' | b'~' | b'+' | b'-' => levels.last.loose += 200,
            b' ' | b'\t' | b'\n' | b'\r' => operand = was_operand,
            _ if is_word(byte) => {
                next = find(bytes, next, |it| !is_word(it));
                let cost = word_cost(&bytes[at..next]);
                operand = cost.is_none();
                levels.last.loose += cost.unwrap_or(0);
                levels.last.elses += usize::from(&bytes[at..next] == b"else");
            }
            _ => {}
        }
        at = next;
        depth.stack = depth.stack.max(levels.last.cost());
        depth.angles = depth.angles.max(levels.last.angles);
    }
    depth
}

/// The levels at a place, the innermost apart.
#[derive(Default)]
struct Levels {
    around: Vec<Level>,
    last: Level,
}

impl Levels {
    fn open(&mut self, end: u8, template: bool, cost: usize) {
        let level = Level { end, template, base: self.last.cost() + cost, ..Level::default() };
        self.around.push(std::mem::replace(&mut self.last, level));
    }

    /// Whether a template goes on behind the bracket. One that fits none is text that only looks like code.
    fn close(&mut self, end: u8) -> bool {
        if self.last.end != end {
            return false;
        }
        let template = self.last.template;
        self.last = self.around.pop().unwrap_or_default();
        template
    }

    /// Reads a template's text up to its end or the next `${`: where that is, and whether it was the end.
    fn template(&mut self, bytes: &[u8], start: usize) -> (usize, bool) {
        let mut at = start;
        while at < bytes.len() {
            match bytes[at] {
                b'\\' => at += 1,
                b'`' => return (at + 1, true),
                b'$' if bytes.get(at + 1) == Some(&b'{') => {
                    self.open(b'}', true, 5_000);
                    return (at + 2, false);
                }
                _ => {}
            }
            at += 1;
        }
        (bytes.len(), true)
    }
}

/// What a keyword costs that makes the parser go one level down; also those behind which a `/` does not divide.
fn word_cost(word: &[u8]) -> Option<usize> {
    match word {
        b"class" | b"extends" | b"yield" | b"async" | b"infer" => Some(2_000),
        b"if" | b"else" | b"for" | b"while" | b"do" | b"with" | b"new" | b"keyof" | b"unique"
        | b"readonly" | b"case" => Some(900),
        b"await" | b"typeof" | b"void" | b"delete" | b"return" | b"throw" | b"in" | b"of" | b"instanceof" => {
            Some(300)
        }
        _ => None,
    }
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$' || byte >= 0x80
}

fn find(bytes: &[u8], from: usize, wanted: impl Fn(u8) -> bool) -> usize {
    bytes[from..].iter().position(|&it| wanted(it)).map_or(bytes.len(), |it| from + it)
}

/// Behind a string; behind its quote only where the line ends first (then it is an apostrophe in a text).
fn string_end(bytes: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    while at < bytes.len() {
        match bytes[at] {
            b'\\' => at += 1,
            b'\n' | b'\r' => return start + 1,
            it if it == bytes[start] => return at + 1,
            _ => {}
        }
        at += 1;
    }
    start + 1
}

/// Behind a regular expression, or the end of the line where that comes first.
fn regex_end(bytes: &[u8], start: usize) -> Result<usize, usize> {
    let (mut at, mut in_class) = (start + 1, false);
    while at < bytes.len() {
        match bytes[at] {
            b'\\' => at += 1,
            b'\n' | b'\r' => break,
            b'[' => in_class = true,
            b']' => in_class = false,
            b'/' if !in_class => return Ok(at + 1),
            _ => {}
        }
        at += 1;
    }
    Err(at)
}
