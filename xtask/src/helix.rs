//! Helix: the editor that asks for UTF-8 positions, and draws every hint into its line. So the test opens it on a text
//! in which the encodings differ, and reads the screen.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};
use tests::Folder;

use crate::debian;
use crate::modules::modules;
use crate::neovim::BESIDE;
use crate::server::build_server;
use crate::terminal::{Terminal, wait_until};

/// Opens `tests/helix/workspace` in a real Helix and compares its lines with `tests/helix/expected.txt`.
///
/// # Errors
/// If a line is not shown as expected, or if something that the test needs is missing.
pub(crate) fn test(root: &Path) -> Result<()> {
    let server = build_server(root)?;
    let hx = debian::fetch(root, "forky", "hx", "usr/bin/hx")?;
    let here = root.join("tests/helix");
    let workspace = Folder::copy_of("tests/helix/workspace");
    // The files that the documentation shows to users; the server is found on PATH, as it is for them.
    let home = Folder::copy_of("tests/helix/config");
    let log = home.path().join("helix.log");
    let folder = server.parent().context("a program lies in a folder")?.to_path_buf();
    let path = std::env::var_os("PATH").unwrap_or_default();
    let beside = root.join(BESIDE);
    modules(&beside)?;
    let found = [folder, beside.join("node_modules/.bin")].into_iter().chain(std::env::split_paths(&path));
    let path = std::env::join_paths(found)?;

    let mut editor = Command::new(hx);
    editor.arg("-vvv").arg("--log").arg(&log).arg("letters.mjs");
    editor.env("XDG_CONFIG_HOME", home.path()).env("XDG_CACHE_HOME", home.path()).env("PATH", path);
    let terminal = Terminal::open((150, 30), workspace.path(), &editor)?;

    let expected =
        fs::read_to_string(here.join("expected.txt")).context("tests/helix/expected.txt is not there")?;
    let expected: Vec<&str> =
        expected.lines().filter(|line| !line.is_empty() && !line.starts_with("# ")).collect();
    shown_to_who_types(&terminal, &expected)
        .with_context(|| format!("Helix, whose log is\n{}", told(&log)))?;
    println!("ok    Helix: hints stand at the ends of headers, whatever letters are before them");

    let prefix = "/* é😀 */ ";
    terminal.keys(&["3", "g", "g", "I", prefix, "Escape"])?;
    let moved = format!("{prefix}{}", expected.first().context("expected.txt has no lines")?);
    terminal.wait_for(&[&moved]).context("Helix, after an edit")?;
    println!("ok    Helix: and stay there while the text is edited");

    let said = fs::read_to_string(&log).context("Helix wrote no log")?;
    ensure!(
        said.contains(r#""positionEncoding":"utf-8""#),
        "Helix and the server did not agree on UTF-8; see the answer to `initialize` in Helix's log"
    );
    println!("ok    Helix: positions are agreed to be in UTF-8");
    wait_until(|| {
        let said = fs::read_to_string(&log).context("Helix wrote no log")?;
        let is_answer =
            |line: &str| line.contains("typescript-language-server <-") && line.contains("inlayHintProvider");
        Ok(match said.lines().any(is_answer) {
            true => Ok(()),
            false => {
                Err(format!("the TypeScript server did not run beside Proflens; Helix's log is\n{said}"))
            }
        })
    })?;
    println!("ok    Helix: and a TypeScript server runs beside");
    Ok(())
}

/// How often the screen is looked at until a key is pressed again, which is some seconds.
const LOOKS_UNTIL_A_KEY: u32 = 100;

/// Waits until all of these are on the screen. Helix asks for hints in the pause that follows its start or a key, and only then: if the server
/// is not there yet, as on a busy machine, it asks after the next key. So a key that changes nothing is pressed now and then.
fn shown_to_who_types(terminal: &Terminal, wanted: &[&str]) -> Result<String> {
    let mut looks = 0;
    wait_until(|| {
        looks += 1;
        if looks % LOOKS_UNTIL_A_KEY == 0 {
            terminal.keys(&["Escape"])?;
        }
        terminal.look_for(wanted)
    })
}

/// The log of Helix, without what is longer than a screen is wide.
fn told(log: &Path) -> String {
    let log = fs::read_to_string(log).unwrap_or_else(|error| format!("not there: {error}"));
    log.lines().map(|line| format!("{line:.300}\n")).collect()
}
