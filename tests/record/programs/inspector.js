//- opens its inspector $ node main.js 2>/dev/null
const inspector = require('inspector');
inspector.open(0, '127.0.0.1');
console.log(/^ws:\/\/127.0.0.1:\d+\//.test(inspector.url()));
inspector.close();
console.log(inspector.url());
//- is started with an inspector $ node --inspect=0 main.js 2>&1 | grep -c listening
console.log('ran');
//- waits for nobody $ node --inspect=0 main.js 2>/dev/null; echo $?
require('inspector').close();
console.log(require('inspector').url());
//- profiles itself
const { Session } = require('inspector');
const session = new Session();
session.connect();
session.post('Profiler.enable');
session.post('Profiler.start', () => {
  for (let i = 0, sum = 0; i < 1e7; i++) sum += i;
  session.post('Profiler.stop', (error, { profile }) => console.log(error, profile.nodes.length > 0, profile.samples.length > 1));
});
//- profiles itself at an interval
const { Session } = require('inspector');
const session = new Session();
session.connect();
const post = (method, parameters) => session.post(method, parameters, (error, result) => console.log(method, error?.message, Object.keys(result ?? {})));
post('Profiler.enable'); post('Profiler.setSamplingInterval', { interval: 500 }); post('Profiler.start'); post('Profiler.setSamplingInterval', { interval: 500 });
post('Profiler.stop'); post('Profiler.stop'); post('Profiler.disable'); post('Profiler.start');
//- profiles itself twice at once
const { Session } = require('inspector');
const sessions = [new Session(), new Session()];
for (const each of sessions) { each.connect(); each.post('Profiler.enable'); each.post('Profiler.start'); }
for (let i = 0, sum = 0; i < 1e7; i++) sum += i;
for (const each of sessions) each.post('Profiler.stop', (error, { profile }) => console.log(error, profile.samples.length > 1));
//- takes its own coverage
const { Session } = require('inspector');
const session = new Session();
session.connect(); session.post('Profiler.enable'); session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
function covered(x) { if (x) { return 1; } else { return 2; } }
function uncovered() { return 3; }
covered(1); covered(1);
const show = (error, { result }) => console.log(error, JSON.stringify(result.filter(({ url }) => url.endsWith('main.js')).map(({ functions }) => functions.filter((each) => each.functionName.endsWith('covered')))));
session.post('Profiler.takePreciseCoverage', show);
covered(0);
session.post('Profiler.takePreciseCoverage', show);
session.post('Profiler.stopPreciseCoverage'); session.post('Profiler.disable');
//- samples its heap
const { Session } = require('inspector');
const session = new Session();
session.connect();
session.post('HeapProfiler.enable'); session.post('HeapProfiler.startSampling');
const held = Array.from({ length: 1e5 }, () => ({}));
session.post('HeapProfiler.stopSampling', (error, { profile }) => console.log(error, profile.head.children.length > 0, held.length));
//- debugs itself
const { Session } = require('inspector');
const session = new Session();
session.connect();
const scripts = [];
session.on('Debugger.scriptParsed', ({ params }) => scripts.push(params.url));
session.post('Debugger.enable');
console.log(scripts.filter((url) => !url.startsWith('node:')).map((url) => url.split('/').pop()));
session.post('Debugger.disable'); session.disconnect();
//- pauses itself
const { Session } = require('inspector');
const session = new Session();
session.connect();
session.on('Debugger.paused', ({ params }) => { console.log('paused', params.reason, params.callFrames[0].functionName); session.post('Debugger.resume'); });
session.post('Debugger.enable');
(function stops() { debugger; })();
console.log('on');
//- breaks at a line
const { Session } = require('inspector');
const session = new Session();
session.connect();
session.on('Debugger.paused', ({ params }) => console.log('paused', params.callFrames[0].functionName));
session.post('Debugger.enable');
function stops() { return 1; }
session.post('Debugger.setBreakpointByUrl', { lineNumber: 5, urlRegex: 'main.js', columnNumber: 20 }, (error, { locations }) => console.log(error, locations.length));
stops();
//- two sessions
const { Session } = require('inspector');
const [one, two] = [new Session(), new Session()];
one.connect(); two.connect();
try { one.connect(); } catch (error) { console.log(error.code); }
one.disconnect();
two.post('Schema.getDomains', (error, result) => console.log(error, result.domains.map(({ name }) => name)));
//- promises of its inspector: node main.mjs
import { Session } from 'node:inspector/promises';
const session = new Session();
session.connect();
await session.post('Profiler.enable');
await session.post('Profiler.start');
const { profile } = await session.post('Profiler.stop');
console.log(profile.nodes.length > 0);
session.disconnect();
//- a worker profiles the main thread
const { Worker, isMainThread, parentPort } = require('worker_threads');
if (isMainThread) new Worker(__filename).on('message', (message) => console.log(message));
else {
  const alive = setInterval(() => {}, 1000);
  const session = new (require('inspector').Session)();
  session.connectToMainThread();
  session.post('Runtime.evaluate', { expression: '40+2' }, (error, { result }) => { parentPort.postMessage(result.value); session.disconnect(); clearInterval(alive); });
}
//- sees workers by its inspector
const { Session } = require('inspector');
const session = new Session();
session.connect();
session.on('NodeWorker.attachedToWorker', ({ params }) => console.log('attached', params.workerInfo.title, params.workerInfo.workerId));
session.on('NodeWorker.detachedFromWorker', () => console.log('detached'));
session.post('NodeWorker.enable', { waitForDebuggerOnStart: false });
new (require('worker_threads').Worker)('0', { eval: true });
//- console.profile
console.profile('x'); console.profileEnd('x');
console.log('on');
//- a profile by a flag $ node --cpu-prof --cpu-prof-name=own.cpuprofile main.js; node -p 'Object.keys(JSON.parse(fs.readFileSync("own.cpuprofile"))).join()'
for (let i = 0, sum = 0; i < 1e7; i++) sum += i;
//- a heap profile by a flag $ node --heap-prof --heap-prof-name=own.heapprofile main.js; node -p 'Object.keys(JSON.parse(fs.readFileSync("own.heapprofile"))).join()'
const held = Array.from({ length: 1e5 }, () => ({}));
//- a profile by a flag with a worker $ mkdir own; node --cpu-prof --cpu-prof-dir=own main.js; ls own | wc -l
new (require('worker_threads').Worker)('for (let i = 0, sum = 0; i < 1e7; i++) sum += i;', { eval: true });
//- a log of ticks $ node --prof --logfile=own.log --no-logfile-per-isolate main.js; head -c 10 own.log
for (let i = 0, sum = 0; i < 1e7; i++) sum += i;
//- trace events by a flag $ node --trace-event-categories node.bootstrap,v8 --trace-event-file-pattern own.json main.js; node -p 'JSON.parse(fs.readFileSync("own.json")).traceEvents.length > 0'
console.log(require('trace_events').getEnabledCategories());
//- coverage by the environment $ NODE_V8_COVERAGE=own node main.js; node show.js
function covered(x) { if (x) { return 1; } else { return 2; } }
function uncovered() { return 3; }
covered(1);
//- /show.js
const fs = require('fs');
for (const file of fs.readdirSync('own').sort()) {
  const { result, ...rest } = JSON.parse(fs.readFileSync('own/' + file, 'utf8'));
  console.log(file.replace(/\d+/g, 'N'), Object.keys(rest).join());
  for (const { url, functions } of result) if (!url.startsWith('node:')) console.log(url, JSON.stringify(functions));
}
//- coverage of what ran for longer $ NODE_V8_COVERAGE=own node main.js; node show.js
function hot(x) { let sum = 0; for (let i = 0; i < 1e6; i++) if (i % 2) sum += x; else sum -= x; return sum; }
for (let i = 0; i < 20; i++) hot(i);
setTimeout(() => hot(1), 20);
//- /show.js
const fs = require('fs');
for (const file of fs.readdirSync('own').sort()) for (const { url, functions } of JSON.parse(fs.readFileSync('own/' + file, 'utf8')).result) if (url.includes('/main.')) console.log(url, JSON.stringify(functions));
//- coverage of a program that exits $ NODE_V8_COVERAGE=own node main.js; node show.js
function covered() { process.exit(0); }
covered();
//- /show.js
const fs = require('fs');
for (const file of fs.readdirSync('own').sort()) for (const { url, functions } of JSON.parse(fs.readFileSync('own/' + file, 'utf8')).result) if (url.includes('/main.')) console.log(url, JSON.stringify(functions));
//- coverage that is written when it says $ NODE_V8_COVERAGE=own node main.js; node show.js
function covered() { return 1; }
covered(); require('v8').takeCoverage(); covered(); covered();
require('v8').stopCoverage(); covered();
//- /show.js
const fs = require('fs');
for (const file of fs.readdirSync('own').sort((a, b) => fs.statSync('own/' + a).mtimeMs - fs.statSync('own/' + b).mtimeMs)) for (const { url, functions } of JSON.parse(fs.readFileSync('own/' + file, 'utf8')).result) if (url.includes('/main.')) console.log(url, JSON.stringify(functions));
//- coverage of workers and children $ NODE_V8_COVERAGE=own node main.js; node show.js
const { Worker, isMainThread } = require('worker_threads');
function inWorker() { return 1; }
if (process.argv[2]) console.log('child');
else if (isMainThread) { new Worker(__filename); require('child_process').spawnSync(process.execPath, [__filename, 'x'], { stdio: 'inherit' }); } else inWorker();
//- /show.js
const fs = require('fs');
console.log(fs.readdirSync('own').map((file) => JSON.stringify(JSON.parse(fs.readFileSync('own/' + file, 'utf8')).result.filter(({ url }) => url.includes('/main.')).map(({ url, functions }) => [url, functions]))).sort().join('\n'));
//- coverage of tests $ node --test --experimental-test-coverage --test-reporter=tap main.test.js | sed -n '/start of coverage/,$p'
const { test } = require('node:test');
const { covered } = require('./lib.js');
test('a', () => covered(1));
//- /lib.js
exports.covered = function covered(x) {
  if (x) {
    return 1;
  }
  return 2;
};
function uncovered() {
  return 3;
}
//- coverage of a module $ NODE_V8_COVERAGE=own node main.mjs; node show.js
export function covered(x) { return x ? 1 : 2; }
export const uncovered = () => 3;
covered(1);
await null;
covered(0);
//- /show.js
const fs = require('fs');
for (const file of fs.readdirSync('own').sort()) for (const { url, functions } of JSON.parse(fs.readFileSync('own/' + file, 'utf8')).result) if (url.includes('/main.')) console.log(url, JSON.stringify(functions));
