//! Finds each measured definition again in today's text, and says how fresh its cost is.
//!
//! Outlines are compared as trees: children of a definition that was found are looked for among the children of
//! what it became (`siblings`), from the surest sign to the weakest: name and body, body, name, what stands in
//! front of it, likeness. What is left over is looked for anywhere (`leftovers`). Where twins cannot be told apart
//! none is taken: a cost that is gone is better than one on the wrong function.
//!
//! It runs at every keystroke, so what did not change costs one comparison, and likeness is only asked where
//! nothing else decides.

mod freshness;
mod leftovers;
mod likeness;
mod pairs;
mod siblings;
mod side;
mod version;

use source::DefinitionId;

use pairs::Pairs;
use side::Side;

pub use freshness::Freshness;
pub use version::Version;

/// What became of each definition of `measured` in `today`, by its id; `None` is gone.
pub fn anchor(measured: Version<'_>, today: Version<'_>) -> Vec<Option<(DefinitionId, Freshness)>> {
    let mut pairs = Pairs::new(Side::new(measured, true), Side::new(today, false));
    if !measured.outline.definitions.is_empty() && !today.outline.definitions.is_empty() {
        pairs.take(0, 0);
        siblings::descend(&mut pairs, 0);
        leftovers::by_body(&mut pairs);
        siblings::guess(&mut pairs);
        leftovers::pair(&mut pairs);
        siblings::guess(&mut pairs);
    }
    pairs.found()
}
