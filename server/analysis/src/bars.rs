//! The numbers that decide where functions are: how much must speak for an answer, and how much may speak against it. Each has the
//! measurement that it comes from. What only limits the work is a `MAX_…` where the work is done.
//!
//! A file, a text or a definition is a candidate that witnesses speak for or against: functions of the trace, names of its files,
//! words of a map. They are counted by kind and never added over kinds, as two paths and forty functions have no common measure.
//! How many must agree follows from what else explains the same evidence: an edited text, another version of a package, another
//! project. So there is a [`Bar`] for each of these.

use std::ops::AddAssign;

/// How many witnesses of one kind agree with a candidate, and how many do not.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Evidence {
    /// Say that it is the one.
    pub(crate) agree: u32,
    /// Say that something else is there.
    pub(crate) differ: u32,
    /// Say that nothing is there.
    pub(crate) absent: u32,
}

impl Evidence {
    /// Of witnesses of which each agrees or not.
    pub(crate) fn of(agree: impl Iterator<Item = bool>) -> Self {
        let mut evidence = Self::default();
        agree.for_each(|agrees| *if agrees { &mut evidence.agree } else { &mut evidence.absent } += 1);
        evidence
    }
}

impl AddAssign for Evidence {
    fn add_assign(&mut self, other: Self) {
        self.agree += other.agree;
        self.differ += other.differ;
        self.absent += other.absent;
    }
}

/// What a candidate needs.
#[derive(Debug)]
pub(crate) struct Bar {
    /// How many witnesses must agree.
    least: u32,
    /// How many may speak against it in any case.
    spare: u32,
    /// For how many that agree one more may speak against it; `u32::MAX` for none.
    for_each: u32,
    /// When witnesses may find nothing.
    absent: Absent,
}

/// When witnesses may find nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Absent {
    Never,
    /// Then they speak against it as those do that differ.
    IfAnyAgrees,
}

impl Bar {
    /// Whether that is enough.
    pub(crate) fn is_met(&self, evidence: Evidence) -> bool {
        let Evidence { agree, differ, absent } = evidence;
        let may_be_absent = absent == 0 || self.absent == Absent::IfAnyAgrees && agree > 0;
        agree >= self.least && may_be_absent && differ + absent <= self.spare + agree / self.for_each
    }
}

/// No more may speak against it for those that agree.
const NONE: u32 = u32::MAX;

/// Functions at their places in JavaScript, against a text that was edited or transformed. Engines infer some names: an arrow in an
/// array may get the name of its neighbour.
pub(crate) const AS_WRITTEN: Bar = Bar { least: 0, spare: 1, for_each: 3, absent: Absent::IfAnyAgrees };
/// The same in TypeScript and in components. Loaders that only blank types keep all positions, so that each function stands where an
/// engine places it.
pub(crate) const TYPES_BLANKED: Bar = Bar { least: 0, spare: 0, for_each: 3, absent: Absent::Never };
/// The same where the script is known to have been compiled, by a development server or for `eval`.
pub(crate) const COMPILED_BY_A_SERVER: Bar =
    Bar { least: 2, spare: 0, for_each: NONE, absent: Absent::Never };

/// Names of functions that are anywhere in a file, against a file of the same name in another project: half of them.
pub(crate) const NAMES_OF_GUESS: Bar = Bar { least: 0, spare: 0, for_each: 1, absent: Absent::IfAnyAgrees };
/// The same where no function has a name: each has a definition at its place.
pub(crate) const NAMELESS_OF_GUESS: Bar = Bar { least: 0, spare: 0, for_each: NONE, absent: Absent::Never };

/// Functions at their places in a text that belongs to a package, a server or an extension, against another version of it. An engine
/// infers one name in a hundred that is not in the text.
pub(crate) const OF_VERSION: Bar = Bar { least: 0, spare: 0, for_each: 100, absent: Absent::IfAnyAgrees };
/// The same of all files of a package, where they show that it is the one that ran: then its siblings are as well, of which only code
/// outside of functions ran, which is at the start of every text.
pub(crate) const PROVES_PACKAGES: Bar = Bar { least: 1, ..OF_VERSION };
/// The same of all files of a server or an extension: each project has an `app.js` in which something begins at the first line.
pub(crate) const PROVES_ORIGIN: Bar = Bar { least: 2, ..OF_VERSION };

/// Functions that were counted, by where they end in a text, against an edited one: behind an edit nothing ends where it did, and before it
/// everything does. Half of them decide whether the text is said to be another; each is only placed where it ends itself.
pub(crate) const COUNTED_IN: Bar = Bar { least: 1, spare: 0, for_each: 1, absent: Absent::IfAnyAgrees };

/// Functions of a module of WebAssembly that begin at the same offset in a file, against the module of another build. Behind the first
/// that has another length none does: in two builds of tree-sitter these are 3 of 277, in two others none of 753. Those before it are the
/// same functions, in esbuild 0.25.1 and 0.25.2 2,143 of 4,527.
pub(crate) const SAME_MODULE: Bar = Bar { least: 2, spare: 0, for_each: NONE, absent: Absent::Never };

/// How much a guess must weigh that a folder of a disk is the workspace folder: two names, or a rare one.
pub(crate) const WEIGHT_ON_DISK: u32 = 2;
/// The same of a folder inside of it, or of an extension: a folder of that name is in many projects.
pub(crate) const WEIGHT_OF_INNER_FOLDER: u32 = 3;
/// The same of what a server sends from.
pub(crate) const OWN_SERVER: ServerWeights = ServerWeights { served: 1, other: 3, source: 4, mounted: 2 };
/// The same of a server on another machine, which may be anybody's.
pub(crate) const OTHER_SERVER: ServerWeights = ServerWeights { served: 2, other: 4, source: 5, mounted: 3 };
/// The weight from which on a guess prevails over other evidence: a second server or folder, a file that another name has as well.
pub(crate) const STRONG_WEIGHT: u32 = 5;
/// How many parts of their paths names have in common in the mean where that is a long end: a name and the folder around it.
pub(crate) const PARTS_OF_LONG_END: u32 = 2;

/// How much a guess must weigh that a server sends a folder, by what the folder is for.
pub(crate) struct ServerWeights {
    /// One that is likely served: the workspace folder, `public`.
    pub(crate) served: u32,
    /// Any other.
    pub(crate) other: u32,
    /// One of sources, which servers do not send as they are.
    pub(crate) source: u32,
    /// More for a path of the server that is another folder than its root.
    pub(crate) mounted: u32,
}

/// For how many modules a likely root of a build may have no file, for each that it has: sources that were deleted since.
pub(crate) const MISSES_OF_LIKELY_ROOT: u32 = 3;
/// How much a root must weigh that only follows from the ends of paths, and how much a file weighs that holds a module's text.
pub(crate) const WEIGHT_OF_INFERRED_ROOT: u32 = 3;
pub(crate) const WEIGHT_OF_EQUAL_TEXT: u32 = 4;
/// How many files with the texts of their modules outvote a likely root that has none: one may have been copied.
pub(crate) const TEXTS_TO_OUTVOTE: u32 = 2;
/// How many times as many files as a likely root another one must have to outvote it, and for each that it lacks.
pub(crate) const FILES_TO_OUTVOTE: u32 = 2;
pub(crate) const FILES_FOR_EACH_MISS: u32 = 4;

/// How many tokens make a run, by which code is compared.
pub(crate) const RUN: usize = 8;
/// How many tokens a file has that is found by having the same ones.
pub(crate) const TOKENS_OF_EQUAL_FILE: usize = 16;
/// Which part of the runs of a text, in percent, a file must have that is the text's today, and how many.
pub(crate) const RUNS_OF_MOVED_FILE: (usize, usize) = (55, 64);
/// The same of a file of the same name.
pub(crate) const RUNS_OF_NAMESAKE: (usize, usize) = (30, 24);
/// Which part of what one file has, in percent, no other may have.
pub(crate) const RUNS_OF_RIVAL: usize = 75;

/// How many tokens a function has that is found in another file by its path and body, and by its body alone.
pub(crate) const TOKENS_OF_MOVED: u32 = 8;
pub(crate) const TOKENS_OF_RENAMED: u32 = 48;

/// How similar a function must be to the one of its name in another file that it became. In mathjs 15.2.0 functions of 24 tokens and more
/// with one name in two files have 0.31 in the median, two that were drawn 0.10, and 0.34 one time in a hundred.
pub(crate) const SIMILARITY_OF_MOVED: f32 = 0.5;

/// How many functions without names prove as much for a cached text as one with a name.
pub(crate) const NAMELESS_IN_CACHE: usize = 3;
/// How many words of a function tell whether a map was made from a text, and which part of them must be the same: of 4,465 functions of
/// 496 texts of tsx none has less than six in ten; in another version of a text nine in ten share less than a third.
pub(crate) const MAPPED_WORDS: usize = 6;
pub(crate) const EQUAL_WORDS: (usize, usize) = (3, 5);
/// Or else which part of the places that a map names around a function must be between tokens: of 794 functions of 15 builds of one
/// program (tsc, Babel, SWC, esbuild and terser, for ES5 to ES2022) none has less; with two lines added above, one of 781 has more than
/// nine in ten.
pub(crate) const PLACES_OF_TOKENS: (usize, usize) = (19, 20);
/// How many bytes a name has that no minifier gave: those are of one or two bytes, and of three in the largest bundles.
pub(crate) const UNMINIFIED_NAME: usize = 4;

/// How much the alignment with a layout may cost for a function, in nats: right ones cost 0 to 4, those of code that was rewritten for
/// ES5 5 and more (docs/loaders.md).
pub(crate) const MEAN_COST_OF_LAYOUT: f64 = 4.0;
/// How much more another place must cost, in nats: it is then less likely by a factor of 55.
pub(crate) const MARGIN_OF_PLACE: f64 = 4.0;
/// What it costs that a function of the trace is none of the layout: one without a name, one with a name that the text has,
/// one with another name, which a tool must have made.
pub(crate) const COST_LEFT_OUT: [f64; 3] = [8.0, 11.0, 1.0];
/// What it costs that a function without a name has one in the layout.
pub(crate) const COST_NAMELESS: f64 = 8.0;
/// What it costs that a column is the one after a comment that the loader may have left out.
pub(crate) const COST_AFTER_COMMENT: f64 = 1.0;
/// What it costs in addition that functions on other lines are neighbours in a text of one line.
pub(crate) const COST_OTHER_LINE: f64 = 8.0;

/// How likely a difference is between a distance in the trace and the same in the layout. Fitted to what the loaders of
/// docs/loaders.md make of the packages that are named there.
pub(crate) struct Distances {
    /// That there is none.
    exact: f64,
    /// That it is about that large, how large, and how much larger for each line or column of the distance.
    spreads: [(f64, f64, f64); 2],
    /// Of any difference, for each value.
    any: f64,
}

impl Distances {
    /// What a difference costs more than none, in nats, at a `distance`.
    pub(crate) fn cost(&self, difference: f64, distance: f64) -> f64 {
        let likelihood = |difference: f64| {
            let spreads = self.spreads.map(|(part, least, growth)| {
                let scale = least + growth * distance.abs();
                part * (-difference.abs() / scale).exp() / (2.0 * scale)
            });
            let exact = if difference == 0.0 { self.exact } else { 0.0 };
            (exact + spreads.iter().sum::<f64>() + self.any).ln()
        };
        likelihood(0.0) - likelihood(difference)
    }
}

const NO_SPREAD: (f64, f64, f64) = (0.0, 1.0, 0.0);
/// Lines between two functions.
pub(crate) const LINES: Distances =
    Distances { exact: 0.5, spreads: [(0.49, 1.0, 0.12), NO_SPREAD], any: 0.01 / 500.0 };
/// Columns between two functions of a line.
pub(crate) const COLUMNS: Distances =
    Distances { exact: 0.5, spreads: [(0.4, 1.5, 0.1), NO_SPREAD], any: 0.1 / 150.0 };
/// The column of the first function of a line.
pub(crate) const FIRST_COLUMN: Distances =
    Distances { exact: 0.55, spreads: [(0.3, 3.0, 0.0), NO_SPREAD], any: 0.15 / 150.0 };
/// The line of the first function: loaders write code of their own before that of a text.
pub(crate) const FIRST_LINE: Distances =
    Distances { exact: 0.0, spreads: [(0.9, 10.0, 0.1), NO_SPREAD], any: 0.1 / 1000.0 };
/// Columns between two functions where a loader writes all into one line.
pub(crate) const DENSE_COLUMNS: Distances =
    Distances { exact: 0.0, spreads: [(0.5, 1.0, 0.0), (0.45, 2.0, 0.08)], any: 0.05 / 3000.0 };
/// Lines between two functions there: breaks that were in a string.
pub(crate) const DENSE_LINES: Distances =
    Distances { exact: 0.5, spreads: [(0.4, 1.0, 0.0), NO_SPREAD], any: 0.01 };
/// The column of the first function there.
pub(crate) const DENSE_FIRST_COLUMN: Distances =
    Distances { exact: 0.0, spreads: [(0.9, 700.0, 0.0), NO_SPREAD], any: 0.1 / 3000.0 };

// What became of a definition since it was measured. Tuned on the history of real repositories (docs/freshness.md).

/// How many tokens code has that is hardly written twice: elsewhere in the text, among siblings, or with another function's name.
pub(crate) const TOKENS_ELSEWHERE: u32 = 6;
pub(crate) const TOKENS_OF_DISTINCTIVE: u32 = 16;
pub(crate) const TOKENS_TO_OUTWEIGH_NAME: u32 = 48;
/// How many tokens code has that is looked for by similarity anywhere in the text.
pub(crate) const TOKENS_FOR_SIMILARITY: u32 = 24;
/// Similarity of code with fewer pairs of tokens than this is scaled down, as it proves less.
pub(crate) const PAIRS_OF_FULL_WEIGHT: f32 = 12.0;
/// From which similarity on, 0..1, one is an edit of the other where everything else agrees.
pub(crate) const SIMILARITY_OF_EDIT: f32 = 0.3;
/// How much more similar than that a rival must be, and how similar at least.
pub(crate) const SIMILARITY_OF_RIVAL: (f32, f32) = (0.3, 0.6);
/// How similar all pairs of a run between the same neighbours must be: of the same name, and of another one.
pub(crate) const SIMILARITY_IN_ORDER: (f32, f32) = (0.5, 0.6);
/// How much higher than any rival's the score of siblings must be, and that of definitions anywhere.
pub(crate) const MARGIN_OF_SIBLINGS: f32 = 0.08;
pub(crate) const MARGIN_ANYWHERE: f32 = 0.1;
/// How similar definitions anywhere must be: of the same name or title, the same tokens in front, or nothing else.
pub(crate) const SIMILARITY_ANYWHERE: [f32; 3] = [0.4, 0.6, 0.7];
/// What signs beside similarity are worth: each neighbour, the tokens in front, the path below the parent.
pub(crate) const SIGN_NEIGHBOUR: f32 = 0.1;
pub(crate) const SIGN_BEFORE: f32 = 0.25;
pub(crate) const SIGN_NAME: f32 = 0.1;
/// How similar siblings must be, less what the signs are worth: with the name that was written for them; with another title, of the same
/// path below the parent and of another one; with the same tokens in front, of another path and of the same one; with nothing else.
pub(crate) const SIMILARITY_OF_SIBLINGS: [f32; 6] = [0.6, 0.8, 0.7, 0.7, 0.85, 0.8];
/// How much signs must be worth where there are too many siblings to compare all.
pub(crate) const SIGNS_OF_MANY: f32 = 0.2;
