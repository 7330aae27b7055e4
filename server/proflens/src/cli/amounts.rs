//! Amounts in JSON, under names that include their unit: `selfNs` for time, `selfBytes` for memory.

use profile::model::{Amount, Unit};
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

/// A value in a unit under its name, to be flattened into an object.
#[derive(Clone, Copy)]
pub(super) struct InUnit<T> {
    name: &'static str,
    unit: Unit,
    value: T,
}

impl<T> InUnit<T> {
    /// Creates a value; `name` is the part of its name before the unit, such as `self`, or empty if it is named by its unit alone.
    pub(super) fn new(name: &'static str, unit: Unit, value: T) -> Self {
        Self { name, unit, value }
    }
}

/// An amount; `name` is the part of its name before the unit.
pub(super) fn named(name: &'static str, unit: Unit, amount: Amount) -> InUnit<u64> {
    InUnit::new(name, unit, amount.0)
}

impl<T: Serialize> Serialize for InUnit<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let [ending, alone] = match self.unit {
            Unit::Time => ["Ns", "ns"],
            Unit::Bytes => ["Bytes", "bytes"],
        };
        let name = if self.name.is_empty() { alone.to_owned() } else { format!("{}{ending}", self.name) };
        let mut object = serializer.serialize_map(Some(1))?;
        object.serialize_entry(&name, &self.value)?;
        object.end()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn amounts_have_the_names_of_their_unit() {
        #[derive(Serialize)]
        struct Row {
            why: &'static str,
            #[serde(flatten)]
            own: InUnit<u64>,
            #[serde(flatten)]
            interval: InUnit<Option<[u64; 2]>>,
            #[serde(flatten, skip_serializing_if = "Option::is_none")]
            without_line: Option<InUnit<u64>>,
        }
        let row = |unit| Row {
            why: "ns",
            own: named("", unit, Amount(1)),
            interval: InUnit::new("interval", unit, None),
            without_line: None,
        };
        let shown = [Unit::Time, Unit::Bytes].map(|unit| json!(row(unit)));
        let expected = [
            json!({ "why": "ns", "ns": 1, "intervalNs": null }),
            json!({ "why": "ns", "bytes": 1, "intervalBytes": null }),
        ];
        assert_eq!(shown, expected);
    }
}
