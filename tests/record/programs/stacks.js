//- execSync fails
require('child_process').execSync('exit 3');
//- execFileSync finds nothing
require('child_process').execFileSync('/nonexistent');
//- spawnSync gets a bad argument
require('child_process').spawnSync('x', { cwd: 1 });
//- spawn finds nothing and is told
const { spawn } = require('child_process');
function begins() { spawn('/nonexistent/x').on('error', (error) => console.log(error.stack)); }
begins();
//- a promise of exec is rejected
require('util').promisify(require('child_process').exec)('exit 4').catch((error) => console.log(error.code, error.cmd, error.stack.split('\n')[0]));
//- a worker gets a bad file
new (require('worker_threads').Worker)('nope');
//- a worker gets bad options
function begins() { new (require('worker_threads').Worker)('0', { eval: true, execArgv: ['--title=x', '--nonsense'] }); }
begins();
//- kill gets a bad argument
function kills() { process.kill('me', 'SIGNONE'); }
kills();
//- kill gets no process
try { process.kill(0x3fffffff); } catch (error) { console.log(error.stack); }
//- chdir fails
process.chdir('/nonexistent');
//- the user's own frames
const { execSync } = require('child_process');
const names = ['one', 'two', 'three', 'four', 'five', 'six', 'seven'];
const calls = names.reduce((inner, name) => ({ [name]: () => inner() })[name], () => execSync('exit 1', { stdio: 'ignore' }));
try { calls(); } catch (error) { console.log(error.stack); }
//- a short limit: node --stack-trace-limit=3 main.js
function fails() { require('child_process').execFileSync('false'); }
fails();
//- a long limit
Error.stackTraceLimit = Infinity;
try { require('child_process').execSync('exit 1'); } catch (error) { console.log(error.stack); }
//- the limit stays
console.log(Error.stackTraceLimit, 'prepareStackTrace' in Error, Object.getOwnPropertyNames(Error));
//- prepares its traces
Error.prepareStackTrace = (error, sites) => sites.map((site) => `${site.getFunctionName()} ${site.getFileName()?.split('/').pop()}:${site.getLineNumber()}`).join('\n');
function fails() { return new Error('x').stack; }
console.log(fails());
try { require('child_process').execSync('exit 1'); } catch (error) { console.log(error.stack); }
//- captures its traces
const { Worker } = require('worker_threads');
class Mine extends Worker { constructor() { super('0', { eval: true }); const at = {}; Error.captureStackTrace(at); console.log(at.stack); } }
new Mine();
//- a trace within an exit listener
process.on('exit', function last() { console.log(new Error('x').stack); });
//- a trace within an exit listener after exit
process.on('exit', function last() { console.log(new Error('x').stack); });
(function leaves() { process.exit(2); })();
//- a trace within a listener of signals
process.once('SIGTERM', function last() { console.log(new Error('x').stack); process.exit(); });
process.kill(process.pid, 'SIGTERM');
setInterval(() => {}, 1000);
//- a trace within a listener of new listeners
process.on('newListener', () => console.log(new Error('x').stack));
process.on('SIGTERM', () => {}).removeAllListeners();
//- a trace of a main module: node main.mjs
console.log(new Error('x').stack.replaceAll(import.meta.url, 'main'));
//- a trace within terminate
const { Worker } = require('worker_threads');
const worker = new Worker('setInterval(() => {}, 1000)', { eval: true });
worker.terminate().then(function ends(code) { console.log(code, new Error('x').stack); });
//- a trace of a syntax error: node --check main.js
let x = ;
//- a module that is not there, imported $ node main.mjs 2>&1 | grep -v node:internal
import './none.mjs';
//- the exit is traced: node --trace-exit main.js
function leaves() { process.exit(3); }
leaves();
//- the exit of an exit listener is traced: node --trace-exit main.js
process.on('exit', function last() { process.exit(4); });
//- the uncaught is traced: node --trace-uncaught main.js
function fails() { throw new Error('x'); }
setTimeout(fails, 1);
//- signals are traced $ node --trace-sigint main.js; echo $?
process.kill(process.pid, 'SIGINT');
for (;;);
//- aborts in a function that it called $ ulimit -c 0; node main.js 2>&1 | grep -e JavaScript -e main.js -e children.cjs
function ends() { process.abort(); }
ends();
//- async frames: node main.mjs
async function outer() { await inner(); }
async function inner() { await null; throw new Error('x'); }
await outer().catch((error) => console.log(error.stack.replaceAll(import.meta.url, 'main')));
//- frames of timers and promises
setImmediate(function soon() { console.log(new Error('a').stack); });
process.nextTick(function next() { console.log(new Error('b').stack); });
Promise.resolve().then(function then() { console.log(new Error('c').stack); });
//- frames of a child's events
require('child_process').exec('true').on('exit', function ends() { console.log(new Error('y').stack); });
//- the site of a call to kill a child
const child = require('child_process').spawn('sleep', ['9']);
try { child.kill('SIGNONE'); } catch (error) { console.log(error.stack); }
child.kill('SIGKILL');
child.on('exit', (code, signal) => console.log(code, signal));
