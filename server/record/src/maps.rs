//! Source maps that are stored next to the scripts on this disk.

use std::fs;

use serde::Deserialize;
use serde::de::IgnoredAny;

use crate::in_memory::file_url;
use crate::regular;

/// The largest maps of bundles have some 100 MB.
const MAX_MAP_BYTES: u64 = 512 << 20;

/// What distinguishes a map from other JSON (<https://tc39.es/ecma426/#sec-source-map-format>): a script may name any file, and a
/// recording is shown to others.
#[derive(Deserialize)]
struct Fields {
    mappings: Option<IgnoredAny>,
    sections: Option<IgnoredAny>,
}

/// The source map next to a script on this disk. It is read now, because the next build writes another one.
pub(crate) fn read_map(script: &str, map_url: &str) -> Option<String> {
    let file =
        file_url(script)?.join(map_url).ok().filter(|url| url.scheme() == "file")?.to_file_path().ok()?;
    // Some builds link their output. A pipe or a device is not a map.
    let text = regular::read(&fs::canonicalize(file).ok()?, MAX_MAP_BYTES).ok()?;
    let fields: Fields = serde_json::from_slice(&text).ok()?;
    fields.mappings.or(fields.sections)?;
    String::from_utf8(text).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_source_map_is_read() {
        let folder = std::env::temp_dir().join(format!("proflens-maps-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let texts = [
            ("plain.map", r#"{"version":3,"sources":[],"mappings":""}"#),
            ("index.map", r#"{"version":3,"sections":[]}"#),
            ("token.json", r#"{"token":"secret"}"#),
            ("list.json", r#"["mappings"]"#),
            ("secret.txt", "secret"),
        ];
        texts.iter().for_each(|(name, text)| fs::write(folder.join(name), text).unwrap());
        let script = folder.join("a.js").to_string_lossy().into_owned();
        let is_read = texts.map(|(name, _)| read_map(&script, name).is_some());
        fs::remove_dir_all(folder).unwrap();
        assert_eq!(is_read, [true, true, false, false, false]);
    }
}
