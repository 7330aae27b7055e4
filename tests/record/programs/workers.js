//- a worker speaks
const { Worker, isMainThread, parentPort } = require('worker_threads');
if (isMainThread) new Worker(__filename).on('message', (message) => console.log(message)).on('exit', (code) => console.log('exit', code));
else parentPort.postMessage('hey');
//- a worker throws
const { Worker, isMainThread } = require('worker_threads');
Error.stackTraceLimit = 1; // by which way Node hears of it is a race of its own threads
if (isMainThread) new Worker(__filename);
else throw new Error('in worker');
//- a worker throws and is heard
const { Worker } = require('worker_threads');
new Worker('throw new TypeError("x")', { eval: true }).on('error', (error) => console.log(error.name, error.message)).on('exit', (code) => console.log(code));
//- a worker exits
const { Worker, isMainThread } = require('worker_threads');
if (isMainThread) new Worker(__filename).on('exit', (code) => console.log(code));
else process.exit(6);
//- a worker exits in the middle
const { Worker } = require('worker_threads');
new Worker('process.on("exit", (code) => console.log("exits", code)); setTimeout(() => { process.exit(2) }, 5); setInterval(() => {}, 1000)', { eval: true }).on('exit', (code) => console.log(code));
//- a worker never begins
const { Worker } = require('worker_threads');
new Worker('./none.js').on('error', (error) => console.log(error.code)).on('exit', (code) => console.log(code));
//- the program exits while a worker works
const { Worker } = require('worker_threads');
new Worker('require("worker_threads").parentPort.postMessage(1); for (;;);', { eval: true }).on('message', () => process.exit(4));
//- the program throws while a worker works
const { Worker } = require('worker_threads');
new Worker('require("worker_threads").parentPort.postMessage(1); setInterval(() => {}, 1000);', { eval: true }).on('message', () => { throw new Error('main'); });
//- a worker kills the process
const { Worker } = require('worker_threads');
new Worker('process.kill(process.pid, "SIGTERM"); setInterval(() => {}, 1000)', { eval: true });
//- a worker ends the process by a signal that is handled
const { Worker } = require('worker_threads');
process.on('SIGTERM', () => process.exit(5));
new Worker('process.kill(process.pid, "SIGTERM"); for (;;);', { eval: true });
//- a worker is terminated while it is busy
const { Worker } = require('worker_threads');
const worker = new Worker('require("worker_threads").parentPort.postMessage(1); for (;;);', { eval: true });
worker.on('exit', (code) => console.log('exit', code)).on('message', () => worker.terminate().then((code) => console.log('terminated', code)));
//- a worker is terminated while it waits
const { Worker } = require('worker_threads');
const worker = new Worker('process.on("exit", () => console.log("not called")); require("worker_threads").parentPort.on("message", () => {}).postMessage(1)', { eval: true });
worker.on('exit', (code) => console.log('exit', code)).on('message', () => worker.terminate().then((code) => console.log('terminated', code)));
//- a worker is terminated as it starts
const { Worker } = require('worker_threads');
new Worker('for (;;);', { eval: true }).terminate().then((code) => console.log(typeof code));
//- a worker is terminated in Atomics
const { Worker } = require('worker_threads');
const worker = new Worker('require("worker_threads").parentPort.postMessage(1); Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)', { eval: true });
worker.on('message', () => worker.terminate().then((code) => console.log(code)));
//- a worker is terminated twice
const { Worker } = require('worker_threads');
const worker = new Worker('setInterval(() => {}, 1000)', { eval: true });
worker.on('online', async () => { console.log(await Promise.all([worker.terminate(), worker.terminate()])); console.log(await worker.terminate()); });
//- terminating keeps the order of events
const { Worker } = require('worker_threads');
const worker = new Worker('setInterval(() => {}, 1000)', { eval: true });
worker.on('online', () => {
  console.log('online', worker.threadId > 0);
  worker.on('exit', () => console.log('exit'));
  worker.terminate().then(() => console.log('terminated', worker.threadId));
  process.nextTick(() => console.log('tick', worker.threadId > 0));
});
//- a worker is left
const { Worker } = require('worker_threads');
new Worker('setInterval(() => {}, 1000)', { eval: true }).unref();
console.log('left');
//- a worker's output
const { Worker, isMainThread } = require('worker_threads');
if (isMainThread) new Worker(__filename);
else for (let i = 0; i < 1000; i++) console.log('line' + i);
//- a worker's output is taken
const { Worker } = require('worker_threads');
const worker = new Worker('console.log("out"); console.error("error")', { eval: true, stdout: true, stderr: true });
worker.stdout.on('data', (data) => console.log('took ' + data)); worker.stderr.on('data', (data) => console.log('took ' + data));
//- a worker's input
const { Worker } = require('worker_threads');
const worker = new Worker('process.stdin.on("data", (data) => console.log("got " + data))', { eval: true, stdin: true });
worker.stdin.end('input');
//- a worker's environment
const { Worker, SHARE_ENV } = require('worker_threads');
const shows = 'console.log(process.env.OWN, process.env.PATH === undefined); process.env.OWN = "changed"';
new Worker(shows, { eval: true, env: { OWN: '1' } }).on('exit', () => {
  process.env.OWN = '2';
  new Worker(shows, { eval: true }).on('exit', () => {
    console.log(process.env.OWN);
    new Worker(shows, { eval: true, env: SHARE_ENV }).on('exit', () => console.log(process.env.OWN));
  });
});
//- names of a worker's environment
const { Worker } = require('worker_threads');
new Worker('console.log(Object.keys(process.env).join())', { eval: true, env: { OWN: '1' } });
//- a worker's arguments
const { Worker } = require('worker_threads');
new Worker('console.log(process.argv.slice(2), process.execArgv)', { eval: true, argv: ['x', 3], execArgv: ['--no-warnings'] });
//- a worker inherits flags: node --no-warnings --trace-exit main.js
const { Worker } = require('worker_threads');
new Worker('console.log(process.execArgv)', { eval: true });
//- a worker's data
const { Worker } = require('worker_threads');
const shared = new Int32Array(new SharedArrayBuffer(4));
new Worker('const { workerData } = require("worker_threads"); workerData.shared[0] = 7; console.log(workerData)', { eval: true, workerData: { shared, map: new Map([[1, { two: 2 }]]) } }).on('exit', () => console.log(shared));
//- a worker's data is moved
const { Worker, MessageChannel } = require('worker_threads');
const { port1, port2 } = new MessageChannel();
new Worker('const { workerData: port } = require("worker_threads"); port.postMessage("moved"); port.close()', { eval: true, workerData: port2, transferList: [port2] });
port1.on('message', (message) => console.log(message)).on('close', () => console.log('closed'));
//- a worker's name and number
const { Worker, threadId } = require('worker_threads');
const worker = new Worker('console.log(require("worker_threads").threadId)', { eval: true, name: 'mine' });
console.log(threadId, worker.threadId, Object.keys(worker.performance));
//- numbers of workers
const { Worker } = require('worker_threads');
(async () => { for (let i = 0; i < 3; i++) await new Promise((done) => new Worker('console.log(require("worker_threads").threadId)', { eval: true }).on('exit', done)); })();
//- nested workers
const { Worker, workerData: depth = 3 } = require('worker_threads');
console.log(depth);
if (depth > 0) new Worker(__filename, { workerData: depth - 1 }).on('exit', (code) => { console.log('exit', depth, code); process.exitCode = code + 1; });
//- a broadcast
const { Worker, BroadcastChannel, isMainThread } = require('worker_threads');
const channel = new BroadcastChannel('all');
if (isMainThread) { new Worker(__filename); channel.onmessage = ({ data }) => { console.log(data); channel.close(); }; } else { channel.postMessage('hello'); channel.close(); }
//- shared memory
const { Worker, isMainThread, workerData } = require('worker_threads');
const cell = new Int32Array(isMainThread ? new SharedArrayBuffer(4) : workerData);
if (isMainThread) { new Worker(__filename, { workerData: cell.buffer }); Atomics.wait(cell, 0, 0); console.log(cell[0]); } else { cell[0] = 5; Atomics.notify(cell, 0); }
//- a worker of a module: node main.mjs
import { Worker, isMainThread } from 'node:worker_threads';
if (isMainThread) new Worker(new URL(import.meta.url)).on('exit', (code) => console.log(code));
else { await null; console.log('in a module'); }
//- a worker that fits into its memory
const { Worker, isMainThread } = require('worker_threads');
if (isMainThread) new Worker(__filename, { resourceLimits: { maxOldGenerationSizeMb: 16 } }).on('error', (error) => console.log(error.code)).on('exit', (code) => console.log('exit', code));
else {
  const functions = Array.from({ length: 300 }, (_, i) => new Function('f', 'd', 'r', 'let s = 0; for (let i = 0; i < 200; i++) s += i * d; return d > 0 ? s + f[r() % 300](f, d - 1, r) : s //' + i));
  let state = 12345;
  const random = () => (state = (state * 1103515245 + 12345) & 0x7fffffff);
  for (let i = 0; i < 12000; i++) functions[random() % 300](functions, 60, random);
  console.log('done');
}
//- a worker that fits into little memory
const { Worker, isMainThread } = require('worker_threads');
if (isMainThread) new Worker(__filename, { resourceLimits: { maxOldGenerationSizeMb: 8, maxYoungGenerationSizeMb: 2 } }).on('error', (error) => console.log(error.code)).on('exit', (code) => console.log('exit', code));
else { let sum = 0; for (let i = 0; i < 400; i++) sum += new Function('n', 'let q = 0; for (let i = 0; i < 20000; i++) q += i * n; return q //' + i)(i); console.log('done'); }
//- a worker that runs out of memory
const { Worker, isMainThread } = require('worker_threads');
if (isMainThread) new Worker(__filename, { resourceLimits: { maxOldGenerationSizeMb: 6, maxYoungGenerationSizeMb: 2 } }).on('error', (error) => console.log(error.code)).on('exit', (code) => console.log('exit', code));
else { const all = []; for (;;) all.push(new Array(1e4).fill(Math.random())); }
//- a worker with a small stack
const { Worker, isMainThread } = require('worker_threads');
if (isMainThread) new Worker(__filename, { resourceLimits: { stackSizeMb: 1 } }).on('error', (error) => console.log(error.message)).on('exit', (code) => console.log('exit', code));
else (function deeper() { deeper(); })();
//- a heap snapshot of a worker
const { Worker } = require('worker_threads');
const worker = new Worker('setInterval(() => {}, 1000)', { eval: true });
worker.on('online', async () => { console.log((await worker.getHeapSnapshot()).readable); worker.terminate(); });
//- what a worker counts
const { Worker, isMainThread } = require('worker_threads');
if (isMainThread) new Worker(__filename);
else {
  console.log(process.eventNames(), process.listenerCount('exit'), process.getActiveResourcesInfo(), Object.getOwnPropertyNames(process).length);
  for (let i = 0; i < 10; i++) process.on('exit', () => {});
}
//- what a worker may not do
const { Worker, isMainThread } = require('worker_threads');
if (isMainThread) new Worker(__filename);
else for (const call of [() => process.chdir('/'), () => process.abort(), () => process.setuid(0), () => process.umask(0)]) try { call(); } catch (error) { console.log(error.stack); }
