//! The flame graph as one HTML file that makes no requests: the page of `editors/flame` with the data in it.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use crate::bytes::encode;
use crate::graph::FlameGraph;

/// The page, with its code and style in it; `cargo xtask generate` builds it.
const PAGE: &str = include_str!("../page/flame.html");

/// The file. An editor that waits for clicks passes the path to which the served page sends them.
pub fn html(graph: &FlameGraph, editor: Option<&str>) -> String {
    let editor_tag = editor
        .map(|path| format!(r#"<meta name="proflens-editor" content="{}">"#, escaped(path)))
        .unwrap_or_default();
    PAGE.replace("__PROFLENS_CONNECT__", if editor.is_some() { "'self'" } else { "'none'" })
        .replace("<!--proflens-title-->", &escaped(&graph.title))
        .replace("<!--proflens-editor-->", &editor_tag)
        .replace("<!--proflens-data-->", &STANDARD.encode(encode(graph)))
}

/// Text that is nothing but text in HTML.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
