//! A program must not notice that it is recorded: small programs and shell lines, each run with `record` and without.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::io::{Read, Write as _};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Mutex;
use std::thread;
use std::time::{Duration, Instant};

use expect_test::expect;
use tests::{Folder, root};

use crate::recorded::{ending, plain, record, recordings};

/// What every program may read.
const INPUT: &[u8] = b"one\ntwo\n";
/// A program that has not ended by then hangs.
const LONGEST: Duration = Duration::from_secs(60);
/// As often it is looked whether a program has ended.
const POLL: Duration = Duration::from_millis(3);
/// So much of a line is shown.
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
    was_recorded: bool,
}

#[test]
fn a_program_does_not_notice_that_it_is_recorded() {
    let only = std::env::var("PROGRAMS").unwrap_or_default();
    let programs: Vec<Program> = all().into_iter().filter(|program| program.name.contains(&only)).collect();
    let left = Mutex::new(programs.iter());
    let found = Mutex::new(BTreeMap::new());
    let run = || {
        loop {
            let Some(program) = left.lock().unwrap().next() else { break };
            let began = Instant::now();
            let differences = compare(program);
            if let Ok(f) = std::env::var("TIMES") {
                fs::OpenOptions::new()
                    .append(true)
                    .create(true)
                    .open(f)
                    .unwrap()
                    .write_all(format!("{:.2} {}\n", began.elapsed().as_secs_f64(), program.name).as_bytes())
                    .unwrap();
            }
            if !differences.is_empty() {
                found.lock().unwrap().insert(&program.name, differences);
            }
        }
    };
    thread::scope(|scope| {
        for _ in 0..thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(run);
        }
    });
    let mut shown = format!("{} programs\n", programs.len());
    for (name, differences) in found.into_inner().unwrap() {
        writeln!(shown, "{name}").unwrap();
        differences.iter().for_each(|difference| writeln!(shown, "    {difference}").unwrap());
    }
    expect![[r#"
        482 programs
        children: becomes another user
            was not recorded
        endings: aborts where it is caught
            was not recorded
        endings: ends by SIGALRM
            was not recorded
        endings: ends by SIGUSR2
            was not recorded
        endings: hangs up on itself
            was not recorded
        endings: ignores SIGPIPE
            was not recorded
        endings: interrupts itself
            was not recorded
        endings: is terminated while it is busy, and handles it
            ends with 0, recorded with 2
            stdout has no more, recorded `later`
        endings: is terminated while it reads
            was not recorded
        endings: kills itself
            was not recorded
        endings: quits with SIGQUIT
            was not recorded
        endings: rejects and warns with an error
            was not recorded
        endings: terminates itself
            was not recorded
        engine: changes paths and processes
            was not recorded
        engine: changes symbols and strings
            stderr has no more, recorded `(node:N) Error: text`
            was not recorded
        engine: changes the clock
            was not recorded
        engine: changes what is built in
            was not recorded
        engine: deletes process
            ends with 0, recorded with 7
            stderr has no more, recorded `/var/lib/proflens/recorder/8403cb350f2dfad462773e7e32af2271/unseen.cjs:33`
            was not recorded
        engine: fits into little memory
            was not recorded
        engine: freezes everything
            ends with 0, recorded with 1
            stderr has no more, recorded `/var/lib/proflens/recorder/8403cb350f2dfad462773e7e32af2271/unseen.cjs:40`
        engine: is near the limit of its memory
            was not recorded
        engine: nothing of ours is in a heap snapshot
            stdout has `0`, recorded `4`
        engine: runs out of memory
            was not recorded
        inspector: coverage by the environment
            stdout has `file:///tmp/proflens-test-16006-222/main.js [{"functionName":"","ranges":[{"startOffset":0,"endOffset":111,"count":1}],"isBlockCoverage":true},{"functionName":"`, recorded `file:///var/lib/proflens/recorder/8403cb350f2dfad462773e7e32af2271/recorder.cjs [{"functionName":"","ranges":[{"startOffset":0,"endOffset":980,"count":1},{"star`
        inspector: coverage of a module
            stdout has `file:///tmp/proflens-test-16006-229/main.mjs [{"functionName":"","ranges":[{"startOffset":0,"endOffset":119,"count":1}],"isBlockCoverage":true},{"functionName":`, recorded `file:///var/lib/proflens/recorder/8403cb350f2dfad462773e7e32af2271/recorder.cjs [{"functionName":"","ranges":[{"startOffset":0,"endOffset":980,"count":1},{"star`
        inspector: coverage of a program that exits
            stdout has `file:///tmp/proflens-test-16006-224/main.js [{"functionName":"","ranges":[{"startOffset":0,"endOffset":51,"count":1}],"isBlockCoverage":true},{"functionName":"c`, recorded `file:///var/lib/proflens/recorder/8403cb350f2dfad462773e7e32af2271/recorder.cjs [{"functionName":"","ranges":[{"startOffset":0,"endOffset":980,"count":1},{"star`
        inspector: coverage of tests
            stdout has `# -------------------------------------------------------------`, recorded `# --------------------------------------------------------------------------------------------------------------------------------------------------------------`
        inspector: coverage of what ran for longer
            stdout has `file:///tmp/proflens-test-16006-223/main.js [{"functionName":"","ranges":[{"startOffset":0,"endOffset":178,"count":1},{"startOffset":140,"endOffset":147,"count"`, recorded `file:///var/lib/proflens/recorder/8403cb350f2dfad462773e7e32af2271/recorder.cjs [{"functionName":"","ranges":[{"startOffset":0,"endOffset":980,"count":1},{"star`
        inspector: coverage of workers and children
            stdout has `[["file:///tmp/proflens-test-16006-226/main.js",[{"functionName":"","ranges":[{"startOffset":0,"endOffset":300,"count":1},{"startOffset":115,"endOffset":136,"co`, recorded `[["file:///var/lib/proflens/recorder/8403cb350f2dfad462773e7e32af2271/recorder.cjs",[{"functionName":"","ranges":[{"startOffset":0,"endOffset":980,"count":1},{"`
        inspector: coverage that is ended with a signal
            stdout has `file:///tmp/proflens-test-16006-227/main.js ["","","covered",""]`, recorded `file:///var/lib/proflens/recorder/8403cb350f2dfad462773e7e32af2271/recorder.cjs ["","isWatcher","tell"]`
        inspector: coverage that is written when it says
            stdout has `file:///tmp/proflens-test-16006-225/main.js [{"functionName":"","ranges":[{"startOffset":0,"endOffset":137,"count":1}],"isBlockCoverage":true},{"functionName":"`, recorded `file:///var/lib/proflens/recorder/8403cb350f2dfad462773e7e32af2271/recorder.cjs [{"functionName":"","ranges":[{"startOffset":0,"endOffset":980,"count":1},{"star`
        inspector: debugs itself
            stdout has `[ 'main.js' ]`, recorded `[`
        inspector: sees workers by its inspector
            stdout has `detached`, recorded `attached [worker 2] 2`
        modules: a file of the environment
            stderr has no more, recorded `(node:N) Warning: careful`
        modules: no such option
            was not recorded
        modules: watches its files
            was not recorded
        permissions: a policy
            was not recorded
        permissions: a policy by the environment
            was not recorded
        permissions: a policy that refuses
            was not recorded
        permissions: may by the environment
            was not recorded
        permissions: may do everything
            was not recorded
        permissions: may from a script of npm
            was not recorded
        permissions: may not read itself
            was not recorded
        permissions: may read everything
            was not recorded
        permissions: may read its folder
            was not recorded
        permissions: may with a value
            was not recorded
        seen: async resources
            stdout has `0 Timeout 2 1`, recorded `0 Timeout 9 1`
        seen: counts its listeners
            stdout has `0 [ 'newListener', 'removeListener', 'warning' ] 0`, recorded `0 [ 'warning', 'newListener', 'removeListener' ] 0`
        seen: counts listeners after adding
            stdout has `[ 'newListener', 'removeListener', 'warning', 'SIGINT', 'exit' ] 1 1`, recorded `[ 'warning', 'newListener', 'removeListener', 'SIGINT', 'exit' ] 1 1`
        seen: deprecations are traced
            stderr has `(node:N) [DEP0005] DeprecationWarning: Buffer() is deprecated due to security and usability issues. Please use the Buffer.alloc(), Buffer.allocUnsafe(), or Buff`, recorded `(node:N) [DEP0144] DeprecationWarning: module.parent is deprecated due to accuracy issues. Please use require.main to find program entry point instead.`
        seen: handles in its report
            stdout has `async true false`, recorded `async false false`
        seen: identities of signals
            stdout has `[] [] [ 'newListener', 'removeListener', 'warning' ]`, recorded `[] [] [ 'warning', 'newListener', 'removeListener' ]`
        seen: ids of async resources
            stdout has `1 0 2`, recorded `1 0 9`
        seen: ids of threads
            stdout has `1 undefined {`, recorded `2 undefined {`
        seen: input and output in sync are traced
            stderr has no more, recorded `(node:N) WARNING: Detected use of sync API`
        seen: its modules
            stdout has `1 0 null true 3 false`, recorded `1 0 null true 3 true`
        seen: its report
            stdout has `] 2 ["totalMemory","executableMemory","totalCommittedMemory","availableMemory","totalGlobalHandlesMemory","usedGlobalHandlesMemory","usedMemory","memoryLimit","`, recorded `] 2 ["totalMemory","executableMemory","totalCommittedMemory","availableMemory","totalGlobalHandlesMemory","usedGlobalHandlesMemory","usedMemory","memoryLimit","`
        seen: loaded built-in modules
            stdout has `NativeModule events`, recorded `NativeModule diagnostics_channel`
        seen: names of its environment
            stdout has `[]`, recorded `[ 'BUN_OPTIONS', 'NODE_OPTIONS', 'PROFLENS_RECORD' ]`
        seen: pending deprecations
            stderr has no more, recorded `(node:N) [DEP0144] DeprecationWarning: module.parent is deprecated due to accuracy issues. Please use require.main to find program entry point instead.`
        seen: preloaded modules
            stdout has `[Function (anonymous)] []`, recorded `[Function (anonymous)] [`
        seen: properties of processes
            stdout has `mainModule wec`, recorded `emit cg`
        seen: properties of the global object
            stdout has no more, recorded `Symbol(proflens.recorder)`
        seen: texts of functions
            stdout has `terminate 834 terminate(callback) { debug(`[${thre`, recorded `terminate 29 function () { [native code] }`
        shell: a child crashes
            was not recorded
        shell: a child is killed
            was not recorded
        shell: a folder that nobody can write
            was not recorded
        shell: a time limit that is reached
            was not recorded
        shell: a time limit that is reached while it is busy
            was not recorded
        shell: a time limit that kills
            was not recorded
        shell: crashes
            was not recorded
        shell: debugs modules
            stdout has `0`, recorded `47`
        shell: empties the options of Node
            was not recorded
        shell: ends with a signal
            was not recorded
        shell: exits
            was not recorded
        shell: few files
            was not recorded
        shell: interrupts its group
            was not recorded
        shell: kills its group
            was not recorded
        shell: nohup
            was not recorded
        shell: npm says its version
            was not recorded
        shell: npx
            was not recorded
        shell: options of Node
            was not recorded
        shell: other programs
            was not recorded
        shell: other variables of Node
            stderr has no more, recorded `(node:N) [DEP0144] DeprecationWarning: module.parent is deprecated due to accuracy issues. Please use require.main to find program entry point instead.`
        shell: small files
            was not recorded
        shell: without an environment
            was not recorded
        stacks: aborts in a function that it called
            stdout has `1: ends (/tmp/proflens-test-16006-423/main.js:1:27)`, recorded `2: ends (/tmp/proflens-test-16006-423/main.js:1:27)`
        stacks: chdir fails
            stderr has `    at process.wrappedChdir [as chdir] (node:internal/bootstrap/switches/does_own_process_state:130:14)`, recorded `    at wrappedChdir (node:internal/bootstrap/switches/does_own_process_state:130:14)`
        stacks: signals are traced
            stderr has `KEYBOARD_INTERRUPT: Script execution was interrupted by `SIGINT``, recorded ``
        workers: a worker's name and number
            stdout has `0 1 [ 'eventLoopUtilization' ] false`, recorded `0 2 [ 'eventLoopUtilization' ] true`
        workers: numbers of workers
            stdout has `1`, recorded `2`
        workers: what a worker counts
            stdout has `[ 'newListener', 'removeListener', 'warning', 'exit' ] 1 [] 75`, recorded `[ 'newListener', 'removeListener', 'warning', 'exit' ] 1 [] 76`
    "#]]
    .assert_eq(&shown);
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

/// What is not the same with `record`, with the first line of each output that differs.
fn compare(program: &Program) -> Vec<String> {
    // The same folder, so that paths in messages are the same.
    let folder = Folder::new();
    let command: Vec<&str> = program.command.iter().map(String::as_str).collect();
    let without = see(program, &folder, plain(folder.path(), &command));
    let with = see(program, &folder, record(folder.path(), &[], &command));
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
        let pairs = std::iter::repeat_with(|| (lines.next(), recorded.next()));
        let different = |pair: &(Option<&str>, Option<&str>)| pair.0 != pair.1 || pair.0.is_none();
        let (line, recorded) = pairs.skip_while(|pair| !different(pair)).next().unwrap();
        differences.push(format!("{name} has {}, recorded {}", shown(line), shown(recorded)));
    }
    if !with.was_recorded {
        differences.push("was not recorded".to_owned());
    }
    differences
}

/// Runs a program in its folder, which then has nothing else.
fn see(program: &Program, folder: &Folder, mut command: Command) -> Seen {
    for entry in fs::read_dir(folder.path()).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) }.unwrap();
    }
    program.files.iter().for_each(|(file, text)| drop(folder.write(file, text)));
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    // Who does not read closes it.
    drop(child.stdin.take().unwrap().write_all(INPUT));
    let stdout = collect(child.stdout.take().unwrap());
    let stderr = collect(child.stderr.take().unwrap());
    let ending = end(&mut child, || stdout.is_finished() && stderr.is_finished());
    let [stdout, stderr] = [stdout, stderr].map(|output| masked(&output.join().unwrap()));
    let was_recorded = !recordings(folder.path()).is_empty();
    Seen { ending, stdout, stderr, was_recorded }
}

fn collect(mut stream: impl Read + Send + 'static) -> thread::JoinHandle<Vec<u8>> {
    thread::spawn(move || {
        let mut bytes = Vec::new();
        stream.read_to_end(&mut bytes).unwrap();
        bytes
    })
}

/// How a program ended. It is killed with all that it started if it does not end, or holds its output open.
fn end(child: &mut Child, is_closed: impl Fn() -> bool) -> String {
    let began = Instant::now();
    while began.elapsed() < LONGEST {
        if let Some(status) = child.try_wait().unwrap()
            && is_closed()
        {
            return ending(status);
        }
        thread::sleep(POLL);
    }
    Command::new("kill").args(["-KILL", "--", &format!("-{}", child.id())]).status().unwrap();
    child.wait().unwrap();
    "no end".to_owned()
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

/// An output without the number of the process, which is another one each time.
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

fn shown(line: Option<&str>) -> String {
    let Some(line) = line else { return "no more".to_owned() };
    let cut = line.char_indices().nth(SHOWN).map_or(line, |(end, _)| &line[..end]);
    format!("`{cut}`")
}
