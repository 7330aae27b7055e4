//! `cargo xtask demo`: the example as an editor would show it, asked of the real server over its real pipes.

use std::fmt::Write;
use std::fs;
use std::io::IsTerminal;
use std::path::Path;

use anyhow::{Context, Result};
use serde_json::{Value, json};
use tests::{Client, uri};

const EXAMPLE: &str = "examples/primes";
const SOURCES: [&str; 2] = ["generate.js", "main.js"];

/// Starts the server on the example and prints its sources with hints and lenses, and one hover.
///
/// # Errors
/// If the example cannot be read, or the server shows nothing.
pub(crate) fn run(root: &Path, server: &Path) -> Result<()> {
    let folder = root.join(EXAMPLE);
    let refresh = json!({ "workspace": { "inlayHint": { "refreshSupport": true } } });
    let mut client = Client::open(server, &folder, refresh);
    // Loading begins with the handshake; the refresh says that it is done.
    client.hear("workspace/inlayHint/refresh");
    let paint = Paint { on: std::io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none() };

    let status = client.request("proflens/status", json!({}));
    println!("{}\n", paint.bold(&summary(&status)));
    let mut hottest: Option<(Value, Value)> = None;
    for file in SOURCES {
        let text = fs::read_to_string(folder.join(file)).with_context(|| format!("{EXAMPLE}/{file}"))?;
        let document = json!({ "uri": uri(&folder.join(file)) });
        client.did_open(&folder, file);
        let end = json!({ "line": text.lines().count(), "character": 0 });
        let range = json!({ "start": { "line": 0, "character": 0 }, "end": end });
        let hints =
            client.request("textDocument/inlayHint", json!({ "textDocument": document, "range": range }));
        let lenses = client.request("textDocument/codeLens", json!({ "textDocument": document }));
        let costs = client.request("proflens/documentCosts", json!({ "textDocument": document }));
        for cost in list(&costs["functions"]) {
            if hottest.as_ref().is_none_or(|it| it.1["selfNs"].as_u64() < cost["selfNs"].as_u64()) {
                hottest = Some((document.clone(), cost.clone()));
            }
        }
        println!("{}", paint.bold(&format!("{EXAMPLE}/{file}")));
        println!("{}", source(&text, &hints, &lenses, &paint));
    }

    let (document, cost) =
        hottest.context("the server shows no costs: see its log with `proflens lsp --log FILE`")?;
    let at = json!({ "textDocument": document, "position": cost["selectionRange"]["start"] });
    let hover = client.request("textDocument/hover", at);
    println!("{}", paint.bold(&format!("Hover on `{}`", cost["name"].as_str().unwrap_or_default())));
    println!("{}", hover["contents"]["value"].as_str().context("the hottest function has no hover")?.trim());
    client.close();
    Ok(())
}

/// `primes.cpuprofile · 784 samples`, as a status bar says it.
fn summary(status: &Value) -> String {
    let trace = &status["traces"][0];
    let name = trace["path"].as_str().or(trace["name"].as_str()).unwrap_or("no trace");
    let name = name.rsplit('/').next().unwrap_or(name);
    format!("{name} · {} samples", trace["samples"])
}

/// The text with lenses above its lines and hints inside them.
fn source(text: &str, hints: &Value, lenses: &Value, paint: &Paint) -> String {
    let mut shown = String::new();
    for (number, line) in text.lines().enumerate() {
        let of_line =
            |it: &&Value, start: &str| it.pointer(start).and_then(Value::as_u64) == Some(number as u64);
        let indent: String = line.chars().take_while(|it| it.is_whitespace()).collect();
        for lens in list(lenses).iter().filter(|it| of_line(it, "/range/start/line")) {
            let title = lens["command"]["title"].as_str().unwrap_or_default();
            writeln!(shown, "     {indent}{}", paint.dim(title)).expect("a string takes all");
        }
        let mut rest: Vec<u16> = line.encode_utf16().collect();
        let mut behind = String::new();
        let mut here: Vec<&Value> = list(hints).iter().filter(|it| of_line(it, "/position/line")).collect();
        here.sort_by_key(|it| std::cmp::Reverse(it["position"]["character"].as_u64()));
        for hint in here {
            let column = hint["position"]["character"].as_u64().unwrap_or(0) as usize;
            let tail = String::from_utf16_lossy(&rest.split_off(column.min(rest.len())));
            behind = format!("{}{tail}{behind}", paint.hint(&label(hint)));
        }
        let front = String::from_utf16_lossy(&rest);
        writeln!(shown, "{} {front}{behind}", paint.dim(&format!("{:>4}", number + 1)))
            .expect("a string takes all");
    }
    shown
}

fn label(hint: &Value) -> String {
    let parts = list(&hint["label"]).iter().filter_map(|it| it["value"].as_str()).collect();
    hint["label"].as_str().map_or(parts, |it| format!(" {it}"))
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

/// Colours, on a terminal.
struct Paint {
    on: bool,
}

impl Paint {
    fn bold(&self, text: &str) -> String {
        self.with("1", text)
    }

    fn dim(&self, text: &str) -> String {
        self.with("2", text)
    }

    fn hint(&self, text: &str) -> String {
        self.with("36", text)
    }

    fn with(&self, code: &str, text: &str) -> String {
        if self.on { format!("\u{1b}[{code}m{text}\u{1b}[0m") } else { text.to_owned() }
    }
}
