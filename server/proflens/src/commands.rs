//! The commands: one list, from which the server's capabilities, VS Code's palette, the sub-commands and the help of
//! Neovim, and the table of the documentation are made.
//!
//! A new command needs an entry here, its handler in `handlers/commands.rs`, `cargo xtask generate`, and whatever is
//! special in each editor.

/// VS Code's condition: a trace is shown.
const LOADED: Option<&str> = Some("proflens.loaded");
/// VS Code's condition: what is shown is being compared with something.
const COMPARING: Option<&str> = Some("proflens.comparing");
/// VS Code's condition: the server runs.
const RUNNING: Option<&str> = Some("proflens.running");
/// VS Code's condition: programs of the folder may be run.
const MAY_RUN: Option<&str> = Some("isWorkspaceTrusted && workspaceFolderCount > 0");
/// VS Code's condition that never holds.
const NEVER: Option<&str> = Some("false");

macro_rules! commands {
    ($($(#[doc = $doc:literal])+ $name:ident $id:literal { $($field:tt)+ })+) => {
        /// A command that every editor can send.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Command {
            $($(#[doc = $doc])+ $name,)+
        }

        impl Command {
            /// All of them, in the order in which they are listed.
            pub const ALL: &[Self] = &[$(Self::$name),+];

            /// The name in the protocol: `proflens.loadTrace`.
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$name => concat!("proflens.", $id),)+
                }
            }

            /// The command with a name.
            pub fn named(name: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|command| command.name() == name)
            }

            /// What documentation and editors need to know about it.
            pub fn info(self) -> CommandInfo {
                match self {
                    $(Self::$name => CommandInfo { id: $id, doc: concat!($($doc),+).trim(), $($field)+ },)+
                }
            }
        }
    };
}

commands! {
    /// Loads a trace, or all traces in a folder as one sum, and shows it.
    LoadTrace "loadTrace" {
        arguments: "uri",
        done_by: DoneBy::Server,
        palette: PaletteEntry {
            title: "Load trace…",
            when: Some("workspaceFolderCount > 0"),
            icon: Some("$(folder-opened)"),
        },
        neovim: NeovimSubcommand { name: "load", argument: "[file]", help: "Load a trace from any folder, and show it." },
    }

    /// Unloads a trace; without an argument, the one that is shown.
    UnloadTrace "unloadTrace" {
        arguments: "[uri]",
        done_by: DoneBy::Server,
        palette: PaletteEntry { title: "Unload trace", when: LOADED, icon: None },
        neovim: NeovimSubcommand { name: "unload", argument: "[file]", help: "Unload a trace; without a file, ask which." },
    }

    /// Shows another of the known traces, or other threads of one by their names or numbers, `all` for all of them; without
    /// an argument, offers what there is.
    SelectTrace "selectTrace" {
        arguments: "[uri [threads]]",
        done_by: DoneBy::Both,
        palette: PaletteEntry { title: "Select trace or threads…", when: RUNNING, icon: None },
        neovim: NeovimSubcommand {
            name: "select",
            argument: "[file]",
            help: "Choose which of the traces is shown; without a file also which threads of the shown one.",
        },
    }

    /// Looks only at what is below a function, only at its callers, or leaves a function or a package out of the stacks.
    Focus "focus" {
        arguments: "{ function, how }",
        done_by: DoneBy::Both,
        palette: PaletteEntry { title: "Focus on the function at the cursor…", when: LOADED, icon: None },
        neovim: NeovimSubcommand {
            name: "focus",
            argument: "[how] [name]",
            help: "Look only at what is `below` the function under the cursor (or of that [name]), or only at its `callers`; \
                   `drop` its samples, or `merge` it into its callers; or `collapse` a package.",
        },
    }

    /// Looks only at a window of time: between two moments, or while a marker lasts; or only at samples with a label.
    Window "window" {
        arguments: "{ from, to }, { markers } or { labels }",
        done_by: DoneBy::Both,
        palette: PaletteEntry { title: "Select a range of time…", when: LOADED, icon: None },
        neovim: NeovimSubcommand {
            name: "window",
            argument: "[from] [to]",
            help: "Look only at the time between two moments, of which the second may be `end`, or while the marker of a name \
                   lasts, or at the samples with a label, `key=value`.",
        },
    }

    /// Looks at all of the recording again.
    ClearScope "clearScope" {
        arguments: "",
        done_by: DoneBy::Server,
        palette: PaletteEntry { title: "Show the whole recording", when: LOADED, icon: None },
        neovim: NeovimSubcommand { name: "all", argument: "", help: "Look at all of the recording again." },
    }

    /// Shows `time`, `percent` or `samples`; without an argument, the next of them.
    CycleUnit "cycleUnit" {
        arguments: "[unit]",
        done_by: DoneBy::Server,
        palette: PaletteEntry { title: "Cycle unit (time, percent, samples)", when: LOADED, icon: None },
        neovim: NeovimSubcommand {
            name: "unit",
            argument: "[unit]",
            help: "Show `time`, `percent` or `samples`; without an argument, the next of them.",
        },
    }

    /// Hides hints and lenses, or shows them again.
    Toggle "toggle" {
        arguments: "",
        done_by: DoneBy::Server,
        palette: PaletteEntry { title: "Show or hide costs", when: LOADED, icon: None },
        neovim: NeovimSubcommand { name: "toggle", argument: "", help: "Hide hints and lenses, or show them again." },
    }

    /// Lists the hottest functions of the workspace, 100 unless another number is given.
    ShowHottest "showHottest" {
        arguments: "[number]",
        done_by: DoneBy::Both,
        palette: PaletteEntry { title: "Go to one of the hottest functions…", when: LOADED, icon: None },
        neovim: NeovimSubcommand {
            name: "hot",
            argument: "[what]",
            help: "List what is hottest in the workspace in the |quickfix| list: functions, or `files` or `folders`; ordered \
                   by `self` time, by `total`, or by the `difference` to what is compared with; 100 of them or another number. Any other word is what a name or path must \
                   have: `:Proflens hot files total 20 src/`.",
        },
    }

    /// Shows where all the time went, and the reasons for what is on no function.
    ShowLedger "showLedger" {
        arguments: "",
        done_by: DoneBy::Both,
        palette: PaletteEntry { title: "Show where the time went", when: LOADED, icon: None },
        neovim: NeovimSubcommand {
            name: "ledger",
            argument: "",
            help: "Show where all the time went, and the reasons for what is on no function. Again: go into that window.",
        },
    }

    /// Lists the callers and callees of a function: the one that a lens names, or the innermost around a position.
    ShowCallers "showCallers" {
        arguments: "{ textDocument, position }",
        done_by: DoneBy::Both,
        palette: PaletteEntry {
            title: "Show callers of the function at the cursor",
            when: Some(concat!(
                "proflens.loaded && resourceScheme == file && ",
                r"resourceExtname =~ /^\.([cm]?[jt]s|[jt]sx|vue|svelte|astro|html?|mdx)$/"
            )),
            icon: None,
        },
        neovim: NeovimSubcommand {
            name: "callers",
            argument: "",
            help: "Show who called the function under the cursor, as a tree that unfolds. |proflens-tree|",
        },
    }

    /// Shows all that is shown as a flame graph.
    ShowFlameGraph "showFlameGraph" {
        arguments: "",
        done_by: DoneBy::Editor,
        palette: PaletteEntry { title: "Show flame graph", when: LOADED, icon: Some("$(flame)") },
        neovim: NeovimSubcommand {
            name: "flame",
            argument: "[file]",
            help: "Show the trace, or [file], as a flame graph in the browser; a double click there goes to the definition \
                   here. `stop` ends that. |proflens-flame|",
        },
    }

    /// Compares what is shown with recordings before: hints and lists then show what changed for certain. `previous` is the recording
    /// before the shown one; paths are files, or folders in which each file is a run; `rev` means the recordings of a commit.
    CompareWith "compareWith" {
        arguments: "{ before: \"previous\" or [paths] } or { rev }",
        done_by: DoneBy::Server,
        palette: PaletteEntry { title: "Compare with…", when: LOADED, icon: Some("$(git-compare)") },
        neovim: NeovimSubcommand {
            name: "compare",
            argument: "[before]",
            help: "Show what changed since the recording before; since [before], which is a file, a folder whose files are \
                   runs, or a commit that has recordings. `off` ends that. |proflens-compare|",
        },
    }

    /// Shows costs again, not what changed.
    StopComparing "stopComparing" {
        arguments: "",
        done_by: DoneBy::Server,
        palette: PaletteEntry { title: "Stop comparing", when: COMPARING, icon: Some("$(close)") },
        neovim: NeovimSubcommand {
            name: "compare-off",
            argument: "",
            help: "Show costs again, not what changed: the same as `:Proflens compare off`.",
        },
    }

    /// Helps to set where the scripts of the trace are.
    MapPath "mapPath" {
        arguments: "",
        done_by: DoneBy::Editor,
        palette: PaletteEntry { title: "Map a path of the trace…", when: LOADED, icon: None },
        neovim: NeovimSubcommand {
            name: "map-path",
            argument: "[folder]",
            help: "Show what to add to |proflens-settings| so that the scripts of the trace are looked for in [folder].",
        },
    }

    /// Helps to set where a missing source map is.
    ChooseMap "chooseMap" {
        arguments: "",
        done_by: DoneBy::Editor,
        palette: PaletteEntry { title: "Choose a missing source map…", when: LOADED, icon: None },
        neovim: NeovimSubcommand {
            name: "choose-map",
            argument: "[file]",
            help: "Show what to add to |proflens-settings| so that [file] is used as the missing source map.",
        },
    }

    /// Restarts the server.
    Restart "restart" {
        arguments: "",
        done_by: DoneBy::Editor,
        palette: PaletteEntry { title: "Restart server", when: None, icon: None },
        neovim: NeovimSubcommand { name: "restart", argument: "", help: "Restart the server." },
    }

    /// Shows the server's log.
    ShowLog "showLog" {
        arguments: "",
        done_by: DoneBy::Editor,
        palette: PaletteEntry { title: "Show log", when: None, icon: None },
        neovim: NeovimSubcommand {
            name: "log",
            argument: "",
            help: "Show the server's log. Its standard error is in |vim.lsp.log|.",
        },
    }
}

/// Commands that only VS Code's extension has, without `proflens.`. Those that are never in the palette are for the buttons and
/// menus of its views, which pass what they are about.
pub const ONLY_IN_VSCODE: [(&str, PaletteEntry); 35] = [
    ("recordCommand", entry("Record a command…", MAY_RUN, Some("$(record)"))),
    (
        "recordDebugSession",
        entry(
            "Record the running debug session",
            Some("isWorkspaceTrusted && inDebugMode"),
            Some("$(record)"),
        ),
    ),
    ("stopRecording", entry("Stop recording", Some("proflens.recording"), Some("$(stop-circle)"))),
    ("showPrevious", entry("Show the previous recording", LOADED, Some("$(discard)"))),
    ("renameRecording", entry("Rename…", NEVER, None)),
    ("deleteRecording", entry("Delete", NEVER, None)),
    ("cancelLoading", entry("Cancel loading", NEVER, None)),
    ("nextHot", entry("Go to the next hot function of the file", LOADED, None)),
    ("previousHot", entry("Go to the previous hot function of the file", LOADED, None)),
    ("showHotPath", entry("Follow the hottest path from the function at the cursor…", LOADED, None)),
    ("explain", entry("Explain to the agent", Some("proflens.loaded && chatIsEnabled"), Some("$(sparkle)"))),
    ("showActions", entry("Show quick actions", RUNNING, None)),
    ("openWalkthrough", entry("Open walkthrough", None, None)),
    ("loadThisTrace", entry("Show costs in the editor (Proflens)", NEVER, Some("$(flame)"))),
    ("selectThreads", entry("Select threads…", Some("proflens.threads"), Some("$(checklist)"))),
    ("showCallTree", entry("Show callers and callees in the side bar", LOADED, Some("$(call-incoming)"))),
    ("showInFlameGraph", entry("Show in flame graph", LOADED, Some("$(flame)"))),
    ("showLineCosts", entry("Show line costs", Some("proflens.loaded && !proflens.linesShown"), None)),
    ("hideLineCosts", entry("Hide line costs", Some("proflens.linesShown"), None)),
    ("orderBySelf", entry("Order by self time", NEVER, Some("$(clock)"))),
    ("orderByTotal", entry("Order by total time", NEVER, Some("$(layers)"))),
    ("orderByDifference", entry("List what changed", Some("proflens.comparing"), Some("$(diff)"))),
    ("compareWithThis", entry("Compare with this", NEVER, Some("$(git-compare)"))),
    ("compareWithThisFile", entry("Compare with this (Proflens)", NEVER, Some("$(git-compare)"))),
    ("listFunctions", entry("List functions", NEVER, Some("$(symbol-method)"))),
    ("listFiles", entry("List files", NEVER, Some("$(file)"))),
    ("listFolders", entry("List folders", NEVER, Some("$(folder)"))),
    ("filterHottest", entry("Filter…", NEVER, Some("$(filter)"))),
    ("clearFilter", entry("Clear the filter", NEVER, Some("$(filter-filled)"))),
    ("pinFunction", entry("Pin this function", NEVER, Some("$(pin)"))),
    ("unpinFunction", entry("Follow the cursor", NEVER, Some("$(pinned)"))),
    ("focusOnPath", entry("Focus on this path", NEVER, None)),
    ("copyName", entry("Copy name", NEVER, None)),
    ("copyRow", entry("Copy as text", NEVER, None)),
    ("revealFile", entry("Reveal in Explorer", NEVER, None)),
];

const fn entry(title: &'static str, when: Option<&'static str>, icon: Option<&'static str>) -> PaletteEntry {
    PaletteEntry { title, when, icon }
}

/// Sub-commands that only Neovim's plugin has.
pub const ONLY_IN_NEOVIM: [NeovimSubcommand; 7] = [
    NeovimSubcommand {
        name: "record",
        argument: "[command]",
        help: "Run a command in a terminal, record it, and show what it cost: `npm run build`, `node %`. What begins with a \
               dash, up to `--`, are options of `proflens record`. `stop` ends it as CTRL-C does; without a command, ask \
               for one. |proflens-record|",
    },
    NeovimSubcommand {
        name: "previous",
        argument: "",
        help: "Show the trace that was shown before; again, to go back. |proflens-record|",
    },
    NeovimSubcommand {
        name: "callees",
        argument: "",
        help: "Show what the function under the cursor called, as a tree that unfolds. |proflens-tree|",
    },
    NeovimSubcommand {
        name: "threads",
        argument: "[name ...]",
        help: "Choose the threads whose costs are shown: by their names, `all` of them, or `page` for the main thread and \
               the workers of its process, which is the default; without a name, ask which.",
    },
    NeovimSubcommand {
        name: "lines",
        argument: "",
        help: "Show the self time of each line at its right, or hide it again. |proflens-lines|",
    },
    NeovimSubcommand {
        name: "next",
        argument: "[n]",
        help: "Go to the [n]th next hot function of this buffer: one whose total reaches the `threshold` of the settings. \
               Obeys 'wrapscan'.",
    },
    NeovimSubcommand {
        name: "prev",
        argument: "[n]",
        help: "Go to the [n]th previous hot function of this buffer.",
    },
];

/// What documentation and editors need to know about a command.
pub struct CommandInfo {
    /// Its name without `proflens.`.
    pub id: &'static str,
    /// What it does, a sentence.
    pub doc: &'static str,
    /// What it takes, as documentation writes it.
    pub arguments: &'static str,
    /// Who runs it.
    pub done_by: DoneBy,
    /// In VS Code.
    pub palette: PaletteEntry,
    /// In Neovim.
    pub neovim: NeovimSubcommand,
}

/// Who runs a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DoneBy {
    /// The server alone.
    Server,
    /// The server answers, and our own clients show the answer as a list; users of others see a message.
    Both,
    /// Our own clients run it without the server; to users of others the server explains how to do it.
    Editor,
}

/// An entry of VS Code's palette.
pub struct PaletteEntry {
    /// Its text.
    pub title: &'static str,
    /// The condition under which it is listed, if any.
    pub when: Option<&'static str>,
    /// Its icon in menus.
    pub icon: Option<&'static str>,
}

/// A sub-command of Neovim's `:Proflens`.
pub struct NeovimSubcommand {
    /// Its first word.
    pub name: &'static str,
    /// Its argument, as the help writes it.
    pub argument: &'static str,
    /// Its description in the help, in Vim's notation.
    pub help: &'static str,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_one_command() {
        for &command in Command::ALL {
            assert_eq!(Command::named(command.name()), Some(command));
            assert_eq!(command.name().strip_prefix("proflens."), Some(command.info().id));
        }
        assert_eq!(Command::named("proflens.showActions"), None);
    }
}
