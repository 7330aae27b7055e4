//- a debugger statement
debugger;
console.log('after');
//- fits into little memory: node --max-old-space-size=24 main.js
const functions = Array.from({ length: 300 }, (_, i) => new Function('f', 'd', 'r', 'let s = 0; for (let i = 0; i < 200; i++) s += i * d; return d > 0 ? s + f[r() % 300](f, d - 1, r) : s //' + i));
let state = 12345;
const random = () => (state = (state * 1103515245 + 12345) & 0x7fffffff);
for (let i = 0; i < 12000; i++) functions[random() % 300](functions, 60, random);
console.log('done');
//- runs out of memory $ ulimit -c 0; node --max-old-space-size=20 main.js 2>/dev/null; echo $?
const all = [];
for (;;) all.push(new Array(1e4).fill(Math.random()));
//- is near the limit of its memory $ ulimit -c 0; node --max-old-space-size=30 --heapsnapshot-near-heap-limit=1 main.js 2>/dev/null; ls *.heapsnapshot | wc -l
const all = [];
for (;;) all.push(new Array(1e4).fill(Math.random()));
//- collects garbage: node --expose-gc main.js
let collected = 0;
const registry = new FinalizationRegistry(() => collected++);
const weak = (() => { const held = {}; registry.register(held, 1); return new WeakRef(held); })();
setTimeout(() => { gc(); setTimeout(() => console.log(weak.deref(), collected), 20); }, 5);
//- sees garbage go: node --expose-gc main.js
const weak = (() => { function forgotten() { return 1; } forgotten(); return new WeakRef(forgotten); })();
setTimeout(() => { gc(); console.log(weak.deref()); }, 5);
//- forgets scripts: node --expose-gc main.js
const weak = new WeakRef(require('vm').runInNewContext('(function () { return 1 })'));
weak.deref()();
setTimeout(() => { gc(); setTimeout(() => { gc(); console.log(weak.deref()); }, 5); }, 5);
//- a time limit of a context
try { require('vm').runInNewContext('for (;;);', {}, { timeout: 100 }); } catch (error) { console.log(error.code, error.message); }
//- a time limit that is kept
console.log(require('vm').runInNewContext('let s = 0; for (let i = 0; i < 1e6; i++) s += i; s', {}, { timeout: 60000 }));
//- an interrupted context
try { require('vm').runInThisContext('process.kill(process.pid, "SIGINT"); for (;;);', { breakOnSigint: true }); } catch (error) { console.log(error.code); }
//- many contexts
for (let i = 0; i < 300; i++) require('vm').runInNewContext('1+' + i);
console.log('ok');
//- a context of its own
const vm = require('vm');
const context = vm.createContext({ console });
vm.runInContext('var a = 1; console.log(Object.keys(globalThis), typeof require, typeof process, [] instanceof Array)', context);
console.log(context.a, vm.runInContext('Object.getOwnPropertyNames(globalThis).length', context) > 50);
//- an error in a context
require('vm').runInNewContext('\n\nfails()', {}, { filename: 'inner.js', lineOffset: 3 });
//- modules of a context: node --experimental-vm-modules --no-warnings main.js
const vm = require('vm');
(async () => {
  const module = new vm.SourceTextModule('export default 1 + 1; import.meta.x', { initializeImportMeta: (meta) => { meta.x = 1; } });
  await module.link(() => {}); await module.evaluate();
  console.log(module.namespace.default, module.status);
})();
//- compiles a function
console.log(require('vm').compileFunction('return a + b', ['a', 'b'])(1, 2), new Function('a', 'return a')(3), eval('1+1'));
//- runs WebAssembly
const bytes = Uint8Array.from([0, 97, 115, 109, 1, 0, 0, 0, 1, 7, 1, 96, 2, 127, 127, 1, 127, 3, 2, 1, 0, 7, 7, 1, 3, 97, 100, 100, 0, 0, 10, 9, 1, 7, 0, 32, 0, 32, 1, 106, 11]);
WebAssembly.instantiate(bytes).then(({ instance, module }) => console.log(instance.exports.add(2, 3), WebAssembly.Module.exports(module), instance.exports.add.name));
//- flags of V8 are set
require('v8').setFlagsFromString('--stack-size=500');
require('v8').setFlagsFromString('--allow-natives-syntax');
console.log(eval('%GetOptimizationStatus(function f() {})') > 0);
//- optimises as it wants: node --allow-natives-syntax main.js
function adds(a, b) { return a + b; }
%PrepareFunctionForOptimization(adds); adds(1, 2); %OptimizeFunctionOnNextCall(adds); adds(1, 2);
console.log((%GetOptimizationStatus(adds) & 16) !== 0);
//- without compilers: node --jitless main.js
let sum = 0;
for (let i = 0; i < 1e6; i++) sum += i;
console.log(sum, typeof WebAssembly);
//- predictable numbers and hashes: node --random-seed=7 --hash-seed=7 main.js
console.log(Array.from({ length: 4 }, () => Math.random()), new Set([3, 1, 2]));
//- frozen intrinsics: node --frozen-intrinsics --no-warnings main.js
try { Array.prototype.map = 1; } catch (error) { console.log(error.message); }
console.log(Object.isFrozen(Array.prototype));
//- no __proto__: node --disable-proto=throw main.js
try { ({}).__proto__; } catch (error) { console.log(error.code); }
//- no code from strings: node --disallow-code-generation-from-strings main.js
try { eval('1'); } catch (error) { console.log(error.message); }
try { new Function('1'); } catch (error) { console.log(error.message); }
//- changes what is built in
Array.prototype.push = () => { throw new Error('push'); };
Object.prototype.own = 'everywhere';
JSON.stringify = () => 'mine'; JSON.parse = () => 'mine';
Map.prototype.set = Map.prototype.get = () => {};
Promise.prototype.then = Promise.prototype.then;
console.log('changed');
//- changes symbols and strings
String.prototype.includes = String.prototype.startsWith = String.prototype.slice = () => { throw new Error('text'); };
RegExp.prototype.test = RegExp.prototype.exec = () => { throw new Error('pattern'); };
process.stdout.write('changed\n');
//- changes the clock
Date.now = () => 0; globalThis.Date = class {}; performance.now = () => 0; process.hrtime = () => [0, 0];
console.log('changed');
//- changes files
const fs = require('fs');
for (const name of ['writeFileSync', 'readFileSync', 'existsSync', 'renameSync', 'openSync', 'writeSync', 'closeSync', 'readdirSync', 'mkdirSync', 'rmSync']) { const old = fs[name]; fs[name] = (...all) => { process._rawDebug('called', name); return old(...all); }; }
console.log('changed');
//- changes files and goes on
const fs = require('fs');
for (const name of ['writeFileSync', 'readFileSync', 'existsSync', 'renameSync', 'openSync', 'writeSync', 'closeSync', 'readdirSync', 'mkdirSync', 'rmSync']) { const old = fs[name]; fs[name] = (...all) => { process._rawDebug('called', name); return old(...all); }; }
setTimeout(() => console.log('changed'), 6500);
//- changes paths and processes
require('path').join = () => { throw new Error('join'); };
Object.defineProperty(process, 'pid', { value: 1 });
process.cwd = () => { throw new Error('cwd'); };
process.argv.length = 0; process.execArgv = null; process.env = {};
console.log('changed');
//- deletes process
delete globalThis.process;
console.log(typeof process);
//- freezes everything
for (const each of [process, globalThis, Object.prototype, Array.prototype, require('child_process'), require('worker_threads'), require('fs')]) Object.freeze(each);
console.log('frozen');
//- fakes timers
globalThis.setTimeout = globalThis.setInterval = globalThis.setImmediate = globalThis.queueMicrotask = () => { throw new Error('timer'); };
process.nextTick = () => { throw new Error('tick'); };
process.exitCode = 2;
//- nothing of ours is in a heap snapshot
const { readFileSync } = require('fs');
const { strings } = JSON.parse(readFileSync(require('v8').writeHeapSnapshot('x.heapsnapshot'), 'utf8'));
console.log(strings.filter((text) => text.length < 200 && /^proflens/.test(text)).length);
//- order of events
setTimeout(() => console.log('timeout'), 0);
setImmediate(() => console.log('immediate'));
process.nextTick(() => console.log('tick'));
Promise.resolve().then(() => console.log('promise'));
queueMicrotask(() => console.log('microtask'));
process.on('exit', () => console.log('exit'));
console.log('sync');
for (const start = Date.now(); Date.now() - start < 5;);
//- order of events: node main.mjs
setTimeout(() => console.log('timeout'), 0);
process.nextTick(() => console.log('tick'));
queueMicrotask(() => console.log('microtask'));
console.log('sync');
await null;
console.log('after');
for (const start = Date.now(); Date.now() - start < 5;);
//- timers that nobody waits for
setTimeout(() => console.log('never'), 5000).unref();
setInterval(() => {}, 1000).unref();
console.log('over');
//- many promises
(async () => { let sum = 0; for (let i = 0; i < 2e5; i++) sum += await i; console.log(sum); })();
//- hooks of promises
const { promiseHooks } = require('v8');
let count = 0;
const stop = promiseHooks.onInit(() => count++);
(async () => { await null; await null; stop(); console.log(count); })();
