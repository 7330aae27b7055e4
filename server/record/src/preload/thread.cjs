// Records one thread: whether, from when and until when, and what it leaves for `proflens record`. Whatever fails in here is
// written down, and the program goes on. Runs in Node 16 and newer.
'use strict';

const RECORDER = Symbol.for('proflens.recorder');
const VARIABLE = 'PROFLENS_RECORD';
// Programs that install and start others are not part of what somebody wants to measure.
const LAUNCHERS = new Set(['npm', 'npx', 'pnpm', 'pnpx', 'yarn', 'yarnpkg', 'corepack']);
// In a smaller heap the piece of a recording that is being written would be felt.
const SMALLEST_HEAP_MB = 32;
// How long a thread may take to hand over a piece on a busy machine.
const LONGEST_HANDING_OVER_MS = 10_000;
// How often a thread that is not busy looks whether a piece is due.
const LOOK_MS = 1000;

const { from: bytesOf } = require('buffer').Buffer;
const {
  accessSync, closeSync, constants, existsSync, openSync, readFileSync, unlinkSync, writeFileSync, writeSync,
} = require('fs');
const { basename, join } = require('path');
const process = require('process');
const { setInterval } = require('timers');
const threads = require('worker_threads');

// All of them now: later the program may have changed how modules are loaded.
const children = require('./children.cjs');
const unseen = require('./unseen.cjs');
const { recordCounts } = require('./counts.cjs');
const { recordHeap, recordTime, noticeSessions, writeText } = require('./samples.cjs');
const { watch: watchThread } = require('./watch.cjs');
const { builtIn } = unseen;
exports.hideModules = unseen.hideModules;
// As it is now, too.
const globalPerformance = Object.getOwnPropertyDescriptor(globalThis, 'performance');

/** Records this thread, if that is wanted. */
exports.begin = function begin() {
  const settings = readSettings(process.env[VARIABLE]);
  // A program may live longer than its recording, and what it starts then must find nothing to do.
  if (!settings || globalThis[RECORDER] || !isWritable(settings.folder)) return;
  const name = nameOfThread(settings);
  try {
    // Before it records, as what goes wrong there must not stop it from being recorded.
    const note = (kind, sentence) => writeNote(settings, `${name}-${kind}`, sentence);
    follow(settings, note);
    // V8 logs by itself.
    if (settings.nodeFlags) return;
    if (!isWanted(settings) || onlyStartsTests()) return;
    if (isOver(settings)) return;
    const heapMb = limitOfHeap();
    if (heapMb < SMALLEST_HEAP_MB) throw new Error(`its heap may grow to ${heapMb} MB only, and a recording needs ${SMALLEST_HEAP_MB} MB`);
    record({ ...settings, heapMb }, name, note);
  } catch (error) {
    writeError(settings, name, error);
  }
};

function readSettings(text) {
  try {
    return builtIn.parse(text);
  } catch {
    return null;
  }
}

/** Whether the recording is under way, and of this user. */
function isWritable(folder) {
  try {
    accessSync(folder, constants.W_OK | constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function follow(settings, note) {
  // In quotes a backslash escapes (node/src/node_options.cc, ParseNodeOptionsEnvVar).
  const file = join(__dirname, 'recorder.cjs').replace(/[\\"]/g, '\\$&');
  const environment = { NODE_OPTIONS: `--require="${file}"`, [VARIABLE]: builtIn.stringify(settings) };
  children.follow(settings, environment, note);
}

/** A process that replaced another, or came later, may have its number. */
function nameOfThread({ folder }) {
  const name = `${process.pid}-${threads.threadId}`;
  const isFree = (candidate) => !existsSync(join(folder, `${candidate}.start.json`));
  for (let number = 1; ; number++) {
    const numbered = number === 1 ? name : `${name}-${number}`;
    if (isFree(numbered)) return numbered;
  }
}

/** As `appendFileSync`, which calls what a program may have put in the place of `openSync` and others. */
function append(file, text) {
  const bytes = bytesOf(text);
  const opened = openSync(file, 'a');
  try {
    for (let written = 0; written < bytes.length; ) written += writeSync(opened, bytes, written);
  } finally {
    closeSync(opened);
  }
}

function record(settings, name, note) {
  const hand = (piece) => append(join(settings.folder, `${name}.pieces`), `${builtIn.stringify(piece)}\n`);
  // First of all, as it is the inspector that some programs have not.
  const recording = recordingOf(settings, hand);
  // Workers that were terminated before they began to be recorded.
  const unborn = new Set();
  const noteWatcher = (error) => writeError(settings, `${process.pid}-watcher`, error);
  const watcher = watchThread(settings, threads.Worker, noteWatcher, unborn);
  let noteMissing = () => {};
  let state = 'waiting';
  let due = Infinity;
  let began = 0;
  let times = { from: 0, until: null };
  // The watcher may interrupt this thread anywhere, also while it hands over a piece. It has done so by then, or V8 has terminated it
  // in the middle, with what the program ran in a `vm`.
  let handsOverUntil = 0;
  const isHandingOver = () => builtIn.now() < handsOverUntil;
  let endsBecause = null;
  // While this file is there, the watcher waits.
  const writing = join(settings.folder, `${name}.writing`);
  const finishAfterPiece = (reason) => {
    endsBecause = reason;
    try {
      writeFileSync(writing, '');
    } catch {
      // The disk is full, as it is said where the piece is written.
    }
  };
  const setDue = (period) => {
    due = builtIn.now() + period;
    watcher.setDue(due, period);
  };

  const recorder = {
    thread: threads.threadId,
    /** Begins; `isLate` if this thread was told to, which it may hear late. */
    start(isLate = false) {
      if (state !== 'waiting') return;
      state = 'recording';
      setDue(recording.start({ wantsTexts: !watcher.isLimited }));
      began = builtIn.now();
      if (isLate && times.until !== null) times.until = began + settings.durationMs;
    },
    /** Hands over what was recorded so far, if it is time to. */
    next() {
      if (state !== 'recording' || isHandingOver() || builtIn.now() < due) return;
      handsOverUntil = builtIn.now() + LONGEST_HANDING_OVER_MS;
      try {
        setDue(recording.next());
      } catch (error) {
        // The disk is full: `proflens record` sees what is missing in the end.
        setDue(Infinity);
        writeError(settings, `${name}-piece`, error);
      }
      handsOverUntil = 0;
      if (endsBecause !== null) recorder.finish(endsBecause);
    },
    /** Ends the recording and writes it; `reason` is what made it end. */
    finish(reason) {
      if (state === 'finished') return;
      if (isHandingOver()) return finishAfterPiece(reason);
      const hasStarted = state === 'recording';
      state = 'finished';
      setDue(Infinity);
      try {
        writeFileSync(writing, '');
        if (!settings.only) noteMissing();
        // A thread that computes hears late that the time is over: what it did since does not count.
        const until = times.until === null ? null : Math.max(Math.round((times.until - began) * 1000), 0);
        const part = hasStarted ? { ...recording.stop(), reason, until, marks: marks() } : { reason };
        writeText(settings, `${name}.part.json`, builtIn.stringify(part));
      } catch (error) {
        writeError(settings, name, error);
      }
      try {
        unlinkSync(writing);
        if (hasStarted && reason === 'time is over') recording.leave();
      } catch {
        // The program goes on as it is.
      }
      watcher.hasFinished();
    },
  };
  Object.defineProperty(globalThis, RECORDER, { value: recorder });
  writeText(settings, `${name}.start.json`, builtIn.stringify(describeThread()));
  // To get ready takes some time, of which nothing is to be recorded.
  if (!settings.delayMs) recorder.start();
  times = timesOf(settings);
  watcher.start();
  noteMissing = children.noteWorkers(settings, note, unborn);
  if (times.from || times.until !== null) watcher.endWithTime(times);
  if (builtIn.now() >= times.from) recorder.start();
  setInterval(recorder.next, LOOK_MS).unref();
  unseen.atExit((reason) => {
    try {
      watcher.finishWorkers();
      handsOverUntil = 0; // what ends is in the middle of nothing
      recorder.finish(reason);
      watcher.close();
    } catch (error) {
      writeError(settings, name, error);
    }
  });
  noticeSessions();
}

/** What is recorded: calls, allocations or time. */
function recordingOf(settings, hand) {
  if (settings.counts) return recordCounts(settings);
  return settings.heap ? recordHeap(settings) : recordTime(settings, hand);
}

/** Whether the time that was to be recorded was over before this thread began. */
function isOver({ folder, delayMs, durationMs }) {
  const file = join(folder, 'began');
  return durationMs !== null && existsSync(file) && builtIn.now() >= Number(readFileSync(file, 'utf8')) + delayMs + durationMs;
}

/** When the recording begins and ends. Both count from the first process that is recorded: a runner takes its time to start. */
function timesOf({ folder, delayMs, durationMs }) {
  if (!delayMs && durationMs === null) return { from: 0, until: null };
  const file = join(folder, 'began');
  let began = builtIn.now();
  try {
    writeFileSync(file, String(began), { flag: 'wx' });
  } catch {
    began = Number(readFileSync(file, 'utf8')) || began;
  }
  const from = began + delayMs;
  return { from, until: durationMs === null ? null : from + durationMs };
}

function isWanted({ only }) {
  const started = process.argv[1] ?? '';
  if (only) return wildcard(only).test([process.argv0, ...process.execArgv, ...process.argv.slice(1)].join(' '));
  const command = basename(started).replace(/\.[cm]?js$/, '').replace(/-cli$/, '');
  return !LAUNCHERS.has(command);
}

/** What starts the tests of `node --test` runs nothing else, and has no inspector: Node 18 aborts if it is asked for. */
function onlyStartsTests() {
  return process.execArgv.includes('--test') && !/--(experimental-)?test-isolation=none/.test(process.execArgv.join(' '));
}

function wildcard(pattern) {
  const escaped = pattern.split('*').map((text) => text.replace(/[.+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(escaped.join('.*'), 's');
}

/** How many MB the old objects of this thread may take. */
function limitOfHeap() {
  if (!threads.isMainThread) return threads.resourceLimits.maxOldGenerationSizeMb ?? Infinity;
  const flag = /--max[-_]old[-_]space[-_]size[= ](\d+)/;
  const limits = [process.env.NODE_OPTIONS ?? '', process.execArgv.join(' ')].map((text) => Number(flag.exec(text)?.[1] ?? NaN));
  return limits.reverse().find((limit) => limit > 0) ?? Infinity;
}

function describeThread() {
  return {
    process: process.pid,
    parent: process.ppid,
    thread: threads.threadId,
    arguments: process.argv.slice(1),
    folder: process.cwd(),
    node: process.version,
  };
}

/** The marks and measures of the program, in microseconds of the clock that V8's profiles have. */
function marks() {
  const performance = performanceOfProgram();
  if (!performance?.getEntriesByType) return [];
  const origin = Number(process.hrtime.bigint() / 1000n) - performance.now() * 1000;
  const entries = [...performance.getEntriesByType('mark'), ...performance.getEntriesByType('measure')];
  return entries.map(({ name, entryType, startTime, duration }) => ({
    name,
    kind: entryType,
    start: Math.round(origin + startTime * 1000),
    duration: Math.round(duration * 1000),
  }));
}

/** Node loads it when it is used first: a program that has not used it has no marks. */
function performanceOfProgram() {
  return process.moduleLoadList.includes('NativeModule perf_hooks') ? globalPerformance?.get?.call(globalThis) ?? globalPerformance?.value : null;
}

/** Tells `proflens record` why something is missing, where there is still a way to. */
function writeError(settings, name, error) {
  writeNote(settings, name, String(error?.message ?? error), 'error.txt');
}

/** Keeps one sentence for `proflens record`. */
function writeNote({ folder }, name, sentence, ending = 'note.txt') {
  try {
    writeFileSync(join(folder, `${name}.${ending}`), sentence);
  } catch {
    // The folder is full or gone: `proflens record` sees that the thread started and left nothing.
  }
}
