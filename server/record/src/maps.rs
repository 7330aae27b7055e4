//! Source maps that lie beside the scripts on this disk.

use std::fs;

use url::Url;

/// The source map beside a script on this disk. It is read now, as the next build writes another one.
pub(crate) fn read_map(script: &str, map_url: &str) -> Option<String> {
    let base = match Url::parse(script) {
        Ok(url) if url.scheme() == "file" => url,
        _ => Url::from_file_path(script).ok()?,
    };
    let file = base.join(map_url).ok().filter(|it| it.scheme() == "file")?.to_file_path().ok()?;
    let text = fs::read_to_string(file).ok()?;
    serde_json::from_str::<serde::de::IgnoredAny>(&text).is_ok().then_some(text)
}
