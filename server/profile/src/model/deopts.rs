//! What V8's compiler did with functions in a run of its own: what it optimised, and what it gave up again and why. A
//! table next to the samples that changes no time.

use rustc_hash::FxHashMap;

use crate::model::script::Script;
use crate::problem::Problem;

/// What V8 logged of a program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Deopts {
    /// The scripts, each url and text once.
    pub scripts: Vec<DeoptScript>,
    /// What was left out.
    pub problems: Vec<Problem>,
}

/// What V8 logged for a script. All places are in UTF-16 units from the start of its text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DeoptScript {
    /// Its url or path, exactly as the engine gives it.
    pub url: String,
    /// What is known about its text, which the places are in.
    pub script: Script,
    /// Where the functions that ran start; each once, in order.
    pub compiled: Vec<u32>,
    /// Where the functions start that were optimised, by themselves or as part of their callers; each once, in order.
    pub optimized: Vec<u32>,
    /// The deoptimisations, each place, kind and reason once, in order.
    pub deopts: Vec<Deopt>,
    /// The accesses that met too many shapes of objects for V8 to remember them; each once, in order.
    pub megamorphic: Vec<MegamorphicSite>,
}

/// Optimised code that was given up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Deopt {
    /// Where the code was.
    pub at: u32,
    /// When it was given up.
    pub kind: DeoptKind,
    /// Why, in V8's words: `wrong map`.
    pub reason: Box<str>,
    /// How often.
    pub count: u64,
}

/// When optimised code was given up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum DeoptKind {
    /// While it ran, because it met something that it was not made for.
    Eager,
    /// When it was returned to, because something that it relied on had changed.
    Lazy,
    /// While it did not run, because something that it relied on changed.
    Dependency,
}

/// A property access that met too many shapes of objects.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct MegamorphicSite {
    /// Where it is.
    pub at: u32,
    /// The property that is read or written; empty if it varies.
    pub property: Box<str>,
}

impl DeoptKind {
    /// Each kind and its name in a recording.
    pub(crate) const NAMES: [(Self, &str); 3] =
        [(Self::Eager, "eager"), (Self::Lazy, "lazy"), (Self::Dependency, "dependency")];

    /// Its name in a recording.
    pub fn name(self) -> &'static str {
        match self {
            Self::Eager => "eager",
            Self::Lazy => "lazy",
            Self::Dependency => "dependency",
        }
    }
}

impl Deopts {
    /// Adds up what was logged in several threads, processes or runs.
    pub fn sum(all: impl IntoIterator<Item = Self>) -> Self {
        let mut sum = Self::default();
        let mut known: FxHashMap<(String, Option<Box<str>>), usize> = FxHashMap::default();
        for deopts in all {
            sum.problems.extend(deopts.problems);
            for added in deopts.scripts {
                let key = (added.url.clone(), added.script.text.clone());
                match known.get(&key) {
                    Some(&index) => sum.scripts[index].add(added),
                    None => {
                        known.insert(key, sum.scripts.len());
                        let mut script = DeoptScript { url: added.url.clone(), ..DeoptScript::default() };
                        script.script = added.script.clone();
                        script.add(added);
                        sum.scripts.push(script);
                    }
                }
            }
        }
        sum
    }

    /// Whether nothing was logged.
    pub fn is_empty(&self) -> bool {
        self.scripts.is_empty()
    }
}

impl DeoptScript {
    fn add(&mut self, other: Self) {
        for (starts, added) in [(&mut self.compiled, other.compiled), (&mut self.optimized, other.optimized)]
        {
            starts.extend(added);
            starts.sort_unstable();
            starts.dedup();
        }
        self.megamorphic.extend(other.megamorphic);
        self.megamorphic.sort_unstable();
        self.megamorphic.dedup_by_key(|site| site.at);
        self.deopts.extend(other.deopts);
        self.deopts.sort_by(|a, b| a.what().cmp(&b.what()));
        self.deopts.dedup_by(|next, kept| {
            let is_same = next.what() == kept.what();
            if is_same {
                kept.count = kept.count.saturating_add(next.count);
            }
            is_same
        });
    }
}

impl Deopt {
    /// Everything except the count.
    fn what(&self) -> (u32, DeoptKind, &str) {
        (self.at, self.kind, &self.reason)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn deopts(deopts: &[(u32, &str, u64)], optimized: &[u32], megamorphic: &[(u32, &str)]) -> Deopts {
        let deopt = |&(at, reason, count): &(u32, &str, u64)| Deopt {
            at,
            kind: DeoptKind::Eager,
            reason: reason.into(),
            count,
        };
        let site = |&(at, property): &(u32, &str)| MegamorphicSite { at, property: property.into() };
        let script = DeoptScript {
            url: "a.js".to_owned(),
            script: Script { text: Some("text".into()), ..Script::default() },
            compiled: vec![1],
            optimized: optimized.to_vec(),
            deopts: deopts.iter().map(deopt).collect(),
            megamorphic: megamorphic.iter().map(site).collect(),
        };
        Deopts { scripts: vec![script], problems: Vec::new() }
    }

    #[test]
    fn the_same_place_of_the_same_text_is_one() {
        let one = deopts(&[(9, "wrong map", 2), (4, "overflow", 1)], &[7, 1], &[(30, "x")]);
        let other = deopts(&[(9, "wrong map", 3), (9, "hole", 1)], &[1, 2], &[(30, "x"), (8, "")]);
        let expected = deopts(
            &[(4, "overflow", 1), (9, "hole", 1), (9, "wrong map", 5)],
            &[1, 2, 7],
            &[(8, ""), (30, "x")],
        );
        assert_eq!(Deopts::sum([one, other]), expected);
    }
}
