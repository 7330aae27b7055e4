//! What is current, apart from the documents: settings, folders, traces, and the one whose costs are shown.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use analysis::files::{FilePath, Files};
use analysis::locate::{LocateSettings, PathMapping};
use analysis::recording::Recording;
use analysis::views::{BRIEF_HINT_FORMAT, DEFAULT_HINT_FORMAT, LabelConfig, Threshold, Unit};
use globset::GlobSet;
use profile::problem::Problem;
use serde_json::Value;

use super::shown::{Compared, ShownTrace};
use crate::config::Config;
use crate::disk::{Disk, TracePatterns, glob_set, is_match};
use crate::locating::{MapLocations, add_launch_configurations};
use crate::open::{self, Stamp};
use crate::proto::amounts::Amounts;
use crate::proto::capabilities::ClientCapabilities;
use crate::scope_request::ScopeRequest;
use crate::traces;

/// What is current, apart from the documents.
#[derive(Clone)]
pub(crate) struct Current {
    pub(crate) client: ClientCapabilities,
    pub(crate) config: Arc<Config>,
    /// What was wrong with the settings.
    pub(crate) config_errors: Vec<Problem>,
    /// The settings as they were sent: those of `initialize`, and later ones, which override them.
    pub(crate) given_settings: [Arc<Value>; 2],
    /// The unit on the screen; that of the settings until the user changes it by a command.
    pub(crate) unit: Unit,
    /// Whether hints and lenses are shown.
    pub(crate) enabled: bool,
    /// Whether the client's settings are known, so that traces may be looked for.
    pub(crate) ready: bool,
    pub(crate) disk: Arc<Disk>,
    pub(crate) globs: Arc<Globs>,
    /// Globs of the settings that cannot be searched.
    pub(crate) not_searched: Vec<Problem>,
    /// The traces that are known, the newest first.
    pub(crate) traces: Vec<KnownTrace>,
    /// The one whose costs are shown.
    pub(crate) shown: Option<Arc<ShownTrace>>,
    /// What it is compared with, see [`Current::comparison`].
    pub(crate) compared: Option<Arc<Compared>>,
    /// Traces that are not newer than this are not loaded automatically: the user unloaded or cancelled one.
    pub(crate) dismissed: Option<Stamp>,
    /// What the user chose to see, by trace.
    pub(crate) scopes: HashMap<PathBuf, ScopeRequest>,
    /// Traces that the user named in a command: these may lie anywhere.
    pub(crate) named: HashSet<PathBuf>,
    /// Traces for which the user was already asked to act.
    pub(crate) warned: HashMap<PathBuf, Stamp>,
    /// Generated files about whose missing source maps the user does not want to be asked.
    pub(crate) ignored_maps: BTreeSet<FilePath>,
    /// Whether the user was told of the setting `runnerCaches`.
    pub(crate) caches_offered: bool,
}

/// A trace that is known.
#[derive(Clone, Debug)]
pub(crate) struct KnownTrace {
    pub(crate) path: PathBuf,
    pub(crate) stamp: Option<Stamp>,
    pub(crate) state: TraceState,
}

/// The state of a trace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum TraceState {
    /// It was found and can be loaded.
    Found,
    /// It is being read.
    Loading,
    /// Its costs are known.
    Loaded,
    /// It cannot be loaded.
    Failed(Problem),
}

/// The globs of the settings, compiled.
pub(crate) struct Globs {
    /// What is annotated.
    include: Option<GlobSet>,
    exclude: Option<GlobSet>,
    pub(crate) traces: TracePatterns,
    pub(crate) maps: MapLocations,
}

impl Globs {
    fn new(config: &Config) -> Self {
        Self {
            include: glob_set(&config.include),
            exclude: glob_set(&config.exclude),
            traces: TracePatterns::new(&config.traces),
            maps: MapLocations::new(&config.source_maps_locations),
        }
    }
}

impl Default for Current {
    fn default() -> Self {
        let config = Config::default();
        Self {
            client: ClientCapabilities::default(),
            unit: config.unit,
            config_errors: Vec::new(),
            given_settings: Default::default(),
            enabled: true,
            ready: false,
            disk: Arc::new(Disk::new(Vec::new(), false)),
            globs: Arc::new(Globs::new(&config)),
            not_searched: Vec::new(),
            traces: Vec::new(),
            shown: None,
            compared: None,
            dismissed: None,
            scopes: HashMap::new(),
            named: HashSet::new(),
            warned: HashMap::new(),
            ignored_maps: BTreeSet::new(),
            caches_offered: false,
            config: Arc::new(config),
        }
    }
}

impl Current {
    /// Reads the settings again.
    pub(crate) fn configure(&mut self) {
        let (config, config_errors) = Config::read(self.given_settings.iter().map(|settings| &**settings));
        if config.unit != self.config.unit {
            self.unit = config.unit;
        }
        self.globs = Arc::new(Globs::new(&config));
        (self.config, self.config_errors) = (Arc::new(config), config_errors);
        self.set_folders(self.disk.folders().to_vec());
    }

    /// Sets the workspace folders, or applies changed settings to the same ones.
    pub(crate) fn set_folders(&mut self, folders: Vec<FilePath>) {
        self.disk = Arc::new(Disk::new(folders, self.dependencies()).with_caches(&self.config.runner_caches));
    }

    /// Where and how to look for the scripts of a trace and their source maps, and the problems in the debug
    /// configurations that affect that.
    pub(crate) fn locate_settings(&self) -> (LocateSettings, Vec<Problem>) {
        let (mut mappings, mut maps) = (Vec::new(), Vec::new());
        for folder in self.disk.folders() {
            for PathMapping { from, to } in &self.config.path_mappings {
                mappings.push(PathMapping { from: from.clone(), to: path_in(folder, to) });
            }
            for (generated, map) in &self.config.source_maps_chosen {
                let [generated, map] = [generated, map].map(|path| FilePath::new(&path_in(folder, path)));
                maps.push((generated, map));
            }
        }
        let mut settings = LocateSettings {
            mappings: mappings.into_iter().collect(),
            dependencies: self.dependencies(),
            maps: maps.into_iter().collect(),
            ..LocateSettings::default()
        };
        let problems = add_launch_configurations(&mut settings, &self.disk);
        (settings, problems)
    }

    /// The stamp of a trace; `None` if there is none, or if it must not be opened.
    pub(crate) fn stamp(&self, trace: &Path) -> Option<Stamp> {
        if self.reaches(trace) { open::stamp(trace) } else { None }
    }

    /// Whether the user named a trace in a command.
    pub(crate) fn is_named(&self, trace: &Path) -> bool {
        self.named.contains(trace)
    }

    /// Whether a trace may be opened.
    pub(crate) fn reaches(&self, trace: &Path) -> bool {
        self.named.contains(trace) || self.disk.reaches(trace, &self.globs.traces)
    }

    /// Whether hints and lenses are shown in this file, by the settings.
    pub(crate) fn annotates(&self, file: &FilePath) -> bool {
        let Some(path) = self.disk.relative(file) else { return true };
        let Globs { include, exclude, .. } = &*self.globs;
        (include.is_none() || is_match(include, path)) && !is_match(exclude, path)
    }

    /// The name of a trace: its path in the workspace, or the whole path.
    pub(crate) fn name_of(&self, trace: &Path) -> String {
        let path = FilePath::new(&trace.to_string_lossy());
        self.disk.relative(&path).unwrap_or(path.as_str()).to_string()
    }

    /// The path of a file from its workspace folder, which is `.` itself, or the whole path.
    pub(crate) fn path_of(&self, file: &FilePath) -> String {
        let path = if self.disk.is_root(file) { Some(".") } else { self.disk.relative(file) };
        path.unwrap_or(file.as_str()).to_owned()
    }

    /// What hints show.
    pub(crate) fn hints_config(&self) -> LabelConfig {
        let has_words = self.client.draws_lenses && self.config.lens_enable;
        let format = match self.config.hints_format.as_str() {
            DEFAULT_HINT_FORMAT if has_words => BRIEF_HINT_FORMAT,
            format => format,
        };
        LabelConfig { format: format.to_owned(), unit: self.unit, threshold: self.threshold() }
    }

    /// What lenses show.
    pub(crate) fn lenses_config(&self) -> LabelConfig {
        LabelConfig { format: self.config.lens_format.clone(), unit: self.unit, threshold: self.threshold() }
    }

    /// How the amounts of a recording are written.
    pub(crate) fn amounts<'a>(&self, recording: &'a Recording) -> Amounts<'a> {
        Amounts { recording, unit: self.unit, base: self.config.base }
    }

    /// Chooses what to show of a trace; returns whether that changed anything.
    pub(crate) fn choose_scope(&mut self, trace: &Path, scope: ScopeRequest) -> bool {
        let is_news = scope != self.scope_of(trace);
        self.scopes.insert(trace.to_path_buf(), scope);
        is_news
    }

    /// How long ago the shown trace was recorded, for people.
    pub(crate) fn age(&self) -> Option<String> {
        Some(traces::age(self.shown.as_ref()?.stamp.modified))
    }

    fn threshold(&self) -> Threshold {
        Threshold { percent: self.config.threshold.0, base: self.config.base }
    }

    /// Whether code below `node_modules` counts as code of the workspace: it does unless excluded.
    fn dependencies(&self) -> bool {
        !is_match(&self.globs.exclude, "node_modules/package/index.js")
    }
}

/// A path of the settings: absolute, or of this workspace folder.
fn path_in(folder: &FilePath, path: &str) -> String {
    let rest = path.strip_prefix("${workspaceFolder}").unwrap_or(path);
    let is_absolute = rest.len() == path.len() && Path::new(path).is_absolute();
    if is_absolute { path.to_string() } else { folder.join(rest).to_string() }
}

impl Current {
    /// Shows a trace, and what changed if it is compared.
    pub(crate) fn show(&mut self, shown: Arc<ShownTrace>, compared: Option<Arc<Compared>>) {
        self.unshow();
        self.keep_comparing(compared);
        self.set_state(&shown.path.clone(), TraceState::Loaded);
        self.dismissed = None;
        self.shown = Some(shown);
    }

    /// Shows the same trace as it was placed again; returns whether it was still shown.
    pub(crate) fn replace(
        &mut self,
        before: &Arc<ShownTrace>,
        again: &Arc<ShownTrace>,
        compared: Option<Arc<Compared>>,
    ) -> bool {
        let is_shown = self.shown.as_ref().is_some_and(|shown| Arc::ptr_eq(shown, before));
        if is_shown {
            self.keep_comparing(compared);
            self.shown = Some(Arc::clone(again));
        }
        is_shown
    }

    /// Stops showing a trace whose file is gone; returns whether it was still shown.
    pub(crate) fn remove_missing(&mut self, gone: &Arc<ShownTrace>) -> bool {
        self.traces.retain(|trace| trace.path != gone.path);
        let was_shown = self.shown.take_if(|shown| Arc::ptr_eq(shown, gone)).is_some();
        if was_shown {
            self.compared = None;
        }
        was_shown
    }

    /// Shows no trace until a newer one is found or the user chooses one.
    pub(crate) fn unload(&mut self) {
        self.unshow();
        self.dismissed = self.newest_stamp();
        self.shown = None;
        self.compared = None;
    }

    /// The newest of the known traces.
    pub(crate) fn newest_stamp(&self) -> Option<Stamp> {
        self.traces.iter().filter_map(|trace| trace.stamp).max()
    }

    /// What the shown trace is compared with, and the result.
    pub(crate) fn comparison(&self) -> Option<&Arc<Compared>> {
        let shown = self.shown.as_ref()?;
        self.compared.as_ref().filter(|compared| compared.serial == shown.serial)
    }

    /// Continues with a new comparison, unless the user has stopped comparing.
    pub(crate) fn keep_comparing(&mut self, compared: Option<Arc<Compared>>) {
        if self.compared.is_some() {
            self.compared = compared;
        }
    }

    /// Forgets that traces failed.
    pub(crate) fn clear_failures(&mut self, is_meant: impl Fn(&Path) -> bool) {
        let shown = self.shown.as_ref().map(|shown| &shown.path);
        self.traces.retain(|trace| {
            let is_failed = matches!(trace.state, TraceState::Failed(_)) && shown != Some(&trace.path);
            !is_failed || !is_meant(&trace.path)
        });
    }

    /// What the user chose to see of a trace.
    pub(crate) fn scope_of(&self, path: &Path) -> ScopeRequest {
        self.scopes.get(path).cloned().unwrap_or_default()
    }

    fn unshow(&mut self) {
        let Some(shown) = &self.shown else { return };
        if let Some(trace) = self.traces.iter_mut().find(|trace| trace.path == shown.path) {
            trace.state = TraceState::Found;
        }
    }

    /// Takes what is no trace off the list.
    pub(crate) fn forget(&mut self, path: &Path) {
        self.traces.retain(|trace| trace.path != path);
        self.named.remove(path);
    }

    pub(crate) fn set_state(&mut self, path: &Path, state: TraceState) {
        let stamp = self.stamp(path);
        match self.traces.iter_mut().find(|trace| trace.path == path) {
            Some(trace) => (trace.stamp, trace.state) = (stamp, state),
            None => self.traces.push(KnownTrace { path: path.to_path_buf(), stamp, state }),
        }
        self.traces.sort_by(|a, b| b.stamp.cmp(&a.stamp).then_with(|| a.path.cmp(&b.path)));
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn current(settings: Value) -> Current {
        let mut current =
            Current { given_settings: [Arc::new(settings), Arc::default()], ..Current::default() };
        current.configure();
        current.set_folders(vec![FilePath::new("/a"), FilePath::new("/b")]);
        current
    }

    #[test]
    fn mappings_are_of_every_folder() {
        let absolute = if cfg!(windows) { "C:/c" } else { "/c" };
        let mappings = json!([
            { "from": "http://x/", "to": "${workspaceFolder}/public/" },
            { "from": "/app", "to": "dist" },
            { "from": "webpack://", "to": absolute },
        ]);
        let (settings, _) = current(json!({ "pathMappings": mappings })).locate_settings();
        let mappings: Vec<_> =
            settings.mappings.iter().map(|it| format!("{} = {}", it.from, it.to)).collect();
        assert_eq!(
            mappings,
            [
                &format!("webpack:// = {absolute}"),
                "http://x/ = /a/public",
                "http://x/ = /b/public",
                "/app = /a/dist",
                "/app = /b/dist",
            ]
        );
        assert!(!settings.dependencies);
    }

    #[test]
    fn what_is_annotated() {
        let annotated = |settings: Value| {
            let current = current(settings);
            let files = ["/a/src/x.ts", "/b/node_modules/y/x.js", "/b/test/x.ts", "/elsewhere/x.ts"];
            files.map(|it| current.annotates(&FilePath::new(it)))
        };
        assert_eq!(annotated(json!({})), [true, false, true, true]);
        assert_eq!(annotated(json!({ "include": ["src/**"] })), [true, false, false, true]);
        assert_eq!(annotated(json!({ "exclude": ["**/test/**"] })), [true, true, false, true]);
        assert!(current(json!({ "exclude": [] })).locate_settings().0.dependencies);
    }
}
