//! VS Code: packs the extension, fetches a real VS Code for the tests, and runs the extension in it.
//!
//! The editor is `code-server`, which is VS Code's own workbench and extension host in a local web page, driven by
//! Debian's Chromium; it comes from npm, like the Node that it needs. Everything is kept below `.editors/`, is fetched
//! once, and nothing on the machine changes except for the browser's package.

use std::fs;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::panic::resume_unwind;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};

use crate::folders::{copy_tree, fresh, kept};
use crate::modules::{modules, npm};
use crate::server::build_server;
use crate::{debian, shell};

pub(crate) use package::package_for;

mod package;

const CODE_SERVER: &str = "4.139.1";
/// code-server runs on the Node of VS Code's own remote server, which is newer than what distributions have.
const NODE: &str = "24.21.0";
/// The variable that makes the tests take the pictures of `docs/images` again.
const SCREENSHOTS: &str = "UPDATE_SCREENSHOTS";
/// Everything that the extension does, as its host sees it, and what is drawn in the text.
pub(crate) const CORE: [Script; 2] = [script("host.mjs", "primes"), script("page.mjs", "primes")];
/// The tests of what people see and press, in a window for each scenario. A window takes ten seconds of a processor, so these take most
/// of the time, and are left to the gate. Those that wait the longest come first.
pub(crate) const VIEWS: [Script; 14] = [
    script("views.mjs", "primes"),
    script("record.mjs", "primes"),
    script("flame.mjs", "primes"),
    script("compare.mjs", "primes"),
    script("slice.mjs", "primes"),
    script("forced.mjs", "primes"),
    script("deopts.mjs", "primes"),
    script("inlined.mjs", "primes"),
    script("calls.mjs", "primes"),
    script("beside.mjs", "comments"),
    script("agents.mjs", "primes"),
    script("typescript.mjs", "primes"),
    script("loading.mjs", "primes"),
    Script { file: "program.mjs", example: "primes", has_program: false },
];
/// How many of them run at once, each in an editor of its own: they wait for it most of the time.
const AT_ONCE: usize = 2;
/// How long a server may take to answer its first request on a busy machine.
const START: Duration = Duration::from_secs(300);

/// What every start begins with: hints and lenses on as by default, and nothing that asks, shows tips, updates or saves by
/// itself: by default a page saves a second after an edit, which on a busy machine is before a test undoes the edit.
const SETTINGS: &str = r#"{
  "editor.inlayHints.enabled": "on", "editor.codeLens": true, "editor.minimap.enabled": false,
  "editor.lightbulb.enabled": "off", "files.autoSave": "off", "editor.stickyScroll.enabled": false,
  "editor.cursorBlinking": "solid", "workbench.reduceMotion": "on",
  "security.workspace.trust.enabled": false, "workbench.startupEditor": "none", "workbench.tips.enabled": false,
  "telemetry.telemetryLevel": "off", "extensions.autoCheckUpdates": false, "extensions.autoUpdate": false,
  "extensions.ignoreRecommendations": true, "update.mode": "none", "workbench.enableExperiments": false,
  "typescript.disableAutomaticTypeAcquisition": true,
  "chat.disableAIFeatures": true, "git.enabled": false, "window.commandCenter": false,
  "workbench.secondarySideBar.defaultVisibility": "hidden"
}
"#;

/// One of the tests.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Script {
    pub(crate) file: &'static str,
    /// The example that it gets a copy of.
    example: &'static str,
    /// Whether the program is in the extension, as in those that are published for a platform.
    has_program: bool,
}

const fn script(file: &'static str, example: &'static str) -> Script {
    Script { file, example, has_program: true }
}

/// A VS Code that can be run.
#[derive(Clone, Debug)]
pub(crate) struct Editor {
    /// The Node that runs it.
    pub(crate) node: PathBuf,
    /// code-server's entry file.
    pub(crate) entry: PathBuf,
}

/// Builds the server for release and the extension, and packs both into one `.vsix`; returns its path.
///
/// # Errors
/// If `cargo` or `npm` is missing or fails; the message has what it said.
pub(crate) fn package(root: &Path) -> Result<PathBuf> {
    package_for(root, Some(&build_server(root)?), Some(platform()?), &root.join("editors/vscode"))
}

/// Fetches VS Code and the browser that shows it, unless they are there.
///
/// # Errors
/// If npm or apt cannot deliver; the message says what to install by hand.
pub(crate) fn install_editor(root: &Path) -> Result<Editor> {
    if debian::on_path("chromium").is_none() {
        // A fresh machine has no package lists yet; if they are not available, the next step says what is missing.
        let _ = Command::new("apt-get").args(["-qq", "update"]).status();
        debian::ensure_program("chromium", "chromium")?;
    }
    let home = kept(root)?.join(format!("code-server-{CODE_SERVER}"));
    let modules = home.join("node_modules");
    let node = modules.join(node_package()?);
    let editor = Editor { node: node.join("bin/node"), entry: modules.join("code-server/out/node/entry.js") };
    let complete = home.join(".complete");
    if complete.is_file() {
        return Ok(editor);
    }
    eprintln!("fetching VS Code (code-server {CODE_SERVER}) into {}", home.display());
    fs::create_dir_all(&home)?;
    fs::write(home.join("package.json"), "{ \"private\": true }\n")?;
    let quiet = ["--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
    debian::run(
        npm()
            .current_dir(&home)
            .arg("install")
            .args(quiet)
            .arg(format!("{}@{NODE}", node_package()?))
            .arg(format!("code-server@{CODE_SERVER}")),
    )?;
    // This does what its own install script does, except for native modules that need system libraries and that nobody uses here.
    let code = modules.join("code-server/lib/vscode");
    for folder in [code.clone(), code.join("extensions")] {
        debian::run(npm().current_dir(folder).args(["install", "--omit=dev"]).args(quiet))?;
    }
    // Native modules must be built against the headers of the Node that will load them.
    let path = std::env::join_paths(
        std::iter::once(node.join("bin"))
            .chain(std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default())),
    )?;
    debian::run(npm().current_dir(&code).env("PATH", path).env("npm_config_nodedir", &node).args([
        "rebuild",
        "--loglevel=error",
        "@vscode/spdlog",
        "@vscode/native-watchdog",
    ]))?;
    fs::write(complete, "")?;
    Ok(editor)
}

/// Runs the tests of `tests/vscode`: the packed extension, installed into a real VS Code, asked inside the extension
/// host and looked at on the page; `only` some scripts, or all if it names none. With [`SCREENSHOTS`] set, the pictures of
/// the documentation are taken again.
///
/// # Errors
/// If a test fails, which it has then reported on stderr, or if something that the tests need is missing.
pub(crate) fn test(root: &Path, only: &[&str]) -> Result<()> {
    let vsix = package(root)?;
    let editor = install_editor(root)?;
    let tests = root.join("tests/vscode");
    modules(&tests)?;
    for script in ["check", "build"] {
        shell::run(npm().current_dir(&tests).args(["run", "--silent", script]))?;
    }

    let documented = std::env::var_os(SCREENSHOTS).is_some();
    let pictures = if documented { root.join("docs/images") } else { tests.join("out/images") };
    fs::create_dir_all(&pictures)?;
    let without_program = package_for(root, None, None, &root.join("editors/vscode"))?;
    let program = build_server(root)?;
    let run = |script: Script| {
        let vsix = if script.has_program { &vsix } else { &without_program };
        let mut node = Command::new("node");
        node.env("PROFLENS_PICTURES", &pictures);
        if !script.has_program {
            node.env("PROFLENS_PROGRAM", &program);
        }
        run_script(root, &editor, vsix, script, only.len() == 1, node)
    };
    let scripts = || VIEWS.into_iter().chain(CORE);
    if let Some(name) = only.iter().find(|name| scripts().all(|script| script.file != **name)) {
        let known: Vec<&str> = scripts().map(|script| script.file).collect();
        bail!("no test of VS Code is called {name}; there are {}", known.join(", "));
    }
    let wanted: Vec<Script> =
        scripts().filter(|script| only.is_empty() || only.contains(&script.file)).collect();
    let next = AtomicUsize::new(0);
    // If one fails, the others still run.
    let work = || {
        let mut failed = Vec::new();
        while let Some(script) = wanted.get(next.fetch_add(1, Ordering::Relaxed)) {
            if let Err(error) = run(*script) {
                eprintln!("{}: {error:#}", script.file);
                failed.push(script.file);
            }
        }
        failed
    };
    let failed: Vec<&str> = thread::scope(|scope| {
        let workers: Vec<_> = (0..AT_ONCE).map(|_| scope.spawn(work)).collect();
        let ends = workers.into_iter().map(|it| it.join().unwrap_or_else(|panic| resume_unwind(panic)));
        ends.flatten().collect()
    });
    ensure!(failed.is_empty(), "tests of VS Code failed: {}", failed.join(", "));
    if documented && only.is_empty() {
        shell::run(Command::new("node").current_dir(&tests).arg("small.mjs"))?;
    }
    Ok(())
}

/// Runs one of the tests in a VS Code with this extension file, on a copy of its example. Its output is shown when it has ended, or at once
/// if it runs alone; others print at the same time.
fn run_script(
    root: &Path,
    editor: &Editor,
    vsix: &Path,
    script: Script,
    is_alone: bool,
    mut node: Command,
) -> Result<()> {
    // Each gets its own copy, because the first one edits; the name is what pictures show.
    let workspace = fresh(root, script.file)?.join(script.example);
    copy_tree(&root.join("examples").join(script.example), &workspace)?;
    let session = Session::start(editor, &fresh(root, &format!("{}-session", script.file))?, vsix)?;
    node.current_dir(root.join("tests/vscode")).arg(script.file);
    node.env("PROFLENS_PORT", session.port.to_string()).env("PROFLENS_WORKSPACE", &workspace);
    node.env("PROFLENS_LOGS", session.log.with_file_name("user").join("logs"));
    let ended = shell::end_of(&mut node, is_alone)?;
    if !is_alone {
        println!("{}", ended.lines.join("\n"));
    }
    ensure!(ended.ok, "it failed; the editor's own log is {}", session.log.display());
    Ok(())
}

/// Opens a VS Code with the extension on `examples/primes` and prints where; returns when the user ends it.
///
/// # Errors
/// If something that it needs is not available, or the editor does not start.
pub(crate) fn open_demo(root: &Path) -> Result<()> {
    let vsix = package(root)?;
    let editor = install_editor(root)?;
    let mut session = Session::start(&editor, &fresh(root, "vscode-demo")?, &vsix)?;
    let folder = root.join("examples/primes").canonicalize().context("the example is not there")?;
    let file = format!("vscode-remote://127.0.0.1:{}{}/generate.js", session.port, folder.display());
    let payload = format!("[[%22openFile%22,%22{file}%22]]");
    let address = format!("http://127.0.0.1:{}/?folder={}&payload={payload}", session.port, folder.display());
    eprintln!("VS Code with Proflens: {address}\nEnd it with Ctrl-C.");
    if let Some(open) = ["xdg-open", "open"].into_iter().find_map(debian::on_path)
        && (std::env::var_os("DISPLAY").is_some() || std::env::var_os("WAYLAND_DISPLAY").is_some())
    {
        // If the user has no browser, the printed address is all there is.
        let _ = Command::new(open).arg(address).status();
    }
    session.child.wait()?;
    Ok(())
}

/// A running VS Code, with data of its own; it ends when this value is dropped.
struct Session {
    child: Child,
    port: u16,
    log: PathBuf,
}

impl Session {
    fn start(editor: &Editor, home: &Path, vsix: &Path) -> Result<Self> {
        let user = home.join("user");
        let extensions = home.join("extensions");
        fs::create_dir_all(user.join("User"))?;
        fs::write(user.join("User/settings.json"), SETTINGS)?;
        fs::write(home.join("config.yaml"), "auth: none\n")?;
        let path = path_without_program()?;
        let command = || {
            let mut command = Command::new(&editor.node);
            command.arg(&editor.entry).arg("--config").arg(home.join("config.yaml"));
            command.arg("--user-data-dir").arg(&user).arg("--extensions-dir").arg(&extensions);
            command.env_remove("VSCODE_IPC_HOOK_CLI").env("EXTENSIONS_GALLERY", r#"{"serviceUrl":""}"#);
            command
                .env("XDG_DATA_HOME", home.join("data"))
                .env("XDG_STATE_HOME", home.join("state"))
                .env("PATH", &path);
            command
        };
        debian::run(command().arg("--install-extension").arg(vsix))?;

        let log = home.join("server.log");
        let output = fs::File::create(&log)?;
        let child = command()
            .args(["--bind-addr", "127.0.0.1:0", "--auth", "none"])
            .args(["--disable-telemetry", "--disable-update-check", "--disable-workspace-trust"])
            .args(["--disable-getting-started-override", "--vscode-option", "enable-smoke-test-driver"])
            .stdin(Stdio::null())
            .stdout(output.try_clone()?)
            .stderr(output)
            .spawn()?;
        let mut session = Self { child, port: 0, log };
        session.wait()?;
        Ok(session)
    }

    /// Waits until it answers, at the port that it printed.
    fn wait(&mut self) -> Result<()> {
        let start = Instant::now();
        loop {
            let said = fs::read_to_string(&self.log).unwrap_or_default();
            self.port = listening(&said).unwrap_or(0);
            if self.port != 0 && healthy(self.port) {
                return Ok(());
            }
            if self.child.try_wait()?.is_some() || start.elapsed() > START {
                bail!("VS Code did not start: {}", said.lines().last().unwrap_or("it said nothing"));
            }
            thread::sleep(Duration::from_millis(50));
        }
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        // TERM lets it end its own children; checking again makes sure that nothing stays.
        let _ = Command::new("kill").arg(self.child.id().to_string()).status();
        for _ in 0..100 {
            if matches!(self.child.try_wait(), Ok(Some(_)) | Err(_)) {
                return;
            }
            thread::sleep(Duration::from_millis(50));
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The variable `PATH` without folders that contain a Proflens, which the extension would find there.
fn path_without_program() -> Result<std::ffi::OsString> {
    let all = std::env::var_os("PATH").unwrap_or_default();
    let kept = std::env::split_paths(&all).filter(|folder| !folder.join("proflens").exists());
    Ok(std::env::join_paths(kept)?)
}

/// The port in `HTTP server listening on http://127.0.0.1:34567/`, if that line is complete.
fn listening(said: &str) -> Option<u16> {
    let (_, rest) = said.split_once("listening on http://127.0.0.1:")?;
    rest.split_once('/')?.0.parse().ok()
}

fn healthy(port: u16) -> bool {
    let ask = || -> std::io::Result<bool> {
        let mut stream = TcpStream::connect(("127.0.0.1", port))?;
        stream.set_read_timeout(Some(Duration::from_secs(2)))?;
        write!(stream, "GET /healthz HTTP/1.0\r\nHost: 127.0.0.1\r\n\r\n")?;
        let mut answer = [0; 12];
        stream.read_exact(&mut answer)?;
        Ok(answer.ends_with(b"200"))
    };
    ask().unwrap_or(false)
}

/// vsce's name for the machine that this runs on.
fn platform() -> Result<&'static str> {
    Ok(match (std::env::consts::OS, std::env::consts::ARCH) {
        ("linux", "x86_64") => "linux-x64",
        ("linux", "aarch64") => "linux-arm64",
        ("macos", "x86_64") => "darwin-x64",
        ("macos", "aarch64") => "darwin-arm64",
        ("windows", "x86_64") => "win32-x64",
        ("windows", "aarch64") => "win32-arm64",
        (os, arch) => bail!("VS Code does not know {os} on {arch}"),
    })
}

fn node_package() -> Result<String> {
    let platform = platform()?;
    ensure!(!platform.starts_with("win32"), "the VS Code of the tests runs on Linux and macOS only");
    Ok(format!("node-{platform}"))
}
