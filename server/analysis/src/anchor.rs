//! Finds each measured definition again in today's text, and says how fresh its cost is.
//!
//! The two outlines are compared as trees. The children of a definition that was found are looked for among the
//! children of what it became (`siblings`), from the strongest sign to the weakest: name and body, body, name, the
//! tokens in front of it, similarity of code. What is left over is looked for anywhere (`leftovers`). If several
//! definitions fit and nothing tells them apart, none is taken: a lost cost is better than one on the wrong function.
//! And what has the name of another measured function is that one or its copy, however similar the code.
//!
//! ```text
//! measured                        today
//! function load() { A }           function load() { A }           1. fresh: same name, same body
//! function parse() { B }          function read() { B }           2. moved: renamed, the only body B on both sides
//! function save() { C }           class Store {
//!                                   save() { C }                  3. moved: not a sibling any more, found anywhere
//!                                 }                                  as the only body C on both sides
//! items.map(it => { D })          items.map(it => { D, edited })  4. edited: the same tokens are in front of it, and
//!                                                                    enough of the code is left
//! ```
//!
//! This runs at every keystroke. So what did not change costs one comparison (equal first and last siblings are
//! paired at once, and equal bodies with everything inside them), and similarity of code, which is slow, is computed
//! only where nothing else decides.

mod freshness;
mod leftovers;
mod matching;
mod siblings;
mod side;
mod similarity;
mod version;

use source::definition::DefinitionId;

use matching::Matching;
use side::Side;

use crate::rules::{Rule, Rules};

pub use freshness::Freshness;
pub(crate) use similarity::Bigrams;
pub use version::Version;

/// Matches more of what is still without a partner.
type Step = fn(&mut Matching<'_>);

/// After names and bodies of siblings, in this order.
const STEPS: [(Rule, Step); 3] = [
    (Rule::Siblings, siblings::match_by_context),
    (Rule::NameAnywhere, leftovers::match_by_weaker_signs),
    (Rule::Siblings, siblings::match_by_context),
];

/// What became of each definition of `measured` in `today`, by its id; `None` if it is gone.
pub fn anchor(measured: Version<'_>, today: Version<'_>) -> Vec<Option<(DefinitionId, Freshness)>> {
    anchor_by(Rules::default(), measured, today)
}

/// [`anchor`] by some of the rules.
pub(crate) fn anchor_by(
    rules: Rules,
    measured: Version<'_>,
    today: Version<'_>,
) -> Vec<Option<(DefinitionId, Freshness)>> {
    let mut matching = Matching::new(Side::new(measured, true), Side::new(today, false));
    if !measured.outline.definitions.is_empty() && !today.outline.definitions.is_empty() {
        matching.add(0, 0);
        siblings::match_below(&mut matching, 0);
        for (_, step) in STEPS.iter().filter(|(rule, _)| rules.has(*rule)) {
            step(&mut matching);
        }
    }
    matching.outcomes()
}
