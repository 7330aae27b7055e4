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
const ADVICE: [(UnplacedReason, bool, &str, &str); 6] = [
    (
        UnplacedReason::Transformed,
        false,
        "ran in texts that a loader made of files, without source maps in the trace",
        "let the loader write source maps, and record with `proflens record`, which keeps what it made",
    ),
    (
        UnplacedReason::OutsideMap,
        true,
        "comes from files of which source maps have no mappings",
        "build with whole source maps (Nuxt: `nitro: { experimental: { sourcemapMinify: false } }` in nuxt.config)",
    ),
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
pub const WRITE_OUT: &str = "put back what ran, or build with source maps and record again; what a development server keeps in memory, it has to write to disk (`writeToDisk` of Rsbuild and webpack)";

/// How many folders a folder is below the root of its disk, as `/home/me/app` is, before it counts as one around the packages of a
/// repository.
const SHALLOWEST_REPOSITORY: usize = 3;

/// What to do about sources without an address.
const PUT_BACK: &str =
    "put them back where the maps say, or use a folder that contains them as the workspace (--workspace)";

/// How a tool is told to build with source maps, by the folder into which it builds.
const BUILDS: [(&str, &str); 5] = [
    ("/.next/server/", "`experimental: { serverSourceMaps: true }` in next.config"),
    ("/.output/public/_nuxt/", "`sourcemap: { client: true }` in nuxt.config"),
    ("/.svelte-kit/output/", VITE),
    // React Router, and the adapter of SvelteKit for Node.
    ("/build/client/", VITE),
    ("/build/server/", VITE),
];
const VITE: &str = "source maps (with Vite: `build: { sourcemap: true }`)";

/// What to build with, so that there is a source map at this path or url.
pub fn to_build_with(wanted: &str) -> &'static str {
    let known = BUILDS.iter().find(|(folder, _)| wanted.contains(folder));
    known.map_or("source maps", |(_, how)| how)
}

/// What is wrong with a lost map and others like it: `/ws/app.js.map is missing, and so are 3 other source maps`. `wanted` is where
/// it is expected.
pub fn what_is_lost(wanted: &str, refusal: Option<Refusal>, others: usize) -> String {
    let others = match others {
        0 => String::new(),
        1 => ", and so is 1 other source map".into(),
        _ => format!(", and so are {}", format::count(others as u64, "other source map")),
    };
    match refusal {
        None => format!("{wanted} is missing{others}"),
        Some(reason) => format!("{wanted} is not used{others} ({reason})"),
    }
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
    let of_maps = alike(lost_maps).filter_map(|maps| {
        let time = maps.iter().map(|map| map.time).sum();
        (share(time, base) >= WORTH_ACTING).then(|| map_problem(&maps, &part(time)))
    });
    let mut problems: Vec<Problem> = of_maps.collect();
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

/// Maps that are lost for the same reason and would be written by the same setting, costliest first: a server of Next has one for each page.
fn alike(lost_maps: &[LostMap]) -> impl Iterator<Item = Vec<&LostMap>> {
    let mut groups: Vec<Vec<&LostMap>> = Vec::new();
    for map in lost_maps.iter().filter(|map| map.time > Amount(0)) {
        let known = groups.iter_mut().find(|group| {
            let other = group[0];
            other.refusal == map.refusal && to_build_with(&other.wanted) == to_build_with(&map.wanted)
        });
        match known {
            Some(group) => group.push(map),
            None => groups.push(vec![map]),
        }
    }
    groups.into_iter()
}

/// The problem of maps that are lost alike, and of the part of the time that stays on generated lines.
fn map_problem(maps: &[&LostMap], part: &str) -> Problem {
    let LostMap { generated, wanted, refusal, .. } = maps[0];
    let is_beside = wanted.strip_suffix(".map") == Some(generated.as_str());
    let what = what_is_lost(if is_beside { "its source map" } else { wanted }, *refusal, maps.len() - 1);
    Problem {
        what: format!("{what}: {part} stays on generated lines"),
        place: generated.to_string(),
        hint: format!("build it again with {}, or say where the map is", to_build_with(wanted)),
    }
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
            ("/ws/build/server/index.js.map", "source maps (with Vite: `build: { sourcemap: true }`)"),
            ("/ws/.output/public/_nuxt/DjFxMjr6.js.map", "`sourcemap: { client: true }` in nuxt.config"),
            ("/ws/.next/static/chunks/main.js.map", "source maps"),
            ("/ws/next/server/app.js.map", "source maps"),
        ];
        for (wanted, expected) in rows {
            assert_eq!(to_build_with(wanted), expected);
        }
    }

    #[test]
    fn a_source_that_a_tool_built_lacks_its_map_too() {
        let files = FixtureFiles::new(
            r#"/ws/
            /ws/dist/app.js = function a() {}\n//# sourceMappingURL=app.js.map\n
            /ws/dist/app.js.map = {"version":3,"sources":["../out/a.js"],"mappings":"AACA,SAASA"}
            /ws/out/a.js = // src/a.ts\nfunction a() {}\nexport { a };\n
            "#,
        );
        let mut builder = ProfileBuilder::new("fixture");
        let resource = builder.resource("file:///ws/dist/app.js");
        let name = builder.string("a");
        let position = Position { line: 0, column: Some(10) };
        let function = builder.function(name, Some(resource), Some(position));
        let stack = builder.stack(None, function);
        builder.add_on_stack(stack, Weight { time: Amount(10), samples: 1 });
        builder.end_thread(Thread::default());
        let locate = LocateSettings::default();
        let settings = LoadSettings { locate: &locate, maps: Some(&|_| true), recorded: None };
        let recording = load("fixture", &Arc::new(builder.finish()), &Scope::default(), &files, &settings);
        let lost: Vec<(&str, Amount)> =
            recording.lost_maps.iter().map(|lost| (lost.wanted.as_str(), lost.time)).collect();
        assert_eq!(lost, [("/ws/out/a.js.map", Amount(10))]);
    }

    #[test]
    fn lost_maps_are_one_problem_however_often_their_scripts_were_loaded() {
        let files = FixtureFiles::new(
            r"/ws/
            /ws/main.js = function a() {}\n//# sourceMappingURL=main.js.map\n
            /ws/next.js = function a() {}\n//# sourceMappingURL=next.js.map\n
            /ws/rare.js = function a() {}\n//# sourceMappingURL=rare.js.map\n",
        );
        let mut builder = ProfileBuilder::new("fixture");
        for (file, build, time) in
            [("main.js", 1, 600), ("main.js", 2, 196), ("next.js", 1, 200), ("rare.js", 1, 4)]
        {
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
        assert_eq!(lost, ["/ws/main.js.map", "/ws/next.js.map", "/ws/rare.js.map"]);
        let problems: Vec<String> =
            recording.problems.iter().map(|problem| format!("{}: {}", problem.place, problem.what)).collect();
        let expected = "/ws/main.js: its source map is missing, and so are 2 other source maps: 100 % of the active time stays on generated lines";
        assert_eq!(problems, [expected]);
    }
}
