//! `cargo xtask fuzz`: searches for inputs that break a law of `tests/fuzz` with libFuzzer, which continues from those
//! that reached new code.
//!
//! `tests/fuzz/rustc.sh` compiles the crates of this project so that they record which code is reached. What is learned
//! stays in `target/fuzz`; `cargo xtask fuzz keep` copies the few inputs that reach all of it into the committed corpus.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};

use anyhow::{Context, Result, bail, ensure};

use crate::count::Count;
use crate::debian;
use crate::shell::{self, command};

/// Seconds for each target if none are given.
const SECONDS: u32 = 60;

/// The limits for one input.
const LIMITS: [&str; 3] = ["-rss_limit_mb=2048", "-timeout=20", "-max_len=32768"];

/// What libFuzzer draws from in a test, so that each run tries the same inputs as far as it gets.
const SEED: u32 = 1;

/// How many bytes of inputs are committed for each target: the smallest inputs, which are also the fastest.
const MAX_KEPT: usize = 176 << 10;

/// What the arguments after `fuzz` ask for.
enum Task<'a> {
    Run { seconds: u32 },
    Replay { file: &'a str },
    Keep,
}

/// Runs `cargo xtask fuzz` with its arguments.
///
/// # Errors
/// If it cannot be built, or something is found.
pub(crate) fn run(root: &Path, arguments: &[&str]) -> Result<()> {
    let (names, task) = match arguments {
        [] => (None, Task::Run { seconds: SECONDS }),
        ["keep"] => (None, Task::Keep),
        ["keep", name] => (Some(*name), Task::Keep),
        [one] => match one.parse() {
            Ok(seconds) => (None, Task::Run { seconds }),
            Err(_) => (Some(*one), Task::Run { seconds: SECONDS }),
        },
        [name, what] => match what.parse() {
            Ok(seconds) => (Some(*name), Task::Run { seconds }),
            Err(_) => (Some(*name), Task::Replay { file: what }),
        },
        _ => bail!("say `cargo xtask fuzz [TARGET] [SECONDS or FILE]`"),
    };
    let all = targets(root)?;
    if let Some(name) = names {
        ensure!(all.iter().any(|it| it == name), "there is no target `{name}`; there are {}", all.join(", "));
    }
    let fuzzer = Fuzzer::build(root, "--profile fuzz")?;
    let chosen = all.iter().filter(|it| names.is_none_or(|name| *it == name));
    let mut failed = Vec::new();
    for name in chosen {
        let ended = match task {
            Task::Run { seconds } => fuzzer.look(name, seconds).map(|it| println!("{name:<9} {it}")),
            Task::Replay { file } => fuzzer.replay(name, file),
            Task::Keep => fuzzer.keep(name),
        };
        if let Err(error) = ended {
            eprintln!("error: {name}: {error:#}");
            failed.push(name.as_str());
        }
    }
    ensure!(failed.is_empty(), "something was found: {}", failed.join(", "));
    Ok(())
}

/// The check for `cargo xtask test`: every target for a few seconds, beginning with its corpus, and with the same inputs each time:
/// what fails by chance says nothing about a change. Other people's crates are those that are built for all tests.
///
/// # Errors
/// If it cannot be built.
pub(crate) fn check(root: &Path, seconds: u32) -> Result<Count> {
    let fuzzer = Fuzzer::build(root, "--profile dev")?;
    let names = targets(root)?;
    let next = AtomicUsize::new(0);
    let work = || {
        let mut count = Count::default();
        while let Some(name) = names.get(next.fetch_add(1, Ordering::Relaxed)) {
            let looked = fuzzer.try_the_same(name, seconds);
            count = count.and(match looked {
                Ok(executions) => {
                    eprintln!("{name:<9} {executions}");
                    Count::passed(1)
                }
                Err(error) => Count::failed(&format!("{name}: {error:#}")),
            });
        }
        count
    };
    // libFuzzer has one thread.
    Ok(std::thread::scope(|scope| {
        let workers: Vec<_> = (0..shell::cores()).map(|_| scope.spawn(work)).collect();
        let counts =
            workers.into_iter().map(|it| it.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        counts.fold(Count::default(), Count::and)
    }))
}

/// The names of all targets: each has a file in the corpus, which a test of `tests/fuzz` checks.
fn targets(root: &Path) -> Result<Vec<String>> {
    let mut names = Vec::new();
    for entry in fs::read_dir(root.join("tests/fuzz/corpus")).context("there is no corpus")? {
        names.push(entry?.file_name().to_string_lossy().into_owned());
    }
    names.sort();
    Ok(names)
}

/// The built program.
struct Fuzzer<'a> {
    root: &'a Path,
    program: PathBuf,
}

impl<'a> Fuzzer<'a> {
    fn build(root: &'a Path, profile: &str) -> Result<Self> {
        if cfg!(target_os = "linux") {
            debian::ensure_program("g++", "g++")?;
        }
        let line = "cargo build --workspace --bin fuzz --features fuzz/libfuzzer --message-format json";
        let mut build = command(root, &format!("{line} {profile}"));
        build.env("RUSTC_WORKSPACE_WRAPPER", root.join("tests/fuzz/rustc.sh"));
        let program = shell::built(&mut build).context("the fuzzer does not build")?;
        Ok(Self { root, program })
    }

    /// Searches for findings for a number of seconds, beginning with what is learned; returns the number of executions as text.
    fn look(&self, name: &str, seconds: u32) -> Result<String> {
        let mut run = self.command(name)?;
        run.args([self.learned(name)?, self.unpacked(name)?]);
        self.run(name, seconds, &mut run)
    }

    /// The same with inputs that only depend on the program and its corpus.
    fn try_the_same(&self, name: &str, seconds: u32) -> Result<String> {
        let mut run = self.command(name)?;
        run.arg(format!("-seed={SEED}")).arg(self.unpacked(name)?);
        self.run(name, seconds, &mut run)
    }

    fn run(&self, name: &str, seconds: u32, run: &mut Command) -> Result<String> {
        run.args(LIMITS).arg(format!("-max_total_time={seconds}")).arg("-print_final_stats=1");
        let words = self.root.join("tests/fuzz/dictionaries").join(format!("{name}.dict"));
        if words.is_file() {
            run.arg(format!("-dict={}", words.display()));
        }
        let said = self.listen(name, run)?;
        let number = said.iter().find_map(|it| it.strip_prefix("stat::number_of_executed_units:"));
        let executions = number.context("it does not say how often it ran")?.trim();
        Ok(format!("{executions} executions in {seconds} s"))
    }

    /// Runs one input, and shows the result.
    fn replay(&self, name: &str, file: &str) -> Result<()> {
        shell::run(
            self.command(name)?.args(LIMITS).arg(fs::canonicalize(file).with_context(|| file.to_owned())?),
        )
    }

    /// Reduces the corpus to the smallest inputs that together reach all code that any input reaches, up to [`MAX_KEPT`].
    fn keep(&self, name: &str) -> Result<()> {
        let (learned, kept) = (self.learned(name)?, self.unpacked(name)?);
        let smallest = self.empty(name, "smallest")?;
        let mut merge = self.command(name)?;
        // How often code runs makes no difference here: otherwise there would be ten times as many inputs.
        merge.args(LIMITS).args(["-merge=1", "-use_counters=0"]).args([&smallest, &kept, &learned]);
        self.listen(name, &mut merge)?;
        let mut inputs = Vec::new();
        for entry in fs::read_dir(&smallest)? {
            inputs.push(fs::read(entry?.path())?);
        }
        inputs.sort_by(|a, b| a.len().cmp(&b.len()).then(a.cmp(b)));
        let (all, mut bytes) = (inputs.len(), 0);
        inputs.retain(|input| {
            bytes += input.len();
            bytes <= MAX_KEPT
        });
        tests::write_inputs(&self.corpus(name), &inputs)?;
        println!("{name:<9} {} of {all} inputs that reach new code", inputs.len());
        Ok(())
    }

    fn command(&self, name: &str) -> Result<Command> {
        let mut command = Command::new(&self.program);
        let found = format!("-artifact_prefix={}/", self.folder(name)?.display());
        command.current_dir(self.root).env("FUZZ_TARGET", name).arg(found);
        Ok(command)
    }

    /// Runs it and writes its output to a log. If it fails, the end of the log is shown, and how to reproduce it.
    fn listen(&self, name: &str, command: &mut Command) -> Result<Vec<String>> {
        let log = self.folder(name)?.join("log");
        let mut file = fs::File::create(&log)?;
        let mut child = command.stderr(Stdio::piped()).stdout(Stdio::null()).spawn()?;
        let stderr = child.stderr.take().context("its errors were piped")?;
        let mut lines = Vec::new();
        for line in BufReader::new(stderr).split(b'\n') {
            let line = String::from_utf8_lossy(&line?).into_owned();
            writeln!(file, "{line}")?;
            // Lines about new inputs begin with #.
            if !line.starts_with('#') {
                lines.push(line);
            }
        }
        if child.wait()?.success() {
            return Ok(lines);
        }
        for line in &lines[lines.len().saturating_sub(40)..] {
            eprintln!("{line}");
        }
        let written =
            lines.iter().find_map(|it| it.split_once("Test unit written to ")).map(|it| it.1.trim());
        match written {
            Some(input) => {
                bail!("an input breaks a law; see it again with\n  cargo xtask fuzz {name} {input}")
            }
            None => bail!("it ended badly; {} says why", log.display()),
        }
    }

    /// Its folder for files that are not committed.
    fn folder(&self, name: &str) -> Result<PathBuf> {
        let folder = self.root.join("target/fuzz").join(name);
        fs::create_dir_all(&folder).with_context(|| folder.display().to_string())?;
        Ok(folder)
    }

    /// The inputs that reached new code here.
    fn learned(&self, name: &str) -> Result<PathBuf> {
        let folder = self.folder(name)?.join("corpus");
        fs::create_dir_all(&folder)?;
        Ok(folder)
    }

    /// The inputs that are committed, as libFuzzer reads them.
    fn unpacked(&self, name: &str) -> Result<PathBuf> {
        let (folder, file) = (self.empty(name, "kept")?, self.corpus(name));
        for (number, input) in
            tests::read_inputs(&file).with_context(|| file.display().to_string())?.iter().enumerate()
        {
            fs::write(folder.join(number.to_string()), input)?;
        }
        Ok(folder)
    }

    fn corpus(&self, name: &str) -> PathBuf {
        self.root.join("tests/fuzz/corpus").join(name)
    }

    fn empty(&self, name: &str, folder: &str) -> Result<PathBuf> {
        let folder = self.folder(name)?.join(folder);
        if folder.exists() {
            fs::remove_dir_all(&folder)?;
        }
        fs::create_dir_all(&folder)?;
        Ok(folder)
    }
}
