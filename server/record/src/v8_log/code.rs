//! Tracks where code is in memory, and which functions it was made from. V8 moves bytecode and functions, and reuses addresses.

use std::collections::{BTreeMap, HashMap, HashSet};

use profile::model::DeoptKind;

/// No program has more code than this; each takes about 100 bytes here.
const MAX_CODES: usize = 4_000_000;

/// A function, by where it starts in the text of its script, in UTF-16 units.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Function {
    pub(super) script: u32,
    pub(super) start: u32,
}

/// The code of a program at the current position in the log.
#[derive(Default)]
pub(super) struct CodeMap {
    codes: BTreeMap<u64, Code>,
    /// The functions that ran, and whether they were optimised, by themselves or inlined.
    pub(super) compiled: BTreeMap<Function, bool>,
    /// By the address of what V8 calls its `SharedFunctionInfo`.
    functions: HashMap<u64, Function>,
    /// Code whose end is already known, so that it is not counted again when somebody returns to it.
    given_up: HashSet<u64>,
}

struct Code {
    size: u64,
    /// The address of its function.
    function: u64,
    is_optimized: bool,
    script: Option<u32>,
    /// The functions that were inlined, by V8's number of the place of the call.
    inlined: Vec<Option<Function>>,
}

impl CodeMap {
    /// `JS,13,50696,0x7f00,612,getx /srv/a.cjs:2:14,0xf2d8,*`: code was made for a function, or for V8 itself.
    pub(super) fn created(&mut self, rest: &str) -> Option<()> {
        let mut fields = rest.split(',').skip(3);
        let (at, size) = (address(fields.next()?)?, fields.next()?.parse().ok()?);
        self.given_up.remove(&at);
        self.codes.remove(&at);
        let Some((function, tier)) = fields.nth(1).zip(fields.next()) else { return Some(()) };
        if self.codes.len() < MAX_CODES {
            let is_optimized = tier.contains(['*', '+']);
            let code =
                Code { size, function: address(function)?, is_optimized, script: None, inlined: Vec::new() };
            self.codes.insert(at, code);
        }
        Some(())
    }

    /// `0x7f00,81,50,71,C0O67,F0O159F1O142,S0xf2d8S0xf399`: the source that code was made from.
    pub(super) fn of_source(&mut self, rest: &str) -> Option<()> {
        let fields: Vec<&str> = rest.split(',').collect();
        let [at, script, start, _, _, places, inlined] = fields[..] else { return None };
        let (at, script) = (address(at)?, script.parse().ok()?);
        // V8's own code has no start.
        let (Ok(start), Some(code)) = (start.parse(), self.codes.get_mut(&at)) else { return Some(()) };
        let own = Function { script, start };
        code.script = Some(script);
        if self.functions.len() < MAX_CODES {
            self.functions.insert(code.function, own);
        }
        *self.compiled.entry(own).or_default() |= code.is_optimized;
        if !code.is_optimized {
            return Some(());
        }
        let inlined: Vec<Option<Function>> =
            inlined.split('S').skip(1).map(|at| self.functions.get(&address(at)?).copied()).collect();
        let of_place = |place: &str| {
            let number = place.split(['O', 'I']).next()?.parse::<usize>().ok()?;
            *inlined.get(number)?
        };
        code.inlined = places.split('F').skip(1).map(of_place).collect();
        self.compiled.extend(inlined.into_iter().flatten().map(|function| (function, true)));
        Some(())
    }

    /// `0x7f00,0x8f00`: code is at another address now.
    pub(super) fn moved(&mut self, rest: &str) -> Option<()> {
        let (from, to) = rest.split_once(',')?;
        if let Some(code) = self.codes.remove(&address(from)?) {
            self.codes.insert(address(to)?, code);
        }
        Some(())
    }

    /// The same for a function.
    pub(super) fn function_moved(&mut self, rest: &str) -> Option<()> {
        let (from, to) = rest.split_once(',')?;
        if let Some(function) = self.functions.remove(&address(from)?) {
            self.functions.insert(address(to)?, function);
        }
        Some(())
    }

    /// Records that code is given up. Returns whether that is new. Active calls of it find out later, each for itself.
    pub(super) fn gives_up(&mut self, code: &str, kind: DeoptKind) -> Option<bool> {
        let is_new = self.given_up.insert(address(code)?);
        Some(is_new || kind == DeoptKind::Eager)
    }

    /// The script of code, or of a function that was inlined in it.
    pub(super) fn script(&self, code: &str, inlined: Option<usize>) -> Option<u32> {
        let code = self.codes.get(&address(code)?)?;
        match inlined {
            Some(number) => Some((*code.inlined.get(number)?)?.script),
            None => code.script,
        }
    }

    /// The script of the code that contains an address.
    pub(super) fn script_around(&self, inside: &str) -> Option<u32> {
        let inside = address(inside)?;
        let (at, code) = self.codes.range(..=inside).next_back()?;
        code.script.filter(|_| inside - at <= code.size)
    }
}

fn address(text: &str) -> Option<u64> {
    u64::from_str_radix(text.strip_prefix("0x")?, 16).ok()
}
