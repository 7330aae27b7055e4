//! Finds each measured definition again in today's text, and says how fresh its cost is.
//!
//! The two outlines are compared as trees. The children of a definition that was found are looked for among the children
//! of its counterpart (`siblings`), from the strongest sign to the weakest: name and body, body, name, the tokens in
//! front of it, similarity of code. What is left over is looked for anywhere (`leftovers`). If several definitions fit
//! and nothing tells them apart, none is taken: a lost cost is better than one on the wrong function. A definition with
//! the name of another measured function is that function or a copy of it, however similar the code.
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
//! This runs on every keystroke. So unchanged code costs one comparison: equal first and last siblings are paired at once, and
//! equal bodies with everything inside them. Similarity of code, which is slow, is computed only where nothing else decides.

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

/// Finds more partners for definitions that still have none.
type Step = fn(&mut Matching<'_>);

/// The steps after names and bodies of siblings, in order.
const STEPS: [(Rule, Step); 3] = [
    (Rule::Siblings, siblings::match_by_context),
    (Rule::NameAnywhere, leftovers::match_by_weaker_signs),
    (Rule::Siblings, siblings::match_by_context),
];

/// What became of each definition of `measured` in `today`, by its id; `None` if it is gone.
pub fn anchor(measured: Version<'_>, today: Version<'_>) -> Vec<Option<(DefinitionId, Freshness)>> {
    anchor_by(Rules::default(), measured, today)
}

/// Like [`anchor`], but only by some of the rules.
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
