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

impl UnplacedReason {
    /// All reasons, in order.
    pub const ALL: [UnplacedReason; 16] = [
        UnplacedReason::Native,
        UnplacedReason::GarbageCollector,
        UnplacedReason::Program,
        UnplacedReason::Runtime,
        UnplacedReason::NoResource,
        UnplacedReason::Compiler,
        UnplacedReason::NotInWorkspace,
        UnplacedReason::OtherText,
        UnplacedReason::Dependency,
        UnplacedReason::MapBroken,
        UnplacedReason::OutsideMap,
        UnplacedReason::Transformed,
        UnplacedReason::NoDefinition,
        UnplacedReason::Ambiguous,
        UnplacedReason::Unsampled,
        UnplacedReason::Unknown,
    ];

    /// The name in reports, such as `not-in-workspace`.
    pub fn name(self) -> &'static str {
        match self {
            UnplacedReason::Native => "native",
            UnplacedReason::GarbageCollector => "gc",
            UnplacedReason::Program => "program",
            UnplacedReason::Runtime => "runtime",
            UnplacedReason::NoResource => "no-resource",
            UnplacedReason::Compiler => "compiler",
            UnplacedReason::NotInWorkspace => "not-in-workspace",
            UnplacedReason::OtherText => "other-text",
            UnplacedReason::Dependency => "dependency",
            UnplacedReason::MapBroken => "map-broken",
            UnplacedReason::OutsideMap => "outside-map",
            UnplacedReason::Transformed => "transformed",
            UnplacedReason::NoDefinition => "no-definition",
            UnplacedReason::Ambiguous => "ambiguous",
            UnplacedReason::Unsampled => "unsampled",
            UnplacedReason::Unknown => "unknown",
        }
    }

    /// The end of a sentence that begins with `18 % of the time`, such as `is garbage collection`.
    pub fn sentence(self) -> &'static str {
        match self {
            UnplacedReason::Native => "is native code of the engine or the browser",
            UnplacedReason::GarbageCollector => "is garbage collection",
            UnplacedReason::Program => "is native work outside any JavaScript",
            UnplacedReason::Runtime => "is code of the runtime or a tool",
            UnplacedReason::NoResource => "is code that came from no file",
            UnplacedReason::Compiler => "is code that a compiler or a bundler wrote",
            UnplacedReason::NotInWorkspace => "is code that is not in the workspace",
            UnplacedReason::OtherText => "is code whose file here has another text",
            UnplacedReason::Dependency => "is code of dependencies",
            UnplacedReason::MapBroken => "is generated code whose source map cannot be read",
            UnplacedReason::OutsideMap => "is generated code that its source map does not speak of",
            UnplacedReason::Transformed => "was transformed, without a source map",
            UnplacedReason::NoDefinition => "is at places where no definition stands",
            UnplacedReason::Ambiguous => "fits several places, and nothing tells which",
            UnplacedReason::Unsampled => "was not sampled",
            UnplacedReason::Unknown => "points at nothing in the trace",
        }
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
