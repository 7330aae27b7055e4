//! The settings, section `proflens`: one list, from which follow the struct, its reader, VS Code's schema and
//! the tables of the documentation.
//!
//! A wrong value costs itself: it gives one problem and leaves the default.

use std::collections::BTreeMap;

use analysis::PathMapping;
use analysis::views::{Base, Unit};
use profile::Problem;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

macro_rules! settings {
    ($($(#[doc = $doc:literal])+ $reach:ident $key:literal $field:ident: $type:ty = $default:expr;)+) => {
        /// What the user wants; made by [`Config::read`].
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
            /// Reads settings as clients give them: nested (`{"hints": {"enable": false}}`), dotted
            /// (`{"hints.enable": false}`), either of them with or without the section's name around.
            /// Where several are given, the later ones win.
            pub fn read<'a>(given: impl IntoIterator<Item = &'a Value>) -> (Self, Vec<Problem>) {
                let mut given = Given::new(given);
                let defaults = Self::default();
                let config = Self { $($field: given.take($key, defaults.$field),)+ };
                (config, given.problems())
            }

            /// Whether two differ in a setting of this reach.
            pub fn differs(&self, other: &Self, reach: Reach) -> bool {
                [$((Reach::$reach, self.$field != other.$field)),+].contains(&(reach, true))
            }
        }

        fn of_the_server() -> Vec<Setting> {
            let defaults = Config::default();
            vec![$(Setting {
                key: $key,
                doc: [$($doc.trim()),+].join(" "),
                default: json!(defaults.$field),
                schema: <$type>::schema(),
                reach: Reach::$reach,
            }),+]
        }
    };
}

settings! {
    /// Globs or paths of the traces to show, relative to a workspace folder or absolute.
    /// A glob also finds files with `.gz` behind it.
    /// The newest match is shown, the others are offered by the command *Select trace*.
    Finds "traces" traces: Vec<String> =
        ["**/*.cpuprofile", "**/*.jsprofile", "**/*.jsprofile.json", ".proflens/**"].map(String::from).into();
    /// Load the newest trace that is found, and follow it when it changes.
    Finds "autoLoad" auto_load: bool = true;
    /// Show an inlay hint at the header of each measured function.
    Shows "hints.enable" hints_enable: bool = true;
    /// The text of hints.
    /// `${self}` and `${total}` are in the unit of `proflens.unit`; there are also `${selfPercent}`,
    /// `${totalPercent}`, `${samples}` and `${rank}` (1 is the function with the most self time).
    Shows "hints.format" hints_format: String = analysis::views::DEFAULT_HINT_FORMAT.to_string();
    /// Show a code lens above each measured function.
    Shows "lens.enable" lens_enable: bool = true;
    /// The text of code lenses, with the same placeholders as `proflens.hints.format`.
    Shows "lens.format" lens_format: String = analysis::views::DEFAULT_LENS_FORMAT.to_string();
    /// What `${self}` and `${total}` show.
    Shows "unit" unit: Unit = Unit::Time;
    /// What 100 % is.
    Shows "base" base: Base = Base::Active;
    /// Percent of the base that a function's total time must reach to get a hint.
    /// Functions with fewer than two samples get none either; the ten hottest of the workspace always get one.
    Shows "threshold" threshold: Percent = Percent(0.5);
    /// Globs of the workspace files that are annotated; all of them when empty.
    Shows "include" include: Vec<String> = Vec::new();
    /// Globs of workspace files that are not annotated. Their functions are booked as dependencies.
    Places "exclude" exclude: Vec<String> = vec!["**/node_modules/**".into()];
    /// Where the scripts of a trace lie in the workspace, when that cannot be found out from their paths:
    /// `from` is the beginning of their URLs or paths, `to` the folder (or file) that it stands for, which may begin
    /// with `${workspaceFolder}`. The longest `from` that fits counts.
    Places "pathMappings" path_mappings: Vec<PathMapping> = Vec::new();
    /// Read source maps, so that costs are shown where functions were written, not in what was built from them.
    Places "sourceMaps.enable" source_maps_enable: bool = true;
    /// Globs of the source maps that may be read, and of the files that hold their own, relative to a workspace
    /// folder; what a glob behind `!` matches is not read. Nothing is ever fetched from a network.
    Places "sourceMaps.locations" source_maps_locations: Vec<String> =
        ["**", "!**/node_modules/**"].map(String::from).into();
    /// Source maps that are not found by themselves: from the generated file to its map, such as
    /// `{ "dist/app.js": "build/maps/app.js.map" }`, both relative to a workspace folder.
    Places "sourceMaps.maps" source_maps_chosen: BTreeMap<String, String> = BTreeMap::new();
}

/// Settings of the editors' side, which the server never reads.
fn of_the_client() -> Vec<Setting> {
    vec![
        Setting {
            key: "server.path",
            doc: "The server to run instead of the one that came with the extension.".into(),
            default: Value::Null,
            schema: json!({ "type": ["string", "null"] }),
            reach: Reach::Runs,
        },
        Setting {
            key: "trace.server",
            doc: "Log what the editor and the server say to each other.".into(),
            default: json!("off"),
            schema: json!({ "type": "string", "enum": ["off", "messages", "verbose"] }),
            reach: Reach::Shows,
        },
    ]
}

/// A number from 0 to 100.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "f64")]
pub struct Percent(
    /// 0..100.
    pub f64,
);

impl TryFrom<f64> for Percent {
    type Error = &'static str;

    fn try_from(percent: f64) -> Result<Self, Self::Error> {
        if (0.0..=100.0).contains(&percent) { Ok(Self(percent)) } else { Err("not between 0 and 100") }
    }
}

/// The `configuration` part of VS Code's `package.json`.
pub fn vscode_configuration() -> Value {
    let property = |(order, setting): (usize, Setting)| {
        let mut property = setting.schema;
        property["markdownDescription"] = setting.doc.into();
        property["default"] = setting.default;
        property["order"] = order.into();
        property["scope"] =
            if setting.reach == Reach::Runs { "machine-overridable" } else { "resource" }.into();
        if setting.key == "trace.server" {
            property["scope"] = "window".into();
        }
        (format!("proflens.{}", setting.key), property)
    };
    let properties: Map<_, _> = all().into_iter().enumerate().map(property).collect();
    json!({ "title": "Proflens", "properties": properties })
}

/// The settings of a workspace that nobody has trusted yet which VS Code must not take over: the list
/// `restrictedConfigurations` of its `package.json`.
pub fn vscode_restricted() -> Value {
    let restricted = all().into_iter().filter(|it| it.reach != Reach::Shows);
    restricted.map(|it| format!("proflens.{}", it.key)).collect()
}

/// A Markdown table of all settings, for `docs/settings.md`.
pub fn markdown_table() -> String {
    let mut table = String::from("| setting | default | what it does |\n| --- | --- | --- |\n");
    for setting in all() {
        let (key, doc) = (setting.key, setting.full_doc().replace('|', "\\|"));
        let mark = if setting.reach == Reach::Shows { "" } else { " †" };
        table += &format!("| `proflens.{key}`{mark} | `{}` | {doc} |\n", setting.default_text());
    }
    table
}

/// The settings as they stand in Vim's help, at most 78 columns wide.
pub fn vimdoc() -> String {
    let mut help = String::new();
    for setting in all().into_iter().filter(|it| it.key != "server.path" && it.key != "trace.server") {
        let tag = format!("*proflens-{}*", setting.key);
        help += &format!("{:<40}{tag:>38}\n", format!("`{}`", setting.key));
        let text = format!("{} Default: `{}`", setting.full_doc(), setting.default_text());
        help += &wrapped(&text, 74).map(|line| format!("    {line}\n")).collect::<String>();
        help.push('\n');
    }
    help
}

/// One setting, as documentation needs it.
struct Setting {
    /// Without the section.
    key: &'static str,
    doc: String,
    default: Value,
    /// JSON schema, without description and default.
    schema: Value,
    reach: Reach,
}

/// How far a setting goes, and with that what is to be done when it changes. An editor takes those that do more than
/// show from the user alone, until the user trusts the workspace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// It changes what is shown of what was read.
    Shows,
    /// It has a say in which traces are found and read.
    Finds,
    /// It has a say in where functions are placed: which files and source maps are read for that.
    Places,
    /// It names a program.
    Runs,
}

impl Setting {
    /// The default as people write it.
    fn default_text(&self) -> String {
        self.default.to_string().replace("\",\"", "\", \"")
    }

    /// The description with the values that an enumeration has.
    fn full_doc(&self) -> String {
        let Some(values) = self.schema["enum"].as_array() else { return self.doc.clone() };
        let texts = self.schema["markdownEnumDescriptions"].as_array();
        let value = |(at, value): (usize, &Value)| match texts.and_then(|it| it[at].as_str()) {
            Some(text) => format!("`{value}`: {text}"),
            None => format!("`{value}`"),
        };
        let values: Vec<_> = values.iter().enumerate().map(value).collect();
        format!("{} {}.", self.doc, values.join("; "))
    }
}

fn all() -> Vec<Setting> {
    of_the_server().into_iter().chain(of_the_client()).collect()
}

/// A type that a setting can have.
trait Kind: DeserializeOwned {
    /// Its JSON schema.
    fn schema() -> Value;
    /// What it must be, for people.
    const EXPECTED: &str;
}

impl Kind for bool {
    fn schema() -> Value {
        json!({ "type": "boolean" })
    }
    const EXPECTED: &str = "true or false";
}

impl Kind for String {
    fn schema() -> Value {
        json!({ "type": "string" })
    }
    const EXPECTED: &str = "a text";
}

impl Kind for Percent {
    fn schema() -> Value {
        json!({ "type": "number", "minimum": 0, "maximum": 100 })
    }
    const EXPECTED: &str = "a number from 0 to 100";
}

impl Kind for Vec<String> {
    fn schema() -> Value {
        json!({ "type": "array", "items": { "type": "string" } })
    }
    const EXPECTED: &str = "a list of texts";
}

impl Kind for Vec<PathMapping> {
    fn schema() -> Value {
        let text = json!({ "type": "string" });
        let item = json!({
            "type": "object", "required": ["from", "to"], "additionalProperties": false,
            "properties": { "from": text, "to": text },
        });
        json!({ "type": "array", "items": item })
    }
    const EXPECTED: &str = "a list of { \"from\": .., \"to\": .. }";
}

impl Kind for BTreeMap<String, String> {
    fn schema() -> Value {
        json!({ "type": "object", "additionalProperties": { "type": "string" } })
    }
    const EXPECTED: &str = "an object of texts";
}

impl Kind for Unit {
    fn schema() -> Value {
        json!({
            "type": "string", "enum": ["time", "percent", "samples"],
            "markdownEnumDescriptions": ["`12.3ms`, or `12.3kB` of a profile of allocations", "percent of the base: `4.6%`", "number of samples: `214`"],
        })
    }
    const EXPECTED: &str = "\"time\", \"percent\" or \"samples\"";
}

impl Kind for Base {
    fn schema() -> Value {
        json!({
            "type": "string", "enum": ["active", "all"],
            "markdownEnumDescriptions": ["all time but idle time", "all time"],
        })
    }
    const EXPECTED: &str = "\"active\" or \"all\"";
}

/// What a client gave, flattened; what was taken is crossed off.
struct Given {
    values: BTreeMap<String, Value>,
    problems: Vec<Problem>,
}

impl Given {
    fn new<'a>(given: impl IntoIterator<Item = &'a Value>) -> Self {
        let known: Vec<_> = all().iter().map(|it| it.key).collect();
        let mut values = BTreeMap::new();
        for given in given {
            let mut flat = Vec::new();
            flatten(given.get("proflens").unwrap_or(given), "", &known, &mut flat);
            let short = |key: String| key.strip_prefix("proflens.").map(str::to_string).unwrap_or(key);
            values.extend(
                flat.into_iter().filter(|it| !it.1.is_null()).map(|(key, value)| (short(key), value)),
            );
        }
        values.retain(|key, _| of_the_client().iter().all(|it| it.key != key));
        Self { values, problems: Vec::new() }
    }

    fn take<T: Kind>(&mut self, key: &str, default: T) -> T {
        let Some(value) = self.values.remove(key) else { return default };
        T::deserialize(&value).unwrap_or_else(|_| {
            self.problem(
                key,
                format!("must be {}, and is {}", T::EXPECTED, shortened(&value)),
                "Its default is used.",
            );
            default
        })
    }

    /// What was wrong, and what was not asked for.
    fn problems(mut self) -> Vec<Problem> {
        for (key, _) in std::mem::take(&mut self.values) {
            self.problem(&key, "is no setting".into(), "Look for a slip of the pen.");
        }
        self.problems
    }

    fn problem(&mut self, key: &str, what: String, hint: &str) {
        let what = format!("The setting proflens.{key} {what}.");
        self.problems.push(Problem { what, place: "settings".into(), hint: hint.into() });
    }
}

fn flatten(value: &Value, path: &str, known: &[&str], values: &mut Vec<(String, Value)>) {
    match value {
        Value::Object(fields) if !known.contains(&path.strip_prefix("proflens.").unwrap_or(path)) => {
            for (key, value) in fields {
                let path = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
                flatten(value, &path, known, values);
            }
        }
        // No settings at all.
        _ if path.is_empty() => (),
        _ => values.push((path.to_string(), value.clone())),
    }
}

fn shortened(value: &Value) -> String {
    let text = value.to_string();
    match text.char_indices().nth(40) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

/// The lines of a text, each as wide as its words allow, for documentation.
pub fn wrapped(text: &str, width: usize) -> impl Iterator<Item = String> {
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        let line = lines.last_mut().expect("there is always a line");
        if !line.is_empty() && line.chars().count() + 1 + word.chars().count() > width {
            lines.push(word.to_string());
        } else {
            *line += if line.is_empty() { "" } else { " " };
            *line += word;
        }
    }
    lines.into_iter()
}

#[cfg(test)]
mod tests {
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
