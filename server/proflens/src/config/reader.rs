//! Reads settings as clients send them, whatever their form. A wrong value gives one problem and leaves the default.

use std::collections::BTreeMap;

use profile::problem::Problem;
use serde_json::Value;

use super::setting::SettingType;

/// What a client sent, flattened. A value is removed when it is read, so that unknown settings remain.
pub(super) struct SettingsReader {
    values: BTreeMap<String, Value>,
    problems: Vec<Problem>,
}

impl SettingsReader {
    /// Reads the values of all settings with these keys; where there are several values, the last one counts. Settings
    /// of `ignored` keys belong to the client.
    pub(super) fn new<'a>(
        given: impl IntoIterator<Item = &'a Value>,
        known: &[&str],
        ignored: &[&str],
    ) -> Self {
        let mut values = BTreeMap::new();
        for given in given {
            let mut flat = Vec::new();
            flatten(given.get("proflens").unwrap_or(given), "", known, &mut flat);
            for (key, value) in flat.into_iter().filter(|(_, value)| !value.is_null()) {
                values.insert(key.strip_prefix("proflens.").unwrap_or(&key).to_owned(), value);
            }
        }
        values.retain(|key, _| !ignored.contains(&key.as_str()));
        Self { values, problems: Vec::new() }
    }

    /// The value of a setting; its default if it is missing or wrong.
    pub(super) fn take<T: SettingType>(&mut self, key: &str, default: T) -> T {
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

    /// Wrong values, and settings that do not exist.
    pub(super) fn problems(mut self) -> Vec<Problem> {
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
        // There are no settings at all.
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
