//! What the frames of a flame graph are: definitions of the workspace, functions that were not placed, or time without a stack.

use std::sync::Arc;

use analysis::anchor::Freshness;
use analysis::files::FilePath;
use analysis::locate::UnplacedReason;
use analysis::package::Package;
use analysis::recording::Recording;
use analysis::summary::CallEnd;
use profile::model::OffStack;

/// Longer names and URLs are cut: nobody reads them, and some traces have names of a megabyte.
const LONGEST: usize = 500;

/// A function as the graph shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FlameFunction {
    /// Its name for people.
    pub name: String,
    /// The path of its definition in the outline of its file, if it has one.
    pub path: Option<Arc<str>>,
    /// The file of its definition, relative to the workspace folder if it is inside; otherwise what the trace calls its script.
    pub file: Option<String>,
    /// Line and column from 1, if they are known.
    pub position: Option<(u32, u32)>,
    /// What it is.
    pub category: Category,
    /// The package below `node_modules` that it belongs to.
    pub package: Option<String>,
    /// What had become of its definition by the time the trace was loaded.
    pub freshness: Freshness,
}

/// The kind of a function, which frames are coloured by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Category {
    /// Code of the workspace.
    Workspace,
    /// Code below `node_modules`.
    Dependency,
    /// JavaScript that comes with the runtime or a tool.
    Runtime,
    /// Code of the engine or the browser.
    Native,
    /// Garbage collection.
    GarbageCollection,
    /// Code that was not found in the workspace.
    Unplaced,
    /// Nothing ran, as far as the trace tells; not part of the active time.
    Idle,
}

impl Category {
    /// All, in order of their numbers.
    pub const ALL: [Self; 7] = [
        Self::Workspace,
        Self::Dependency,
        Self::Runtime,
        Self::Native,
        Self::GarbageCollection,
        Self::Unplaced,
        Self::Idle,
    ];

    /// Its name for people.
    pub fn name(self) -> &'static str {
        match self {
            Self::Workspace => "workspace",
            Self::Dependency => "dependency",
            Self::Runtime => "runtime",
            Self::Native => "native",
            Self::GarbageCollection => "garbage collection",
            Self::Unplaced => "unplaced",
            Self::Idle => "idle",
        }
    }

    fn of(reason: UnplacedReason) -> Self {
        match reason {
            UnplacedReason::Native | UnplacedReason::Program => Self::Native,
            UnplacedReason::GarbageCollector => Self::GarbageCollection,
            UnplacedReason::Runtime | UnplacedReason::Compiler => Self::Runtime,
            UnplacedReason::Dependency => Self::Dependency,
            UnplacedReason::NoResource
            | UnplacedReason::NotInWorkspace
            | UnplacedReason::OtherText
            | UnplacedReason::MapBroken
            | UnplacedReason::OutsideMap
            | UnplacedReason::Transformed
            | UnplacedReason::NoDefinition
            | UnplacedReason::Ambiguous
            | UnplacedReason::Unsampled
            | UnplacedReason::Unknown => Self::Unplaced,
        }
    }
}

impl FlameFunction {
    /// What functions of a recording stand for. Paths of files are relative to the folder.
    pub(crate) fn of(recording: &Recording, end: &CallEnd, folder: &FilePath) -> Self {
        match end {
            CallEnd::Entry => Self::named("(entry)", Category::Native),
            CallEnd::Definition(key) => {
                let measured = recording.summary.definitions.get(key);
                let package = package(key.file.as_str());
                let category = if package.is_some() { Category::Dependency } else { Category::Workspace };
                Self {
                    path: Some(Arc::clone(&key.path)),
                    file: Some(cut(key.file.relative_to(folder).unwrap_or(key.file.as_str()))),
                    position: measured.map(|measured| (measured.start.line + 1, measured.start.column + 1)),
                    package,
                    freshness: measured.map_or(Freshness::Fresh, |measured| measured.freshness),
                    ..Self::named(measured.map_or(&key.path, |measured| &measured.name), category)
                }
            }
            CallEnd::Unplaced(function) => {
                let name = if function.name.is_empty() { "(anonymous)" } else { &function.name };
                Self {
                    file: match &function.made_by {
                        Some(maker) => Some(cut(&maker.words())),
                        None => function.resource.as_deref().map(cut),
                    },
                    position: function
                        .position
                        .map(|position| (position.line + 1, position.column.map_or(0, |column| column + 1))),
                    package: function.file().and_then(|file| package(file)),
                    ..Self::named(name, Category::of(function.reason))
                }
            }
        }
    }

    /// Time without a stack.
    pub(crate) fn off_stack(why: OffStack) -> Self {
        let category = match why {
            OffStack::Idle | OffStack::NoStack => Category::Idle,
            OffStack::Program | OffStack::Native => Category::Native,
            OffStack::GarbageCollector => Category::GarbageCollection,
            OffStack::Unsampled | OffStack::Unknown => Category::Unplaced,
        };
        Self::named(why.frame(), category)
    }

    fn named(name: &str, category: Category) -> Self {
        Self {
            name: cut(name),
            path: None,
            file: None,
            position: None,
            category,
            package: None,
            freshness: Freshness::Fresh,
        }
    }
}

/// The functions of a graph, each with a number on its first use.
#[derive(Default)]
pub(crate) struct NumberedFunctions {
    pub(crate) all: Vec<FlameFunction>,
    off_stack: [Option<u32>; OffStack::ALL.len()],
}

impl NumberedFunctions {
    /// Adds a function, and returns its number.
    pub(crate) fn add(&mut self, function: FlameFunction) -> u32 {
        self.all.push(function);
        self.all.len() as u32 - 1
    }

    /// The function that stands for time without a stack.
    pub(crate) fn of_time_off_stack(&mut self, why: OffStack) -> u32 {
        *self.off_stack[why as usize].get_or_insert_with(|| {
            self.all.push(FlameFunction::off_stack(why));
            self.all.len() as u32 - 1
        })
    }

    /// All of them.
    pub(crate) fn off_stack(&mut self) -> [u32; OffStack::ALL.len()] {
        OffStack::ALL.map(|why| self.of_time_off_stack(why))
    }
}

/// The name of the package of a file or url.
fn package(file: &str) -> Option<String> {
    Package::of(file).map(|package| cut(&package.name))
}

fn cut(text: &str) -> String {
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_names_are_cut_between_characters() {
        assert_eq!(cut(&"ä".repeat(600)), format!("{}…", "ä".repeat(500)));
        assert_eq!(cut(&"ä".repeat(500)), "ä".repeat(500));
    }
}
