// Does from a thread that is never busy what the recorded threads cannot: ends recordings where a signal ends the program, where
// a worker is terminated or the process exits around it, and when the time that was asked for is over; and has a thread that
// computes hand over the next piece of its recording. It speaks with the main thread and, through it, with all workers by V8's
// inspector, which also interrupts a thread that computes.
'use strict';

const RECORDER = "globalThis[Symbol.for('proflens.recorder')]";
// A thread that waits in a system call hears nothing.
const LONGEST_WAIT_MS = 3000;
// As often while a thread writes, or has not got to it on a busy machine.
const MOST_WAITS = 5;
const LOOK_MS = 100;
// A thread that is woken runs within a moment, and one that still sleeps then is in a system call.
const LONGEST_SLEEP_MS = 500;
const canTellRunning = process.platform === 'linux';
const POLL_MS = 10;
// How often it is looked for a thread with a piece that is due, at most and at least.
const SHORTEST_LOOK_MS = 50;
const LONGEST_LOOK_MS = 1000;
// How much later than the program this thread may hear of a signal on a busy machine.
const LATE_MS = 1000;

const fs = require('fs');
const path = require('path');
const { once } = require('events');
const { constants } = require('os');
const { Session } = require('inspector');
const { parentPort, resourceLimits, workerData } = require('worker_threads');
const { DUE_PLACES, HANDLED_SIGNALS, HEAP_OF_WORKERS, HEARS_SIGNALS, IS_CLOSED, OPEN_SESSIONS, SIGNALS, WORKERS_DONE } = require('./watch.cjs');

const { shared, settings } = workerData;
const { due, handledLast, places } = shared;
// Node 16 aborts when a session with another thread is closed, so that none is opened there without need.
const canInterrupt = !process.version.startsWith('v16.');
/** Ends when what was asked for so far is done: one at a time, as a worker must not end while a session is with it. */
let queue = Promise.resolve();
/** The workers that are about to be terminated, with the ports that wait for that. */
let terminated = [];

Atomics.store(places, HEAP_OF_WORKERS, resourceLimits.maxOldGenerationSizeMb);
Atomics.notify(places, HEAP_OF_WORKERS);
parentPort.on('message', (message) => {
  if (message.times) return endWithTime(message.times);
  if (!message.answerTo) return enqueue(finishWorkersAtExit);
  terminated.push(message);
  if (terminated.length === 1) enqueue(finishTerminated);
});
if (process.platform === 'win32') endWhenAsked();
else endWithSignals();
Atomics.store(places, HEARS_SIGNALS, 1);
Atomics.notify(places, HEARS_SIGNALS);
if (canInterrupt) followPieces();

function enqueue(work) {
  queue = queue.then(work);
}

async function finishWorkersAtExit() {
  await withThreads(({ inWorkers }) => inWorkers("finish('exit')"));
  Atomics.store(places, WORKERS_DONE, 1);
  Atomics.notify(places, WORKERS_DONE);
}

async function finishTerminated() {
  const now = terminated;
  terminated = [];
  const ids = now.map((it) => it.thread).join();
  await withThreads(({ inWorkers }) => inWorkers("finish('terminated')", `[${ids}].includes(it.thread)`));
  const ended = now.map(({ answerTo }) => inTime((done) => once(answerTo, 'close').then(done)));
  for (const { answerTo } of now) {
    answerTo.on('message', () => {});
    answerTo.postMessage(null);
  }
  await Promise.all(ended);
}

function endWithTime({ from, until }) {
  // What is over by now, as this thread took its time to start, is done at once.
  const at = (time, work) => setTimeout(enqueue, Math.max(time - Date.now(), 0), work).unref();
  const end = (time) => at(time, () => inAllThreads("finish('time is over')"));
  if (from <= Date.now()) return until !== null && end(until);
  at(from, async () => {
    await inAllThreads('start(true)');
    if (until !== null) end(Date.now() + until - from);
  });
}

/** Has threads hand over what is due where they do not do so themselves. */
function followPieces() {
  const [ofMain, ...ofWorkers] = Array.from({ length: DUE_PLACES }, (_, place) => () => due[place] <= Date.now());
  const look = () => {
    const isMainDue = ofMain();
    if (ofWorkers.some((isDue) => isDue())) enqueue(() => inAllThreads('next()'));
    else if (isMainDue) enqueue(() => inMainThread('next()'));
    const next = due.reduce((first, time) => Math.min(first, time), Infinity) - Date.now();
    queue.then(() => setTimeout(look, Math.min(Math.max(next, SHORTEST_LOOK_MS), LONGEST_LOOK_MS)).unref());
  };
  setTimeout(look, SHORTEST_LOOK_MS).unref();
}

/** A handle of this thread gets signals also while the main thread is busy. */
function endWithSignals() {
  // Node gives its handles of signals to no other code.
  const { Signal } = require('internal/test/binding').internalBinding('signal_wrap');
  for (const [index, [name, bit]] of Object.entries(SIGNALS).entries()) {
    const handle = new Signal();
    let heard = 0;
    handle.unref();
    handle.onsignal = async () => {
      const before = heard;
      heard = Date.now();
      // The program decides, and its `exit` event ends the recording.
      if (Atomics.load(places, HANDLED_SIGNALS) & bit) return;
      // It has, by a listener that removed itself; the signal after that is not its own.
      const handled = handledLast[index];
      if (heard - handled < LATE_MS && before < handled - LATE_MS) return;
      setWriting(true);
      await inAllThreads(`finish('${name}')`);
      setWriting(false);
      // Without a handle the signal does again what it does by default.
      handle.close();
      setImmediate(() => process.kill(process.pid, name));
    };
    handle.start(constants.signals[name]);
  }
}

/** Windows has no signal before a process is ended: who ends this one asks it first (children.cjs). */
function endWhenAsked() {
  const asked = path.join(settings.folder, `${process.pid}.asked`);
  const look = async () => {
    if (!fs.existsSync(asked)) return setTimeout(look, SHORTEST_LOOK_MS).unref();
    setWriting(true);
    await inAllThreads("finish('SIGTERM')");
    setWriting(false);
  };
  setTimeout(look, SHORTEST_LOOK_MS).unref();
}

/** Who kills this process because it does not end at once is asked to wait. */
function setWriting(isWriting) {
  const file = path.join(settings.folder, `${process.pid}-signal.writing`);
  try {
    if (isWriting) fs.writeFileSync(file, '');
    else fs.rmSync(file, { force: true });
  } catch {
    // The recording is over, or the disk full: the signal does what it does.
  }
}

/** Calls the recorder of each thread. */
function inAllThreads(call) {
  return withThreads(({ inMain, inWorkers }) => Promise.all([inMain(call), inWorkers(call)]));
}

/** Calls the recorder of the main thread. */
function inMainThread(call) {
  return withMainThread((session) => evaluate(postTo(session), evaluation(call, true)));
}

function postTo(session) {
  return (method, parameters) => inTime((done) => session.post(method, parameters, done), true);
}

/**
 * Evaluates in a thread. Where something of the program was to be terminated meanwhile, such as a `vm` whose time was over, V8
 * has terminated the evaluation instead, and the program would go on for ever: so it is terminated again.
 */
async function evaluate(post, parameters) {
  const error = await post('Runtime.evaluate', parameters);
  if (/terminated/.test(error?.message)) await post('Runtime.terminateExecution');
}

function evaluation(call, condition) {
  return { expression: `{ const it = ${RECORDER}; if (it && ${condition}) it.${call}; }` };
}

/** Does some work with a session of the main thread; none is opened once the process ends. */
async function withMainThread(work) {
  Atomics.add(places, OPEN_SESSIONS, 1);
  try {
    if (Atomics.load(places, IS_CLOSED) === 1) return;
    const session = new Session();
    session.connectToMainThread();
    await work(session);
    if (canInterrupt) session.disconnect();
  } finally {
    Atomics.sub(places, OPEN_SESSIONS, 1);
    Atomics.notify(places, OPEN_SESSIONS);
  }
}

/** Does some work with the threads of the process; they are let go of afterwards. */
function withThreads(work) {
  return withMainThread(async (session) => {
    /** Of each worker the answers that are waited for, by the id of its session. */
    const workers = new Map();
    session.on('NodeWorker.attachedToWorker', ({ params }) => workers.set(params.sessionId, []));
    session.on('NodeWorker.detachedFromWorker', ({ params }) => {
      for (const answer of workers.get(params.sessionId) ?? []) answer();
      workers.delete(params.sessionId);
    });
    session.on('NodeWorker.receivedMessageFromWorker', ({ params }) => {
      const { error } = JSON.parse(params.message);
      workers.get(params.sessionId)?.shift()?.(error);
    });
    await postTo(session)('NodeWorker.enable', { waitForDebuggerOnStart: false });

    const postToWorker = (sessionId) => (method, parameters) =>
      inTime((done) => {
        workers.get(sessionId)?.push(done);
        const message = JSON.stringify({ id: 1, method, params: parameters });
        session.post('NodeWorker.sendMessageToWorker', { sessionId, message }, (error) => error && done());
      });
    await work({
      inMain: (call) => evaluate(postTo(session), evaluation(call, true)),
      inWorkers: (call, condition = true) =>
        Promise.all([...workers.keys()].map((id) => evaluate(postToWorker(id), evaluation(call, condition)))),
    });

    // A thread that was writing before is asked in the middle of that, and answers at once.
    for (let waited = 0; isWriting() && waited < MOST_WAITS * LONGEST_WAIT_MS; waited += POLL_MS) {
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }

    // A thread that ends with a session says on stderr that it waits for a debugger.
    await postTo(session)('NodeWorker.disable');
    await new Promise(setImmediate);
  });
}

/**
 * Starts something that calls back; resolves with what it says, or after a while in which no thread writes. The main thread of a
 * program that sleeps in a system call hears nothing: who waits for it alone sees that sooner.
 */
function inTime(start, waitsForMain = false) {
  return new Promise((resolve) => {
    const began = Date.now();
    let asleep = 0;
    const timer = setInterval(() => {
      const waited = Date.now() - began;
      const isAtWork = isWriting() || isRunning();
      asleep = isAtWork ? 0 : asleep + LOOK_MS;
      if (waited < MOST_WAITS * LONGEST_WAIT_MS && isAtWork) return;
      if (waited < LONGEST_WAIT_MS && !(waitsForMain && canTellRunning && asleep >= LONGEST_SLEEP_MS)) return;
      clearInterval(timer);
      resolve();
    }, LOOK_MS);
    start((said) => {
      clearInterval(timer);
      resolve(said);
    });
  });
}

/** Whether the main thread runs or waits for a core, where the system tells (proc(5), `/proc/[pid]/stat`). */
function isRunning() {
  try {
    const about = fs.readFileSync(`/proc/self/task/${process.pid}/stat`, 'latin1');
    return about.slice(about.lastIndexOf(')') + 2).startsWith('R');
  } catch {
    return false;
  }
}

function isWriting() {
  try {
    const isThread = new RegExp(`^${process.pid}-\\d.*\\.writing$`);
    return fs.readdirSync(settings.folder).some((it) => isThread.test(it));
  } catch {
    // The folder is gone: nobody waits for it.
    return false;
  }
}
