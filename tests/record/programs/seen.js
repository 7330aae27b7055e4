//- counts its listeners
console.log(process.listenerCount('exit'), process.eventNames(), process.rawListeners('exit').length);
//- counts listeners of signals
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGUSR1', 'newListener', 'removeListener', 'beforeExit', 'uncaughtException']) console.log(name, process.listenerCount(name));
//- counts listeners after adding
process.on('SIGINT', () => {}); process.on('exit', () => {});
console.log(process.eventNames(), process.listenerCount('exit'), process.listenerCount('SIGINT'));
//- has as many listeners as it may
for (let i = 0; i < 10; i++) process.on('exit', () => {});
//- has one listener too many
for (let i = 0; i < 11; i++) process.on('exit', () => {});
//- has as many listeners of everything
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP', 'newListener', 'removeListener', 'warning', 'beforeExit']) for (let i = 0; i < 10; i++) process.on(name, () => {});
console.log(process.getMaxListeners());
//- allows itself one listener
process.setMaxListeners(1);
process.on('exit', () => {});
//- removes all listeners
process.removeAllListeners();
console.log(process.eventNames().length);
//- removes the listeners of exit
process.removeAllListeners('exit');
process.on('exit', () => console.log('mine'));
//- sees listeners come and go
process.on('newListener', (name) => console.log('new', name));
process.on('removeListener', (name) => console.log('old', name));
const none = () => {};
process.on('SIGTERM', none); process.off('SIGTERM', none);
process.on('exit', none);
//- counts its resources
console.log(process.getActiveResourcesInfo(), process._getActiveHandles().map((handle) => handle.constructor.name), process._getActiveRequests());
//- counts its resources in a timer
setTimeout(() => console.log(process.getActiveResourcesInfo()), 20);
//- names of functions
const all = { ...require('child_process'), Worker: require('worker_threads').Worker, ...require('worker_threads').Worker.prototype };
for (const name of ['abort', 'kill', 'reallyExit', 'exit', 'emit', 'on', '_kill', 'chdir', 'cwd', 'umask', 'setuid']) all['process.' + name] = process[name];
for (const [name, value] of Object.entries(all)) if (typeof value === 'function') console.log(name, value.name, value.length, Object.getOwnPropertyNames(value).join());
//- texts of functions
const { ChildProcess, execFileSync, execSync, fork, spawn, spawnSync } = require('child_process');
const { Worker } = require('worker_threads');
for (const each of [ChildProcess.prototype.spawn, ChildProcess.prototype.kill, execFileSync, execSync, fork, spawn, spawnSync, Worker, Worker.prototype.terminate, process.abort, process.kill, process.exit, process.reallyExit]) {
  const text = Function.prototype.toString.call(each);
  console.log(each.name, text.length, text.slice(0, 40).replace(/\s+/g, ' '));
}
//- properties of processes
const shown = (object) => Object.entries(Object.getOwnPropertyDescriptors(object)).map(([name, { writable, enumerable, configurable, get }]) => `${name} ${[writable && 'w', enumerable && 'e', configurable && 'c', get && 'g'].filter(Boolean).join('')}`).join('\n');
console.log(shown(process));
console.log(shown(Object.getPrototypeOf(process)));
//- properties of modules
const shown = (object) => Object.entries(Object.getOwnPropertyDescriptors(object)).map(([name, { writable, enumerable, configurable, get }]) => `${name} ${[writable && 'w', enumerable && 'e', configurable && 'c', get && 'g'].filter(Boolean).join('')}`).join('\n');
const { ChildProcess } = require('child_process');
const { Worker } = require('worker_threads');
for (const each of [require('child_process'), ChildProcess, ChildProcess.prototype, require('worker_threads'), Worker, Worker.prototype, require('inspector'), require('module')]) console.log(shown(each), '\n');
//- properties of the global object
console.log(Reflect.ownKeys(globalThis).map(String).join('\n'));
//- imported and required functions are the same: node main.mjs
import child, { execSync, spawn } from 'node:child_process';
import threads, { Worker } from 'node:worker_threads';
import { createRequire } from 'node:module';
const require = createRequire(import.meta.url);
console.log(child.execSync === execSync, require('child_process').spawn === spawn, threads.Worker === Worker, require('worker_threads').Worker === Worker);
//- classes are the same
const { Worker } = require('worker_threads');
const worker = new Worker('0', { eval: true });
console.log(worker instanceof Worker, worker.constructor === Worker, Worker.prototype.constructor === Worker, Object.getPrototypeOf(worker) === Worker.prototype);
class Mine extends Worker { hello() { return 'hello'; } }
const mine = new Mine('0', { eval: true });
console.log(mine.hello(), mine instanceof Mine, mine instanceof Worker, Mine.name);
try { Worker('0', { eval: true }); } catch (error) { console.log(error.message); }
//- replaces functions and finds its own
const child = require('child_process');
const { execSync } = child;
child.execSync = () => 'mine';
console.log(child.execSync('x'), execSync('echo theirs').toString());
child.execSync = execSync;
console.log(child.execSync('echo again').toString(), child.execSync === execSync);
//- its command line with words: node --no-warnings --stack-size=900 main.js one --two
console.log(process.argv0, process.argv.slice(2), process.execArgv, process.title);
//- names of its environment
console.log(Object.keys(process.env).filter((name) => /^(NODE_OPTIONS|BUN_OPTIONS|PROFLENS_.*)$/.test(name)).sort());
//- its own variables: env OWN=1 node main.js
console.log(process.env.OWN, 'OWN' in process.env, delete process.env.OWN, process.env.OWN);
process.env.NUMBER = 3;
console.log(typeof process.env.NUMBER, Object.keys(process.env).includes('NUMBER'));
//- its modules
console.log(Object.keys(require.cache).length, module.children.length, module.parent, require.main === module, module.paths.length, process.moduleLoadList.includes('NativeModule inspector'));
//- preloaded modules
console.log(module.constructor._preloadModules, process._preload_modules);
console.log(Object.keys(require('module')._cache).map((file) => require('path').basename(file)), Object.keys(require('module')._pathCache).length);
//- handlers of file extensions
console.log(Object.keys(require.extensions), require('module').wrap('x'), require('module')._load.name, require('module')._load.length);
//- loaded built-in modules
console.log(process.moduleLoadList.filter((name) => !/internal|Binding/.test(name)).sort().join('\n'));
//- its report: node main.js
const report = process.report.getReport();
const text = (value) => JSON.stringify(value);
console.log(Object.keys(report), report.header.commandLine.length, report.workers.length);
//- handles in its report
const { libuv } = process.report.getReport();
console.log(libuv.filter((handle) => handle.type !== 'loop').map((handle) => `${handle.type} ${handle.is_active} ${handle.is_referenced}`).sort().join('\n'));
//- its title
process.title = 'mine';
console.log(process.title, require('fs').readFileSync('/proc/self/comm', 'latin1').trim());
//- its threads are no children
console.log(require('child_process').execSync(`ps -o comm= --ppid ${process.pid} | grep -v -e sh -e ps | wc -l`).toString().trim());
//- its open files
const fs = require('fs');
console.log(fs.readdirSync('/proc/self/fd').map((name) => { try { return fs.readlinkSync('/proc/self/fd/' + name); } catch { return 'gone'; } }).filter((name) => name.startsWith('/') && name !== '/dev/null' && !name.startsWith('/proc/')).join('\n'));
//- the next file that it opens
// Node's own threads open files for moments, so that one look is not enough.
const files = require('fs');
const isNext = () => files.openSync(__filename) === files.readdirSync('/proc/self/fd').filter((name) => +name > 2).length + 1;
console.log(Array.from({ length: 20 }, isNext).some(Boolean) || 'has others open');
//- performance entries
const { performance } = require('perf_hooks');
performance.mark('a'); performance.mark('b'); performance.measure('m', 'a', 'b');
console.log(performance.getEntries().map((entry) => `${entry.entryType} ${entry.name}`), performance.timeOrigin > 0, performance.nodeTiming.name);
//- diagnostic channels
const channels = require('diagnostics_channel');
for (const name of ['child_process', 'worker_threads', 'tracing:module.require:start', 'module.require.start']) channels.subscribe(name, ({}, heard) => console.log(heard));
console.log(channels.hasSubscribers('child_process'), channels.hasSubscribers('worker_threads'));
const worker = new (require('worker_threads').Worker)('0', { eval: true });
require('child_process').execSync('true');
worker.on('exit', (code) => console.log(code));
//- async resources
const { createHook, executionAsyncId } = require('async_hooks');
const seen = [];
createHook({ init(id, type, trigger) { seen.push(`${type} ${id} ${trigger}`); } }).enable();
setTimeout(() => {}, 1); Promise.resolve().then(() => {}); setImmediate(() => {});
process.on('exit', () => console.log(executionAsyncId(), seen.join('\n')));
//- ids of threads
const { threadId, isMainThread, parentPort, workerData, resourceLimits, getEnvironmentData } = require('worker_threads');
console.log(threadId, isMainThread, parentPort, workerData, resourceLimits, getEnvironmentData('proflens.recorder'));
new (require('worker_threads').Worker)("console.log(require('worker_threads').threadId, require('worker_threads').workerData, require('worker_threads').resourceLimits)", { eval: true });
//- a warning with its trace: node --trace-warnings main.js
function warns() { process.emitWarning('careful', { code: 'X1', detail: 'more' }); }
warns();
//- too many listeners with a trace: node --trace-warnings main.js
function adds() { for (let i = 0; i < 11; i++) process.on('exit', () => {}); }
adds();
//- listens to warnings
process.on('warning', (warning) => console.log('heard', warning.name));
for (let i = 0; i < 10; i++) process.on('exit', () => {});
process.emitWarning('careful');
//- deprecations throw: node --throw-deprecation main.js
console.log('fine');
new Buffer(3);
//- deprecations are traced: node --trace-deprecation --pending-deprecation main.js
new Buffer(3);
//- counts of the heap
const v8 = require('v8');
const [spaces, heap] = [v8.getHeapSpaceStatistics(), v8.getHeapStatistics()];
console.log(spaces.map((space) => space.space_name), heap.number_of_native_contexts, heap.number_of_detached_contexts, heap.heap_size_limit > 0);
