//! What the debug configurations of `.vscode/launch.json` say about where files are.
//!
//! People who debug their bundles have already configured VS Code for it, so Proflens reads that. The rules are those of
//! VS Code's JavaScript debugger; of the debugger for Firefox `pathMappings` are read too.

use std::fmt;
use std::hash::Hash;

use rustc_hash::{FxHashMap, FxHashSet};
use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, Visitor};

use super::mapping::PathMapping;
use super::settings::LocateSettings;
use crate::FilePath;
use crate::files::has_drive;

/// What the configurations of a `launch.json` say.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Launch {
    /// `remoteRoot` and `localRoot`, and Firefox' `pathMappings`.
    pub mappings: Vec<PathMapping>,
    /// `webRoot` and `pathMapping`: paths of servers, and their folders.
    pub served: Vec<PathMapping>,
    /// `sourceMapPathOverrides`, those of each configuration together, in their order.
    pub overrides: Vec<Vec<(String, String)>>,
}

/// Why a `launch.json` cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LaunchError {
    reason: String,
}

impl fmt::Display for LaunchError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "launch.json is not valid: {}", self.reason)
    }
}

impl std::error::Error for LaunchError {}

impl Launch {
    /// Reads the text of the `launch.json` of a workspace folder; it may have comments and trailing commas. Values with
    /// variables that only a debugger knows (`${env:X}`, `${file}`) are left out.
    ///
    /// # Errors
    /// If the text is no JSON, even without comments, or `configurations` are no objects.
    pub fn read(text: &str, folder: &FilePath) -> Result<Launch, LaunchError> {
        let text = without_comments(text.strip_prefix('\u{FEFF}').unwrap_or(text));
        let file: LaunchFile =
            serde_json::from_str(&text).map_err(|error| LaunchError { reason: error.to_string() })?;
        let mut launch = Launch::default();
        for configuration in &file.configurations {
            launch.add(configuration, folder);
        }
        keep_first(&mut launch.mappings);
        keep_first(&mut launch.served);
        keep_first(&mut launch.overrides);
        Ok(launch)
    }

    /// Adds all of it to settings, after what they have: the user's own mappings come first. If several configurations
    /// map the same remote folder, such as `/app` of two containers, none of these mappings counts.
    pub fn add_to(&self, settings: &mut LocateSettings) {
        let mut folders: FxHashMap<&str, usize> = FxHashMap::default();
        self.mappings.iter().for_each(|it| *folders.entry(&it.from).or_default() += 1);
        let is_only = |it: &&PathMapping| folders[it.from.as_str()] == 1;
        settings.mappings.extend(self.mappings.iter().filter(is_only).cloned());
        settings.served.extend(self.served.iter().cloned());
        settings.overrides.extend(self.overrides.iter().cloned());
    }

    /// Adds what one configuration says.
    fn add(&mut self, configuration: &Configuration, folder: &FilePath) {
        let web_root = configuration.web_root.as_deref().and_then(|it| absolute(it, folder, None));
        let path = |text: &str| absolute(text, folder, web_root.as_ref());
        if let (Some(local), Some(remote)) = (&configuration.local_root, &configuration.remote_root) {
            let mapping = path(local).map(|to| PathMapping { from: remote.clone(), to: to.to_string() });
            self.mappings.extend(mapping);
        }
        for FirefoxMapping { url, path: to } in &configuration.path_mappings {
            let to = to.as_deref().and_then(path);
            let mapping = url.clone().zip(to).map(|(from, to)| PathMapping { from, to: to.to_string() });
            self.mappings.extend(mapping);
        }

        let root = web_root.iter().map(|root| PathMapping { from: "/".to_owned(), to: root.to_string() });
        let named = configuration.path_mapping.0.iter().filter(|(from, _)| !from.is_empty());
        let named = named.filter_map(|(from, to)| {
            let from = if from.starts_with('/') { from.clone() } else { format!("/{from}") };
            Some(PathMapping { from, to: path(to)?.to_string() })
        });
        self.served.extend(named);
        // An explicit `/` takes precedence over the one that `webRoot` implies.
        self.served.extend(
            root.filter(|root| !configuration.path_mapping.0.iter().any(|(from, _)| *from == root.from)),
        );

        let overrides = configuration.overrides.0.iter();
        let overrides = overrides.filter_map(|(from, to)| {
            Some((from.clone(), with_variables(to, folder, web_root.as_ref().or(Some(folder)))?))
        });
        let overrides: Vec<_> = overrides.collect();
        if !overrides.is_empty() {
            self.overrides.push(overrides);
        }
    }
}

/// Keeps only the first of equal elements.
fn keep_first<T: Clone + Eq + Hash>(all: &mut Vec<T>) {
    let mut seen = FxHashSet::default();
    all.retain(|it| seen.insert(it.clone()));
}

/// A path of a configuration; those that are not absolute count from the workspace folder.
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

#[derive(serde::Deserialize)]
struct LaunchFile {
    #[serde(default)]
    configurations: Vec<Configuration>,
}

/// The fields that are used; a field of the wrong type counts as absent.
#[derive(Default, serde::Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Configuration {
    #[serde(deserialize_with = "if_text")]
    web_root: Option<String>,
    #[serde(deserialize_with = "if_text")]
    local_root: Option<String>,
    #[serde(deserialize_with = "if_text")]
    remote_root: Option<String>,
    path_mapping: StringEntries,
    #[serde(rename = "sourceMapPathOverrides")]
    overrides: StringEntries,
    path_mappings: Vec<FirefoxMapping>,
}

/// An entry of Firefox' `pathMappings`.
#[derive(serde::Deserialize)]
struct FirefoxMapping {
    #[serde(default, deserialize_with = "if_text")]
    url: Option<String>,
    #[serde(default, deserialize_with = "if_text")]
    path: Option<String>,
}

/// The string entries of an object in their order, which decides between patterns of equal length.
#[derive(Default)]
struct StringEntries(Vec<(String, String)>);

/// A string, or a value that is ignored.
#[derive(serde::Deserialize)]
#[serde(untagged)]
enum StringOrOther {
    Text(String),
    Other(IgnoredAny),
}

fn if_text<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    Ok(match StringOrOther::deserialize(deserializer)? {
        StringOrOther::Text(text) => Some(text),
        StringOrOther::Other(_) => None,
    })
}

impl<'de> Deserialize<'de> for StringEntries {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Object;
        impl<'de> Visitor<'de> for Object {
            type Value = StringEntries;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object of texts")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<StringEntries, A::Error> {
                let mut pairs = Vec::new();
                while let Some((key, value)) = map.next_entry::<String, StringOrOther>()? {
                    if let StringOrOther::Text(value) = value {
                        pairs.push((key, value));
                    }
                }
                Ok(StringEntries(pairs))
            }
        }
        deserializer.deserialize_map(Object)
    }
}

/// Blanks out comments, and commas before a closing bracket; positions stay.
fn without_comments(text: &str) -> String {
    let mut bytes = text.as_bytes().to_vec();
    let (mut at, mut comma) = (0, None);
    while at < bytes.len() {
        let end = match (bytes[at], bytes.get(at + 1)) {
            (b'"', _) => {
                comma = None;
                end_of_string(&bytes, at)
            }
            (b'/', Some(b'/')) => blank(&mut bytes, at, |rest| rest.iter().position(|it| *it == b'\n')),
            (b'/', Some(b'*')) => {
                blank(&mut bytes, at, |rest| Some(2 + rest[2..].windows(2).position(|it| it == b"*/")? + 2))
            }
            (b',', _) => {
                comma = Some(at);
                at + 1
            }
            (b']' | b'}', _) => {
                if let Some(comma) = comma.take() {
                    bytes[comma] = b' ';
                }
                at + 1
            }
            (byte, _) => {
                if !byte.is_ascii_whitespace() {
                    comma = None;
                }
                at + 1
            }
        };
        at = end;
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// The offset after the JSON string that starts at `start`.
fn end_of_string(bytes: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    while at < bytes.len() && bytes[at] != b'"' {
        at += if bytes[at] == b'\\' { 2 } else { 1 };
    }
    at + 1
}

/// Blanks out what starts at `start` and has the `length`, or the rest of the text; returns the offset after it.
fn blank(bytes: &mut [u8], start: usize, length: impl Fn(&[u8]) -> Option<usize>) -> usize {
    let end = length(&bytes[start..]).map_or(bytes.len(), |length| start + length);
    bytes[start..end].iter_mut().filter(|it| !matches!(it, b'\n' | b'\r')).for_each(|it| *it = b' ');
    end
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One line for each thing that is said.
    fn said(text: &str) -> String {
        let launch = match Launch::read(text, &FilePath::new("/ws")) {
            Ok(launch) => launch,
            Err(error) => return error.to_string(),
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
        assert_eq!(
            said("{ /* open"),
            "launch.json is not valid: EOF while parsing an object at line 1 column 9"
        );
        assert_eq!(said("\u{FEFF}{\"configurations\": []}"), "");
        assert_eq!(
            said("{\"a\": \"\\"),
            "launch.json is not valid: EOF while parsing a string at line 1 column 8"
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
