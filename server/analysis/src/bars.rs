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
pub(crate) struct Tally {
    /// Say that it is the one.
    pub(crate) agree: u32,
    /// Say that something else is there.
    pub(crate) differ: u32,
    /// Say that nothing is there.
    pub(crate) absent: u32,
}

impl Tally {
    /// Of witnesses of which each agrees or not.
    pub(crate) fn of(agree: impl Iterator<Item = bool>) -> Self {
        let mut tally = Self::default();
        agree.for_each(|agrees| *if agrees { &mut tally.agree } else { &mut tally.absent } += 1);
        tally
    }
}

impl AddAssign for Tally {
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
    pub(crate) fn is_met(&self, tally: Tally) -> bool {
        let Tally { agree, differ, absent } = tally;
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
