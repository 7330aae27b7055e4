//! Settings as any client may send them: each value is used or reported, a wrong one leaves its default, and nested and
//! dotted settings are the same.

use std::sync::LazyLock;

use proflens::config::Config;
use proflens::config::docs::vscode_configuration;
use serde_json::{Map, Value, json};

/// The schemas of all settings, the client's too, by their keys without the section.
static SCHEMAS: LazyLock<Vec<(String, Value)>> = LazyLock::new(|| {
    let configuration = vscode_configuration();
    let properties = configuration["properties"].as_object().cloned().unwrap_or_default();
    let short = |key: String| key.trim_start_matches("proflens.").to_owned();
    properties.into_iter().map(|(key, schema)| (short(key), schema)).collect()
});

/// One JSON document a line, as a client sends one after the other.
pub(crate) fn check(bytes: &[u8]) {
    let lines = bytes.split(|it| *it == b'\n');
    let given: Vec<Value> = lines.filter_map(|it| serde_json::from_slice(it).ok()).collect();
    let (config, problems) = Config::read(&given);
    assert_eq!(Config::read(&given), (config.clone(), problems.clone()), "the same settings are read alike");
    for problem in &problems {
        assert!(
            problem.what.starts_with("The setting proflens.") && problem.what.ends_with('.'),
            "{problem:?}"
        );
        assert!(!problem.hint.is_empty(), "{problem:?} says what to do");
    }
    let wrapped: Vec<Value> = given.iter().map(|it| json!({ "proflens": it })).collect();
    if given.iter().all(|it| it.get("proflens").is_none()) {
        assert_eq!(Config::read(&wrapped), (config, problems), "the section around it changes nothing");
    }
    let Some(value) = given.into_iter().next() else { return };
    for (key, schema) in SCHEMAS.iter() {
        one(key, schema, &value);
    }
}

/// Settings of VS Code's extension, which the server never reads.
const OF_THE_CLIENT: [&str; 5] =
    ["server.path", "trace.server", "heat.overviewRuler", "heat.gutter", "explorer.badges"];

/// Any value for one setting.
fn one(key: &str, schema: &Value, value: &Value) {
    let dotted = json!({ key: value });
    let (config, problems) = Config::read(std::slice::from_ref(&dotted));
    assert!(problems.len() <= 1 || value.is_object(), "one value gives one problem: {problems:?}");
    if !problems.is_empty() {
        assert_eq!(config, Config::default(), "{dotted} is wrong and leaves its default");
    }
    // What a schema refuses is reported.
    let is_ours = !OF_THE_CLIENT.contains(&key);
    let kind = match value {
        Value::Null => return,
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    };
    let is_of_type = |it: &Value| *it == kind || it.as_array().is_some_and(|it| it.contains(&kind.into()));
    if is_ours && !is_of_type(&schema["type"]) && *value != json!({}) {
        assert!(!problems.is_empty(), "{dotted} is of another type");
    }
    let nested =
        key.rsplit('.').fold(value.clone(), |value, part| Map::from_iter([(part.to_owned(), value)]).into());
    let (nested, also) = Config::read(&[nested]);
    assert_eq!((nested, also), (config, problems), "nested and dotted are the same");
}
