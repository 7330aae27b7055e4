//! The reasons why measured time is not attributed to a definition, with the names and sentences that reports and editors
//! show. They are one list so that all say the same.

use std::fmt;

/// Why time is unplaced. Entries of the ledger with equal time are listed in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum UnplacedReason {
    /// Code of the engine or the browser: builtins, callbacks, the embedder.
    Native,
    /// The garbage collector.
    GarbageCollector,
    /// V8's `(program)`: native work outside any JavaScript.
    Program,
    /// JavaScript that comes with the runtime or a tool: `node:fs`, Deno, Bun, browser extensions.
    Runtime,
    /// Code that came from no file: evaluated text, `blob:`, `data:`, WebAssembly, native names without a url.
    NoResource,
    /// Code that a compiler or bundler wrote: helpers, exports that are read through a function. It has no definition,
    /// and counts towards its caller's total.
    Compiler,
    /// A file that the trace names but that is not in the workspace folders.
    NotInWorkspace,
    /// A file was found by the end of its path, but its text is not the one that ran: it is another version, or a
    /// file of another project.
    OtherText,
    /// A file below `node_modules`, unless dependencies count as workspace code.
    Dependency,
    /// The source map cannot be read.
    MapBroken,
    /// The source map does not cover the place.
    OutsideMap,
    /// A compiler made the text that ran and left no source map, and no name of the function is known to be its own in the file.
    Transformed,
    /// The file is known, but it has no definition at the place.
    NoDefinition,
    /// Several files or definitions fit, and nothing decides between them.
    Ambiguous,
    /// A gap without samples.
    Unsampled,
    /// A sample whose stack the trace does not have.
    Unknown,
}

/// All reasons in order, with their names and sentences.
const REASONS: [(UnplacedReason, &str, &str); 16] = [
    (UnplacedReason::Native, "native", "is native code of the engine or the browser"),
    (UnplacedReason::GarbageCollector, "gc", "is garbage collection"),
    (UnplacedReason::Program, "program", "is native work outside any JavaScript"),
    (UnplacedReason::Runtime, "runtime", "is code of the runtime or a tool"),
    (UnplacedReason::NoResource, "no-resource", "is code that came from no file"),
    (UnplacedReason::Compiler, "compiler", "is code that a compiler or a bundler wrote"),
    (UnplacedReason::NotInWorkspace, "not-in-workspace", "is code that is not in the workspace"),
    (UnplacedReason::OtherText, "other-text", "is code whose file here has another text"),
    (UnplacedReason::Dependency, "dependency", "is code of dependencies"),
    (UnplacedReason::MapBroken, "map-broken", "is generated code whose source map cannot be read"),
    (UnplacedReason::OutsideMap, "outside-map", "is generated code that its source map does not speak of"),
    (UnplacedReason::Transformed, "transformed", "was transformed, without a source map"),
    (UnplacedReason::NoDefinition, "no-definition", "is at places where no definition stands"),
    (UnplacedReason::Ambiguous, "ambiguous", "fits several places, and nothing tells which"),
    (UnplacedReason::Unsampled, "unsampled", "was not sampled"),
    (UnplacedReason::Unknown, "unknown", "points at nothing in the trace"),
];

impl UnplacedReason {
    /// All reasons, in order.
    pub const ALL: [UnplacedReason; REASONS.len()] = {
        let mut all = [UnplacedReason::Native; REASONS.len()];
        let mut index = 0;
        while index < all.len() {
            all[index] = REASONS[index].0;
            index += 1;
        }
        all
    };

    /// The name in reports, such as `not-in-workspace`.
    pub fn name(self) -> &'static str {
        REASONS[self as usize].1
    }

    /// The end of a sentence that begins with `18 % of the time`, such as `is garbage collection`.
    pub fn sentence(self) -> &'static str {
        REASONS[self as usize].2
    }

    /// [`UnplacedReason::sentence`] as the label of a row, such as `Garbage collection`.
    pub fn label(self) -> String {
        let sentence = self.sentence();
        let (first, rest) = sentence.strip_prefix("is ").unwrap_or(sentence).split_at(1);
        first.to_uppercase() + rest
    }
}

impl fmt::Display for UnplacedReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_reasons_are_listed_in_order_and_named_apart() {
        assert!(UnplacedReason::ALL.iter().enumerate().all(|(index, why)| *why as usize == index));
        let mut names: Vec<_> = UnplacedReason::ALL.iter().map(|why| why.name()).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), UnplacedReason::ALL.len());
    }

    #[test]
    fn a_label_is_the_sentence_by_itself() {
        let labels = [UnplacedReason::GarbageCollector, UnplacedReason::Unsampled].map(UnplacedReason::label);
        assert_eq!(labels, ["Garbage collection", "Was not sampled"]);
    }
}
