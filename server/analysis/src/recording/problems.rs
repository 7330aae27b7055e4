//! What users should know about how a recording was placed and can do something about.

use std::collections::BTreeSet;

use profile::model::{Amount, Unit};
use profile::problem::Problem;

use crate::files::{FilePath, below};
use crate::format;
use crate::locate::UnplacedReason;
use crate::summary::{Base, DefinitionKey, Summary, UnplacedTime, share};
use crate::symbolicate::{Refusal, ScriptDecision, Symbols, WhichText};

/// The share of the active time from which users are told what to do about it. The ledger has all of it.
const WORTH_ACTING: f64 = 0.005;

/// Why time is unplaced, where users can do something about it: whether a source map names the files, what is said, and what to do.
const ADVICE: [(UnplacedReason, bool, &str, &str); 4] = [
    (
        UnplacedReason::NotInWorkspace,
        true,
        "comes from sources that source maps name and that are not in the workspace",
        "map their address to a folder with a path mapping (--map)",
    ),
    (
        UnplacedReason::NotInWorkspace,
        false,
        "belongs to scripts that are not in the workspace",
        "map their address to a folder with a path mapping (--map)",
    ),
    (
        UnplacedReason::OtherText,
        false,
        "belongs to scripts whose files here have another text",
        "build and record again, or map their address to a folder with a path mapping (--map)",
    ),
    (
        UnplacedReason::Ambiguous,
        false,
        "fits several workspace files",
        "say which with a path mapping (--map)",
    ),
];
/// What to do about files of a disk, as the other packages of a repository are where only one of them is the workspace.
const OPEN_MORE: &str = "use a folder that contains them as the workspace (--workspace), or map their path to a folder with a path mapping (--map)";

/// What to do about files of the workspace that are not on disk, or not with the text that ran.
const WRITE_OUT: &str = "build with source maps and record again; a development server that keeps them in memory has to write them to disk (`writeToDisk` of Rsbuild and webpack)";

/// How many folders a folder is below the root of its disk, as `/home/me/app` is, before it counts as one around the packages of a
/// repository.
const SHALLOWEST_REPOSITORY: usize = 3;

/// What to do about sources without an address.
const PUT_BACK: &str =
    "put them back where the maps say, or use a folder that contains them as the workspace (--workspace)";

/// How the server of a tool is built with source maps, by the folder in which the tool puts it.
const BUILDS: [(&str, &str); 1] =
    [("/.next/server/", "`experimental: { serverSourceMaps: true }` in next.config")];

/// What to build with, so that there is a source map at this path or url.
pub fn to_build_with(wanted: &str) -> &'static str {
    let known = BUILDS.iter().find(|(folder, _)| wanted.contains(folder));
    known.map_or("source maps", |(_, how)| how)
}

/// A map that is needed but was not used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LostMap {
    /// The generated file.
    pub generated: FilePath,
    /// The path or url at which the map is expected.
    pub wanted: String,
    /// Why it was not used; `None` if there is no such map.
    pub refusal: Option<Refusal>,
    /// Self time of the functions that stay on the generated file.
    pub time: Amount,
}

/// Lost maps, costliest first.
pub(super) fn lost_maps(symbols: &Symbols, summary: &Summary) -> Vec<LostMap> {
    let lost = symbols.lost_maps().map(|(generated, wanted, refusal)| {
        let first = DefinitionKey { file: generated.clone(), path: "".into() };
        let on_it = summary.definitions.range(first..).take_while(|(it, _)| it.file == *generated);
        let time = on_it.map(|(_, it)| it.cost.self_time).sum();
        LostMap { generated: generated.clone(), wanted: wanted.to_owned(), refusal, time }
    });
    let mut lost: Vec<LostMap> = lost.collect();
    lost.sort_by(|a, b| b.time.cmp(&a.time).then_with(|| a.generated.cmp(&b.generated)));
    // A script may have been loaded several times, by several threads or after it was built again.
    lost.dedup();
    lost
}

/// The problem of a script whose text has no outline.
pub(super) fn text_problem(script: &ScriptDecision) -> Option<Problem> {
    let WhichText::None { error: Some(error), .. } = script.text else { return None };
    Some(Problem {
        what: format!("{error}: its functions have no costs"),
        place: script.file.as_ref()?.to_string(),
        hint: "build it in smaller files, or leave the generated part out".into(),
    })
}

/// Problems about time that is unplaced or on generated lines, if the user can do something about it.
pub(super) fn placement_problems(
    summary: &Summary,
    unit: Unit,
    lost_maps: &[LostMap],
    folders: &[FilePath],
) -> Vec<Problem> {
    let unplaced = &summary.ledger.unplaced;
    let base = summary.ledger.base(Base::Active);
    let whole = format::whole(unit);
    let part = |amount| {
        let part = format::percent(share(amount, base), format::Style::Text);
        format!("{part} of the {whole}")
    };
    let mut problems = Vec::new();
    for map in lost_maps.iter().filter(|map| share(map.time, base) >= WORTH_ACTING) {
        let what = map.refusal.map_or_else(|| format!("{} is missing", map.wanted), |it| it.to_string());
        problems.push(Problem {
            what: format!("{what}: {} stays on generated lines", part(map.time)),
            place: map.generated.to_string(),
            hint: format!("build it again with {}, or say where the map is", to_build_with(&map.wanted)),
        });
    }
    let broken = unplaced.get(&UnplacedReason::MapBroken);
    problems.extend(broken.map(|it| Problem {
        what: format!("{} depends on source maps that cannot be read", part(it.spent.time)),
        place: it.top().join(", "),
        hint: "build again; a source map is JSON with version, sources and mappings".into(),
    }));
    for (reason, is_named, what, hint) in ADVICE {
        let time = unplaced_time(summary, reason, is_named);
        if share(time.spent.time, base) < WORTH_ACTING {
            continue;
        }
        let top = time.top();
        let hint = match reason {
            UnplacedReason::NotInWorkspace if is_named && !top.iter().any(|it| it.contains("://")) => {
                PUT_BACK
            }
            UnplacedReason::NotInWorkspace | UnplacedReason::OtherText
                if !is_named && top.iter().all(|it| is_inside(it, folders)) =>
            {
                WRITE_OUT
            }
            UnplacedReason::NotInWorkspace if !is_named && top.iter().all(|it| is_of_a_disk(it)) => OPEN_MORE,
            _ => hint,
        };
        let is_of_disk = [PUT_BACK, OPEN_MORE].contains(&hint);
        let around = is_of_disk.then(|| folder_around(summary, folders, &top)).flatten();
        problems.push(Problem {
            what: format!("{} {what}: {}", part(time.spent.time), top.join(", ")),
            place: String::new(),
            hint: around.map_or_else(|| hint.to_owned(), |folder| open_folder(&folder)),
        });
    }
    problems
}

/// What to do about files beside the workspace, as the other packages of a repository are, if a folder contains all.
fn open_folder(folder: &str) -> String {
    format!("use a folder that contains them as the workspace, such as {folder} (--workspace)")
}

/// The folder around a file of the workspace and these files, if all of these lie outside of it and are as near to it as the
/// packages of a repository. A file that is missing in the workspace is in no folder that could be opened.
fn folder_around(summary: &Summary, folders: &[FilePath], files: &[String]) -> Option<String> {
    let (own, _) = summary.definitions.first_key_value()?;
    if files.iter().any(|file| is_inside(file, folders)) {
        return None;
    }
    let mut around: Vec<&str> = own.file.folder().split('/').collect();
    for file in files {
        let parts = file.strip_prefix("file://").unwrap_or(file).split('/');
        let same = around.iter().zip(parts).take_while(|(part, of_file)| *part == of_file).count();
        around.truncate(if file.contains("/../") { 0 } else { same });
    }
    (around.len() > SHALLOWEST_REPOSITORY).then(|| around.join("/"))
}

/// Whether a file has its place in a workspace folder, whether or not it is there.
fn is_inside(file: &str, folders: &[FilePath]) -> bool {
    folders.iter().any(|folder| below(file, folder.as_str()).is_some())
}

/// The time that is unplaced for a reason: in scripts whose source maps name the missing files, or in all others.
fn unplaced_time(summary: &Summary, reason: UnplacedReason, is_named: bool) -> UnplacedTime {
    let of_reason = || summary.unplaced.iter().filter(|(function, _)| function.reason == reason);
    let named = of_reason().filter(|(function, _)| function.source.is_some());
    let scripts: BTreeSet<_> = named.map(|(function, _)| function.resource.as_deref()).collect();
    let mut all = UnplacedTime::default();
    for (function, cost) in of_reason() {
        if scripts.contains(&function.resource.as_deref()) == is_named {
            all.add(function, cost);
        }
    }
    all.examples.retain(|label, _| !scripts.contains(&Some(&**label)));
    all
}

/// Whether a script has a path and no address: it lies on the disk of the machine that ran it.
fn is_of_a_disk(script: &str) -> bool {
    script.starts_with("file:") || script.starts_with('/') || script.get(1..3) == Some(":\\")
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use profile::builder::ProfileBuilder;
    use profile::model::{Position, Script, Thread, Weight};

    use super::*;
    use crate::fixtures::files::FixtureFiles;
    use crate::locate::LocateSettings;
    use crate::recording::load;
    use crate::scope::Scope;
    use crate::symbolicate::LoadSettings;

    #[test]
    fn how_a_file_is_built_with_source_maps() {
        let rows = [
            ("/ws/.next/server/app/page.js.map", "`experimental: { serverSourceMaps: true }` in next.config"),
            ("/ws/.next/static/chunks/main.js.map", "source maps"),
            ("/ws/next/server/app.js.map", "source maps"),
        ];
        for (wanted, expected) in rows {
            assert_eq!(to_build_with(wanted), expected);
        }
    }

    #[test]
    fn a_lost_map_is_one_problem_however_often_its_script_was_loaded() {
        let files = FixtureFiles::new(
            r"/ws/
            /ws/main.js = function a() {}\n//# sourceMappingURL=main.js.map\n
            /ws/rare.js = function a() {}\n//# sourceMappingURL=rare.js.map\n",
        );
        let mut builder = ProfileBuilder::new("fixture");
        for (file, build, time) in [("main.js", 1, 600), ("main.js", 2, 396), ("rare.js", 1, 4)] {
            let text = format!("function a() {{}}\nbuild({build});\n//# sourceMappingURL={file}.map\n");
            let text = Some(text.into());
            let script = builder.script(Script { text, ..Script::default() });
            let resource = builder.resource(&format!("file:///ws/{file}"));
            let name = builder.string("a");
            let position = Position { line: 0, column: Some(10) };
            let function = builder.function(name, Some(resource), Some(position));
            builder.in_script(function, script);
            let stack = builder.stack(None, function);
            builder.add_on_stack(stack, Weight { time: Amount(time), samples: 1 });
        }
        builder.end_thread(Thread::default());
        let locate = LocateSettings::default();
        let settings = LoadSettings { locate: &locate, maps: Some(&|_| true), recorded: None };
        let recording = load("fixture", &Arc::new(builder.finish()), &Scope::default(), &files, &settings);
        let lost: Vec<&str> = recording.lost_maps.iter().map(|lost| lost.wanted.as_str()).collect();
        assert_eq!(lost, ["/ws/main.js.map", "/ws/rare.js.map"]);
        let problems: Vec<String> =
            recording.problems.iter().map(|problem| format!("{}: {}", problem.place, problem.what)).collect();
        let expected =
            "/ws/main.js: /ws/main.js.map is missing: 100 % of the active time stays on generated lines";
        assert_eq!(problems, [expected]);
    }
}
