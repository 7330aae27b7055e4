//! A command to be recorded: its name, and one run of it.

use std::ffi::OsString;
use std::path::Path;

use profile::problem::Problem;
use record::folder::{Plan, RecordingFolder};
use record::head::{Checkout, TreeState};
use record::heap::Heap;
use record::launch::{Ending, Launch, Settings};

use super::against::Version;
use super::finish::{self, Recorded, remove};
use super::repeat::Run;
use super::{note, note_failure, say};
use crate::history;

const NOTHING: &str =
    "nothing was recorded: the command ran no JavaScript in Node 16 or newer that took over NODE_OPTIONS";

/// A command, and how it is recorded.
pub(super) struct RecordedCommand<'a> {
    pub(super) words: &'a [OsString],
    pub(super) settings: Settings,
    /// Whether it is run once more to count calls.
    pub(super) counts: bool,
    /// Whether it is run once more to log what V8's compiler does.
    pub(super) deopts: bool,
    pub(super) workspace: &'a Path,
}

/// What to do with what was recorded.
#[derive(Clone, Copy)]
pub(super) enum Keep<'a> {
    /// It is written to this file, or among the others.
    At(Option<&'a Path>),
    Nothing,
}

/// A run of the command, which may still be running if only a part of its time was to be recorded.
pub(super) struct CommandRun {
    command: Launch,
    pub(super) recorded: Option<Recorded>,
}

impl CommandRun {
    /// Waits until the command has ended.
    ///
    /// # Errors
    /// If it cannot be waited for.
    pub(super) fn wait(mut self) -> Result<Run, Problem> {
        let status = self.command.wait()?;
        let amount = self.recorded.as_ref().map(Recorded::amount).unwrap_or_default();
        Ok(Run { status, amount, file: self.recorded.map(|recorded| recorded.out) })
    }
}

impl RecordedCommand<'_> {
    /// Its name.
    pub(super) fn name(&self) -> String {
        name(self.words)
    }

    /// Runs it once, in the folder of a version if it is not the checked-out one. Problems with the repository are only
    /// reported for the first of several runs.
    ///
    /// # Errors
    /// If it cannot be started, or if what was recorded cannot be written.
    pub(super) fn record(
        &self,
        keep: Keep<'_>,
        version: Option<&Version>,
        is_first: bool,
    ) -> Result<CommandRun, Problem> {
        let settings =
            Settings { runs_in: version.map(|version| version.folder.clone()), ..self.settings.clone() };
        let checkout = match version {
            Some(Version { checkout: Some(checkout), .. }) => Some(checkout.clone()),
            Some(version) => checkout(&version.root, is_first),
            None => checkout(self.workspace, is_first),
        };
        let name = self.name();
        let out = if let Keep::At(out) = keep { out } else { None };
        let is_heap = settings.heap.is_some();
        let plan = Plan { name: &name, out, heap: settings.heap, checkout: checkout.as_ref() };
        let folder = RecordingFolder::create(self.workspace, &plan)?;
        let mut command = match record::launch::launch(self.words, &folder, &settings) {
            Ok(command) => command,
            Err(problem) => {
                remove(folder);
                return Err(problem);
            }
        };
        let ending = command.wait_for_recording(folder.path(), &settings)?;
        let recorded = match keep {
            Keep::At(_) => {
                let mut found = record::parts::gather(folder.path(), record::signals::is_running);
                found.heaps.retain(Heap::has_samples);
                if let Some(version) = version {
                    found.move_folder(&version.root, &version.stands_for);
                }
                match record::refusals::refusal(self.words) {
                    Some(refusal) if is_first => note(&refusal.to_string()),
                    Some(_) => {}
                    None => self.note_unrecorded(found.is_empty() && !is_heap, is_first),
                }
                if (self.counts || self.deopts) && !found.threads.is_empty() {
                    let status = command.wait()?;
                    self.run_again(&mut found, &folder, status);
                }
                finish::finish(folder, found)
            }
            Keep::Nothing => {
                remove(folder);
                Ok(None)
            }
        };
        if ending == Ending::TimeIsOver {
            say("The command runs on.");
        }
        if recorded.is_err() {
            // The command is not ended by a failure here.
            command.wait()?;
        }
        Ok(CommandRun { command, recorded: recorded? })
    }

    /// Says why nothing was recorded, or not all that could be.
    fn note_unrecorded(&self, is_all: bool, is_first: bool) {
        match record::refusals::replacement(self.words) {
            Some(replacement) if is_all => note(&format!("nothing was recorded: {replacement}")),
            Some(replacement) if is_first => note(&replacement.to_string()),
            None if is_all => note(NOTHING),
            Some(_) | None => {}
        }
    }
}

/// What is checked out in the workspace. A repository that cannot be read does not prevent a recording.
pub(super) fn checkout(workspace: &Path, says_why_not: bool) -> Option<Checkout> {
    let checked_out = match history::checked_out(workspace) {
        Ok(checked_out) => checked_out?,
        Err(problem) => {
            if says_why_not {
                note_failure(&problem);
            }
            return None;
        }
    };
    let tree = match checked_out.clean {
        Ok(true) => Some(TreeState::Clean),
        Ok(false) => Some(TreeState::Changed),
        Err(why) => {
            if says_why_not {
                let what =
                    format!("whether files were changed since the commit is not known: {}", why.clause());
                note_failure(&Problem::new(what, ""));
            }
            None
        }
    };
    Some(Checkout { commit: checked_out.commit, branch: checked_out.branch, tree })
}

/// The name of a command: the first word that is neither a flag nor a program that starts others.
fn name(command: &[OsString]) -> String {
    const STARTERS: [&str; 15] = [
        "node", "npx", "npm", "pnpm", "yarn", "bun", "bunx", "deno", "run", "exec", "tsx", "ts-node", "env",
        "dlx", "test",
    ];
    const SHELLS: [&str; 4] = ["sh", "bash", "dash", "zsh"];
    /// Those of Node, of its runners and of package managers whose value is the next word.
    const OPTIONS_WITH_VALUE: [&str; 12] = [
        "-C",
        "--conditions",
        "-r",
        "--require",
        "--import",
        "--loader",
        "--experimental-loader",
        "--tsconfig",
        "-w",
        "--workspace",
        "-F",
        "--filter",
    ];
    let words: Vec<_> = command.iter().map(|word| word.to_string_lossy()).collect();
    // A command line is one word of its shell.
    let is_shell = words.first().is_some_and(|program| SHELLS.contains(&last_part(program)));
    let words: Vec<&str> = match is_shell {
        true => words.iter().skip(2).flat_map(|line| line.split_whitespace()).collect(),
        false => words.iter().map(|word| &**word).collect(),
    };
    let before = std::iter::once(&"").chain(&words);
    let mut named = words.iter().zip(before).filter(|(word, before)| {
        let is_option = word.starts_with('-') || OPTIONS_WITH_VALUE.contains(before);
        !is_option && !word.contains('=') && !STARTERS.contains(&last_part(word))
    });
    named.next().map(|(word, _)| word).or(words.first()).map(ToString::to_string).unwrap_or_default()
}

fn last_part(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_called_by_what_it_runs() {
        let named = [
            ("node --enable-source-maps src/main.ts --port 80", "src/main.ts"),
            ("npx tsx main.ts", "main.ts"),
            ("npx tsx --conditions @shop/source -r dotenv/config main.ts", "main.ts"),
            ("pnpm --filter shop run build", "build"),
            ("NODE_ENV=test npx vitest run", "vitest"),
            ("npm run build", "build"),
            ("npm", "npm"),
        ];
        for (line, expected) in named {
            let words: Vec<OsString> = line.split(' ').map(OsString::from).collect();
            assert_eq!(name(&words), expected, "{line}");
            assert_eq!(name(&["/bin/sh".into(), "-c".into(), line.into()]), expected, "{line}");
        }
    }
}
