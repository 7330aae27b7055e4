// Records the thread that it is loaded in. `proflens record` has Node load it into every process and worker of a command,
// by `NODE_OPTIONS=--require`, so it must never change what the program does: whatever fails in here is written down for
// `proflens record` and the program goes on. Runs in Node 16 and newer.
'use strict';

const RECORDER = Symbol.for('proflens.recorder');
const VARIABLE = 'PROFLENS_RECORD';
// What installs and starts other programs is no part of what somebody wants to measure.
const LAUNCHERS = new Set(['npm', 'npx', 'pnpm', 'pnpx', 'yarn', 'yarnpkg', 'corepack']);
// As the watcher has them.
const RUNNING_WORKERS = 0;
const WORKERS_DONE = 1;
const HANDLED_SIGNALS = 2;
const SIGNALS = { SIGINT: 1, SIGTERM: 2, SIGHUP: 4 };
const LONGEST_WAIT_MS = 5000;
// As often while a worker writes.
const MOST_WAITS = 4;

const fs = require('fs');
const path = require('path');
const threads = require('worker_threads');
// Before it is told to take the recorder along.
const { Worker } = threads;

if (process.env[VARIABLE] && !globalThis[RECORDER] && !threads.workerData?.proflensWatcher) {
  const settings = readSettings(process.env[VARIABLE]);
  // A program may live longer than its recording, and what it starts then must find nothing to do.
  if (settings && fs.existsSync(settings.folder)) {
    const name = nameOfThread(settings);
    try {
      // Before it records, as what goes wrong there must not stop it from being recorded.
      follow(settings);
      if (isWanted(settings)) {
        const times = timesOf(settings);
        if (times.until === null || Date.now() < times.until) record({ ...settings, ...times }, name);
      }
    } catch (error) {
      // What starts the tests of `node --test` has no inspector, and runs nothing else.
      if (!process.execArgv.includes('--test')) writeError(settings, name, error);
    }
  }
}

function readSettings(text) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function follow(settings) {
  // In quotes a backslash escapes (node/src/node_options.cc, ParseNodeOptionsEnvVar).
  const file = __filename.replace(/[\\"]/g, '\\$&');
  const environment = { NODE_OPTIONS: `--require="${file}"`, [VARIABLE]: JSON.stringify(settings) };
  require('./children.cjs').follow(settings, environment);
}

/** A process that replaced another, or came later, may have its number. */
function nameOfThread({ folder }) {
  const name = `${process.pid}-${threads.threadId}`;
  const isFree = (it) => !fs.existsSync(path.join(folder, `${it}.start.json`));
  for (let number = 1; ; number++) {
    const numbered = number === 1 ? name : `${name}-${number}`;
    if (isFree(numbered)) return numbered;
  }
}

function record(settings, name) {
  const shared = threads.isMainThread
    ? new Int32Array(new SharedArrayBuffer(12))
    : threads.getEnvironmentData(RECORDER.description);
  const session = openSession();
  const recording = settings.heap ? heapRecording(session, settings) : timeRecording(session, settings);
  let state = 'waiting';

  const recorder = {
    thread: threads.threadId,
    start() {
      if (state !== 'waiting') return;
      state = 'recording';
      recording.start();
    },
    /** Ends the recording and writes it; `reason` is what made it end. */
    finish(reason) {
      if (state === 'finished') return;
      const hasStarted = state === 'recording';
      state = 'finished';
      const writing = path.join(settings.folder, `${name}.writing`);
      try {
        fs.writeFileSync(writing, '');
        if (hasStarted) write(settings, `${name}.part.json`, { ...recording.stop(), reason, marks: marks() });
      } catch (error) {
        writeError(settings, name, error);
      } finally {
        fs.rmSync(writing, { force: true });
        session.disconnect();
        if (!threads.isMainThread && shared) Atomics.sub(shared, RUNNING_WORKERS, 1);
      }
    },
  };
  Object.defineProperty(globalThis, RECORDER, { value: recorder });
  write(settings, `${name}.start.json`, describeThread());
  if (Date.now() >= settings.from) recorder.start();

  if (threads.isMainThread) {
    threads.setEnvironmentData(RECORDER.description, shared);
    const watcher = startWatcher(settings, shared);
    noteHandledSignals(shared);
    const finish = (reason) => {
      if (Atomics.load(shared, RUNNING_WORKERS) > 0 && watcher.isRunning) {
        watcher.finishWorkers();
        for (let waits = 0; waits < MOST_WAITS; waits++) {
          if (Atomics.wait(shared, WORKERS_DONE, 0, LONGEST_WAIT_MS) !== 'timed-out' || !isWriting(settings)) break;
        }
      }
      recorder.finish(reason);
    };
    process.on('exit', () => finish('exit'));
    require('./children.cjs').finishBefore(finish);
  } else {
    if (shared) Atomics.add(shared, RUNNING_WORKERS, 1);
    process.on('exit', () => recorder.finish('exit'));
  }
}

/** When the recording begins and ends. Both count from the first process that is recorded: a runner takes its time to start. */
function timesOf({ folder, delayMs, durationMs }) {
  if (!delayMs && durationMs === null) return { from: 0, until: null };
  const file = path.join(folder, 'began');
  let began = Date.now();
  try {
    fs.writeFileSync(file, String(began), { flag: 'wx' });
  } catch {
    began = Number(fs.readFileSync(file, 'utf8')) || began;
  }
  const from = began + delayMs;
  return { from, until: durationMs === null ? null : from + durationMs };
}

function isWanted({ only }) {
  const started = process.argv[1] ?? '';
  if (only) return wildcard(only).test([process.argv0, ...process.execArgv, ...process.argv.slice(1)].join(' '));
  const command = path.basename(started).replace(/\.[cm]?js$/, '').replace(/-cli$/, '');
  return !LAUNCHERS.has(command);
}

function wildcard(pattern) {
  const escaped = pattern.split('*').map((it) => it.replace(/[.+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(escaped.join('.*'), 's');
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

/** A session of V8's inspector with this thread. Its answers come before `ask` returns. */
function openSession() {
  const { Session } = require('inspector');
  const session = new Session();
  session.connect();
  return {
    ask(method, parameters) {
      let answer;
      session.post(method, parameters, (error, result) => {
        if (error) throw new Error(`${method}: ${error.message}`);
        answer = result;
      });
      return answer;
    },
    on: (event, listener) => session.on(event, ({ params }) => listener(params)),
    disconnect: () => session.disconnect(),
  };
}

function timeRecording(session, settings) {
  const scripts = new Map();
  return {
    start() {
      // From the start on, as V8 forgets scripts that nobody holds, such as the modules of a test that has ended.
      session.on('Debugger.scriptParsed', (it) => {
        scripts.set(it.scriptId, it);
        if (it.startColumn < 0 && !it.sourceMapURL) it.map = findMapOfVitest(it.url);
      });
      session.ask('Debugger.enable', { maxScriptsCacheSize: 256 * 1024 * 1024 });
      // A `debugger` statement would stop this thread for ever.
      session.ask('Debugger.setSkipAllPauses', { skip: true });
      session.ask('Profiler.enable');
      session.ask('Profiler.setSamplingInterval', { interval: settings.intervalUs });
      session.ask('Profiler.start');
    },
    stop() {
      const { profile } = session.ask('Profiler.stop');
      const ids = new Set(profile.nodes.map((it) => it.callFrame.scriptId));
      const sampled = [...ids].map((id) => scripts.get(id)).filter((it) => it?.url);
      return { profile, scripts: sampled.map((it) => keepScript(session, settings, it)).filter(Boolean) };
    },
  };
}

function heapRecording(session, settings) {
  const urls = new Map();
  return {
    start() {
      session.on('Debugger.scriptParsed', (it) => urls.set(it.scriptId, it.url));
      session.ask('Debugger.enable');
      session.ask('Debugger.setSkipAllPauses', { skip: true });
      session.ask('HeapProfiler.enable');
      session.ask('HeapProfiler.startSampling', { samplingInterval: settings.heap });
    },
    stop() {
      const { profile } = session.ask('HeapProfiler.stopSampling');
      // V8 does not know any more where functions were that nobody holds.
      const open = [profile.head];
      for (let node; (node = open.pop()); open.push(...node.children)) {
        const { callFrame } = node;
        if (!callFrame.url) callFrame.url = urls.get(callFrame.scriptId) ?? '';
        if (isOurs(callFrame.url)) callFrame.url = 'node:internal/proflens';
      }
      return { heap: profile, scripts: [] };
    },
  };
}

/** Whether the text of a script is not needed: it is Node's or ours, or a dependency's, which stays as it is. */
function isElsewhere(url) {
  if (url.startsWith('node:') || isOurs(url)) return true;
  return /[\\/]node_modules[\\/]/.test(url) && fs.existsSync(fileOf(url));
}

/** V8's inspector calls modules by `file:` urls. */
function isOurs(url) {
  return fileOf(url).startsWith(__dirname);
}

/** The file of a script, or something that is none. */
function fileOf(url) {
  try {
    return url.startsWith('file:') ? require('url').fileURLToPath(url) : url;
  } catch {
    return url;
  }
}

/** Writes the text of a script, once for all threads that ran it, and says where. */
function keepScript(session, settings, script) {
  const { scriptId, url, sourceMapURL, hash, length, startLine, startColumn } = script;
  if (isElsewhere(url)) return null;
  const text = `${hash}-${length}.text`;
  if (!fs.existsSync(path.join(settings.folder, text))) {
    const { scriptSource } = session.ask('Debugger.getScriptSource', { scriptId });
    // V8 has forgotten it.
    if (!scriptSource && length > 0) return null;
    writeText(settings, text, scriptSource);
  }
  // An inline map is a part of the text.
  const isInline = !sourceMapURL || sourceMapURL.startsWith('data:');
  const [mapUrl, map] = isInline ? [null, JSON.parse(script.map ?? null)] : [sourceMapURL, findMap(url)];
  return { scriptId, url, text, mapUrl, map, startLine, startColumn };
}

/** The source map that Node itself has read, if it reads them. */
function findMap(url) {
  return require('module').findSourceMap?.(fileOf(url))?.payload ?? null;
}

/** The source map that Vitest 5 keeps beside a module, as it leaves no comment in the text; only until the next test. */
function findMapOfVitest(url) {
  const modules = globalThis.__vitest_worker__?.evaluatedModules?.fileToModulesMap?.get(fileOf(url));
  for (const { meta } of modules ?? []) if (typeof meta?.sourceMap === 'string') return meta.sourceMap;
  return null;
}

/** The marks and measures of the program, in microseconds of the clock that V8's profiles have. */
function marks() {
  const { performance } = require('perf_hooks');
  if (!performance.getEntriesByType) return [];
  const origin = Number(process.hrtime.bigint() / 1000n) - performance.now() * 1000;
  const entries = [...performance.getEntriesByType('mark'), ...performance.getEntriesByType('measure')];
  return entries.map((it) => ({
    name: it.name,
    kind: it.entryType,
    start: Math.round(origin + it.startTime * 1000),
    duration: Math.round(it.duration * 1000),
  }));
}

/** Starts the thread that ends recordings where this one cannot: while it is busy, and in its workers. */
function startWatcher(settings, shared) {
  const watcher = new Worker(path.join(__dirname, 'watcher.cjs'), {
    // Neither the flags nor the environment of the program, which would load its own modules; and Node's signal handles.
    execArgv: ['--expose-internals', '--no-warnings'],
    env: {},
    workerData: { proflensWatcher: true, shared, settings },
  });
  watcher.unref();
  const it = { isRunning: true, finishWorkers: () => watcher.postMessage({}) };
  watcher.on('error', (error) => {
    it.isRunning = false;
    writeError(settings, `${process.pid}-watcher`, error);
  });
  finishBeforeTermination(watcher, it);
  return it;
}

/** A worker that is terminated has no `exit` event. */
function finishBeforeTermination(watcher, state) {
  const { terminate } = threads.Worker.prototype;
  threads.Worker.prototype.terminate = function (...parameters) {
    if (this.threadId < 0 || !state.isRunning) return terminate.apply(this, parameters);
    return new Promise((resolve, reject) => {
      const { port1, port2 } = new threads.MessageChannel();
      port1.once('message', () => {
        Reflect.apply(terminate, this, parameters).then(resolve, reject).finally(() => port1.close());
      });
      watcher.postMessage({ thread: this.threadId, answerTo: port2 }, [port2]);
    });
  };
}

/** Keeps for the watcher which signals the program handles itself. */
function noteHandledSignals(shared) {
  const note = () => {
    const handled = Object.keys(SIGNALS).filter((it) => process.listenerCount(it) > 0);
    Atomics.store(shared, HANDLED_SIGNALS, handled.reduce((sum, it) => sum | SIGNALS[it], 0));
  };
  note();
  // Comes before the listener is added.
  process.on('newListener', (event) => Atomics.or(shared, HANDLED_SIGNALS, SIGNALS[event] ?? 0));
  process.on('removeListener', note);
}

function isWriting({ folder }) {
  const isOurs = (it) => it.startsWith(`${process.pid}-`) && it.endsWith('.writing');
  return fs.readdirSync(folder).some(isOurs);
}

function write(settings, file, value) {
  writeText(settings, file, JSON.stringify(value));
}

/** Under another name first, so that a file that is there is whole. */
function writeText({ folder }, file, text) {
  const unfinished = path.join(folder, `${file}.${process.pid}-${threads.threadId}`);
  fs.writeFileSync(unfinished, text);
  fs.renameSync(unfinished, path.join(folder, file));
}

/** Tells `proflens record`, where there is still a way to. */
function writeError(settings, name, error) {
  try {
    writeText(settings, `${name}.error.txt`, String(error?.message ?? error));
  } catch {
    // The folder is full or gone: `proflens record` sees that the thread started and left nothing.
  }
}
