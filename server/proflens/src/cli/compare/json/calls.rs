//! The calls of a function on both sides, in the comparison as JSON.

use compare::calls::{CallsChange, Cause};
use compare::change::{Change, FunctionChange};
use profile::model::Unit;
use serde::{Serialize, Serializer};

use crate::cli::amounts::InUnit;

/// How often a function was called on both sides, in runs that were counted, and what a call cost.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct JsonCalls {
    /// The calls of a mean run before; `null` where it was not counted.
    #[serde(serialize_with = "whole_if_it_is")]
    before: Option<f64>,
    /// The calls of a mean run after; `null` where it was not counted.
    #[serde(serialize_with = "whole_if_it_is")]
    after: Option<f64>,
    /// After divided by before; `null` where one of them is not known or 0.
    ratio: Option<f64>,
    /// What a call cost itself.
    #[serde(rename = "self")]
    self_cost: JsonCall,
    /// What a call cost with all that it called.
    total: JsonCall,
    /// Why the time that says most changed: `more-calls`, `fewer-calls`, `costlier-calls`, `cheaper-calls`; empty where that did not change, is
    /// not known, or times are divided by calls.
    causes: Vec<Cause>,
}

/// What a call cost: the time of a mean run divided by its calls.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct JsonCall {
    /// The mean before, with fractions; `null` where it is not known.
    #[serde(flatten)]
    before_ns: InUnit<Option<f64>>,
    /// The mean after.
    #[serde(flatten)]
    after_ns: InUnit<Option<f64>>,
    /// After divided by before; `null` where one of them is not known or 0.
    ratio: Option<f64>,
    /// In which the true ratio lies with 95 % probability; `null` where nothing is known of that.
    ratio_interval: Option<[f64; 2]>,
}

/// The calls of a function, if calls were counted.
pub(super) fn json_calls(function: &FunctionChange, unit: Unit) -> Option<JsonCalls> {
    let calls = function.calls.as_ref()?;
    let [before, after] = calls.calls;
    Some(JsonCalls {
        before,
        after,
        ratio: calls.ratio(),
        self_cost: a_call(calls, &function.self_time, unit),
        total: a_call(calls, &function.total_time, unit),
        causes: function.causes(function.shown()),
    })
}

fn a_call(calls: &CallsChange, change: &Change, unit: Unit) -> JsonCall {
    let [before, after] = calls.of_a_call([change.before, change.after]);
    let interval = change.effect.and_then(|effect| effect.interval);
    JsonCall {
        before_ns: InUnit::new("before", unit, before),
        after_ns: InUnit::new("after", unit, after),
        ratio: change.ratio().and_then(|ratio| calls.ratio_of_a_call(ratio)),
        ratio_interval: interval
            .and_then(|[low, high]| Some([calls.ratio_of_a_call(low)?, calls.ratio_of_a_call(high)?])),
    }
}

/// A mean of calls is a whole number where all runs have the same, and written as one.
fn whole_if_it_is<S: Serializer>(calls: &Option<f64>, serializer: S) -> Result<S::Ok, S::Error> {
    match calls {
        Some(calls) if calls.fract() == 0.0 => serializer.serialize_some(&(*calls as u64)),
        calls => calls.serialize(serializer),
    }
}
