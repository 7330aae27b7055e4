//! Amounts in the JSON of `report` and `doctor` are named by their unit: `selfNs` for time, `selfBytes` for memory.

use profile::model::Unit;
use serde::Serialize;
use serde_json::Value;

/// Fields that are times whatever was measured.
const TIMES: [&str; 2] = ["durationNs", "intervalNs"];

/// A report whose amounts are named by their unit. Its types have the names for time; where bytes were measured, the
/// ending `Ns` of a field becomes `Bytes`, and `ns` becomes `bytes`.
pub(super) fn named(report: &impl Serialize, unit: Unit) -> Value {
    let report = serde_json::to_value(report).expect("plain structs with string keys always serialize");
    if unit == Unit::Time { report } else { in_bytes(report) }
}

fn in_bytes(value: Value) -> Value {
    match value {
        Value::Array(items) => items.into_iter().map(in_bytes).collect(),
        Value::Object(members) => {
            members.into_iter().map(|(key, value)| (name_in_bytes(key), in_bytes(value))).collect()
        }
        other => other,
    }
}

fn name_in_bytes(key: String) -> String {
    match key.strip_suffix("Ns") {
        _ if TIMES.contains(&&*key) => key,
        Some(name) => format!("{name}Bytes"),
        None if key == "ns" => "bytes".to_owned(),
        None => key,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn amounts_have_the_names_of_their_unit() {
        let answer =
            json!({ "selfNs": 1, "durationNs": 2, "unplaced": [{ "ns": 3, "why": "ns" }], "name": null });
        let in_bytes = json!({ "selfBytes": 1, "durationNs": 2, "unplaced": [{ "bytes": 3, "why": "ns" }], "name": null });
        assert_eq!(named(&answer, Unit::Time), answer);
        assert_eq!(named(&answer, Unit::Bytes), in_bytes);
    }
}
