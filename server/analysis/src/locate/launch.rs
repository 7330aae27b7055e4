//! Reads what the debug configurations of `.vscode/launch.json` say about where files are.
//!
//! People who debug their bundles have already configured VS Code for it, so Proflens reads that. The rules are those of
//! VS Code's JavaScript debugger; the `pathMappings` of the Firefox debugger are read too.

use std::hash::Hash;

use jsonc_parser::ast::{Object, Value};
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};
use profile::problem::Problem;
use rustc_hash::{FxHashMap, FxHashSet};

use super::mapping::PathMapping;
use super::settings::LocateSettings;
use crate::files::{FilePath, has_drive};

/// What the configurations of a `launch.json` say.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Launch {
    /// `remoteRoot` and `localRoot`, and Firefox' `pathMappings`.
    pub mappings: Vec<PathMapping>,
    /// `webRoot` and `pathMapping`: paths of servers, and their folders.
    pub served: Vec<PathMapping>,
    /// `sourceMapPathOverrides`, one list per configuration, in order.
    pub overrides: Vec<Vec<(String, String)>>,
}

/// JSON with comments and trailing commas, as VS Code reads it; the other options are for JSON5.
const SYNTAX: ParseOptions = ParseOptions {
    allow_comments: true,
    allow_trailing_commas: true,
    allow_loose_object_property_names: false,
    allow_missing_commas: false,
    allow_single_quoted_strings: false,
    allow_hexadecimal_numbers: false,
    allow_unary_plus_numbers: false,
    allow_bare_decimal_point_numbers: false,
    allow_non_finite_numbers: false,
    allow_extended_string_escapes: false,
};

/// Says why a `launch.json` cannot be read.
fn invalid(reason: &str) -> Problem {
    Problem::new(format!("launch.json is not valid: {reason}"), "")
}

impl Launch {
    /// Reads the `launch.json` of a workspace folder; it may have comments and trailing commas. Values are left out if
    /// they have variables that only a debugger knows (`${env:X}`, `${file}`), or another type than in VS Code.
    ///
    /// # Errors
    /// If the text is not JSON, even without comments, is nested more than 512 levels deep, or `configurations` are not objects.
    pub fn read(text: &str, folder: &FilePath) -> Result<Launch, Problem> {
        let text = text.strip_prefix('\u{FEFF}').unwrap_or(text);
        let parsed = parse_to_ast(text, &CollectOptions::default(), &SYNTAX)
            .map_err(|error| invalid(&error.to_string()))?;
        let file =
            parsed.value.as_ref().and_then(Value::as_object).ok_or_else(|| invalid("it is no object"))?;
        let configurations = match file.get("configurations") {
            Some(given) => {
                objects(&given.value).ok_or_else(|| invalid("`configurations` is no list of objects"))?
            }
            None => Vec::new(),
        };
        let mut launch = Launch::default();
        for configuration in configurations {
            launch.add(configuration, folder);
        }
        keep_first(&mut launch.mappings);
        keep_first(&mut launch.served);
        keep_first(&mut launch.overrides);
        Ok(launch)
    }

    /// Adds everything to settings, after their own entries: the user's own mappings come first. If several
    /// configurations map the same remote folder, such as `/app` of two containers, none of these mappings counts.
    pub fn add_to(&self, settings: &mut LocateSettings) {
        let mut folders: FxHashMap<&str, usize> = FxHashMap::default();
        self.mappings.iter().for_each(|it| *folders.entry(&it.from).or_default() += 1);
        settings.mappings.extend(self.mappings.iter().filter(|it| folders[it.from.as_str()] == 1).cloned());
        settings.served.extend(self.served.iter().cloned());
        settings.overrides.extend(self.overrides.iter().cloned());
    }

    /// Adds what one configuration says.
    fn add(&mut self, configuration: &Object<'_>, folder: &FilePath) {
        let web_root = text(configuration, "webRoot").and_then(|root| absolute(root, folder, None));
        let mapping = |from: &str, to: &str| {
            let to = absolute(to, folder, web_root.as_ref())?.to_string();
            Some(PathMapping { from: from.to_owned(), to })
        };
        if let (Some(remote), Some(local)) =
            (text(configuration, "remoteRoot"), text(configuration, "localRoot"))
        {
            self.mappings.extend(mapping(remote, local));
        }
        let of_firefox = configuration.get("pathMappings").and_then(|given| objects(&given.value));
        for of_firefox in of_firefox.unwrap_or_default() {
            if let (Some(url), Some(to)) = (text(of_firefox, "url"), text(of_firefox, "path")) {
                self.mappings.extend(mapping(url, to));
            }
        }

        let named = texts(configuration, "pathMapping");
        for (from, to) in named.iter().filter(|(from, _)| !from.is_empty()) {
            let slash = if from.starts_with('/') { "" } else { "/" };
            self.served.extend(mapping(&format!("{slash}{from}"), to));
        }
        // An explicit `/` takes precedence over the one that `webRoot` implies.
        if let Some(root) = web_root.as_ref().filter(|_| named.iter().all(|(from, _)| *from != "/")) {
            self.served.push(PathMapping { from: "/".to_owned(), to: root.to_string() });
        }

        let root = web_root.as_ref().unwrap_or(folder);
        let overrides: Vec<(String, String)> = texts(configuration, "sourceMapPathOverrides")
            .into_iter()
            .filter_map(|(from, to)| Some((from.to_owned(), with_variables(to, folder, Some(root))?)))
            .collect();
        if !overrides.is_empty() {
            self.overrides.push(overrides);
        }
    }
}

/// A string value of an object.
fn text<'a>(object: &'a Object<'_>, name: &str) -> Option<&'a str> {
    object.get_string(name).map(|value| &*value.value)
}

/// The string values of an object in an object, with their names. Their order decides between patterns of equal length.
fn texts<'a>(object: &'a Object<'_>, name: &str) -> Vec<(&'a str, &'a str)> {
    let Some(inner) = object.get_object(name) else { return Vec::new() };
    let entries = inner.properties.iter();
    entries.filter_map(|it| Some((it.name.as_str(), &*it.value.as_string_lit()?.value))).collect()
}

/// The objects of a list that contains nothing else.
fn objects<'a, 'text>(value: &'a Value<'text>) -> Option<Vec<&'a Object<'text>>> {
    value.as_array()?.elements.iter().map(Value::as_object).collect()
}

/// Keeps only the first of equal elements.
fn keep_first<T: Clone + Eq + Hash>(all: &mut Vec<T>) {
    let mut seen = FxHashSet::default();
    all.retain(|it| seen.insert(it.clone()));
}

/// A path of a configuration, resolved against the workspace folder if it is relative.
fn absolute(text: &str, folder: &FilePath, web_root: Option<&FilePath>) -> Option<FilePath> {
    let text = with_variables(text, folder, web_root)?;
    let is_absolute = text.starts_with(['/', '\\']) || has_drive(&text);
    Some(if is_absolute { FilePath::new(&text) } else { FilePath::new(&format!("{folder}/{text}")) })
}

/// Fills in the variables for folders; `None` if there are others.
fn with_variables(text: &str, folder: &FilePath, web_root: Option<&FilePath>) -> Option<String> {
    let mut result = String::new();
    let mut rest = text;
    while let Some(at) = rest.find("${") {
        let end = at + rest[at..].find('}')?;
        let value = match &rest[at + 2..end] {
            "workspaceFolder" | "workspaceRoot" | "cwd" => folder,
            "webRoot" => web_root?,
            _ => return None,
        };
        result.extend([&rest[..at], value.as_str()]);
        rest = &rest[end + 1..];
    }
    Some(result + rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One line for each thing that the configurations say.
    fn said(text: &str) -> String {
        let launch = match Launch::read(text, &FilePath::new("/ws")) {
            Ok(launch) => launch,
            Err(problem) => return problem.what,
        };
        let mut lines = Vec::new();
        lines.extend(launch.mappings.iter().map(|it| format!("{} is {}", it.from, it.to)));
        lines.extend(launch.served.iter().map(|it| format!("{} of servers is {}", it.from, it.to)));
        for (number, overrides) in launch.overrides.iter().enumerate() {
            lines.extend(overrides.iter().map(|(from, to)| format!("{number}: {from} -> {to}")));
        }
        lines.join("\n")
    }

    #[test]
    fn configurations() {
        let text = r#"{
            // Comments, as the editor's own template has them
            "version": "0.2.0", /* and such */
            "configurations": [
                {
                    "type": "node", "request": "attach",
                    "localRoot": "${workspaceFolder}/server", "remoteRoot": "/app",
                    "sourceMapPathOverrides": {
                        "webpack:///./*": "${workspaceFolder}/web/*", // a // in "text"
                        "webpack://?:*/*": "${webRoot}/*",
                        "x": 1,
                    },
                },
                {
                    "type": "chrome", "url": "http://localhost:3000",
                    "webRoot": "${workspaceRoot}/client/dist",
                    "pathMapping": { "/static": "client/public", "img": "${webRoot}/img" },
                    "sourceMapPathOverrides": { "a/*": "${webRoot}/*" },
                },
                { "type": "chrome", "webRoot": "/other", "pathMapping": { "/": "C:\\ws" } },
                { "type": "firefox", "pathMappings": [
                    { "url": "webpack:///src", "path": "${workspaceFolder}/src" },
                    { "url": "http://h/x", "path": null }
                ] },
                { "localRoot": "${env:HOME}/x", "remoteRoot": "/x" },
                { "localRoot": "/only" },
                { "webRoot": 1, "cwd": [] },
            ],
        }"#;
        assert_eq!(
            said(text),
            "/app is /ws/server\n\
             webpack:///src is /ws/src\n\
             /static of servers is /ws/client/public\n\
             /img of servers is /ws/client/dist/img\n\
             / of servers is /ws/client/dist\n\
             / of servers is C:/ws\n\
             0: webpack:///./* -> /ws/web/*\n\
             0: webpack://?:*/* -> /ws/*\n\
             1: a/* -> /ws/client/dist/*"
        );
    }

    #[test]
    fn other_texts() {
        assert_eq!(said("{}"), "");
        assert_eq!(said("[]"), "launch.json is not valid: it is no object");
        assert_eq!(
            said("{\"configurations\": [1]}"),
            "launch.json is not valid: `configurations` is no list of objects"
        );
        assert_eq!(
            said("{ /* open"),
            "launch.json is not valid: Unterminated comment block on line 1 column 3"
        );
        assert_eq!(said("\u{FEFF}{\"configurations\": []}"), "");
        assert_eq!(
            said("{\"a\": \"\\"),
            "launch.json is not valid: Unterminated string literal on line 1 column 7"
        );
    }

    #[test]
    fn settings_of_the_user_come_first() {
        let mapping = |from: &str, to: &str| PathMapping { from: from.into(), to: to.into() };
        let said = vec![mapping("/app", "/ws/a"), mapping("/b", "/ws"), mapping("/app", "/ws/b")];
        let launch = Launch { mappings: said, ..Launch::default() };
        let mut settings = LocateSettings {
            mappings: [mapping("/a", "/ws")].into_iter().collect(),
            ..LocateSettings::default()
        };
        launch.add_to(&mut settings);
        let mappings: Vec<_> = settings.mappings.iter().cloned().collect();
        assert_eq!(mappings, [mapping("/a", "/ws"), mapping("/b", "/ws")]);
    }
}
