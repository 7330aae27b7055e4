// Takes the recorder along into whatever Node process the program starts, also with an environment of its own, and
// has a process that is writing its recording finish that before it is killed.
'use strict';

const { existsSync, readdirSync, writeFileSync } = require('fs');
const { basename, join } = require('path');
const process = require('process');
const { binding, builtIn, wrap } = require('./unseen.cjs');

// Kept, as nobody else may hold it.
const workersChannel = require('diagnostics_channel').channel('worker_threads');

// How long a process that is writing may go on before it is killed.
const LONGEST_WRITE_MS = 15_000;
const POLL_MS = 20;
// As `process.kill` has them. Windows ends a process at once for each of these, whatever its listeners say
// (nodejs.org/api/process.html, "Signal events").
const isWindows = process.platform === 'win32';
const KILLING = isWindows ? [2, 3, 9, 15] : [9];
// How long a process of Windows that is asked to end its recording may take for that.
const LONGEST_END_MS = 5000;
// Node's permission model and its policies let no module in that they do not name, and Node does not start with one; and its table
// of the coverage of tests would have rows for ours (server/record/src/refusals.rs has the same).
const KEEPS_RECORDER_OUT = /--((experimental-)?permission|experimental-policy|policy-integrity|experimental-test-coverage)\b/;

// Programs that run JavaScript, and of which Node's options make no recording: what is said of them, by their names, unless their
// arguments or variables are such that the options do.
const ELSEWHERE = [
  [/^workerd(\.exe)?$/, 'workers, which have an inspector of their own: start wrangler dev with --inspector-port 9230, and then proflens record --attach 127.0.0.1:9230'],
  [
    /^(chrom(e|ium)|google[- ]chrome|msedge|microsoft[- ]edge|headless_shell)([-. ]|$)/i,
    'pages: name one with proflens record --page URL, or start the browser with --remote-debugging-port=9222, and then proflens record --attach 127.0.0.1:9222',
  ],
  [/^firefox([-.]|$)/i, 'pages, which its own profiler records'],
  [/^turbo(\.exe)?$/, 'tasks, which get no recorder without turbo run --env-mode=loose', /--env-mode[= ]loose|TURBO_ENV_MODE=loose/],
];

/** `environment` is what a process must have to be recorded; `note` keeps a sentence for `proflens record`. */
exports.follow = function follow(settings, environment, note) {
  followProcesses(settings, environment, note);
  waitForWrites(settings);
};

/** Where all functions that start a process come to, so that none of them is changed: `lib/internal/child_process.js` of Node. */
function followProcesses(settings, environment, note) {
  const change = (options) => {
    try {
      if (!Array.isArray(options?.envPairs)) return;
      options.envPairs = changedPairs(options, environment, note);
      options.args = withFlags(options, settings.nodeFlags);
    } catch {
      // It is started as the program says.
    }
  };
  wrap(binding('spawn_sync'), 'spawn', {
    apply(spawn, self, parameters) {
      change(parameters[0]);
      return Reflect.apply(spawn, self, parameters);
    },
  });
  wrap(binding('process_wrap')?.Process.prototype, 'spawn', {
    apply(spawn, self, parameters) {
      const options = optionsOf(parameters);
      change(options);
      if (options !== parameters[0]) [parameters[1], parameters[3]] = [options.args, options.envPairs];
      const result = Reflect.apply(spawn, self, parameters);
      if (options?.detached && isNode(options.file) && self.pid) noteChild(settings, self.pid);
      return result;
    },
  });
}

/** What a process is started with, which newer versions of Node 24 and 26 give one by one (node/src/process_wrap.cc, `ProcessWrap::Spawn`). */
function optionsOf([first, args, , envPairs, , flags, uid]) {
  if (typeof first !== 'string') return first;
  return { file: first, args, envPairs, uid: uid ?? undefined, detached: (flags & 1) !== 0 };
}

/** The arguments of a process, with the flags that Node only takes from there; `node` alone is one that has them (deopts.rs). */
function withFlags({ args, file }, flags) {
  if (!flags || !isNode(file) || file === 'node' || args.includes(flags[0])) return args;
  return [args[0], ...flags, ...args.slice(1)];
}

/** The environment of a process, as `NAME=value`, with the recorder's variables or without them. */
function changedPairs({ args, envPairs, file, uid }, environment, note) {
  const name = basename(String(file));
  const given = [...(args ?? []), ...envPairs].join(' ');
  const elsewhere = ELSEWHERE.findIndex(([program, , unless]) => program.test(name) && !unless?.test(given));
  if (elsewhere >= 0) note(`elsewhere-${elsewhere}`, `${name} was not recorded: it runs ${ELSEWHERE[elsewhere][1]}`);
  if (uid !== undefined && uid !== process.getuid?.()) {
    note(`uid-${uid}`, `${name} ran as another user (uid ${uid}), who cannot write here, and was not recorded`);
    return envPairs;
  }
  const variables = new Map(envPairs.map((pair) => [pair.slice(0, pair.indexOf('=', 1)), pair.slice(pair.indexOf('=', 1) + 1)]));
  const said = [...(args ?? []), variables.get('NODE_OPTIONS') ?? ''].join(' ');
  const refused = KEEPS_RECORDER_OUT.exec(said);
  const changed = refused ? without(variables, environment) : withRecorder(variables, environment, isNode(file));
  if (refused) note('refused', `${name} was not recorded: with ${refused[0]} Node would not start, or would show the recorder`);
  return changed ? [...variables].map((pair) => pair.join('=')) : envPairs;
}

/** Whether variables of the recorder were missing, in an environment of Node or one that was meant to reach it. */
function withRecorder(variables, environment, isForNode) {
  const options = variables.get('NODE_OPTIONS');
  if (options === undefined && !isForNode) return false;
  let isChanged = false;
  for (const [name, value] of Object.entries(environment)) {
    const own = name === 'NODE_OPTIONS' && options ? options : undefined;
    if (own?.includes(value) || (name !== 'NODE_OPTIONS' && variables.has(name))) continue;
    variables.set(name, own ? `${own} ${value}` : value);
    isChanged = true;
  }
  return isChanged;
}

/** Whether variables of the recorder were there. */
function without(variables, environment) {
  let isChanged = false;
  for (const [name, value] of Object.entries(environment)) {
    const own = variables.get(name);
    if (own === undefined) continue;
    const rest = name === 'NODE_OPTIONS' ? own.replace(value, '').trim() : '';
    if (rest) variables.set(name, rest);
    else variables.delete(name);
    isChanged = true;
  }
  return isChanged;
}

/**
 * Gives a function that says in the end which workers, of those that are started from now on, were not recorded. Node asks `NODE_OPTIONS` of the environment that a worker is
 * given; no function could add it there without standing in the stack of an error of `new Worker`.
 * Those that were terminated before they began are `unborn`.
 */
exports.noteWorkers = function noteWorkers({ folder }, note, unborn) {
  const created = [];
  workersChannel.subscribe(({ worker }) => created.push(worker.threadId));
  return () => {
    const files = readdirSync(folder);
    const isRecorded = (id) => files.some((file) => file.startsWith(`${process.pid}-${id}.`));
    const missing = created.filter((id) => !isRecorded(id) && !unborn.has(id)).length;
    if (missing === 0) return;
    const workers = missing === 1 ? 'a worker' : `${missing} workers`;
    note('workers', `${workers} with an environment without NODE_OPTIONS ran without being recorded`);
  };
};

function isNode(file) {
  return file === process.execPath || /^node(js)?(\.exe)?$/.test(basename(String(file ?? '')));
}

/** A child that may outlive this process may not have begun to be recorded when the recording ends. */
function noteChild({ folder }, pid) {
  try {
    writeFileSync(join(folder, `${pid}.child.json`), builtIn.stringify({ process: pid }));
  } catch {
    // It is recorded as any other child.
  }
}

/**
 * Runners kill their children if these take long to end, as they do while they write. On Windows they kill them in any case: a process
 * that is recorded is asked to end its recording first, by a file that its watcher sees.
 */
function waitForWrites({ folder }) {
  const isUnfinished = (pid) => existsSync(join(folder, `${pid}-0.start.json`)) && !existsSync(join(folder, `${pid}-0.part.json`));
  const isWriting = (pid) => {
    const files = readdirSync(folder);
    const isMarked = files.some((file) => file.startsWith(`${pid}-`) && file.endsWith('.writing'));
    // The main thread writes last.
    return isMarked && !files.includes(`${pid}-0.part.json`);
  };
  const wait = (pid, signal) => {
    if (!KILLING.includes(signal) || !existsSync(folder)) return;
    try {
      const still = new Int32Array(new SharedArrayBuffer(4));
      if (isWindows && pid !== process.pid && isUnfinished(pid)) {
        writeFileSync(join(folder, `${pid}.asked`), '');
        for (let waited = 0; waited < LONGEST_END_MS && isUnfinished(pid); waited += POLL_MS) Atomics.wait(still, 0, 0, POLL_MS);
      }
      for (let waited = 0; waited < LONGEST_WRITE_MS && isWriting(pid); waited += POLL_MS) Atomics.wait(still, 0, 0, POLL_MS);
    } catch {
      // The recording is over.
    }
  };
  wrap(binding('process_wrap')?.Process.prototype, 'kill', {
    apply(kill, self, parameters) {
      wait(self.pid, parameters[0]);
      return Reflect.apply(kill, self, parameters);
    },
  });
  wrap(process, '_kill', {
    apply(kill, self, parameters) {
      wait(...parameters);
      return Reflect.apply(kill, self, parameters);
    },
  });
}
