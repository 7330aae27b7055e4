//! `cargo xtask demo`: the example as an editor would show it, requested from the real server over its real pipes.

use std::fmt::Write;
use std::fs;
use std::io::IsTerminal;
use std::path::Path;

use ::tests::{Client, uri};
use anyhow::{Context, Result};
use serde_json::{Value, json};

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
    // Loading begins with the handshake; the refresh signals that it is done.
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
        // Lenses come without their text, because an editor only needs it for those on the screen.
        let lenses = list(&lenses).iter().map(|it| client.request("codeLens/resolve", it.clone())).collect();
        let costs = client.request("proflens/documentCosts", json!({ "textDocument": document }));
        for cost in list(&costs["functions"]) {
            if hottest.as_ref().is_none_or(|it| it.1["self"]["ns"].as_u64() < cost["self"]["ns"].as_u64()) {
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
    println!("{}", card(hover["contents"]["value"].as_str().context("the hottest function has no hover")?));
    client.close();
    Ok(())
}

/// `primes.cpuprofile · 784 samples · 89 % placed`, as in a status bar.
fn summary(status: &Value) -> String {
    let trace = &status["traces"][0];
    let path = trace["path"].as_str().or(trace["name"].as_str()).unwrap_or("no trace");
    let name = path.rsplit('/').next().unwrap_or(path);
    let [samples, placed] = [&trace["samples"], &status["ledger"]["placed"]]
        .map(|number| number["text"].as_str().unwrap_or_default());
    format!("{name} · {samples} · {placed} placed")
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
        let mut after = String::new();
        let mut here: Vec<&Value> = list(hints).iter().filter(|it| of_line(it, "/position/line")).collect();
        here.sort_by_key(|it| std::cmp::Reverse(it["position"]["character"].as_u64()));
        for hint in here {
            let column = hint["position"]["character"].as_u64().unwrap_or(0) as usize;
            let tail = String::from_utf16_lossy(&rest.split_off(column.min(rest.len())));
            let gap = |side: &str| if hint[side] == true { " " } else { "" };
            let (left, right) = (gap("paddingLeft"), gap("paddingRight"));
            after = format!("{left}{}{right}{tail}{after}", paint.hint(&label(hint)));
        }
        let front = String::from_utf16_lossy(&rest);
        writeln!(shown, "{} {front}{after}", paint.dim(&format!("{:>4}", number + 1)))
            .expect("a string takes all");
    }
    shown
}

fn label(hint: &Value) -> String {
    let parts = list(&hint["label"]).iter().filter_map(|it| it["value"].as_str()).collect();
    hint["label"].as_str().map_or(parts, str::to_owned)
}

/// A hover's Markdown in a readable form: tables with aligned columns, links by their texts.
fn card(markdown: &str) -> String {
    let cells = |line: &str| -> Option<Vec<String>> {
        let inside = line.strip_prefix('|')?.strip_suffix('|')?;
        Some(inside.split('|').map(|it| it.trim().to_owned()).collect())
    };
    let rows = || markdown.lines().filter_map(cells);
    let width =
        |column: usize| rows().filter_map(|it| Some(it.get(column)?.chars().count())).max().unwrap_or(0);
    let mut card = String::new();
    for line in markdown.trim().lines().filter(|it| !it.starts_with("|:-")) {
        let line = match cells(line) {
            Some(cells) => cells.iter().enumerate().map(|(at, it)| aligned(it, at, width(at))).collect(),
            None => texts_of_links(line).replace("**", "").replace('\\', ""),
        };
        writeln!(card, "{}", format!("  {line}").trim_end()).expect("a string takes all");
    }
    card
}

/// Numbers are aligned right, the names in the first column left.
fn aligned(cell: &str, column: usize, width: usize) -> String {
    if column == 0 { format!("{cell:<width$}") } else { format!("  {cell:>width$}") }
}

fn texts_of_links(line: &str) -> String {
    let mut text = String::new();
    let mut rest = line;
    while let Some((before, link)) = rest.split_once('[') {
        let Some((name, after)) =
            link.split_once("](").and_then(|(name, to)| Some((name, to.split_once(')')?.1)))
        else {
            break;
        };
        text += before;
        text += name;
        rest = after;
    }
    text + rest
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

    /// Without colours, brackets mark what is not part of the text.
    fn hint(&self, text: &str) -> String {
        if self.on { self.with("36", text) } else { format!("⟨{text}⟩") }
    }

    fn with(&self, code: &str, text: &str) -> String {
        if self.on { format!("\u{1b}[{code}m{text}\u{1b}[0m") } else { text.to_owned() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hints_and_lenses_stand_where_an_editor_shows_them() {
        let hints = json!([
            { "position": { "line": 0, "character": 10 }, "label": "1ms", "paddingLeft": true },
            { "position": { "line": 1, "character": 4 }, "label": [{ "value": "2" }, { "value": "ms" }] },
        ]);
        let lenses = json!([{ "range": { "start": { "line": 1 } }, "command": { "title": "Self 2 ms" } }]);
        let shown = source("let 😀 = () => 1;\n  b();\n", &hints, &lenses, &Paint { on: false });
        assert_eq!(shown, "   1 let 😀 = ( ⟨1ms⟩) => 1;\n       Self 2 ms\n   2   b(⟨2ms⟩);\n");
    }

    #[test]
    fn a_card_is_read_without_its_marks() {
        let markdown = "**f\\_1**\n\n| | Time |\n|:--|--:|\n| Self | 1 ms |\n| Total | 12.0 ms |\n\n- 10 % · [main](file:///a.js#L1) a.js:1";
        let card = card(markdown);
        assert_eq!(
            card,
            "  f_1\n\n            Time\n  Self      1 ms\n  Total  12.0 ms\n\n  - 10 % · main a.js:1\n"
        );
    }
}
