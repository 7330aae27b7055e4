//! Lists the scripts of the runtime, of tools and of packages in one row for each reason: a recording of Node has dozens, and there is
//! nothing that users should do about them.

use std::cmp::Reverse;

use analysis::locate::{Located, UnplacedReason};
use analysis::views::{ExaminedScript, NotPlaced};
use profile::model::Amount;

/// Scripts of others, which are all unplaced for the same reason.
pub(super) struct ScriptsOfOthers<'a> {
    pub(super) not_placed: NotPlaced,
    /// The costliest first.
    pub(super) scripts: Vec<&'a ExaminedScript>,
}

/// The scripts of others, those that cost most first, and all other scripts. A script that led into the workspace, or
/// about which something can be done, is none of the former.
pub(super) fn without_scripts_of_others<'a>(
    scripts: Vec<&'a ExaminedScript>,
    has_help: impl Fn(&ExaminedScript) -> bool,
) -> (Vec<ScriptsOfOthers<'a>>, Vec<&'a ExaminedScript>) {
    let mut rest = scripts;
    let mut groups: Vec<ScriptsOfOthers> = Vec::new();
    for reason in [UnplacedReason::Runtime, UnplacedReason::Dependency] {
        let of_reason = rest.extract_if(.., |script| {
            matches!(script.file, Located::Unplaced(why) if why == reason)
                && script.placed.is_empty()
                && !has_help(script)
        });
        let scripts: Vec<_> = of_reason.collect();
        let functions = scripts.iter().map(|script| script.functions).sum();
        let time: Amount = scripts.iter().map(|script| script.time).sum();
        if !scripts.is_empty() {
            groups.push(ScriptsOfOthers { not_placed: NotPlaced { reason, functions, time }, scripts });
        }
    }
    groups.sort_by_key(|group| Reverse(group.not_placed.time));
    (groups, rest)
}
