#- versions
node --version; node -p 1; echo 'console.log(2)' | node -; echo 'console.log(3)' | node; node -pe 4; node --eval 'console.log(5)' six
#- no such option
node --nonsense -e 1; echo $?; node --require; echo $?
#- a text as a module
node --input-type=module -e 'console.log(typeof import.meta.url, typeof require)'; echo 'console.log(typeof require)' | node --input-type=module -
#- checks
node --check good.js; echo $?; node --check bad.js; echo $?; node -c bad.mjs; echo $?; node --check < good.js; echo $?
#- /good.js
let x = 1;
#- /bad.js
let x = ;
#- /bad.mjs
export x;
#- a shell of Node
printf '1+1\nlet a = 3\na * 2\nfunction f() { return x }\nf()\n.help\n"text"\nrequire("fs").constants.R_OK\nawait 7\n_\n.exit\n' | node -i 2>&1
#- a shell of Node without an end
printf 'console.log(process.argv.length)\nprocess.listenerCount("exit")\n' | node -i
#- requires a module of the user's
node --require ./one.cjs -r ./two.cjs main.js; NODE_OPTIONS='--require ./one.cjs' node main.js
#- /one.cjs
console.log('one', module.parent?.id, require.main === undefined, Object.keys(require.cache).length);
#- /two.cjs
console.log('two', process.argv.length);
#- /main.js
console.log('main', Object.keys(require.cache).map((file) => require('path').basename(file)), process.execArgv);
#- a required module throws
node --require ./one.cjs main.js; echo $?; node --require ./none.cjs main.js; echo $?
#- /one.cjs
throw new Error('one');
#- /main.js
console.log('main');
#- a required module exits
node --require ./one.cjs main.js; echo $?
#- /one.cjs
process.exit(8);
#- /main.js
console.log('main');
#- a required module replaces what is built in
node --require ./one.cjs main.js
#- /one.cjs
const child = require('child_process');
const { spawnSync } = child;
child.spawnSync = function mine(...all) { console.log('mine'); return spawnSync.apply(this, all); };
const { Worker } = require('worker_threads');
require('worker_threads').Worker = class Mine extends Worker {};
#- /main.js
const child = require('child_process');
console.log(child.spawnSync.name, child.spawnSync('true').status, require('worker_threads').Worker.name);
new (require('worker_threads').Worker)('console.log("worker")', { eval: true });
#- imports a module of the user's
node --import ./one.mjs main.mjs; node --import 'data:text/javascript,console.log("data")' main.mjs; NODE_OPTIONS='--import ./one.mjs' node main.mjs
#- /one.mjs
console.log('one');
#- /main.mjs
console.log('main', process.execArgv.length);
#- a loader
node --no-warnings --experimental-loader ./loader.mjs main.mjs; echo $?
#- /loader.mjs
export async function resolve(name, context, next) { return name === 'own:x' ? { url: 'own:x', shortCircuit: true } : next(name, context); }
export async function load(url, context, next) { return url === 'own:x' ? { format: 'module', source: 'export default 42', shortCircuit: true } : next(url, context); }
#- /main.mjs
import value from 'own:x';
console.log(value, typeof import.meta.resolve);
#- a loader that is registered
node --import ./register.mjs main.mjs; node --import ./register.mjs main.cjs
#- /register.mjs
import { register } from 'node:module';
register('./loader.mjs', import.meta.url);
#- /loader.mjs
export async function load(url, context, next) { const loaded = await next(url, context); return url.endsWith('main.mjs') ? { ...loaded, source: loaded.source + '\nconsole.log("added")' } : loaded; }
#- /main.mjs
console.log('main');
#- /main.cjs
console.log('classic');
#- a loader that fails
node --no-warnings --experimental-loader ./loader.mjs main.mjs 2>&1 | grep -c 'x is not here'; node --no-warnings --experimental-loader ./none.mjs main.mjs 2>/dev/null; echo $?
#- /loader.mjs
export async function resolve(name) { throw new Error('x is not here'); }
#- /main.mjs
console.log('main');
#- a hook that replaces _load
node --require ./hook.cjs main.js
#- /hook.cjs
const Module = require('module');
const { _load } = Module;
Module._load = function (name, ...rest) { console.log('loads', name.replace(/.*[\\/]/, '')); return _load.call(this, name, ...rest); };
#- /main.js
require('fs'); require('./other.js'); new (require('worker_threads').Worker)('0', { eval: true }); require('child_process').execSync('true');
#- /other.js
exports.x = 1;
#- a package
node main.mjs; node --conditions=own main.mjs; node -p 'require("own").which'
#- /main.mjs
import { which } from 'own';
console.log(which);
#- /node_modules/own/package.json
{"name": "own", "exports": {"own": "./own.cjs", "import": "./module.mjs", "require": "./classic.cjs"}}
#- /node_modules/own/own.cjs
exports.which = 'own';
#- /node_modules/own/module.mjs
export const which = 'module';
#- /node_modules/own/classic.cjs
exports.which = 'classic';
#- a file of the environment
echo 'OWN=from-file' > own.env; node --env-file=own.env -p 'process.env.OWN'; echo 'NODE_OPTIONS=--no-warnings' > own.env; node --env-file=own.env -e 'process.emitWarning("careful"); console.log("on")'
#- tests
node --test --test-reporter=tap . | grep -v -e duration_ms -e '^# duration'; echo $?
#- /a.test.js
const { test, describe, it } = require('node:test');
test('passes', () => {});
test('fails', () => { throw new Error('x'); });
describe('group', () => { it('waits', async () => { await null; }); it('skips', { skip: true }, () => {}); });
#- /b.test.mjs
import test from 'node:test';
test('module', (t) => { t.mock.fn(); t.diagnostic('said'); });
#- tests of one file
node a.test.js | grep -v duration_ms; echo $?; node --test --test-reporter=dot a.test.js; echo $?; node --test --test-name-pattern=one --test-reporter=tap a.test.js | grep -v duration_ms
#- /a.test.js
const { test } = require('node:test');
test('one', () => {});
test('two', (t) => { t.mock.timers?.enable(); });
#- tests that end badly
node --test --test-reporter=tap . | grep -e '^not ok' -e '^ok' -e exitCode -e signal; echo $?
#- /a.test.js
process.exit(3);
#- /b.test.js
process.kill(process.pid, 'SIGKILL');
#- /c.test.js
require('node:test').test('late', () => {}); setTimeout(() => { throw new Error('late'); }, 10);
#- a snapshot
node --snapshot-blob own.blob --build-snapshot entry.js; echo $?; node --snapshot-blob own.blob; echo $?
#- /entry.js
globalThis.own = 1;
require('v8').startupSnapshot.setDeserializeMainFunction(() => console.log('from the snapshot', globalThis.own));
#- watches its files
node --watch main.js >/dev/null & while ! test -e ran; do sleep 0.05; done; kill -TERM $!; wait $!; echo $?
#- /main.js
console.log('watched');
require('fs').writeFileSync('ran', '');
