//! `cargo xtask bench`: whole processes on the same inputs in turn, beside what a user would run instead.

mod answers;
mod drawn;
mod editor;
mod inputs;
mod peers;
mod usage;

use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};

use crate::shell;
use inputs::{ANSWERED, COMPARED, DRAWN, GROWING, Input, Recipe};
use peers::Peer;
pub(crate) use usage::{Usage, measure, median};

const ROUNDS: usize = 7;
/// Rounds for inputs above [`LARGE`] bytes, on which the slowest program takes half a minute.
const ROUNDS_OF_LARGE: usize = 3;
const LARGE: u64 = 200_000_000;
/// A round that takes longer, in seconds, is one of few, however small its input is: some programs take a minute and a half.
const SLOW_ROUND: f64 = 30.0;

/// Makes the inputs, installs the peers, measures everything, prints the tables and writes docs/performance.md. With
/// `only`, just the inputs whose names contain it, and nothing is written.
///
/// # Errors
/// If an input cannot be made or a program does not run.
pub(crate) fn run(root: &Path, server: &Path, only: Option<&str>) -> Result<()> {
    let folder = root.join("target/bench");
    fs::create_dir_all(&folder)?;
    let floor = peers::floor(root)?;
    peers::install(&folder)?;
    let wanted = |name: &str| only.is_none_or(|only| name.contains(only));
    let mut page = String::from(HEAD);
    for recipe in COMPARED.iter().filter(|it| wanted(it.0)) {
        let input = made(recipe, &folder, &floor)?;
        let peers = peers::of(root, &folder, server, &floor, &input);
        let rounds = if input.bytes > LARGE { ROUNDS_OF_LARGE } else { ROUNDS };
        let runs = in_turn(&input, &peers, rounds)?;
        let names: Vec<&str> = peers.iter().map(|it| it.name.as_str()).collect();
        let table = table(&names, &runs);
        println!("\n{}, {:.1} MB\n{table}", input.name, input.bytes as f64 / 1e6);
        write!(page, "\n## {}\n\n{}\n\n{table}", input.name, input.what)?;
        fs::remove_file(&input.path)?;
    }
    let (mut growth, mut in_editor) = (String::from(GROWTH), String::from(IN_EDITOR));
    for recipe in GROWING.iter().filter(|it| wanted(it.0)) {
        let input = made(recipe, &folder, &floor)?;
        let ours = [peers::ours(server, &input)];
        let runs = in_turn(&input, &ours, ROUNDS_OF_LARGE)?;
        writeln!(growth, "{}", growth_row(&input, &runs[0]))?;
        writeln!(in_editor, "{}", editor_row(&input, server))?;
        fs::remove_file(&input.path)?;
    }
    let mut answers = String::new();
    if wanted(ANSWERED.0) {
        let input = made(&ANSWERED, &folder, &floor)?;
        answers = answers_table(&input, server);
        fs::remove_file(&input.path)?;
    }
    let mut pictures = String::new();
    if wanted(DRAWN.0) {
        let input = made(&DRAWN, &folder, &floor)?;
        let rows = drawn::rows(root, &folder, server, &input)?;
        write!(pictures, "{A_FLAME_GRAPH}\n{}\n\n{FRAMES}{rows}", input.what)?;
        fs::remove_file(&input.path)?;
    }
    println!("{growth}{in_editor}{answers}{pictures}");
    if only.is_none() {
        write!(page, "{growth}{in_editor}{answers}{pictures}{RECORDING}\n{}", machine()?)?;
        let path = root.join("docs/performance.md");
        fs::write(&path, crate::performance_page::with_section_of(&path, &page)?)?; // which takes other programs to measure
    }
    Ok(())
}

/// Writes an input in a process of its own: otherwise the memory of this process would be counted as that of the
/// programs that it starts.
fn made(recipe: &Recipe, folder: &Path, own: &Path) -> Result<Input> {
    shell::run(Command::new(own).args(["bench-input", recipe.0]).arg(folder))?;
    inputs::written(recipe, folder)
}

/// Writes the input with a name into a folder.
///
/// # Errors
/// If there is none with this name, or it cannot be written.
pub(crate) fn write_input(name: &str, folder: &Path) -> Result<()> {
    let recipe = COMPARED.iter().chain(&GROWING).chain([&ANSWERED, &DRAWN]).find(|it| it.0 == name);
    inputs::write(recipe.with_context(|| format!("there is no input {name}"))?, folder)
}

/// All programs on an input, one after the other in each round.
fn in_turn(input: &Input, peers: &[Peer], rounds: usize) -> Result<Vec<Vec<Usage>>> {
    let mut runs: Vec<Vec<Usage>> = vec![Vec::new(); peers.len()];
    // Round 0 is a warm-up that does not count; large inputs do without it.
    let (mut round, mut last) = (if rounds == ROUNDS { 0 } else { 1 }, rounds);
    while round <= last {
        let mut seconds = 0.0;
        for (peer, runs) in peers.iter().zip(&mut runs) {
            let usage = measure(&mut peer.command()).with_context(|| peer.name.clone())?;
            eprintln!("{} {round}: {} {:.3} s", input.name, peer.name, usage.wall);
            seconds += usage.wall;
            if round > 0 {
                runs.push(usage);
            }
        }
        if seconds > SLOW_ROUND {
            last = last.min(ROUNDS_OF_LARGE);
        }
        round += 1;
    }
    Ok(runs)
}

/// One pass of serde_json over a file that is kept in memory: the minimum cost of reading JSON.
///
/// # Errors
/// If the file cannot be read or is not JSON.
pub(crate) fn validate(file: &Path) -> Result<()> {
    let bytes = fs::read(file)?;
    serde_json::from_slice::<serde::de::IgnoredAny>(&bytes)?;
    Ok(())
}

const HEAD: &str = "\
# Performance

Written by `cargo xtask bench`. Each figure is a whole process, start-up included, as a user would run it:
wall and CPU time are medians, peak memory is what the kernel accounts to that process.
The programs run in turn, all of them in each round. A ratio is made within each round, and the median of these ratios
is shown: the programs of one round met the same load of the machine. So it can differ from the quotient of the two
median times beside it, mostly for short runs on a machine that was busy in some of the rounds.
The floor is one `serde_json` validation pass: it reads the file and checks that it is JSON, no more.
The inputs are made by a seeded generator: the same bytes on every machine.
";

const GROWTH: &str = "
## How memory grows

It follows samples and call paths, not bytes: of a Chrome trace most bytes are about other things.

| input | size | call paths | samples | wall | peak memory |
| --- | ---: | ---: | ---: | ---: | ---: |
";

const A_FLAME_GRAPH: &str = "
## A flame graph of a million samples

In Chromium without a graphics card, 1600 × 1000, in order of time: zoomed in to a thousandth, out to a half, and panned, for three
seconds, without a limit on frames a second. Opened to first frame, time between frames, memory of the page's process; medians of three
rounds in turn.
";
/// Measured by another command, because it takes minutes on a machine that does nothing else.
const RECORDING: &str = "
## What recording costs

`node benches/overhead.mjs target/release/proflens` runs the same ten seconds of work without a profiler, with `node --cpu-prof` and with
`proflens record` at the same interval, in turn, and prints wall and CPU time of each and the medians of the ratios of a round: for the
whole process, and for the work alone, which is without writing what was recorded. `--rounds`, `--interval` (in microseconds) and `--work`
change it. Run it on a machine that does nothing else.
";
const FRAMES: &str = "\
| | first frame | frame, median | frame, 95 % within | memory |
| --- | ---: | ---: | ---: | ---: |
";

fn growth_row(input: &Input, runs: &[Usage]) -> String {
    let median_of = |value: fn(&Usage) -> f64| median(runs.iter().map(value).collect());
    format!(
        "| {} | {:.0} MB | {} | {} | {:.2} s | {:.0} MB |",
        input.name,
        input.bytes as f64 / 1e6,
        input.nodes,
        input.samples,
        median_of(|it| it.wall),
        median_of(|it| it.peak as f64 / 1e6),
    )
}

const IN_EDITOR: &str = "
## In an editor

Each row is one session: the time from the start of the server to the first hints; the times of hints and hovers that were
requested one after the other while the same trace was loaded again; and the time from a click on \"Cancel\" to the end of
the progress.

| trace | first hints | answers while it loads | median | slowest | cancelled after |
| --- | ---: | ---: | ---: | ---: | ---: |
";

fn editor_row(input: &Input, server: &Path) -> String {
    let times = editor::measure(server, input);
    let millis = |seconds: f64| format!("{:.1} ms", seconds * 1e3);
    let cancelled = times.cancelled.map_or_else(|| "over before it shows a progress".to_owned(), millis);
    format!(
        "| {} | {:.2} s | {} | {} | {} | {cancelled} |",
        input.name,
        times.first_hint,
        times.answers,
        millis(times.median),
        millis(times.slowest),
    )
}

const ANSWERS: &str = "
## Answers on a million samples

What an editor waits for: the question is written, the answer is read and its JSON parsed, one question after the other.
";

fn answers_table(input: &Input, server: &Path) -> String {
    let what = &input.what;
    let mut table = format!(
        "{ANSWERS}\n{what}\n\n| question | median | 99 of 100 within | slowest |\n| --- | ---: | ---: | ---: |\n"
    );
    for answer in answers::measure(server, input) {
        let [median, most, slowest] = [0.5, 0.99, 1.0].map(|part| answer.within(part) * 1e3);
        let _ = writeln!(table, "| {} | {median:.1} ms | {most:.1} ms | {slowest:.1} ms |", answer.question);
    }
    table
}

fn table(names: &[&str], runs: &[Vec<Usage>]) -> String {
    let mut table = String::from(
        "| program | wall | CPU | peak memory | wall: ratio to the floor | CPU: ratio to the floor |\n\
         | --- | ---: | ---: | ---: | ---: | ---: |\n",
    );
    let floor = &runs[0];
    for (name, runs) in names.iter().zip(runs) {
        let median_of = |value: fn(&Usage) -> f64| median(runs.iter().map(value).collect());
        let against = |value: fn(&Usage) -> f64| {
            median(runs.iter().zip(floor).map(|(it, floor)| value(it) / value(floor)).collect())
        };
        let (wall, cpu) = (|it: &Usage| it.wall, |it: &Usage| it.cpu);
        let _ = writeln!(
            table,
            "| {name} | {:.3} s | {:.3} s | {:.0} MB | ×{:.2} | ×{:.2} |",
            median_of(wall),
            median_of(cpu),
            median_of(|it| it.peak as f64 / 1e6),
            against(wall),
            against(cpu),
        );
    }
    table
}

fn machine() -> Result<String> {
    let cores = std::thread::available_parallelism()?;
    let node = Command::new("node").arg("--version").output()?;
    let node = String::from_utf8_lossy(&node.stdout).trim().to_owned();
    Ok(format!(
        "Measured on {} {} with {cores} cores, node {node}.\n",
        std::env::consts::OS,
        std::env::consts::ARCH
    ))
}
