//! A program must not notice that it is recorded: small programs and shell lines, each run with `record` and without.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::Mutex;
use std::thread;

use tests::{Folder, root};

use crate::ended::ended;
use crate::recorded::{ending, plain, record, recordings};

/// What every program may read.
const INPUT: &[u8] = b"one\ntwo\n";
/// How often a program that prints something else when recorded is run without `record`.
const PLAIN_RUNS: usize = 5;
/// How much of a line is shown.
const SHOWN: usize = 160;

/// A program of `programs/`: the files of a folder, and what is run there.
struct Program {
    name: String,
    command: Vec<String>,
    files: BTreeMap<String, String>,
}

/// What can be seen of a program from outside.
struct Seen {
    ending: String,
    stdout: String,
    stderr: String,
}

/// The result of running it with `record` and without.
struct Compared {
    /// With the first line of each output that is not the same.
    differences: Vec<String>,
    was_recorded: bool,
}

const ENVIRONMENT: &str = "the recorder comes in by the environment";
const MODULES: &str = "the recorder is modules that Node loads before those of the program";
const THREAD: &str = "beside the program runs a thread of the recorder, the first worker";
const HOOKS: &str = "the recorder hears of the end of a program where `process` and its functions do";
const LATE: &str = "a thread of the recorder hears of signals, too, and asks the program what to do";
const GROUP: &str = "a signal of the whole group comes to `record` as well, which cannot know that its command has it already";
/// The programs that may notice something, and why that is unavoidable; docs/record.md has the same reasons for users.
const SEEING: [(&str, &str); 27] = [
    ("endings: is terminated while it is busy, and handles it", LATE),
    ("engine: changes symbols and strings", HOOKS),
    ("engine: nothing of ours is in a heap snapshot", MODULES),
    ("inspector: coverage by the environment", MODULES),
    ("inspector: debugs itself", MODULES),
    ("inspector: sees workers by its inspector", THREAD),
    ("modules: a file of the environment", ENVIRONMENT),
    ("seen: async resources", THREAD),
    ("seen: handles in its report", THREAD),
    ("seen: ids of threads", THREAD),
    ("seen: its modules", MODULES),
    ("seen: its report", THREAD),
    ("seen: loaded built-in modules", MODULES),
    ("seen: names of its environment", ENVIRONMENT),
    ("seen: preloaded modules", MODULES),
    ("seen: properties of processes", HOOKS),
    ("seen: properties of the global object", HOOKS),
    ("seen: texts of functions", HOOKS),
    ("shell: debugs modules", MODULES),
    ("shell: interrupts its group", GROUP),
    ("shell: interrupts its group and handles it", GROUP),
    ("stacks: aborts in a function that it called", HOOKS),
    ("stacks: chdir fails", HOOKS),
    ("stacks: signals are traced", LATE),
    ("workers: a worker's name and number", THREAD),
    ("workers: numbers of workers", THREAD),
    ("workers: what a worker counts", MODULES),
];

#[test]
fn a_program_does_not_notice_that_it_is_recorded() {
    // `PROGRAMS='workers:' cargo test -p tests --test record same` runs only some of them.
    let only = std::env::var("PROGRAMS").unwrap_or_default();
    let programs: Vec<Program> = all().into_iter().filter(|program| program.name.contains(&only)).collect();
    let left = Mutex::new(programs.iter());
    let compared = Mutex::new(BTreeMap::new());
    let work = || {
        let next = || left.lock().unwrap().next();
        while let Some(program) = next() {
            let found = compare(program);
            compared.lock().unwrap().insert(program.name.as_str(), found);
        }
    };
    thread::scope(|scope| {
        for _ in 0..thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(work);
        }
    });
    let compared = compared.into_inner().unwrap();

    let mut different = String::new();
    for (name, Compared { differences, .. }) in compared.iter().filter(|(_, it)| !it.differences.is_empty()) {
        writeln!(different, "{name}\n    {}", differences.join("\n    ")).unwrap();
    }
    let noticed: Vec<&str> =
        different.lines().filter(|line| !line.starts_with(' ') && !may_see(line)).collect();
    assert_eq!(noticed, [""; 0], "{} programs, of which these see something:\n{different}", programs.len());
    let is_there = |name: &str| !only.is_empty() || programs.iter().any(|program| program.name == name);
    assert!(SEEING.iter().all(|(name, _)| is_there(name)), "each of these is a program");

    // Otherwise a recorder that is never there would not be noticed.
    let recorded = compared.values().filter(|it| it.was_recorded).count();
    assert!(!only.is_empty() || recorded > programs.len() * 4 / 5, "only {recorded} programs were recorded");
}

fn may_see(name: &str) -> bool {
    SEEING.iter().any(|(known, _)| *known == name)
}

/// Reads `programs/`. There `//- name` begins a program, which is `main.js`; in a file for shells that is `#- name`, and
/// the program `main.sh`. `//- name: node --flag main.mjs` has another command, and `//- name $ node main.js | cat` a
/// line for a shell. `//- /other.js` begins another file of the program above.
fn all() -> Vec<Program> {
    let folder = root().join("tests/record/programs");
    let mut themes: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    themes.sort();
    themes.iter().flat_map(|theme| read(theme)).collect()
}

fn read(theme: &Path) -> Vec<Program> {
    let name_of_theme = theme.file_stem().unwrap().to_str().unwrap();
    let (mark, usual) = match theme.extension().unwrap().to_str().unwrap() {
        "sh" => ("#- ", "sh main.sh"),
        _ => ("//- ", "node main.js"),
    };
    let mut programs: Vec<Program> = Vec::new();
    let mut file = String::new();
    for line in fs::read_to_string(theme).unwrap().lines() {
        match (line.strip_prefix(mark), programs.last_mut()) {
            (Some(head), Some(program)) if head.starts_with('/') => {
                file = head[1..].to_owned();
                program.files.insert(file.clone(), String::new());
            }
            (Some(head), _) => {
                let (name, command) = match (head.split_once(" $ "), head.split_once(": ")) {
                    (Some((name, line)), _) => (name, vec!["sh", "-c", line]),
                    (None, Some((name, words))) => (name, words.split(' ').collect()),
                    (None, None) => (head, usual.split(' ').collect()),
                };
                let mut words = command.iter().flat_map(|argument| argument.split(' '));
                file = words
                    .find(|word| word.starts_with("main."))
                    .unwrap_or("none")
                    .trim_end_matches(';')
                    .to_owned();
                programs.push(Program {
                    name: format!("{name_of_theme}: {name}"),
                    command: command.into_iter().map(str::to_owned).collect(),
                    files: BTreeMap::from([(file.clone(), String::new())]),
                });
            }
            (None, Some(program)) => {
                let text = program.files.get_mut(&file).unwrap();
                text.push_str(line);
                text.push('\n');
            }
            (None, None) => panic!("{} does not begin with a program", theme.display()),
        }
    }
    programs
}

/// Runs a program with `record` and without. Its output may depend on Node's own threads: when recorded it must print something that
/// it can also print without.
fn compare(program: &Program) -> Compared {
    // They have the same folder, so that paths in messages are the same.
    let folder = Folder::new();
    let command: Vec<&str> = program.command.iter().map(String::as_str).collect();
    let with = see(program, &folder, record(folder.path(), &[], &command));
    let was_recorded = !recordings(folder.path()).is_empty();
    let run = || differences(&see(program, &folder, plain(folder.path(), &command)), &with);
    let mut found = run();
    for _ in 1..PLAIN_RUNS {
        if found.is_empty() || may_see(&program.name) {
            break;
        }
        found = run();
    }
    Compared { differences: found, was_recorded }
}

/// How a program without `record` differs from one with it.
fn differences(without: &Seen, with: &Seen) -> Vec<String> {
    let mut differences = Vec::new();
    if without.ending != with.ending {
        differences.push(format!("ends with {}, recorded with {}", without.ending, with.ending));
    }
    let outputs = [
        ("stdout", &without.stdout, with.stdout.as_str()),
        ("stderr", &without.stderr, of_program(&without.stderr, &with.stderr)),
    ];
    for (name, without, with) in outputs.into_iter().filter(|(_, without, with)| without.as_str() != *with) {
        let (mut lines, mut recorded) = (without.lines(), with.lines());
        let mut pairs = std::iter::repeat_with(|| (lines.next(), recorded.next()));
        let different = |pair: &(Option<&str>, Option<&str>)| pair.0 != pair.1 || pair.0.is_none();
        let (line, recorded) = pairs.find(different).unwrap();
        let start = line.zip(recorded).map_or(0, |(line, recorded)| same_start(line, recorded));
        differences.push(format!("{name} has {}, recorded {}", shown(line, start), shown(recorded, start)));
    }
    differences
}

/// Runs a program in its folder, which then contains nothing else.
fn see(program: &Program, folder: &Folder, command: Command) -> Seen {
    for entry in fs::read_dir(folder.path()).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) }.unwrap();
    }
    program.files.iter().for_each(|(file, text)| drop(folder.write(file, text)));
    match ended(command, INPUT) {
        None => Seen { ending: "no end".to_owned(), stdout: String::new(), stderr: String::new() },
        Some(output) => Seen {
            ending: ending(output.status),
            stdout: masked(&output.stdout),
            stderr: masked(&output.stderr),
        },
    }
}

/// What a recorded program wrote to stderr, without what `record` says before and after it.
fn of_program<'a>(without: &str, recorded: &'a str) -> &'a str {
    let is_ours = |line: &str| line.starts_with("Note: ") || line.starts_with("Recorded ");
    let mut text = recorded;
    while !text.starts_with(without) && text.lines().next().is_some_and(is_ours) {
        text = text.split_once('\n').map_or("", |(_, rest)| rest);
    }
    let own = text.strip_prefix(without).filter(|rest| rest.lines().next().is_none_or(is_ours));
    own.map_or(text, |own| &text[..text.len() - own.len()])
}

/// An output without the process number, which is different each time.
fn masked(output: &[u8]) -> String {
    let mut text = String::from_utf8_lossy(output).into_owned();
    for before in ["(node:", " pid: "] {
        let mut parts = text.split(before);
        let mut result = parts.next().unwrap_or_default().to_owned();
        for part in parts {
            let rest = part.trim_start_matches(|digit: char| digit.is_ascii_digit());
            let number = if rest == part { "" } else { "N" };
            write!(result, "{before}{number}{rest}").unwrap();
        }
        text = result;
    }
    text
}

/// Where a line is shown from, so that what differs is seen.
fn same_start(line: &str, recorded: &str) -> usize {
    let same = line.chars().zip(recorded.chars()).take_while(|(one, other)| one == other).count();
    if same < SHOWN / 2 { 0 } else { same - SHOWN / 4 }
}

fn shown(line: Option<&str>, start: usize) -> String {
    let Some(line) = line else { return "no more".to_owned() };
    let before = if start == 0 { "" } else { "…" };
    format!("`{before}{}`", line.chars().skip(start).take(SHOWN).collect::<String>())
}
