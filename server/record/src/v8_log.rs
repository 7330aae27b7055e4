//! Reads the log that V8 writes for one isolate with `--log-deopt --log-ic --log-code --log-source-code` (v8/src/logging/log.cc):
//! which functions it optimised, which optimised code it gave up, and which accesses became megamorphic.
//!
//! ```text
//! v8-version,11,3,244,8,-node.38,0
//! script-source,81,/srv/a.cjs,function getx(o) {\n  return o.x; …
//! code-creation,JS,13,50696,0x7f00,612,getx /srv/a.cjs:2:14,0xf2d8,*          its address, its function, how it was compiled
//! code-source-info,0x7f00,81,50,71,C0O67…,F0O159F1O142,S0xf2d8S0xf399         its script, from where to where; what was inlined, and where
//! code-deopt,54783,192,0x7f00,-1,67,deopt-eager,</srv/a.cjs:3:12>,wrong map   what was inlined, the place in its text, why
//! LoadIC,0x7f04,34835,3,12,P,N,0x2307,x,,                                     the code, line and column, the state before and after
//! ```
//!
//! The log is not a public format, and changes with V8: only tested versions are read.

mod code;
mod text;

use std::collections::HashMap;
use std::io::{self, BufRead, Read};

use profile::model::{Deopt, DeoptKind, DeoptScript, Deopts, MegamorphicSite, Script};
use profile::problem::Problem;

use code::{CodeMap, Function};
use text::{LineStarts, unescaped};

/// The tested versions of V8, with the Node that has each.
const TRIED: [((u32, u32), u32); 5] =
    [((10, 2), 18), ((11, 3), 20), ((12, 4), 22), ((13, 6), 24), ((14, 6), 26)];
/// A longer line is the text of a script that is not kept.
const MAX_LINE_BYTES: u64 = 128 << 20;
/// The limit for all texts of a log together.
const MAX_TEXT_BYTES: usize = 512 << 20;
/// Real programs have some thousands of places.
const MAX_PLACES: usize = 200_000;
/// The states of an inline cache that has given up: for names, and for any keys.
const MEGAMORPHIC: [&str; 2] = ["N", "G"];

/// The contents of one log.
#[derive(Default)]
struct V8Log {
    scripts: HashMap<u32, LoggedScript>,
    text_bytes: usize,
    code: CodeMap,
    deopts: HashMap<Place, u64>,
    /// The accessed property, by script, line and column, both from 1.
    megamorphic: HashMap<(u32, u32, u32), Box<str>>,
    /// Lines that this version should not have.
    odd: u64,
    /// How much was not kept because there is too much of it.
    left_out: u64,
}

struct LoggedScript {
    url: String,
    text: String,
}

/// Where and why code was given up.
#[derive(PartialEq, Eq, Hash, PartialOrd, Ord)]
struct Place {
    script: u32,
    at: u32,
    kind: DeoptKind,
    reason: Box<str>,
}

/// Reads a log, keeping only scripts whose url `is_wanted`.
///
/// # Errors
/// If the log is from another version of V8, or cannot be read.
pub fn read_log(mut log: impl BufRead, is_wanted: impl Fn(&str) -> bool) -> Result<Deopts, Problem> {
    let mut line = Vec::new();
    let mut read = V8Log::default();
    let mut is_first = true;
    while next_line(&mut log, &mut line).map_err(|error| Problem::new(error.to_string(), ""))? {
        // A line that is not UTF-8 has no event that is read: V8 writes escapes instead.
        let Ok(text) = std::str::from_utf8(&line) else { continue };
        if std::mem::take(&mut is_first) {
            check_version(text)?;
        } else if read.event(text, &is_wanted).is_none() {
            read.odd += 1;
        }
    }
    Ok(read.finish())
}

/// Reads a line without its end; `false` at the end, or if the process was killed in the middle of it.
fn next_line(log: &mut impl BufRead, line: &mut Vec<u8>) -> io::Result<bool> {
    line.clear();
    log.by_ref().take(MAX_LINE_BYTES).read_until(b'\n', line)?;
    if line.pop_if(|last| *last == b'\n').is_some() {
        return Ok(true);
    }
    if (line.len() as u64) < MAX_LINE_BYTES {
        return Ok(false);
    }
    line.clear();
    Ok(log.skip_until(b'\n')? > 0)
}

/// Whether a log begins like the tested ones.
fn check_version(line: &str) -> Result<(), Problem> {
    let mut fields = line.split(',');
    let is_log = fields.next() == Some("v8-version");
    let mut number = || fields.next()?.parse::<u32>().ok();
    let version = number().zip(number()).filter(|_| is_log);
    if version.is_some_and(|version| TRIED.iter().any(|tried| tried.0 == version)) {
        return Ok(());
    }
    let what = match version {
        Some((major, minor)) => format!("the log of V8 {major}.{minor} was not read, as it was not tried"),
        None => "what V8 logged does not begin with its version".to_owned(),
    };
    let nodes = TRIED.map(|tried| tried.1.to_string()).join(", ");
    Err(Problem::new(what, format!("use Node {nodes}")))
}

impl V8Log {
    /// Handles a line; `None` if it is malformed.
    fn event(&mut self, line: &str, is_wanted: impl Fn(&str) -> bool) -> Option<()> {
        let (event, rest) = line.split_once(',')?;
        match event {
            "script-source" => self.script(rest, is_wanted),
            "code-creation" => self.code.created(rest),
            "code-source-info" => self.code.of_source(rest),
            "code-move" => self.code.moved(rest),
            "sfi-move" => self.code.function_moved(rest),
            "code-deopt" => self.deopt(rest),
            _ if event.ends_with("IC") => self.access(event, rest),
            _ => Some(()),
        }
    }

    fn script(&mut self, rest: &str, is_wanted: impl Fn(&str) -> bool) -> Option<()> {
        let mut fields = rest.splitn(3, ',');
        let id = fields.next()?.parse().ok()?;
        let (url, text) = (unescaped(fields.next()?), fields.next()?);
        if !is_wanted(&url) {
            return Some(());
        }
        if self.text_bytes + text.len() > MAX_TEXT_BYTES {
            self.left_out += 1;
            return Some(());
        }
        let text = unescaped(text);
        self.text_bytes += text.len();
        self.scripts.insert(id, LoggedScript { url, text });
        Some(())
    }

    fn deopt(&mut self, rest: &str) -> Option<()> {
        let fields: Vec<&str> = rest.split(',').collect();
        let [_, _, code, inlined, at, kind, _, reason] = fields[..] else { return None };
        let kind = match kind {
            "dependency-change" => DeoptKind::Dependency,
            "deopt-lazy" => DeoptKind::Lazy,
            _ => DeoptKind::Eager,
        };
        let reason = unescaped(reason);
        // Code of the lower tier ends this way if code of the upper one takes over in the middle of a loop.
        if reason.ends_with("(OSR)") || !self.code.gives_up(code, kind)? {
            return Some(());
        }
        let inlined = usize::try_from(inlined.parse::<i64>().ok()?).ok();
        let Some(script) = self.code.script(code, inlined) else { return Some(()) };
        let place = Place { script, at: at.parse().ok()?, kind, reason: reason.into() };
        if self.deopts.len() < MAX_PLACES || self.deopts.contains_key(&place) {
            *self.deopts.entry(place).or_default() += 1;
        } else {
            self.left_out += 1;
        }
        Some(())
    }

    fn access(&mut self, cache: &str, rest: &str) -> Option<()> {
        let mut fields = rest.split(',');
        let code = fields.next()?;
        let mut number = || fields.next()?.parse::<u32>().ok();
        let (_, line, column) = (number()?, number()?, number()?);
        let (_, now, _, name) = (fields.next()?, fields.next()?, fields.next()?, fields.next()?);
        if !MEGAMORPHIC.contains(&now) {
            return Some(());
        }
        let Some(script) = self.code.script_around(code) else { return Some(()) };
        if self.megamorphic.len() >= MAX_PLACES {
            self.left_out += 1;
            return Some(());
        }
        // For keyed accesses, the name is only the last one.
        let name = if cache.starts_with("Keyed") { String::new() } else { unescaped(name) };
        self.megamorphic.insert((script, line, column), name.into());
        Some(())
    }

    fn finish(self) -> Deopts {
        let Self { scripts, code, deopts, megamorphic, odd, left_out, .. } = self;
        let mut found: HashMap<u32, DeoptScript> = HashMap::new();
        let mut lines: HashMap<u32, LineStarts> = HashMap::new();
        for (id, LoggedScript { url, text }) in scripts {
            lines.insert(id, LineStarts::of(&text));
            let script = Script { text: Some(text.into()), ..Script::default() };
            found.insert(id, DeoptScript { url, script, ..DeoptScript::default() });
        }
        for (Function { script, start }, is_optimized) in code.compiled {
            if let Some(found) = found.get_mut(&script) {
                found.compiled.push(start);
                found.optimized.extend(is_optimized.then_some(start));
            }
        }
        for (Place { script, at, kind, reason }, count) in deopts {
            if let Some(found) = found.get_mut(&script) {
                found.deopts.push(Deopt { at, kind, reason, count });
            }
        }
        for ((script, line, column), property) in megamorphic {
            let at = lines.get(&script).and_then(|lines| lines.offset(line, column));
            if let Some((found, at)) = found.get_mut(&script).zip(at) {
                found.megamorphic.push(MegamorphicSite { at, property });
            }
        }
        let mut scripts: Vec<(u32, DeoptScript)> = found.into_iter().collect();
        scripts.sort_by_key(|script| script.0);
        let mut problems = Vec::new();
        if odd > 0 {
            let what = format!("lines that V8 logs otherwise in the versions that were tried: {odd}");
            problems.push(Problem::new(what, "they were left out"));
        }
        if left_out > 0 {
            let what = format!("lines of V8's log for which there was no more room: {left_out}");
            problems.push(Problem::new(what, "the rest was left out; record a smaller program"));
        }
        Deopts { scripts: scripts.into_iter().map(|script| script.1).collect(), problems }
    }
}

#[cfg(test)]
mod tests;
