//! Where scripts and source maps are, according to the settings and the debug configurations, for the server and the
//! command line.

use analysis::files::{FilePath, Files};
use analysis::locate::{Launch, LocateSettings};
use globset::GlobSet;
use profile::problem::Problem;
use source::text::text_of;

use crate::disk::{Disk, glob_set, in_folder, is_match};

/// Files written by hand are smaller. The limit keeps the work small: every entry is tried for every script.
const MAX_LAUNCH_BYTES: usize = 1 << 20;

/// Where a workspace folder has its debug configurations.
pub(crate) const LAUNCH_JSON: &str = ".vscode/launch.json";

/// Which source maps may be read (`sourceMaps.locations`).
pub(crate) struct MapLocations {
    wanted: Option<GlobSet>,
    unwanted: Option<GlobSet>,
}

impl MapLocations {
    /// Reads globs relative to a workspace folder; those that begin with `!` exclude files.
    pub(crate) fn new(globs: &[String]) -> Self {
        let (mut wanted, mut unwanted) = (Vec::new(), Vec::new());
        for glob in globs {
            let (globs, glob) = match glob.strip_prefix('!') {
                Some(glob) => (&mut unwanted, glob),
                None => (&mut wanted, glob.as_str()),
            };
            globs.push(in_folder(glob));
        }
        Self { wanted: glob_set(&wanted), unwanted: glob_set(&unwanted) }
    }

    /// Whether a source map may be read; for an inline map, `file` is the generated file.
    pub(crate) fn allow(&self, file: &FilePath, disk: &Disk) -> bool {
        let path = disk.relative(file).or_else(|| {
            // The packages of a monorepo may lie in a folder around that of the workspace.
            file.as_str().find("/node_modules/").map(|at| &file.as_str()[at + 1..])
        });
        path.is_some_and(|path| is_match(&self.wanted, path) && !is_match(&self.unwanted, path))
    }
}

/// Adds the mappings of the debug configurations of each workspace folder after those of the user; returns the
/// problems in them.
pub(crate) fn add_launch_configurations(settings: &mut LocateSettings, disk: &Disk) -> Vec<Problem> {
    let mut problems = Vec::new();
    for folder in disk.folders() {
        let file = folder.join(LAUNCH_JSON);
        let Some(bytes) = disk.read(&file) else { continue };
        match read_launch(&bytes, folder) {
            Ok(launch) => launch.add_to(settings),
            Err(problem) => problems.push(problem.at(file.as_str())),
        }
    }
    problems
}

fn read_launch(bytes: &[u8], folder: &FilePath) -> Result<Launch, Problem> {
    let hint = "the folders that it names are not known";
    if bytes.len() > MAX_LAUNCH_BYTES {
        return Err(Problem::new("launch.json is larger than 1 MB and was not read", hint));
    }
    Launch::read(&text_of(bytes), folder).map_err(|problem| problem.with_hint(hint))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Config;

    #[test]
    fn globs_with_an_exclamation_mark_exclude() {
        let disk = Disk::new(vec![FilePath::new("/ws")], false);
        let files = ["/ws/a.map", "/ws/dist/a.js.map", "/ws/node_modules/x/a.js.map", "/else/a.map"];
        let allowed = |globs: &[&str]| {
            let locations = MapLocations::new(&globs.iter().map(ToString::to_string).collect::<Vec<_>>());
            files.map(|it| locations.allow(&FilePath::new(it), &disk))
        };
        assert_eq!(allowed(&["**", "!**/node_modules/**"]), [true, true, false, false]);
        assert_eq!(allowed(&["${workspaceFolder}/dist/**"]), [false, true, false, false]);
        assert_eq!(allowed(&["**", "!dist/**"]), [true, false, true, false]);
        assert_eq!(allowed(&[]), [false; 4]);
    }

    #[test]
    fn the_maps_of_packages_are_left_out_unless_they_are_asked_for() {
        let disk = Disk::new(vec![FilePath::new("/ws")], false);
        let locations = MapLocations::new(&Config::default().source_maps_locations);
        let files = [
            ("/ws/dist/a.js.map", true),
            ("/ws/node_modules/.tool/dev/a.js.map", true),
            ("/ws/node_modules/x/a.js.map", false),
            ("/ws/node_modules/@my/x/a.js.map", false),
            ("/ws/node_modules/.pnpm/x@1/node_modules/x/a.js.map", false),
        ];
        assert_eq!(files.map(|(it, _)| (it, locations.allow(&FilePath::new(it), &disk))), files);
    }
}
