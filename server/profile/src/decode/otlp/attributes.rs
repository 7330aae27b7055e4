//! OTLP attributes in protobuf: keys and values. Only values that are a single text or number are kept.
//!
//! <https://github.com/open-telemetry/opentelemetry-proto/blob/main/opentelemetry/proto/common/v1/common.proto>.

use super::tables::{AttributeKey, AttributeValue, index};
use crate::decode::error::Result;
use crate::decode::protobuf::Value;

/// A `KeyValue`.
pub(super) fn key_and_value(message: &Value) -> Result<(AttributeKey, AttributeValue)> {
    let (mut key, mut known) = (AttributeKey::default(), AttributeValue::None);
    message.fields(|field, inner| {
        match field {
            1 => key.text = inner.text(),
            2 => known = value(&inner)?,
            3 => key.index = index(inner.number()),
            _ => {}
        }
        Ok(())
    })?;
    Ok((key, known))
}

/// An `AnyValue`.
pub(super) fn value(message: &Value) -> Result<AttributeValue> {
    let mut known = AttributeValue::None;
    message.fields(|field, inner| {
        known = match field {
            1 => AttributeValue::Text(inner.text()),
            2 => AttributeValue::Text((inner.number() != 0).to_string()),
            3 => AttributeValue::Text((inner.number() as i64).to_string()),
            4 => AttributeValue::Text(f64::from_bits(inner.number()).to_string()),
            8 => AttributeValue::Index(index(inner.number())),
            _ => AttributeValue::None,
        };
        Ok(())
    })?;
    Ok(known)
}
