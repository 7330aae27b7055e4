//- ends by itself
console.log('hi');
//- exits
process.exit(7);
//- exits with a status above 255
process.exit(300);
//- exits in beforeExit
process.on('beforeExit', () => { console.log('before'); process.exit(5); });
//- exits in an exit listener
process.on('exit', (code) => { console.log('exit', code); process.exit(9); });
//- sets exitCode
process.exitCode = 3;
console.error('error');
//- sets exitCode in an exit listener
process.on('exit', (code) => { console.log(code, process.exitCode); process.exitCode = 8; });
//- listeners of exit run in order
for (const number of [1, 2, 3]) process.on('exit', () => console.log(number));
process.prependListener('exit', () => console.log('first'));
process.once('exit', () => console.log('last'));
//- an exit listener works for long
process.on('exit', () => { let sum = 0; for (let i = 0; i < 1e7; i++) sum += i; console.log(sum); });
//- an exit listener writes files
process.on('exit', () => { require('fs').writeFileSync('left.txt', 'x'); console.log(require('fs').readdirSync('.').includes('left.txt')); });
//- throws in an exit listener
process.on('exit', () => { throw new Error('x'); });
//- throws
function fails() { throw new Error('boom'); }
fails();
//- throws nothing
throw undefined;
//- throws an object that cannot be shown
throw { get message() { throw 1; }, [Symbol.for('nodejs.util.inspect.custom')]() { throw 2; } };
//- throws in a microtask
queueMicrotask(() => { throw new RangeError('micro'); });
//- overflows the stack
function deeper() { deeper(); }
deeper();
//- survives an overflow of the stack
function deeper(depth) { return deeper(depth + 1) + 1; }
try { deeper(0); } catch (error) { console.log(error.message); }
//- rejects
Promise.reject(new Error('rejected'));
//- rejects and only warns: node --unhandled-rejections=warn main.js
Promise.reject(new Error('rejected'));
setTimeout(() => console.log('on'), 5);
//- rejects in silence: node --unhandled-rejections=none main.js
Promise.reject(new Error('rejected'));
//- rejects strictly: node --unhandled-rejections=strict main.js
process.on('unhandledRejection', () => console.log('not asked'));
Promise.reject(new Error('rejected'));
//- rejects and is told
process.on('unhandledRejection', (reason, promise) => console.log(reason.message, promise instanceof Promise));
process.on('rejectionHandled', () => console.log('handled late'));
const rejected = Promise.reject(new Error('rejected'));
setTimeout(() => rejected.catch(() => {}), 5);
//- catches the uncaught
process.on('uncaughtException', (error, origin) => console.log('got', error.message, origin));
setTimeout(() => console.log('on'), 5);
throw new Error('q');
//- watches the uncaught
process.on('uncaughtExceptionMonitor', (error, origin) => console.log('saw', error.message, origin));
throw new Error('q');
//- captures the uncaught
process.setUncaughtExceptionCaptureCallback((error) => console.log('captured', error.message));
setTimeout(() => { throw new Error('z'); }, 5);
//- throws in the handler of the uncaught
process.on('uncaughtException', (error) => { throw new Error('again ' + error.message); });
throw new Error('q');
//- a domain catches
const domain = require('domain').create();
domain.on('error', (error) => console.log('caught', error.message));
domain.run(() => setTimeout(() => { throw new Error('z'); }, 5));
//- an assertion fails
require('assert').deepStrictEqual({ a: [1, 2] }, { a: [1, 3] });
//- a promise that never comes: node main.mjs
await new Promise(() => {});
//- aborts $ ulimit -c 0; node main.js 2>/dev/null; echo $?
process.abort();
//- aborts where it is caught $ ulimit -c 0; node --abort-on-uncaught-exception main.js 2>/dev/null; echo $?
throw new Error('x');
//- kills itself
process.kill(process.pid, 'SIGKILL');
setInterval(() => {}, 1000);
//- terminates itself
process.kill(process.pid, 'SIGTERM');
setInterval(() => {}, 1000);
//- interrupts itself
process.kill(process.pid, 'SIGINT');
setInterval(() => {}, 1000);
//- hangs up on itself
process.kill(process.pid, 'SIGHUP');
setInterval(() => {}, 1000);
//- ignores SIGPIPE
process.kill(process.pid, 'SIGPIPE');
setTimeout(() => console.log('on'), 50);
//- handles SIGTERM
process.on('SIGTERM', (signal, number) => { console.log(signal, number); process.exit(4); });
process.kill(process.pid, 'SIGTERM');
setInterval(() => {}, 1000);
//- handles SIGINT once
process.once('SIGINT', () => { console.log('once'); process.kill(process.pid, 'SIGINT'); });
process.kill(process.pid, 'SIGINT');
setInterval(() => {}, 1000);
//- handles SIGHUP and goes on
process.on('SIGHUP', () => { console.log('hup'); clearInterval(timer); });
const timer = setInterval(() => {}, 1000);
process.kill(process.pid, 'SIGHUP');
//- handles SIGUSR1
process.on('SIGUSR1', () => { console.log('usr1'); clearInterval(timer); });
const timer = setInterval(() => {}, 1000);
process.kill(process.pid, 'SIGUSR1');
//- handles SIGUSR2 and SIGWINCH
let left = 2;
for (const name of ['SIGUSR2', 'SIGWINCH']) process.on(name, () => { console.log('got'); if (--left === 0) clearInterval(timer); });
const timer = setInterval(() => {}, 1000);
for (const name of ['SIGUSR2', 'SIGWINCH']) process.kill(process.pid, name);
//- handles a signal and lets go of it
const handler = () => console.log('handled');
process.on('SIGTERM', handler);
process.kill(process.pid, 'SIGTERM');
setTimeout(() => { process.off('SIGTERM', handler); process.kill(process.pid, 'SIGTERM'); }, 50);
setInterval(() => {}, 1000);
//- waits for a signal without a handle of its own
process.on('SIGTERM', () => console.log('never'));
console.log('ends');
//- is terminated while it is busy
process.kill(process.pid, 'SIGTERM');
for (;;);
//- is terminated while it is busy, and handles it
process.on('SIGTERM', () => { console.log('later'); process.exit(2); });
process.kill(process.pid, 'SIGTERM');
for (let i = 0, sum = 0; i < 1e8; i++) sum += i;
console.log('done');
//- is interrupted while it waits in Atomics
require('child_process').spawn('sh', ['-c', `sleep 0.2; kill -INT ${process.pid}`]);
Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
//- is terminated while it reads
require('child_process').spawn('sh', ['-c', `sleep 0.2; kill -TERM ${process.pid}`]);
require('child_process').spawnSync('sleep', ['3']);
console.log('not reached');
//- raises signals from a listener of exit
process.on('exit', () => process.kill(process.pid, 'SIGKILL'));
//- calls reallyExit
process.reallyExit(12);
//- replaces reallyExit
const { reallyExit } = process;
process.reallyExit = (code) => { console.log('really', code); reallyExit.call(process, 13); };
process.exit(1);
//- replaces exit
process.exit = (code) => { console.log('exit', code); };
process.exit(3);
console.log('on');
//- replaces emit, as signal-exit does
const { emit } = process;
process.emit = function (event, ...rest) { if (event === 'exit') console.log('exits', ...rest); return emit.call(this, event, ...rest); };
process.exit(3);
//- throws in a module: node main.mjs
import 'fs';
throw new TypeError('x');
