//! Neovim: fetches real ones, runs the specs of `tests/neovim` in them, and opens one on the example.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow, ensure};
use tests::Folder;

use crate::debian;
use crate::modules::modules;
use crate::server::build_server;
use crate::terminal::Terminal;

/// The suites with the oldest and the newest Neovim that the plugin supports.
pub(crate) const SUITES: [&str; 2] = ["trixie", "forky"];
/// The workspace of the specs, of the demo and of the picture.
const WORKSPACE: &str = "examples/primes";
/// The TypeScript servers that run beside Proflens.
pub(crate) const BESIDE: &str = "tests/beside";
/// How long one spec may take on a busy machine.
const TIMEOUT: Duration = Duration::from_secs(900);
/// The variable that says how many edits `edits_spec.lua` makes, if not the small number of the gate.
const EDITS: &str = "EDITS";
/// The variable that says which specs run in which Neovim, by a part of their names: `forky/display`.
const ONLY: &str = "SPECS";
/// The variable that makes the tests take the pictures of `docs/images` again.
const SCREENSHOTS: &str = "UPDATE_SCREENSHOTS";

/// Runs every spec in every Neovim, each in a process and with a copy of the workspace of its own. All versions run at once;
/// the output of each is printed when it is done.
///
/// # Errors
/// If a spec fails, which it has then reported on stdout, or if something that the tests need is missing.
pub(crate) fn test(root: &Path) -> Result<()> {
    debian::ensure_program("chromium", "chromium")?; // shows the flame graph
    modules(&root.join(BESIDE))?;
    let server = build_server(root)?;
    let specs = specs(root)?;
    let mut editors = Vec::new();
    for suite in SUITES {
        editors.push((suite, debian::fetch(root, suite, "neovim", "usr/bin/nvim")?));
    }
    let mut failed = Vec::new();
    thread::scope(|scope| -> Result<()> {
        let mut running = Vec::new();
        for (suite, nvim) in &editors {
            let (server, specs) = (&server, &specs);
            running.push((suite, scope.spawn(move || run_suite(root, suite, nvim, server, specs))));
        }
        for (suite, running) in running {
            let (said, failures) =
                running.join().map_err(|_| anyhow!("the tests in the Neovim of {suite} broke off"))?;
            print!("{said}");
            failed.extend(failures);
        }
        Ok(())
    })?;
    if std::env::var_os(SCREENSHOTS).is_some() {
        let (_, newest) = editors.last().context("there is a Neovim")?;
        pictures(root, newest, &server)?;
    }
    ensure!(failed.is_empty(), "failed: {}", failed.join(", "));
    Ok(())
}

/// Runs the chosen specs in one Neovim; returns what they said, and which of them failed.
fn run_suite(
    root: &Path,
    suite: &str,
    nvim: &Path,
    server: &Path,
    specs: &[PathBuf],
) -> (String, Vec<String>) {
    let only = std::env::var(ONLY).unwrap_or_default();
    let (mut said, mut failed) = (String::new(), Vec::new());
    for spec in specs {
        let name = spec.file_name().unwrap_or_default().to_string_lossy();
        if !format!("{suite}/{name}").contains(&only) {
            continue;
        }
        if let Err(error) = run_spec(root, nvim, server, spec, &mut said) {
            said += &format!("{error:#}\n");
            failed.push(format!("{name} in the Neovim of {suite}"));
        }
    }
    (said, failed)
}

/// Opens Neovim on the example, with the plugin and the server of this tree and nothing of the user's own; returns when
/// it is closed. A Neovim on `PATH` is used if it is new enough.
///
/// # Errors
/// If there is none and none can be fetched.
pub(crate) fn open_demo(root: &Path) -> Result<()> {
    let server = build_server(root)?;
    let nvim = match installed() {
        Some(nvim) => nvim,
        None => debian::fetch(root, SUITES[1], "neovim", "usr/bin/nvim")?,
    };
    let home = Folder::new();
    let workspace = root.join(WORKSPACE);
    let status = neovim(root, &nvim, &server, home.path(), Some(&workspace))
        .arg("generate.js")
        .current_dir(&workspace)
        .status()
        .with_context(|| format!("{} could not be started", nvim.display()))?;
    ensure!(status.success(), "Neovim ended with {status}");
    Ok(())
}

/// Neovim without the user's configuration and data, with the plugin and the server of this tree.
fn neovim(root: &Path, nvim: &Path, server: &Path, home: &Path, workspace: Option<&Path>) -> Command {
    let mut command = Command::new(nvim);
    command.arg("--clean").arg("--cmd").arg("set noswapfile");
    command.arg("--cmd").arg(format!("set runtimepath^={}", root.join("editors/neovim").display()));
    command.env("PROFLENS", server);
    let mut options = String::from("cmd = vim.env.PROFLENS");
    if let Some(workspace) = workspace {
        // The example is in this repository, which would otherwise be taken for the workspace.
        command.env("PROFLENS_WORKSPACE", workspace);
        options += ", root_dir = vim.env.PROFLENS_WORKSPACE";
    }
    command.arg("--cmd").arg(format!("lua vim.g.proflens = {{ {options} }}"));
    for name in ["CONFIG", "DATA", "STATE", "CACHE"] {
        command.env(format!("XDG_{name}_HOME"), home.join(name.to_lowercase()));
    }
    command
}

/// Runs one spec, and adds its output to `said`.
fn run_spec(root: &Path, nvim: &Path, server: &Path, spec: &Path, said: &mut String) -> Result<()> {
    let workspace = Folder::copy_of(WORKSPACE);
    let home = Folder::new();
    let [results, messages] = ["results.txt", "messages.txt"].map(|it| home.path().join(it));
    let mut child = neovim(root, nvim, server, home.path(), None)
        .arg("--headless")
        .arg("generate.js")
        .arg("-S")
        .arg(root.join("tests/neovim/run.lua"))
        .current_dir(workspace.path())
        .env("PROFLENS_SPEC", spec)
        .env("PROFLENS_BESIDE", root.join(BESIDE).join("node_modules"))
        .env("PROFLENS_EXPECTED", root.join("tests/workspaces/primes/expected.txt"))
        .stdin(Stdio::null())
        .stdout(fs::File::create(&results)?)
        .stderr(fs::File::create(&messages)?)
        .spawn()
        .with_context(|| format!("{} could not be started", nvim.display()))?;
    let edits = std::env::var(EDITS).ok().and_then(|it| it.parse().ok()).unwrap_or(0);
    let timeout = TIMEOUT + edits * Duration::from_secs(3);
    let start = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait()? {
            break Some(status);
        } else if start.elapsed() > timeout {
            child.kill()?;
            child.wait()?;
            break None;
        }
        thread::sleep(Duration::from_millis(20));
    };
    said.push_str(&String::from_utf8_lossy(&fs::read(&results)?));
    if !status.is_some_and(|it| it.success()) {
        said.push_str(&String::from_utf8_lossy(&fs::read(&messages)?));
        said.push('\n'); // what Neovim itself writes ends in no line
    }
    let status =
        status.with_context(|| format!("{} did not end within {} s", spec.display(), timeout.as_secs()))?;
    ensure!(status.success(), "{} failed", spec.display());
    Ok(())
}

fn specs(root: &Path) -> Result<Vec<PathBuf>> {
    let mut specs = Vec::new();
    for entry in fs::read_dir(root.join("tests/neovim"))? {
        let path = entry?.path();
        if path.to_string_lossy().ends_with("_spec.lua") {
            specs.push(path);
        }
    }
    specs.sort();
    ensure!(!specs.is_empty(), "there are no specs in tests/neovim");
    Ok(specs)
}

/// The user's own Neovim, if the plugin runs in it.
fn installed() -> Option<PathBuf> {
    let nvim = debian::on_path("nvim")?;
    let version = debian::run(Command::new(&nvim).arg("--version")).ok()?;
    let minor = version.strip_prefix("NVIM v0.")?.split('.').next()?.parse::<u32>().ok()?;
    (minor >= 10).then_some(nvim)
}

/// Keys to type, and what is on the screen after that.
type Step = (&'static [&'static str], &'static [&'static str]);
/// The workspace of a picture, the file that is opened, and the trace that becomes its recording, if it has none.
type Place = (&'static str, &'static str, Option<&'static str>);

const EXAMPLE: Place = (WORKSPACE, "generate.js", None);
const SHOP: Place = ("tests/workspaces/shop", "shop.js", None);
const LAYOUT: Place =
    ("tests/workspaces/layout", "app.ts", Some("tests/traces/chrome-trace/layout-chromium156.json.gz"));
const CART: Place =
    ("tests/workspaces/deopts", "cart.js", Some("tests/traces/chrome-trace/deopts-node20.json.gz"));
const COUNTED: Place =
    ("tests/workspaces/counted", "texts.mjs", Some("tests/traces/chrome-trace/counted-node20.json.gz"));
const INLINED: Place =
    ("tests/workspaces/inlined", "main.mjs", Some("tests/traces/cpuprofile/inlined-node20.cpuprofile.gz"));

/// The pictures of `docs/images`, and what is done for each.
const PICTURES: [(&str, Place, &[Step]); 7] = [
    ("neovim.png", EXAMPLE, &[(&["15ggfg", "K"], &["╭", "isPrime"])]),
    (
        "neovim-compare.png",
        SHOP,
        &[
            (&[":Proflens load after", "Enter"], &["after · "]),
            (&[":Proflens compare before", "Enter"], &["145ms ▲×2.9", "(×2.9, slower"]),
            (&[":Proflens hot", "Enter"], &["functions by difference", "payInCash"]),
            (&[":wincmd k", "Enter", "13ggzt20ggfr", "K"], &["╭", "Interval"]),
        ],
    ),
    (
        "neovim-callers.png",
        EXAMPLE,
        &[
            (&[":Proflens lines", "Enter", "6ggfi"], &["492  "]),
            (&[":Proflens callers", "Enter"], &["Callers of isPrime", "▸"]),
            (&["Tab"], &["▾", "handleClick"]),
            (&["j", "Tab"], &["called by no function"]),
        ],
    ),
    (
        "neovim-forced.png",
        LAYOUT,
        &[(&["10ggfd", "K"], &["╭", "Forces layout 3 times", "getBoundingClientRect"])],
    ),
    ("neovim-deopts.png", CART, &[(&["4ggfp", "K"], &["╭", "deoptimised", "wrong map"])]),
    (
        "neovim-calls.png",
        COUNTED,
        &[
            (&[":Proflens lines", "Enter"], &["ran 489,994 times"]),
            (&[":Proflens hot", "Enter"], &["normalize  Self", "500,000 calls"]),
            (&[":wincmd k", "Enter", "4ggfo", "K"], &["╭", "500,000 calls, "]),
        ],
    ),
    ("neovim-inlined.png", INLINED, &[(&["9ggfo", "K"], &["╭", "Of its self time, inlined", "(line 6)"])]),
];

/// Takes the pictures: what the terminal shows with hints, lenses and a hover, and with callers and the costs of lines.
fn pictures(root: &Path, nvim: &Path, server: &Path) -> Result<()> {
    for (name, (workspace, file, trace), steps) in PICTURES {
        let home = Folder::new();
        let workspace = Folder::copy_of(workspace);
        if let Some(trace) = trace {
            let recordings = workspace.path().join(".proflens/recordings");
            fs::create_dir_all(&recordings)?;
            fs::copy(root.join(trace), recordings.join(trace.rsplit('/').next().unwrap_or(trace)))?;
        }
        let mut editor = neovim(root, nvim, server, home.path(), None);
        editor.args(["-c", "set termguicolors number laststatus=2 winborder=rounded"]);
        // These are readable in a small picture; by default both are as faint as line numbers.
        editor.args(["-c", "hi! link LspInlayHint Comment", "-c", "hi! link LspCodeLens Comment"]);
        editor.args(["-c", "set statusline=%f%=%{%v:lua.require'proflens'.status()%}"]);
        editor.arg(file);
        let terminal = Terminal::open((100, 45), workspace.path(), &editor)?;
        terminal.wait_for(&["ms · ", "Self ", " placed"])?;
        for (keys, shown) in steps {
            terminal.keys(keys)?;
            terminal.wait_for(shown)?;
        }
        let screen = home.write("screen.txt", terminal.coloured()?);
        let page = home.path().join("screen.html");
        debian::run(Command::new("node").arg(root.join("tests/neovim/picture.mjs")).arg(screen).arg(&page))?;
        let image = root.join("docs/images").join(name);
        fs::create_dir_all(root.join("docs/images"))?;
        debian::run(
            Command::new("chromium")
                .args(["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars"])
                .args(["--force-device-scale-factor=1.5", "--window-size=808,832"])
                .arg(format!("--user-data-dir={}", home.path().join("chromium").display()))
                .arg(format!("--screenshot={}", image.display()))
                .arg(format!("file://{}", page.display())),
        )?;
    }
    Ok(())
}
