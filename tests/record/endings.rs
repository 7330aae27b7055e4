//! Programs that end in all possible ways: each does with `proflens record` what it does without, and what is missing
//! is reported.

use std::fmt::Write;
use std::thread;

use expect_test::expect;

use crate::recorded::{ending, notes, plain, programs, record, unfinished, worked};

const PROGRAMS: [(&str, &str); 16] = [
    ("exit", "(function workBefore() { work.for(100) })(); console.log('out'); process.exit(3);"),
    ("uncaught", "(function workBefore() { work.for(100) })(); throw new Error('boom');"),
    ("rejected", "(async function workBefore() { work.for(100); await null; throw 1; })();"),
    ("abort", "(function workBefore() { work.for(100) })(); process.abort();"),
    ("terminated", "(function workBefore() { work.for(1000) })(); process.kill(process.pid); setInterval(() => {}, 1e6);"),
    ("busy-terminated", "(function workBefore() { work.for(1000); process.kill(process.pid); work.for(1e6) })();"),
    // The recorder's second thread interrupts a program anywhere, even while it hands over a piece.
    (
        "handing-over",
        "const { console } = require('inspector'), { profile } = console;
        console.profile = (title) => { profile(title); globalThis[Symbol.for('proflens.recorder')].next(); };
        (function workInPieces() { work.for(1000) })();",
    ),
    ("killed", "(function workBefore() { work.for(2000) })(); process.kill(process.pid, 'SIGKILL');"),
    ("out-of-memory", "const all = []; for (;;) all.push(Array(1e4).fill(1.5));"),
    ("folder", "process.chdir('/'); (function workElsewhere() { work.for(100) })(); console.log(process.cwd());"),
    ("debugger", "(function workBetween() { for (let i = 0; i < 3; i++) { debugger; work.for(50); } })(); console.log('on');"),
    (
        "profiles-itself",
        "const session = new (require('inspector').Session)(); session.connect();
        session.post('Profiler.enable'); session.post('Profiler.start', (error) => console.log('start', error));
        (function workUnderBoth() { work.for(200) })();
        session.post('Profiler.stop', (error, { profile }) => console.log('stop', error, profile.samples.length > 10));
        session.disconnect(); (function workAfter() { work.for(100) })();",
    ),
    (
        "workers",
        "const { Worker, isMainThread, parentPort, workerData } = require('worker_threads');
        if (isMainThread) {
          (async () => {
            const ended = (it) => new Promise((resolve) => it.on('exit', resolve));
            console.log('exits', await ended(new Worker(__filename, { workerData: 'exits' })));
            console.log('empty', await ended(new Worker('', { eval: true, env: {} })));
            const busy = new Worker(__filename, { workerData: 'is terminated' });
            busy.on('message', () => setTimeout(async () => console.log('terminated', await busy.terminate()), 200));
            await ended(busy);
            const left = new Worker(__filename, { workerData: 'is left' });
            left.on('message', () => setTimeout(() => process.exit(4), 200));
          })();
        } else if (workerData === 'exits') { (function workAndExit() { work.for(500) })(); process.exit(5);
        } else if (workerData === 'is left') { parentPort.postMessage(1); (function workUntilExit() { work.for(1e6) })();
        } else { parentPort.postMessage(1); (function workUntilTerminated() { work.for(1e6) })(); }",
    ),
    (
        "children",
        "const { execFileSync, execSync, fork, spawnSync } = require('child_process');
        const [, file, argument] = process.argv;
        if (argument === 'none') (function workWithoutEnvironment() { work.for(100) })();
        if (argument === 'other') (function workWithOtherOptions() { work.for(100); console.log(process.env.NODE_OPTIONS.includes('--no-warnings')) })();
        if (argument === 'command') (function workOfCommand() { work.for(100) })();
        if (argument === 'fork') (function workOfFork() { work.for(100) })();
        if (!argument) {
          execFileSync(process.execPath, [file, 'none'], { env: {} });
          spawnSync(process.execPath, [file, 'other'], { env: { NODE_OPTIONS: '--no-warnings' }, stdio: 'inherit' });
          execSync(`\"${process.execPath}\" \"${file}\" command`);
          for (const name of Object.keys(process.env)) delete process.env[name];
          fork(file, ['fork']).on('exit', (code) => console.log('fork', code));
        }",
    ),
    (
        "detached",
        "const { spawn } = require('child_process');
        if (process.argv[2]) setTimeout(() => require('fs').writeFileSync('lived-on', ''), 3000);
        else { (function workBefore() { work.for(100) })(); spawn(process.execPath, [__filename, 'on'], { detached: true, stdio: 'ignore' }).unref(); }",
    ),
    ("megabytes", "for (let i = 0; i < 20; i++) process.stdout.write('x'.repeat(999_999) + '\\n');"),
];

#[test]
fn a_program_ends_as_it_does_without() {
    let run = |(name, text): &(&str, &str)| {
        let file = format!("{name}.cjs");
        let text = format!("const work = require(require('path').join(__dirname, 'work.cjs'));\n{text}");
        let folder = programs(&[(&file, &text)]);
        let command = ["node", "--max-old-space-size=50", &file];
        let without = plain(folder.path(), &command).output().unwrap();
        let with = record(folder.path(), &[], &command).output().unwrap();
        assert!(with.stdout == without.stdout, "{name} wrote something else");
        assert_eq!(ending(with.status), ending(without.status), "{name}");
        let unfinished = unfinished(folder.path()).len();
        let mut shown = format!("{name}: {}, {}\n", ending(with.status), worked(folder.path()).join(", "));
        // Of the one that needs too much memory, it is up to V8 whether anything is kept whose end could be noted.
        let is_certain = |note: &&String| *name != "out-of-memory" || !note.contains("the command ended");
        notes(&with).iter().filter(is_certain).for_each(|note| writeln!(shown, "    {note}").unwrap());
        (0..unfinished).for_each(|_| shown.push_str("    something stays\n"));
        shown
    };
    let half = |programs: &[(&str, &str)]| programs.iter().map(run).collect::<String>();
    let (first, second) = PROGRAMS.split_at(8);
    let shown = thread::scope(|it| {
        let first = it.spawn(|| half(first));
        let second = half(second);
        first.join().unwrap() + &second
    });
    expect![[r#"
        exit: 3, workBefore exit.cjs
            Note: the command ended with status N its work may not be whole.
        uncaught: 1, workBefore uncaught.cjs
            Note: the command ended with status N its work may not be whole.
        rejected: 1, workBefore rejected.cjs
            Note: the command ended with status N its work may not be whole.
        abort: signal 6, workBefore abort.cjs
            Note: the command ended with signal N (SIGABRT): its work may not be whole.
        terminated: signal 15, workBefore terminated.cjs
            Note: the command ended with signal N (SIGTERM): its work may not be whole.
        busy-terminated: signal 15, workBefore busy-terminated.cjs
            Note: the command ended with signal N (SIGTERM): its work may not be whole.
        handing-over: 0, workInPieces handing-over.cjs
        killed: signal 9, workBefore killed.cjs
            Note: killed.cjs (pid N ended before the last of what it recorded could be written: it was killed, it crashed, or the disk is full.
            Note: the command ended with signal N (SIGKILL): its work may not be whole.
        out-of-memory: signal 6, 
            Note: out-of-memory.cjs (pid N ended before the last of what it recorded could be written: it was killed, it crashed, or the disk is full.
        folder: 0, workElsewhere folder.cjs
        debugger: 0, workBetween debugger.cjs
        profiles-itself: 0, workAfter profiles-itself.cjs, workUnderBoth profiles-itself.cjs
        workers: 4, workAndExit workers.cjs, workUntilExit workers.cjs, workUntilTerminated workers.cjs
            Note: a worker with an environment without NODE_OPTIONS ran without being recorded.
            Note: the command ended with status N its work may not be whole.
        children: 0, workOfCommand children.cjs, workOfFork children.cjs, workWithOtherOptions children.cjs, workWithoutEnvironment children.cjs
        detached: 0, workBefore detached.cjs
            Note: not recorded, as they still run: pid N
        megabytes: 0, 
    "#]]
    .assert_eq(&shown);
}

/// V8 11.3 (Node 20) aborted most runs of this program when what hands over a piece matched a regular expression.
#[test]
fn a_regular_expression_of_the_program_may_be_interrupted() {
    // Long alternations need more memory than V8 has ready for regular expressions.
    let text = "const text = 'ab'.repeat(3000);
        let found = 0;
        for (let round = 0; round < 40_000; round++) found += /^(?:a|b)*c/.test(text) ? 1 : 0;
        console.log(`${found} found`);";
    let folder = programs(&[("main.cjs", text)]);
    let runs = (0..3).map(|_| record(folder.path(), &[], &["node", "main.cjs"]).output().unwrap());
    let ends: Vec<_> = runs
        .map(|run| (ending(run.status), String::from_utf8(run.stdout).unwrap().contains("0 found")))
        .collect();
    assert_eq!(ends, vec![("0".to_owned(), true); 3]);
}
