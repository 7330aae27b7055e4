//! Makes a recording from the folder of another version look as if it had run in this one. Paths below the two folders
//! are the same, and code that looks for files that were moved between the versions, or for their texts in the history,
//! looks below this folder.

use std::path::Path;

use url::Url;

use crate::parts::Gathered;
use crate::v8_profile::{Thread, V8Profile};

/// The beginnings of addresses and paths below a folder, and their replacements.
struct Beginnings([[String; 2]; 2]);

impl Gathered {
    /// Replaces paths in one folder with the same paths in another.
    pub fn move_folder(&mut self, from: &Path, to: &Path) {
        let beginnings = Beginnings::new(from, to);
        self.threads.iter_mut().for_each(|thread| beginnings.rename(thread));
    }
}

impl Beginnings {
    fn new(from: &Path, to: &Path) -> Self {
        let url = |folder: &Path| Url::from_directory_path(folder).map(String::from).unwrap_or_default();
        let path = |folder: &Path| format!("{}{}", folder.display(), std::path::MAIN_SEPARATOR);
        Self([[url(from), url(to)], [path(from), path(to)]])
    }

    fn rename(&self, thread: &mut Thread) {
        let V8Profile { nodes, makers, .. } = &mut thread.profile;
        let frames = nodes.iter_mut().map(|node| &mut node.call_frame).chain(makers.values_mut());
        frames.for_each(|frame| self.change(&mut frame.url));
        for script in &mut thread.scripts {
            self.change(&mut script.url);
            script.map_url.iter_mut().for_each(|url| self.change(url));
            script.map.iter_mut().for_each(|map| self.change_strings(map));
        }
    }

    fn change(&self, address: &mut String) {
        for [from, to] in &self.0 {
            if let Some(rest) = address.strip_prefix(from.as_str()).filter(|_| !from.is_empty()) {
                *address = format!("{to}{rest}");
                return;
            }
        }
    }

    /// Changes the strings of a JSON text with these beginnings: sources of a map.
    fn change_strings(&self, json: &mut String) {
        for [from, to] in self.0.iter().filter(|[from, _]| !from.is_empty()) {
            let quoted = |text: &str| {
                let whole = serde_json::Value::from(text).to_string();
                whole.trim_end_matches('"').to_owned()
            };
            *json = json.replace(&quoted(from), &quoted(to));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::v8_profile::{CallFrame, Node, Script};

    #[cfg(unix)]
    #[test]
    fn addresses_paths_and_sources_of_maps_are_moved() {
        let frame = |url: &str| CallFrame {
            function_name: String::new(),
            script_id: "1".into(),
            url: url.into(),
            line_number: 0,
            column_number: 0,
        };
        let node =
            |url| Node { id: 1, call_frame: frame(url), children: Vec::new(), position_ticks: Vec::new() };
        let profile = V8Profile {
            nodes: ["file:///b/x%20y/a.js", "/b/x y/a.js", "file:///b/x%20yz/a.js", "node:fs"]
                .map(node)
                .into(),
            makers: [("1".into(), frame("file:///b/x%20y/m.js"))].into(),
            ..V8Profile::default()
        };
        let script = Script {
            url: "file:///b/x%20y/a.js".into(),
            text: "'/b/x y/a.js'".into(),
            map: Some(r#"{"sources":["/b/x y/a.ts","file:///b/x%20y/b.ts","c.ts"],"sourcesContent":["see /b/x y/"]}"#.into()),
            map_url: Some("a.js.map".into()),
            ..Script::default()
        };
        let thread = Thread { name: "main".into(), profile, scripts: vec![script], marks: Vec::new() };
        let mut found = Gathered { threads: vec![thread], ..Gathered::default() };
        found.move_folder(Path::new("/b/x y"), Path::new("/w"));
        let thread = &found.threads[0];
        let urls: Vec<&str> = thread.profile.nodes.iter().map(|node| &*node.call_frame.url).collect();
        assert_eq!(urls, ["file:///w/a.js", "/w/a.js", "file:///b/x%20yz/a.js", "node:fs"]);
        assert_eq!(thread.profile.makers["1"].url, "file:///w/m.js");
        let script = &thread.scripts[0];
        assert_eq!((&*script.url, &*script.text), ("file:///w/a.js", "'/b/x y/a.js'"));
        assert_eq!(script.map_url.as_deref(), Some("a.js.map"));
        let expected = r#"{"sources":["/w/a.ts","file:///w/b.ts","c.ts"],"sourcesContent":["see /b/x y/"]}"#;
        assert_eq!(script.map.as_deref(), Some(expected));
    }
}
