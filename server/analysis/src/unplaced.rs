//! The reasons why measured time is not on a definition, by the names that reports and editors show.

use std::fmt;

/// Why time is unplaced. The order is the one in which equal entries of the ledger are listed.
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
    /// A file that the trace names but that is not below the workspace folders.
    NotInWorkspace,
    /// A file below `node_modules`, where those are not counted as workspace code.
    Dependency,
    /// The source map that a generated file names is not there.
    MapMissing,
    /// The source map cannot be read.
    MapBroken,
    /// The source map says nothing about the place.
    OutsideMap,
    /// The file is known, but no definition of it stands at the place.
    NoDefinition,
    /// Several files or definitions fit, and nothing tells which.
    Ambiguous,
    /// A gap without samples.
    Unsampled,
    /// A sample that points at nothing in the trace.
    Unknown,
}

impl UnplacedReason {
    /// All reasons, in order.
    pub const ALL: [UnplacedReason; 14] = [
        UnplacedReason::Native,
        UnplacedReason::GarbageCollector,
        UnplacedReason::Program,
        UnplacedReason::Runtime,
        UnplacedReason::NoResource,
        UnplacedReason::NotInWorkspace,
        UnplacedReason::Dependency,
        UnplacedReason::MapMissing,
        UnplacedReason::MapBroken,
        UnplacedReason::OutsideMap,
        UnplacedReason::NoDefinition,
        UnplacedReason::Ambiguous,
        UnplacedReason::Unsampled,
        UnplacedReason::Unknown,
    ];

    /// The name in reports: `not-in-workspace`.
    pub fn name(self) -> &'static str {
        match self {
            UnplacedReason::Native => "native",
            UnplacedReason::GarbageCollector => "gc",
            UnplacedReason::Program => "program",
            UnplacedReason::Runtime => "runtime",
            UnplacedReason::NoResource => "no-resource",
            UnplacedReason::NotInWorkspace => "not-in-workspace",
            UnplacedReason::Dependency => "dependency",
            UnplacedReason::MapMissing => "map-missing",
            UnplacedReason::MapBroken => "map-broken",
            UnplacedReason::OutsideMap => "outside-map",
            UnplacedReason::NoDefinition => "no-definition",
            UnplacedReason::Ambiguous => "ambiguous",
            UnplacedReason::Unsampled => "unsampled",
            UnplacedReason::Unknown => "unknown",
        }
    }

    /// What `18 % of the time` goes on with: `is garbage collection`.
    pub fn sentence(self) -> &'static str {
        match self {
            UnplacedReason::Native => "is native code of the engine or the browser",
            UnplacedReason::GarbageCollector => "is garbage collection",
            UnplacedReason::Program => "is native work outside any JavaScript",
            UnplacedReason::Runtime => "is code of the runtime or a tool",
            UnplacedReason::NoResource => "is code that came from no file",
            UnplacedReason::NotInWorkspace => "is code that is not in the workspace",
            UnplacedReason::Dependency => "is code of dependencies",
            UnplacedReason::MapMissing => "is generated code whose source map is missing",
            UnplacedReason::MapBroken => "is generated code whose source map cannot be read",
            UnplacedReason::OutsideMap => "is generated code that its source map does not speak of",
            UnplacedReason::NoDefinition => "is at places where no definition stands",
            UnplacedReason::Ambiguous => "fits several places, and nothing tells which",
            UnplacedReason::Unsampled => "was not sampled",
            UnplacedReason::Unknown => "points at nothing in the trace",
        }
    }

    /// The same by itself, for a row of a list: `Garbage collection`.
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
        assert!(UnplacedReason::ALL.is_sorted());
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
