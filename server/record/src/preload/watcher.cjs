// Ends recordings from a thread that is never busy: where a signal ends the program, where a worker is terminated or the
// process exits around it, and when the time that was asked for is over. It speaks with the main thread and, through it,
// with all workers by V8's inspector, which also interrupts a thread that computes.
'use strict';

const RECORDER = "globalThis[Symbol.for('proflens.recorder')]";
// As recorder.cjs has them.
const WORKERS_DONE = 1;
const HANDLED_SIGNALS = 2;
const SIGNALS = { SIGINT: 1, SIGTERM: 2, SIGHUP: 4 };
// A thread that waits in a system call hears nothing.
const LONGEST_WAIT_MS = 3000;
// As often while a thread writes.
const MOST_WAITS = 5;
const POLL_MS = 10;

const fs = require('fs');
const path = require('path');
const { once } = require('events');
const { constants } = require('os');
const { Session } = require('inspector');
const { parentPort, workerData } = require('worker_threads');

const { shared, settings } = workerData;
/** Ends when what was asked for so far is done: one at a time, as a worker must not end while a session is with it. */
let queue = Promise.resolve();
/** The workers that are about to be terminated, with the ports that wait for that. */
let terminated = [];

parentPort.on('message', (message) => {
  if (!message.answerTo) return enqueue(finishWorkersAtExit);
  terminated.push(message);
  if (terminated.length === 1) enqueue(finishTerminated);
});
endWithTime();
endWithSignals();

function enqueue(work) {
  queue = queue.then(work);
}

async function finishWorkersAtExit() {
  await withThreads(({ inWorkers }) => inWorkers("finish('exit')"));
  Atomics.store(shared, WORKERS_DONE, 1);
  Atomics.notify(shared, WORKERS_DONE);
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

function endWithTime() {
  const at = (time, call) => {
    if (time !== null && time > Date.now()) setTimeout(enqueue, time - Date.now(), () => inAllThreads(call)).unref();
  };
  at(settings.from, 'start()');
  at(settings.until, "finish('time is over')");
}

/** A handle of this thread gets signals also while the main thread is busy. */
function endWithSignals() {
  if (process.platform === 'win32') return;
  // Node gives its handles of signals to no other code.
  const { Signal } = require('internal/test/binding').internalBinding('signal_wrap');
  for (const [name, bit] of Object.entries(SIGNALS)) {
    const handle = new Signal();
    handle.unref();
    handle.onsignal = async () => {
      // The program decides, and its `exit` event ends the recording.
      if (Atomics.load(shared, HANDLED_SIGNALS) & bit) return;
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

/** Does some work with the threads of the process; they are let go of afterwards. */
async function withThreads(work) {
  const session = new Session();
  /** Of each worker the answers that are waited for, by the id of its session. */
  const workers = new Map();
  session.on('NodeWorker.attachedToWorker', ({ params }) => workers.set(params.sessionId, []));
  session.on('NodeWorker.detachedFromWorker', ({ params }) => {
    for (const answer of workers.get(params.sessionId) ?? []) answer();
    workers.delete(params.sessionId);
  });
  session.on('NodeWorker.receivedMessageFromWorker', ({ params }) => workers.get(params.sessionId)?.shift()?.());
  session.connectToMainThread();
  const ask = (method, parameters) => inTime((done) => session.post(method, parameters, done));
  await ask('NodeWorker.enable', { waitForDebuggerOnStart: false });

  const evaluate = (call, condition) => ({
    expression: `{ const it = ${RECORDER}; if (it && ${condition}) it.${call}; }`,
  });
  const inWorker = (sessionId, params) =>
    inTime((done) => {
      workers.get(sessionId)?.push(done);
      const message = JSON.stringify({ id: 1, method: 'Runtime.evaluate', params });
      session.post('NodeWorker.sendMessageToWorker', { sessionId, message }, (error) => error && done());
    });
  await work({
    inMain: (call) => ask('Runtime.evaluate', evaluate(call, true)),
    inWorkers: (call, condition = true) =>
      Promise.all([...workers.keys()].map((it) => inWorker(it, evaluate(call, condition)))),
  });

  // A thread that was writing before is asked in the middle of that, and answers at once.
  for (let waited = 0; isWriting() && waited < MOST_WAITS * LONGEST_WAIT_MS; waited += POLL_MS) {
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }

  // A thread that ends with a session says on stderr that it waits for a debugger.
  await ask('NodeWorker.disable');
  await new Promise(setImmediate);
  // Node 16 aborts at that.
  if (!process.version.startsWith('v16.')) session.disconnect();
}

/** Starts something that calls back; resolves when it has, or after a while in which no thread writes. */
function inTime(start) {
  return new Promise((resolve) => {
    let waits = 0;
    const timer = setInterval(() => {
      if (++waits < MOST_WAITS && isWriting()) return;
      clearInterval(timer);
      resolve();
    }, LONGEST_WAIT_MS);
    start(() => {
      clearInterval(timer);
      resolve();
    });
  });
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
