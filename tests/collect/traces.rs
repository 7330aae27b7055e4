//! Traces as browsers write them, of any size.

use std::fmt::Write;

/// The smallest trace.
pub(crate) const SMALL: &str = r#"{"frames":[{"name":"work","resourceId":0,"line":1,"column":14}],"resources":["https://shop.example/app.js"],"samples":[{"stackId":0,"timestamp":1},{"stackId":0,"timestamp":11}],"stacks":[{"frameId":0}]}"#;

/// A trace of about this many bytes.
pub(crate) fn trace(bytes: usize) -> String {
    let mut text = String::from(r#"{"frames":["#);
    for number in 0..bytes / 500 {
        let comma = if number == 0 { "" } else { "," };
        let line = number + 1;
        write!(text, r#"{comma}{{"column":14,"line":{line},"name":"function{number}","resourceId":0}}"#)
            .unwrap();
    }
    text.push_str(r#"],"resources":["https://shop.example/app.js"],"samples":["#);
    let functions = (bytes / 500).max(1);
    let mut number = 0;
    while text.len() < bytes * 9 / 10 {
        let comma = if number == 0 { "" } else { "," };
        let stack = number * 7 % functions;
        write!(text, r#"{comma}{{"stackId":{stack},"timestamp":1{number:06}0.300000011920929}}"#).unwrap();
        number += 1;
    }
    text.push_str(r#"],"stacks":[{"frameId":0}"#);
    for number in 1..functions {
        write!(text, r#",{{"frameId":{number},"parentId":{}}}"#, number / 2).unwrap();
    }
    text.push_str("]}");
    text
}

/// A trace in an envelope with a dimension that distinguishes it from all others.
pub(crate) fn numbered(number: u64, trace: &str) -> String {
    format!(r#"{{"dimensions":{{"number":"{number}"}},"trace":{trace}}}"#)
}
