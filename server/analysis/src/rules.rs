//! The rules by which functions are placed. They have names so that each can be left out to measure what it yields
//! (docs/accuracy.md, "What each rule yields").

/// Defines the enum and the list of all of its values.
macro_rules! rules {
    ($($(#[$documentation:meta])* $rule:ident,)*) => {
        /// A way to find a file, a text, a place in it, a source, or a definition in today's text.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub enum Rule {
            $($(#[$documentation])* $rule,)*
        }

        impl Rule {
            /// All rules, in the order in which they are asked.
            pub const ALL: &[Rule] = &[$(Rule::$rule,)*];
        }
    };
}

rules! {
    /// A path in the workspace, or in `node_modules` above it, is that file.
    OwnPath,
    /// A path of a server lies in the folder that a debug configuration gives for it.
    ServedFolder,
    /// A script of an extension lies in the folder that holds its manifest.
    Extension,
    /// A module of a bundler lies below the root of its build.
    BuildRoot,
    /// All names of a trace vote for where folders of servers and of other machines lie.
    Vote,
    /// A package that a server sends is the installed one.
    InstalledPackage,
    /// A path without a root is the only file that ends like it.
    RelativePath,
    /// A path in a slice is relative to a workspace folder.
    PathInSlice,
    /// The producer of the trace mapped the place itself.
    KnownPlace,
    /// A script of a server is the only file of its name with the text in the trace.
    SameText,
    /// A script that is not at its path is the file that has its text, or most of it.
    MovedScript,
    /// A file that was found by the end of its path must have half of the functions' names.
    NamesOfGuess,
    /// A file that may be the script must have the functions at their places.
    Claim,
    /// The text that ran is in the trace.
    TextInTrace,
    /// The text that ran was committed.
    CommittedText,
    /// The text that ran is in a runner's cache.
    CachedText,
    /// The text in the trace was compiled from the file, and shares functions with it.
    CompiledText,
    /// A position lies in the header of a definition.
    Position,
    /// A line has one definition, or one with that name.
    Line,
    /// A position is the start of a name in the text as written.
    StartOfName,
    /// A name is unique in the text.
    Name,
    /// Order, names and distances match a layout of a known loader.
    Order,
    /// A function that a compiler made around a component is the component's code.
    Component,
    /// The last comment of the text names its map.
    NamedMap,
    /// A map lies next to its file.
    MapBeside,
    /// A map elsewhere proves to belong to the file.
    MapElsewhere,
    /// Sources are followed through their own maps.
    MapOfSource,
    /// A source that is not at its path is the file that has its text, or most of it.
    MovedSource,
    /// A body that is gone from its file appeared in another one.
    MovedFunction,
    /// Siblings are found by their neighbours and by similarity.
    Siblings,
    /// A name, or similar code, is found anywhere in the text.
    NameAnywhere,
}

/// The rules that apply: all, unless the yield of one is being measured.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Rules {
    left_out: Option<Rule>,
}

impl Rules {
    /// All rules but this one.
    pub fn without(rule: Rule) -> Self {
        Self { left_out: Some(rule) }
    }

    pub(crate) fn has(self, rule: Rule) -> bool {
        self.left_out != Some(rule)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_rule_can_be_left_out() {
        assert!(Rule::ALL.iter().all(|&rule| Rules::default().has(rule) && !Rules::without(rule).has(rule)));
    }
}
