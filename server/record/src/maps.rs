//! Source maps that are stored next to the scripts on this disk.

use std::fs;
use std::path::Path;

use serde::Deserialize;
use serde::de::IgnoredAny;
use url::Url;

use crate::in_memory::file_url;
use crate::regular;

/// The largest maps of bundles have some 100 MB, and no script is as large as its map.
const MAX_MAP_BYTES: u64 = 512 << 20;

/// What distinguishes a map from other JSON (<https://tc39.es/ecma426/#sec-source-map-format>): a script may name any file, and a
/// recording is shown to others.
#[derive(Deserialize)]
struct Fields {
    mappings: Option<IgnoredAny>,
    sections: Option<IgnoredAny>,
}

/// The source map next to a script on this disk, if it is of the text that ran. It is read now, because the next build writes another one.
pub(crate) fn read_map(script: &str, text: &str, map_url: &str) -> Option<String> {
    let script = file_url(script)?;
    let map_file = script.join(map_url).ok().filter(|url| url.scheme() == "file")?.to_file_path().ok()?;
    let map = read_linked(&map_file)?;
    let fields: Fields = serde_json::from_slice(&map).ok()?;
    fields.mappings.or(fields.sections)?;
    is_on_disk(&script, text).then(|| String::from_utf8(map).ok())?
}

/// Whether the text that ran is the one on this disk, maybe inside a wrapper. A development server runs bundles that it keeps in memory,
/// under the names and with the map comments of files that an earlier build wrote. A script that is not on disk contradicts nothing.
fn is_on_disk(script: &Url, text: &str) -> bool {
    let bytes = script.to_file_path().ok().and_then(|file| read_linked(&file));
    bytes.is_none_or(|bytes| {
        let on_disk = String::from_utf8_lossy(&bytes);
        text.contains(on_disk.trim_start_matches('\u{feff}').trim_end())
    })
}

/// Some builds link their output. A pipe or a device is neither a script nor a map.
fn read_linked(file: &Path) -> Option<Vec<u8>> {
    regular::read(&fs::canonicalize(file).ok()?, MAX_MAP_BYTES).ok()
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
        let is_read = texts.map(|(name, _)| read_map(&script, "", name).is_some());
        fs::remove_dir_all(folder).unwrap();
        assert_eq!(is_read, [true, true, false, false, false]);
    }

    #[test]
    fn a_map_is_of_the_text_on_disk() {
        let folder = std::env::temp_dir().join(format!("proflens-maps-of-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let on_disk = "\u{feff}function a() {}\n//# sourceMappingURL=a.js.map\n";
        fs::write(folder.join("a.js"), on_disk).unwrap();
        fs::write(folder.join("a.js.map"), r#"{"version":3,"sources":[],"mappings":""}"#).unwrap();
        let code = "function a() {}\n//# sourceMappingURL=a.js.map";
        let rows = [
            ("a.js", code.to_owned(), true),
            ("a.js", format!("(function (exports) {{{code}\n}})"), true),
            ("a.js", "function b() {}\n//# sourceMappingURL=a.js.map".to_owned(), false),
            ("gone.js", "function b() {}\n//# sourceMappingURL=a.js.map".to_owned(), true),
        ];
        for (script, text, expected) in rows {
            let url = Url::from_file_path(folder.join(script)).unwrap();
            assert_eq!(read_map(url.as_str(), &text, "a.js.map").is_some(), expected, "{script}: {text}");
        }
        fs::remove_dir_all(folder).unwrap();
    }
}
