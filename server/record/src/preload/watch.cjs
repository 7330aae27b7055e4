// What the threads of a process and its watcher (watcher.cjs) have in common, and what a thread asks of the watcher.
'use strict';

const { readdirSync } = require('fs');
const path = require('path');
const process = require('process');
const threads = require('worker_threads');
const { builtIn, isInListener, onListeners, wrap } = require('./unseen.cjs');

const KEY = 'proflens.watch';
// What each place of the shared numbers holds.
exports.RUNNING_WORKERS = 0;
exports.WORKERS_DONE = 1;
exports.HANDLED_SIGNALS = 2;
exports.OPEN_SESSIONS = 3;
exports.IS_CLOSED = 4;
// How many MB the old objects of a worker may take that the program has set no limits for.
exports.HEAP_OF_WORKERS = 5;
exports.HEARS_SIGNALS = 6;
const PLACES = 7;
// When the next piece of a thread is due, by the number of the thread; two that share a place only ask more often.
exports.DUE_PLACES = 64;
exports.SIGNALS = { SIGINT: 1, SIGTERM: 2, SIGHUP: 4 };
const LONGEST_WAIT_MS = 5000;
const LONGEST_START_MS = 2000;
// As often while a worker writes.
const MOST_WAITS = 4;
// A thread that hands over its pieces itself, once a second, needs no help; one whose pieces are shorter does.
const PATIENCE_MS = 2000;
const SHORT_MS = 1000;

/** Connects this thread with the watcher of its process, which the main thread starts. */
exports.watch = function watch(settings, Worker, onError, unborn) {
  if (!threads.isMainThread) return watchWorker(threads.getEnvironmentData(KEY));
  const shared = {
    places: new Int32Array(new SharedArrayBuffer(PLACES * Int32Array.BYTES_PER_ELEMENT)),
    due: times(exports.DUE_PLACES).fill(Infinity),
    // When a listener of each signal was the last one, and was removed while it was called.
    handledLast: times(Object.keys(exports.SIGNALS).length),
  };
  threads.setEnvironmentData(KEY, shared);
  let watcher = null;
  return {
    setDue: setDue(shared),
    hasFinished() {},
    isLimited: false,
    /** Starts it: last of all, as a thread that starts slows the others down. */
    start() {
      watcher = startWatcher(Worker, { proflensWatcher: true, shared, settings }, onError, unborn);
      noteHandledSignals(shared);
    },
    endWithTime: (times) => watcher.endWithTime(times),
    /** Has the watcher end the recordings of workers, which end with the process. */
    finishWorkers() {
      const { places } = shared;
      if (Atomics.load(places, exports.RUNNING_WORKERS) === 0 || !watcher?.isRunning) return;
      watcher.finishWorkers();
      for (let waits = 0; waits < MOST_WAITS; waits++) {
        if (Atomics.wait(places, exports.WORKERS_DONE, 0, LONGEST_WAIT_MS) !== 'timed-out' || !isWriting(settings)) return;
      }
    },
    /** No session of the watcher may be open when the process ends: Node would say on stderr that it waits for that. */
    close() {
      const { places } = shared;
      Atomics.store(places, exports.IS_CLOSED, 1);
      for (let open; (open = Atomics.load(places, exports.OPEN_SESSIONS)) > 0; ) {
        if (Atomics.wait(places, exports.OPEN_SESSIONS, open, LONGEST_WAIT_MS) === 'timed-out') return;
      }
    },
  };
};

function times(count) {
  return new Float64Array(new SharedArrayBuffer(count * Float64Array.BYTES_PER_ELEMENT));
}

function watchWorker(shared) {
  if (shared) Atomics.add(shared.places, exports.RUNNING_WORKERS, 1);
  return {
    isLimited: isLimited(shared),
    setDue: shared ? setDue(shared) : () => {},
    hasFinished: () => shared && Atomics.sub(shared.places, exports.RUNNING_WORKERS, 1),
    start() {},
    endWithTime() {},
    finishWorkers() {},
    close() {},
  };
}

/**
 * Whether the program has set limits for this worker. When such a worker runs out of memory Node ends it, and the program hears
 * of that; V8's debugger would take Node's place there and end the whole process (v8/src/inspector/v8-debugger.cc,
 * nearHeapLimitCallback). So no debugger says which texts ran, and `proflens record` looks for them on the disk.
 */
function isLimited(shared) {
  if (!shared) return true;
  const { places } = shared;
  Atomics.wait(places, exports.HEAP_OF_WORKERS, 0, LONGEST_WAIT_MS);
  return threads.resourceLimits.maxOldGenerationSizeMb !== Atomics.load(places, exports.HEAP_OF_WORKERS);
}

function setDue({ due }) {
  return (time, period) => {
    due[threads.threadId % exports.DUE_PLACES] = time + (period < SHORT_MS ? 0 : PATIENCE_MS);
  };
}

/** Starts the thread that ends recordings where this one cannot: while it is busy, and in its workers. */
function startWatcher(Worker, workerData, onError, unborn) {
  const thread = withoutTicks(() => new Worker(path.join(__dirname, 'watcher.cjs'), {
    // Neither the flags nor the environment of the program, which would load its own modules; and Node's signal handles.
    execArgv: ['--expose-internals', '--no-warnings'],
    env: {},
    // Else Node would open the program's own stdout and stderr for what the watcher never writes.
    stdout: true,
    stderr: true,
    workerData,
  }));
  thread.unref();
  const watcher = { isRunning: true, finishWorkers: () => thread.postMessage({}), endWithTime: (times) => thread.postMessage({ times }) };
  thread.on('error', (error) => {
    watcher.isRunning = false;
    onError(error);
  });
  finishBeforeTermination(thread, watcher, workerData.shared.places, unborn);
  return watcher;
}

/**
 * What Node would do in the next tick is done at once, and `process` emits no `worker`. A tick that waits when the program has
 * loaded would stand in the stacks of its first promises.
 */
function withoutTicks(start) {
  const { nextTick } = process;
  const ticks = [];
  process.nextTick = (...tick) => ticks.push(tick);
  try {
    return start();
  } finally {
    process.nextTick = nextTick;
    const emitsWorker = (call) => call.length === 0 && String(call).includes("'worker'");
    for (const [call, ...parameters] of ticks) if (!emitsWorker(call)) call(...parameters);
  }
}

/** A worker that is terminated has no `exit` event. One that has not begun to be recorded is among the `unborn` then. */
function finishBeforeTermination(thread, watcher, places, unborn) {
  const terminated = new WeakMap();
  wrap(threads.Worker.prototype, 'terminate', {
    apply(terminate, worker, parameters) {
      const before = terminated.get(worker);
      if (before) return before.then((code) => code);
      if (worker.threadId < 0 || !watcher.isRunning) return Reflect.apply(terminate, worker, parameters);
      if (Atomics.load(places, exports.RUNNING_WORKERS) === 0) {
        unborn.add(worker.threadId);
        return Reflect.apply(terminate, worker, parameters);
      }
      const ended = finishAndTerminate(terminate, worker, parameters);
      terminated.set(worker, ended);
      const forget = () => terminated.delete(worker);
      ended.then(forget, forget);
      return ended;
    },
  });
  function finishAndTerminate(terminate, worker, parameters) {
    return new Promise((resolve, reject) => {
      const { port1, port2 } = new threads.MessageChannel();
      port1.once('message', () => {
        Reflect.apply(terminate, worker, parameters).then(resolve, reject).finally(() => port1.close());
      });
      thread.postMessage({ thread: worker.threadId, answerTo: port2 }, [port2]);
    });
  }
}

/** Keeps for the watcher which signals the program handles itself. */
function noteHandledSignals({ places, handledLast }) {
  const { SIGNALS, HANDLED_SIGNALS } = exports;
  const names = Object.keys(SIGNALS);
  const handled = () => names.filter((name) => process.listenerCount(name) > 0);
  const note = () => Atomics.store(places, HANDLED_SIGNALS, handled().reduce((sum, name) => sum | SIGNALS[name], 0));
  note();
  onListeners({
    added(event) {
      if (!SIGNALS[event]) return;
      Atomics.or(places, HANDLED_SIGNALS, SIGNALS[event]);
      // From now on both hear of the same signals. The watcher has started at the same time as the program.
      Atomics.wait(places, exports.HEARS_SIGNALS, 0, LONGEST_START_MS);
      Atomics.store(places, exports.HEARS_SIGNALS, 1);
    },
    removed(event) {
      if (!SIGNALS[event]) return;
      if (process.listenerCount(event) === 0 && isInListener()) handledLast[names.indexOf(event)] = builtIn.now();
      note();
    },
  });
}

function isWriting({ folder }) {
  const isOurs = (file) => file.startsWith(`${process.pid}-`) && file.endsWith('.writing');
  return readdirSync(folder).some(isOurs);
}
