//! The settings, section `proflens`: one list, from which the struct, its reader, VS Code's schema and the tables of
//! the documentation are made.

pub mod docs;
mod reader;
mod setting;

use std::collections::BTreeMap;

use analysis::files::Runner;
use analysis::locate::PathMapping;
use analysis::summary::Base;
use analysis::views::Unit;
use profile::problem::Problem;
use serde_json::{Value, json};

use reader::SettingsReader;
use setting::{Setting, SettingType};

pub use setting::{Effect, Percent};

macro_rules! settings {
    ($($(#[doc = $doc:literal])+ $effect:ident $key:literal $field:ident: $type:ty = $default:expr;)+) => {
        /// The settings, made by [`Config::read`].
        #[derive(Clone, Debug, PartialEq)]
        pub struct Config {
            $($(#[doc = $doc])+ pub $field: $type,)+
        }

        impl Default for Config {
            fn default() -> Self {
                Self { $($field: $default,)+ }
            }
        }

        impl Config {
            /// Reads settings as clients send them: nested (`{"hints": {"enable": false}}`) or dotted
            /// (`{"hints.enable": false}`), with or without the section's name around them. If several are given, the
            /// later ones win.
            pub fn read<'a>(given: impl IntoIterator<Item = &'a Value>) -> (Self, Vec<Problem>) {
                let ignored: Vec<_> = of_the_client().iter().map(|setting| setting.key).collect();
                let known: Vec<_> = all().iter().map(|setting| setting.key).collect();
                let mut given = SettingsReader::new(given, &known, &ignored);
                let defaults = Self::default();
                let config = Self { $($field: given.take($key, defaults.$field),)+ };
                (config, given.problems())
            }

            /// Whether two configurations differ in a setting that has this effect.
            pub fn differs(&self, other: &Self, effect: Effect) -> bool {
                [$((Effect::$effect, self.$field != other.$field)),+].contains(&(effect, true))
            }
        }

        fn of_the_server() -> Vec<Setting> {
            let defaults = Config::default();
            vec![$(Setting {
                key: $key,
                doc: [$($doc.trim()),+].join(" "),
                default: json!(defaults.$field),
                schema: <$type>::schema(),
                effect: Effect::$effect,
            }),+]
        }
    };
}

settings! {
    /// Globs or paths of the traces to show, relative to a workspace folder or absolute.
    /// A glob also finds files with `.gz` after it.
    /// The newest match is shown, the others are offered by the command *Select trace*.
    Finds "traces" traces: Vec<String> =
        ["**/*.cpuprofile", "**/*.jsprofile", "**/*.jsprofile.json", "**/*.slice", "**/*.slice.json", ".proflens/**"].map(String::from).into();
    /// Load the newest trace that is found, and follow it when it changes.
    Finds "autoLoad" auto_load: bool = true;
    /// Show an inlay hint at the header of each measured function.
    Shows "hints.enable" hints_enable: bool = true;
    /// The text of hints.
    /// `${self}` and `${total}` are in the unit of `proflens.unit`; there are also `${selfPercent}`,
    /// `${totalPercent}`, `${samples}` and `${rank}` (1 is the function with the most self time).
    /// Where the editor shows lenses too, which have the words, the default is brief: `12.3ms · 48ms`.
    Shows "hints.format" hints_format: String = analysis::views::DEFAULT_HINT_FORMAT.to_string();
    /// Show a code lens above each measured function.
    Shows "lens.enable" lens_enable: bool = true;
    /// The text of code lenses, with the same placeholders as `proflens.hints.format`.
    Shows "lens.format" lens_format: String = analysis::views::DEFAULT_LENS_FORMAT.to_string();
    /// Offer a call hierarchy with the callers and callees that were measured.
    /// `null` offers it to every editor but VS Code, which shows that of one language server only and has a view of its own for
    /// this. Read when the server starts.
    Shows "callHierarchy.enable" call_hierarchy_enable: Option<bool> = None;
    /// What `${self}` and `${total}` show.
    Shows "unit" unit: Unit = Unit::Time;
    /// What 100 % is.
    Shows "base" base: Base = Base::Active;
    /// Percent of the base that a function's total time must reach to get a hint.
    /// Functions with fewer than two samples get none either; the ten hottest of the workspace always get one.
    Shows "threshold" threshold: Percent = Percent(0.5);
    /// Globs of the workspace files that are annotated; all of them when empty.
    Shows "include" include: Vec<String> = Vec::new();
    /// Globs of workspace files that are not annotated. Their functions are counted as dependencies.
    Places "exclude" exclude: Vec<String> = vec!["**/node_modules/**".into()];
    /// Where the scripts of a trace lie in the workspace, when that cannot be found out from their paths:
    /// `from` is the beginning of their URLs or paths, `to` the folder (or file) that it stands for, which may begin
    /// with `${workspaceFolder}`; a relative one is in the workspace folder. The longest `from` that fits counts.
    Places "pathMappings" path_mappings: Vec<PathMapping> = Vec::new();
    /// Read source maps, so that costs are shown where functions were written, not in what was built from them.
    Places "sourceMaps.enable" source_maps_enable: bool = true;
    /// Globs of the source maps that may be read, and of the files that hold their own, relative to a workspace
    /// folder; what a glob after `!` matches is not read. Nothing is ever fetched from a network.
    Places "sourceMaps.locations" source_maps_locations: Vec<String> =
        ["**", "!**/node_modules/[!.]*/**"].map(String::from).into();
    /// Source maps that are not found by themselves: from the generated file to its map, such as
    /// `{ "dist/app.js": "build/maps/app.js.map" }`, both relative to a workspace folder.
    Places "sourceMaps.maps" source_maps_chosen: BTreeMap<String, String> = BTreeMap::new();
    /// How much the times of two runs are taken to differ without a cause, in percent (one standard deviation), where what is shown is
    /// compared with one run and is one run itself.
    Shows "compare.noise" compare_noise: Percent = Percent(10.0);
    /// Show as diagnostics, of severity hint, where V8 gave up optimised code, which accesses are megamorphic, and which hot functions it never
    /// optimised: of recordings that were made with `proflens record --deopts`.
    Shows "deopts.diagnostics" deopts_diagnostics: bool = false;
    /// Runners that transform code in memory and whose caches may be read, so that functions are found exactly:
    /// `tsx` and `jest` keep theirs in the system's temporary folder, `babel` (`@babel/register`) below `node_modules/.cache`.
    Places "runnerCaches" runner_caches: Vec<Runner> = Vec::new();
}

/// Settings of the editor's extension, which the server never reads.
fn of_the_client() -> Vec<Setting> {
    vec![
        Setting {
            key: "server.path",
            doc: "The server to run, instead of the one inside the extension, in the workspace's `node_modules` or on the `PATH`.".into(),
            default: Value::Null,
            schema: json!({ "type": ["string", "null"] }),
            effect: Effect::Runs,
        },
        Setting {
            key: "trace.server",
            doc: "Log what the editor and the server say to each other.".into(),
            default: json!("off"),
            schema: json!({ "type": "string", "enum": ["off", "messages", "verbose"] }),
            effect: Effect::Shows,
        },
        switch(
            "heat.overviewRuler",
            "Mark measured functions, and lines with a cost, in the overview ruler.",
            true,
        ),
        switch(
            "heat.gutter",
            "Show a bar in the gutter, beside the line numbers, at what was measured, in the color of its share.",
            false,
        ),
        switch(
            "explorer.badges",
            "Show the share of self time at files and folders of the explorer, in percent, 99 at most.",
            false,
        ),
    ]
}

fn switch(key: &'static str, doc: &str, default: bool) -> Setting {
    let (default, schema) = (json!(default), json!({ "type": "boolean" }));
    Setting { key, doc: doc.into(), default, schema, effect: Effect::Shows }
}

fn all() -> Vec<Setting> {
    of_the_server().into_iter().chain(of_the_client()).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::Map;

    use super::docs::{markdown_table, vimdoc, vscode_configuration, vscode_restricted};
    use super::*;

    fn problems(given: Value) -> Vec<String> {
        Config::read([&given]).1.into_iter().map(|it| it.what).collect()
    }

    #[test]
    fn nothing_gives_the_defaults() {
        for nothing in
            [json!(null), json!({}), json!({ "proflens": null }), json!([]), json!({ "unit": null })]
        {
            assert_eq!(Config::read([&nothing]), (Config::default(), Vec::new()), "{nothing}");
        }
    }

    #[test]
    fn nested_dotted_and_wrapped_settings_are_the_same() {
        let expected = Config {
            hints_enable: false,
            threshold: Percent(2.0),
            path_mappings: vec![PathMapping { from: "http://localhost/".into(), to: "public/".into() }],
            source_maps_chosen: BTreeMap::from([("dist/app.js".into(), "app.map".into())]),
            ..Config::default()
        };
        let mappings = json!([{ "from": "http://localhost/", "to": "public/" }]);
        let maps = json!({ "dist/app.js": "app.map" });
        let nested = json!({
            "hints": { "enable": false }, "threshold": 2, "pathMappings": mappings, "sourceMaps": { "maps": maps },
        });
        for given in [
            json!({ "hints.enable": false, "threshold": 2.0, "pathMappings": mappings, "sourceMaps.maps": maps }),
            json!({ "proflens": nested }),
            json!({
                "proflens.hints.enable": false, "proflens.threshold": 2, "proflens.pathMappings": mappings,
                "proflens.sourceMaps.maps": maps,
            }),
            nested,
        ] {
            assert_eq!(Config::read([&given]), (expected.clone(), Vec::new()), "{given}");
        }
    }

    #[test]
    fn later_settings_win() {
        let (config, _) = Config::read(&[
            json!({ "unit": "samples", "threshold": 3 }),
            json!({ "proflens": { "threshold": 4 } }),
        ]);
        assert_eq!(config, Config { unit: Unit::Samples, threshold: Percent(4.0), ..Config::default() });
    }

    #[test]
    fn a_wrong_value_gives_one_problem_and_leaves_its_default() {
        let given = json!({ "unit": "hours", "threshold": 200, "traces": "a", "hints": { "enable": 1 }, "base": "all" });
        let (config, _) = Config::read([&given]);
        assert_eq!(config, Config { base: Base::All, ..Config::default() });
        assert_eq!(
            problems(given),
            [
                "The setting proflens.traces must be a list of texts, and is \"a\".",
                "The setting proflens.hints.enable must be true or false, and is 1.",
                "The setting proflens.unit must be \"time\", \"percent\" or \"samples\", and is \"hours\".",
                "The setting proflens.threshold must be a number from 0 to 100, and is 200.",
            ]
        );
    }

    #[test]
    fn unknown_settings_are_named_and_those_of_the_client_left_alone() {
        let given =
            json!({ "server": { "path": "/x" }, "trace.server": "verbose", "hint": { "enable": false } });
        assert_eq!(problems(given), ["The setting proflens.hint.enable is no setting."]);
    }

    #[test]
    fn every_setting_has_a_schema_that_its_default_fits() {
        let configuration = vscode_configuration();
        let properties = configuration["properties"].as_object().unwrap();
        assert_eq!(properties.len(), all().len());
        let mut given = Map::new();
        for (key, property) in properties {
            assert!(property["markdownDescription"].as_str().unwrap().ends_with('.'), "{key}");
            given.insert(key.clone(), property["default"].clone());
        }
        assert_eq!(Config::read([&given.into()]), (Config::default(), Vec::new()));
    }

    #[test]
    fn a_workspace_that_nobody_trusts_has_no_say_in_what_is_read_or_run() {
        let restricted = [
            "traces",
            "autoLoad",
            "exclude",
            "pathMappings",
            "sourceMaps.enable",
            "sourceMaps.locations",
            "sourceMaps.maps",
            "runnerCaches",
            "server.path",
        ];
        assert_eq!(vscode_restricted(), json!(restricted.map(|it| format!("proflens.{it}"))));
    }

    #[test]
    fn tables_name_every_setting() {
        let (table, help) = (markdown_table(), vimdoc());
        for setting in all() {
            assert!(table.contains(&format!("| `proflens.{}`", setting.key)));
        }
        for setting in of_the_server() {
            assert!(help.contains(&format!("*proflens-{}*", setting.key)));
        }
        assert!(help.lines().all(|line| line.chars().count() <= 78), "{help}");
    }
}
