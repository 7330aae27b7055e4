//! The numbers that decide where functions are: how much evidence an answer needs, and how much may speak against it.
//! Each comes with the measurement that it is based on. Constants that only limit the work are called `MAX_…` and are
//! where the work is done.
//!
//! A file, a text or a definition is a candidate that witnesses speak for or against: functions of the trace, names of
//! its files, words of a map. Witnesses are counted by kind and never added up across kinds, since two paths and forty
//! functions have no common measure. How many must agree depends on what else explains the same evidence: an edited text,
//! another version of a package, another project. So there is a [`Bar`] for each of these.

use std::ops::AddAssign;

/// How many witnesses of one kind agree with a candidate, and how many do not.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Evidence {
    /// Say that it is the right one.
    pub(crate) agree: u32,
    /// Say that something else is there.
    pub(crate) differ: u32,
    /// Say that nothing is there.
    pub(crate) absent: u32,
}

impl Evidence {
    /// Counts witnesses, each of which agrees or finds nothing.
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
    /// How many may speak against it regardless.
    spare: u32,
    /// One more may speak against it for each of this many that agree; `u32::MAX` for none.
    for_each: u32,
    /// When witnesses may find nothing.
    absent: Absent,
}

/// When witnesses may find nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Absent {
    Never,
    /// Only if any agrees. Those that find nothing then count against it like those that differ.
    IfAnyAgrees,
}

impl Bar {
    /// Whether the evidence is enough.
    pub(crate) fn is_met(&self, evidence: Evidence) -> bool {
        let Evidence { agree, differ, absent } = evidence;
        let may_be_absent = absent == 0 || self.absent == Absent::IfAnyAgrees && agree > 0;
        agree >= self.least && may_be_absent && differ + absent <= self.spare + agree / self.for_each
    }
}

/// No more may speak against it, however many agree.
const NONE: u32 = u32::MAX;

/// Functions at their places in JavaScript, against a text that was edited or transformed. Engines infer some names: an
/// arrow function in an array may get the name of its neighbour.
pub(crate) const AS_WRITTEN: Bar = Bar { least: 0, spare: 1, for_each: 3, absent: Absent::IfAnyAgrees };
/// The same for TypeScript and components. Loaders that only blank out types keep all positions, so each function is
/// where an engine places it.
pub(crate) const TYPES_BLANKED: Bar = Bar { least: 0, spare: 0, for_each: 3, absent: Absent::Never };
/// The same if the script is known to have been compiled, by a development server or for `eval`.
pub(crate) const COMPILED_BY_A_SERVER: Bar =
    Bar { least: 2, spare: 0, for_each: NONE, absent: Absent::Never };

/// Names of functions anywhere in a file, against a file with the same name in another project: half of them must agree.
pub(crate) const NAMES_OF_GUESS: Bar = Bar { least: 0, spare: 0, for_each: 1, absent: Absent::IfAnyAgrees };
/// The same if no function has a name: each must have a definition at its place.
pub(crate) const NAMELESS_OF_GUESS: Bar = Bar { least: 0, spare: 0, for_each: NONE, absent: Absent::Never };

/// Functions at their places in a text of a package, a server or an extension, against another version of it. An engine
/// infers one name in a hundred that is not in the text.
pub(crate) const OF_VERSION: Bar = Bar { least: 0, spare: 0, for_each: 100, absent: Absent::IfAnyAgrees };
/// The same for all files of a package, to prove that it is the one that ran. Then this also holds for files of which
/// only the code outside of functions ran, which is at the start of every text.
pub(crate) const PROVES_PACKAGES: Bar = Bar { least: 1, ..OF_VERSION };
/// The same for all files of a server or an extension: every project has an `app.js` in which something begins on the first line.
pub(crate) const PROVES_ORIGIN: Bar = Bar { least: 2, ..OF_VERSION };

/// Functions that were counted, by where they end in a text, against an edited text: after an edit nothing ends where it
/// did, and before it everything does. Half of them decide whether the text counts as another one; a function is only
/// placed if its own end fits.
pub(crate) const COUNTED_IN: Bar = Bar { least: 1, spare: 0, for_each: 1, absent: Absent::IfAnyAgrees };

/// Functions of a WebAssembly module that begin at the same offset in a file, against the module of another build. After
/// the first function with a different length, none does: in two builds of tree-sitter these are 3 of 277, in two others
/// none of 753. Those before it are the same functions: in esbuild 0.25.1 and 0.25.2, 2,143 of 4,527.
pub(crate) const SAME_MODULE: Bar = Bar { least: 2, spare: 0, for_each: NONE, absent: Absent::Never };

/// The weight that a guess needs to take a folder on a disk for the workspace folder: two names, or a rare one.
pub(crate) const WEIGHT_ON_DISK: u32 = 2;
/// The same for a folder inside of it or of an extension, as many projects have a folder with that name.
pub(crate) const WEIGHT_OF_INNER_FOLDER: u32 = 3;
/// The same for the folder that a server sends.
pub(crate) const OWN_SERVER: ServerWeights = ServerWeights { served: 1, other: 3, source: 4, mounted: 2 };
/// The same for a server on another machine, which may be anybody's.
pub(crate) const OTHER_SERVER: ServerWeights = ServerWeights { served: 2, other: 4, source: 5, mounted: 3 };
/// The weight from which a guess prevails over other evidence: a second server or folder, a file that another name has as well.
pub(crate) const STRONG_WEIGHT: u32 = 5;
/// How many path parts names must share on average to count as a long common end: a name and the folder around it.
pub(crate) const PARTS_OF_LONG_END: u32 = 2;

/// The weight that a guess needs to take a folder for the one that a server sends, by the use of the folder.
pub(crate) struct ServerWeights {
    /// A folder that is probably served: the workspace folder, `public`.
    pub(crate) served: u32,
    /// Any other folder.
    pub(crate) other: u32,
    /// A folder of sources, which servers do not send as they are.
    pub(crate) source: u32,
    /// Added for a path of the server that is mounted on another folder than its root.
    pub(crate) mounted: u32,
}

/// How many modules of a likely build root may have no file, per module that has one: sources that were deleted since.
pub(crate) const MISSES_OF_LIKELY_ROOT: u32 = 3;
/// The weight that a root needs if it was only inferred from the ends of paths, and the weight of a file that holds a module's text.
pub(crate) const WEIGHT_OF_INFERRED_ROOT: u32 = 3;
pub(crate) const WEIGHT_OF_EQUAL_TEXT: u32 = 4;
/// How many files with the texts of their modules outvote a likely root that has none: a single one may have been copied.
pub(crate) const TEXTS_TO_OUTVOTE: u32 = 2;
/// How many times as many files as a likely root another root needs to outvote it, and how many for each file that it lacks.
pub(crate) const FILES_TO_OUTVOTE: u32 = 2;
pub(crate) const FILES_FOR_EACH_MISS: u32 = 4;

/// The number of tokens in a run, the unit by which code is compared.
pub(crate) const RUN: usize = 8;
/// The fewest tokens of a file that can be found by having the same ones.
pub(crate) const TOKENS_OF_EQUAL_FILE: usize = 16;
/// The part of a text's runs, in percent, that a file must have to be the text's file today, and their least number.
pub(crate) const RUNS_OF_MOVED_FILE: (usize, usize) = (55, 64);
/// The same for a file with the same name.
pub(crate) const RUNS_OF_NAMESAKE: (usize, usize) = (30, 24);
/// No other file may have more than this part, in percent, of what the best one has.
pub(crate) const RUNS_OF_RIVAL: usize = 75;

/// The fewest tokens of a function that can be found in another file by its path and body, and by its body alone.
pub(crate) const TOKENS_OF_MOVED: u32 = 8;
pub(crate) const TOKENS_OF_RENAMED: u32 = 48;

/// The least similarity of a function in another file to the one with its name that it may have become. In mathjs 15.2.0,
/// functions of 24 tokens and more with the same name in two files have a median similarity of 0.31; two random ones have
/// 0.10, and 0.34 one time in a hundred.
pub(crate) const SIMILARITY_OF_MOVED: f32 = 0.5;

/// How many nameless functions prove as much for a cached text as one with a name.
pub(crate) const NAMELESS_IN_CACHE: usize = 3;
/// How many words of a function tell whether a map was made from a text, and which part of them must be the same. Of 4,465 functions
/// in 496 texts of tsx, none has less than six in ten; in another version of a text, nine in ten share less than a third.
pub(crate) const MAPPED_WORDS: usize = 6;
pub(crate) const EQUAL_WORDS: (usize, usize) = (3, 5);
/// Alternatively, which part of the places that a map names around a function must be between tokens. Of 794 functions of
/// 15 builds of one program (tsc, Babel, SWC, esbuild and terser, for ES5 to ES2022), none has less; with two lines added
/// above, one of 781 has more than nine in ten. The same part counts in the built text: of 2,045 stretches of 12 bundles (Rspack,
/// Rolldown, Parcel, esbuild) none has less, and with the text moved by 1 to 40 columns, seven in a thousand have as much.
pub(crate) const PLACES_OF_TOKENS: (usize, usize) = (19, 20);
/// The fewest bytes of a name that no minifier gave: those have one or two bytes, and three in the largest bundles.
pub(crate) const UNMINIFIED_NAME: usize = 4;

/// The most that the alignment with a layout may cost per function, in nats. Right ones cost 0 to 4; those of code that
/// was rewritten for ES5 cost 5 and more (docs/loaders.md).
pub(crate) const MEAN_COST_OF_LAYOUT: f64 = 4.0;
/// How much more any other place must cost, in nats, which makes it less likely by a factor of 55.
pub(crate) const MARGIN_OF_PLACE: f64 = 4.0;
/// The cost of a function of the trace that is none of the layout: one without a name, one with a name that the text has,
/// and one with another name, which a tool must have made.
pub(crate) const COST_LEFT_OUT: [f64; 3] = [8.0, 11.0, 1.0];
/// The cost if a function without a name has one in the layout.
pub(crate) const COST_NAMELESS: f64 = 8.0;
/// The cost if a column is the one after a comment that the loader may have left out.
pub(crate) const COST_AFTER_COMMENT: f64 = 1.0;
/// The additional cost if functions on different lines are neighbours in a text of one line.
pub(crate) const COST_OTHER_LINE: f64 = 8.0;

/// How likely a distance in the trace differs from the same distance in the layout. Fitted to what the loaders of
/// docs/loaders.md make of the packages named there.
pub(crate) struct Distances {
    /// Likelihood of no difference.
    exact: f64,
    /// Likelihood of a difference of about this size, the size, and how much larger it is for each line or column of the distance.
    spreads: [(f64, f64, f64); 2],
    /// Likelihood of any other difference, per value.
    any: f64,
}

impl Distances {
    /// How much more a difference costs than none, in nats, at a `distance`.
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
/// Columns between two functions on a line.
pub(crate) const COLUMNS: Distances =
    Distances { exact: 0.5, spreads: [(0.4, 1.5, 0.1), NO_SPREAD], any: 0.1 / 150.0 };
/// The column of the first function on a line.
pub(crate) const FIRST_COLUMN: Distances =
    Distances { exact: 0.55, spreads: [(0.3, 3.0, 0.0), NO_SPREAD], any: 0.15 / 150.0 };
/// The line of the first function. Loaders write code of their own before that of a text.
pub(crate) const FIRST_LINE: Distances =
    Distances { exact: 0.0, spreads: [(0.9, 10.0, 0.1), NO_SPREAD], any: 0.1 / 1000.0 };
/// Columns between two functions if a loader writes everything on one line.
pub(crate) const DENSE_COLUMNS: Distances =
    Distances { exact: 0.0, spreads: [(0.5, 1.0, 0.0), (0.45, 2.0, 0.08)], any: 0.05 / 3000.0 };
/// Lines between two functions in such a text: line breaks that were in a string.
pub(crate) const DENSE_LINES: Distances =
    Distances { exact: 0.5, spreads: [(0.4, 1.0, 0.0), NO_SPREAD], any: 0.01 };
/// The column of the first function in such a text.
pub(crate) const DENSE_FIRST_COLUMN: Distances =
    Distances { exact: 0.0, spreads: [(0.9, 700.0, 0.0), NO_SPREAD], any: 0.1 / 3000.0 };

// What became of a definition since it was measured. Tuned on the history of real repositories (docs/freshness.md).

/// The fewest tokens of code that is hardly ever written twice: elsewhere in the text, among siblings, or with another function's name.
pub(crate) const TOKENS_ELSEWHERE: u32 = 6;
pub(crate) const TOKENS_OF_DISTINCTIVE: u32 = 16;
pub(crate) const TOKENS_TO_OUTWEIGH_NAME: u32 = 48;
/// The fewest tokens of code that is looked for by similarity anywhere in the text.
pub(crate) const TOKENS_FOR_SIMILARITY: u32 = 24;
/// Similarity of code with fewer pairs of tokens than this is scaled down, as it proves less.
pub(crate) const PAIRS_OF_FULL_WEIGHT: f32 = 12.0;
/// The least similarity, 0..1, at which one is an edit of the other if everything else agrees.
pub(crate) const SIMILARITY_OF_EDIT: f32 = 0.3;
/// How much more similar than the pair a rival must be.
pub(crate) const SIMILARITY_MORE_THAN_PAIR: f32 = 0.3;
/// The least similarity of a rival.
pub(crate) const SIMILARITY_OF_RIVAL: f32 = 0.6;
/// How similar all pairs of a run between the same neighbours must be.
pub(crate) const SIMILARITY_IN_ORDER_SAME_NAME: f32 = 0.5;
pub(crate) const SIMILARITY_IN_ORDER: f32 = 0.6;
/// How much higher the score must be than any rival's: among siblings, and among definitions anywhere.
pub(crate) const MARGIN_OF_SIBLINGS: f32 = 0.08;
pub(crate) const MARGIN_ANYWHERE: f32 = 0.1;
/// How similar definitions anywhere must be: with the same name or title, with the same tokens in front, or with nothing
/// else in common.
pub(crate) const SIMILARITY_ANYWHERE_SAME_NAME: f32 = 0.4;
pub(crate) const SIMILARITY_ANYWHERE_SAME_BEFORE: f32 = 0.6;
pub(crate) const SIMILARITY_ANYWHERE: f32 = 0.7;
/// The value of signs other than similarity: each neighbour, the tokens in front, the path below the parent.
pub(crate) const SIGN_NEIGHBOUR: f32 = 0.1;
pub(crate) const SIGN_BEFORE: f32 = 0.25;
pub(crate) const SIGN_NAME: f32 = 0.1;
/// How similar siblings must be, 0..1, minus the value of the signs.
#[derive(Clone, Copy)]
pub(crate) struct SimilarityOfSiblings {
    /// With a name that was written for them.
    pub(crate) same_name: f32,
    /// With another title, and the same path below the parent.
    pub(crate) other_title_same_path: f32,
    pub(crate) other_title: f32,
    /// With the same tokens in front, and another path below the parent.
    pub(crate) same_before: f32,
    pub(crate) same_before_and_path: f32,
    pub(crate) nothing_in_common: f32,
}

pub(crate) const SIMILARITY_OF_SIBLINGS: SimilarityOfSiblings = SimilarityOfSiblings {
    same_name: 0.6,
    other_title_same_path: 0.8,
    other_title: 0.7,
    same_before: 0.7,
    same_before_and_path: 0.85,
    nothing_in_common: 0.8,
};
/// The value that signs must have if there are too many siblings to compare all.
pub(crate) const SIGNS_OF_MANY: f32 = 0.2;
