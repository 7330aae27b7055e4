//! Source maps that lie beside the scripts on this disk.

use std::fs;

use serde::Deserialize;
use serde::de::IgnoredAny;
use url::Url;

use crate::regular;

/// The largest maps of bundles have some 100 MB.
const MAX_MAP_BYTES: u64 = 512 << 20;

/// What tells a map from other JSON (<https://tc39.es/ecma426/#sec-source-map-format>): a script may name any file, and a recording
/// is shown to others.
#[derive(Deserialize)]
struct Fields {
    mappings: Option<IgnoredAny>,
    sections: Option<IgnoredAny>,
}

/// The source map beside a script on this disk. It is read now, as the next build writes another one.
pub(crate) fn read_map(script: &str, map_url: &str) -> Option<String> {
    let base = match Url::parse(script) {
        Ok(url) if url.scheme() == "file" => url,
        _ => Url::from_file_path(script).ok()?,
    };
    let file = base.join(map_url).ok().filter(|url| url.scheme() == "file")?.to_file_path().ok()?;
    // Some builds link what they made. A pipe or a device is no map.
    let text = regular::read(&fs::canonicalize(file).ok()?, MAX_MAP_BYTES).ok()?;
    let fields: Fields = serde_json::from_slice(&text).ok()?;
    fields.mappings.or(fields.sections)?;
    String::from_utf8(text).ok()
}
