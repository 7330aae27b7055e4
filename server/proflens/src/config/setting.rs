//! What one setting is: its type, its default, and what has to be done when it changes.

use std::collections::BTreeMap;

use analysis::files::Runner;
use analysis::locate::PathMapping;
use analysis::summary::Base;
use analysis::views::Unit;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// One setting, as documentation needs it.
pub(super) struct Setting {
    /// Without the section.
    pub(super) key: &'static str,
    pub(super) doc: String,
    pub(super) default: Value,
    /// JSON schema, without description and default.
    pub(super) schema: Value,
    pub(super) effect: Effect,
}

/// What a setting affects, and so what has to be done when it changes. Until the user trusts a workspace, an editor
/// takes those that do more than show things from the user's own settings only.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// It changes how the results are shown.
    Shows,
    /// It decides which traces are found and read.
    Finds,
    /// It decides where functions are placed: which files and source maps are read for that.
    Places,
    /// It names a program.
    Runs,
}

impl Setting {
    /// The default as users would write it.
    pub(super) fn default_text(&self) -> String {
        self.default.to_string().replace("\",\"", "\", \"")
    }

    /// The description with the values that an enumeration has.
    pub(super) fn full_doc(&self) -> String {
        let Some(values) = self.schema["enum"].as_array() else { return self.doc.clone() };
        let texts = self.schema["markdownEnumDescriptions"].as_array();
        let mut described = Vec::new();
        for (at, value) in values.iter().enumerate() {
            let text = texts.and_then(|texts| texts[at].as_str());
            described.push(format!("`{value}`{}", text.map(|text| format!(": {text}")).unwrap_or_default()));
        }
        format!("{} {}.", self.doc, described.join("; "))
    }
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

/// A type that a setting can have.
pub(super) trait SettingType: DeserializeOwned {
    /// Its JSON schema.
    fn schema() -> Value;
    /// What a value must be, in words for users.
    const EXPECTED: &str;
}

impl SettingType for bool {
    fn schema() -> Value {
        json!({ "type": "boolean" })
    }
    const EXPECTED: &str = "true or false";
}

impl SettingType for Option<bool> {
    fn schema() -> Value {
        json!({ "type": ["boolean", "null"] })
    }
    const EXPECTED: &str = "true, false or null";
}

impl SettingType for String {
    fn schema() -> Value {
        json!({ "type": "string" })
    }
    const EXPECTED: &str = "a text";
}

impl SettingType for Percent {
    fn schema() -> Value {
        json!({ "type": "number", "minimum": 0, "maximum": 100 })
    }
    const EXPECTED: &str = "a number from 0 to 100";
}

impl SettingType for Vec<String> {
    fn schema() -> Value {
        json!({ "type": "array", "items": { "type": "string" } })
    }
    const EXPECTED: &str = "a list of texts";
}

impl SettingType for Vec<PathMapping> {
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

impl SettingType for Vec<Runner> {
    fn schema() -> Value {
        json!({ "type": "array", "items": { "type": "string", "enum": Runner::ALL }, "uniqueItems": true })
    }
    const EXPECTED: &str = "a list of \"tsx\", \"jest\" and \"babel\"";
}

impl SettingType for BTreeMap<String, String> {
    fn schema() -> Value {
        json!({ "type": "object", "additionalProperties": { "type": "string" } })
    }
    const EXPECTED: &str = "an object of texts";
}

impl SettingType for Unit {
    fn schema() -> Value {
        json!({
            "type": "string", "enum": ["time", "percent", "samples"],
            "markdownEnumDescriptions": ["`12.3ms`, or `12.3kB` of a profile of allocations", "percent of the base: `4.6%`", "number of samples: `214`"],
        })
    }
    const EXPECTED: &str = "\"time\", \"percent\" or \"samples\"";
}

impl SettingType for Base {
    fn schema() -> Value {
        json!({
            "type": "string", "enum": ["active", "all"],
            "markdownEnumDescriptions": ["all time but idle time", "all time"],
        })
    }
    const EXPECTED: &str = "\"active\" or \"all\"";
}
