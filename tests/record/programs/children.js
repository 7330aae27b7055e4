//- a child of each kind
const { exec, execFile, execFileSync, execSync, fork, spawn, spawnSync } = require('child_process');
const node = process.execPath;
console.log(execSync('echo execSync').toString(), execFileSync(node, ['-p', '1']).toString(), spawnSync(node, ['-p', '2'], { encoding: 'utf8' }).stdout);
exec('node -p 3', (error, out) => {
  console.log(error, out);
  execFile(node, ['-p', '4'], (error, out) => {
    console.log(error, out);
    spawn(node, ['-p', '5'], { stdio: 'inherit' }).on('close', (code) => console.log('closed', code));
  });
});
//- a forked child fails
if (process.argv[2]) throw new Error('child');
require('child_process').fork(__filename, ['x']).on('exit', (code, signal) => console.log(code, signal));
//- a forked child speaks
if (process.send) {
  process.on('message', (message) => { process.send({ got: message }); if (message === 'end') process.disconnect(); });
} else {
  const child = require('child_process').fork(__filename);
  child.on('message', (message) => console.log(message)).on('disconnect', () => console.log('gone')).on('exit', (code) => console.log(code));
  child.send('one'); child.send({ two: [1, 2] }); child.send('end');
}
//- a forked child gets a socket
const net = require('net');
if (process.send) process.on('message', (_, socket) => socket.end('from the child\n', () => process.disconnect()));
else {
  const child = require('child_process').fork(__filename);
  const server = net.createServer((socket) => child.send('socket', socket)).listen(0, () => net.connect(server.address().port).on('data', (data) => process.stdout.write(data)).on('close', () => server.close()));
}
//- a forked child has flags
const { fork } = require('child_process');
if (process.argv[2]) console.log(process.execArgv, process.argv.slice(2), v8Limit());
else fork(__filename, ['x', '--y'], { execArgv: ['--stack-size=900', '--no-warnings'] });
function v8Limit() { return require('v8').getHeapStatistics().heap_size_limit > 0; }
//- a forked child has another environment
if (process.argv[2]) console.log(process.env.OWN, process.env.HOME, process.env.PATH);
else require('child_process').fork(__filename, ['x'], { env: { OWN: '1' } });
//- a child without an environment
const { spawnSync } = require('child_process');
console.log(spawnSync(process.execPath, ['-p', 'process.env.HOME'], { env: {}, encoding: 'utf8' }));
//- a child of another program without an environment
console.log(require('child_process').spawnSync('/usr/bin/env', { env: { ONE: '1' }, encoding: 'utf8' }).stdout);
//- a child after its environment was deleted
for (const name of Object.keys(process.env)) if (name !== 'PATH') delete process.env[name];
require('child_process').spawnSync(process.execPath, ['-e', 'console.log(1)'], { stdio: 'inherit' });
require('child_process').execSync('node -p 2', { stdio: 'inherit' });
//- a child with other options of Node
process.env.NODE_OPTIONS = '--max-old-space-size=300';
const { spawnSync } = require('child_process');
spawnSync(process.execPath, ['-p', 'process.execArgv.length, require("v8").getHeapStatistics().heap_size_limit < 5e8'], { stdio: 'inherit' });
spawnSync(process.execPath, ['-p', '2'], { stdio: 'inherit', env: { NODE_OPTIONS: '--no-warnings --stack-trace-limit=3' } });
//- its options stay as they were
const own = { env: { A: '1' }, stdio: 'pipe' };
Object.freeze(own); Object.freeze(own.env);
const args = Object.freeze(['-p', '1']);
const child = require('child_process').spawn(process.execPath, args, own);
require('child_process').spawnSync(process.execPath, args, own);
require('child_process').execFileSync(process.execPath, args, own);
child.on('exit', (code) => console.log(code, own, args));
//- how a child was called
const child = require('child_process').spawn(process.execPath, ['-p', '1'], { env: { B: '2' } });
console.log(child.spawnargs, child.spawnfile.endsWith('node'), child.connected, child.killed, Object.keys(child));
//- getters of options are asked as often
const asked = [];
const options = new Proxy({ env: { A: '1' } }, { get(target, name) { asked.push(String(name)); return Reflect.get(target, name); } });
require('child_process').spawnSync('true', [], options);
require('child_process').execSync('true', options);
console.log(asked.join('\n'));
//- options that inherit
class Options { constructor() { this.cwd = '/'; } get env() { return { ...process.env, A: '1' }; } }
console.log(require('child_process').execSync('pwd; echo $A', new Options()).toString());
//- an environment that inherits
console.log(require('child_process').execSync('echo $B', { env: Object.create({ ...process.env, B: '2' }) }).toString());
console.log(require('child_process').spawnSync(process.execPath, ['-p', 'process.env.B'], { env: Object.create({ ...process.env, B: '2' }) }).stdout.toString());
//- a child times out
try { require('child_process').execFileSync(process.execPath, ['-e', 'setInterval(()=>{},1e3)'], { timeout: 400 }); } catch (error) { console.log(error.code, error.signal, error.status); }
//- a child is killed
const child = require('child_process').spawn(process.execPath, ['-e', 'console.log("up"); setInterval(()=>{},1e3)']);
child.stdout.once('data', () => console.log(child.kill('SIGKILL'), child.killed));
child.on('exit', (code, signal) => console.log(code, signal));
//- a child is terminated
const child = require('child_process').spawn(process.execPath, ['-e', 'console.log("up"); setInterval(()=>{},1e3)']);
child.stdout.once('data', () => console.log(child.kill(), child.killed));
child.on('exit', (code, signal) => console.log(code, signal, child.exitCode, child.signalCode));
//- a child is terminated as it starts
const child = require('child_process').spawn(process.execPath, ['-e', 'setInterval(()=>{},1e3)']);
child.on('spawn', () => child.kill('SIGTERM'));
child.on('exit', (code, signal) => console.log(code, signal));
//- a child handles its end
const child = require('child_process').spawn(process.execPath, ['-e', 'process.on("SIGTERM", () => { console.log("bye"); process.exit(5) }); console.log("up"); setInterval(()=>{},1e3)']);
child.stdout.on('data', (data) => { process.stdout.write(data); if (data.includes('up')) child.kill(); });
child.on('close', (code, signal) => console.log(code, signal));
//- a child is aborted
const { spawn } = require('child_process');
const controller = new AbortController();
const child = spawn(process.execPath, ['-e', 'console.log("up"); setInterval(()=>{},1e3)'], { signal: controller.signal });
child.stdout.once('data', () => controller.abort());
child.on('error', (error) => console.log(error.name, error.code)).on('exit', (code, signal) => console.log(code, signal));
//- a child of Node with more pipes
const child = require('child_process').spawn(process.execPath, ['-e', 'const fs=require("fs");fs.writeSync(3,"three\\n");fs.writeSync(3,fs.readFileSync(4))'], { stdio: ['ignore', 'inherit', 'inherit', 'pipe', 'pipe'] });
child.stdio[3].on('data', (data) => process.stdout.write(data));
child.stdio[4].end('four\n');
//- a child's input
console.log(require('child_process').execFileSync(process.execPath, ['-'], { input: 'console.log("from stdin")' }).toString());
console.log(require('child_process').spawnSync('cat', { input: Buffer.alloc(3, 65) }).stdout.toString());
//- much output of a child
console.log(require('child_process').execFileSync(process.execPath, ['-e', 'process.stdout.write("x".repeat(3e6))'], { maxBuffer: 1e8 }).length);
try { require('child_process').execSync('yes | head -c 3000000', { maxBuffer: 1000 }); } catch (error) { console.log(error.code); }
//- workers of a cluster exit
const cluster = require('cluster');
if (cluster.isPrimary) {
  for (let i = 0; i < 3; i++) cluster.fork();
  cluster.on('exit', (worker, code, signal) => console.log(code, signal, worker.exitedAfterDisconnect));
} else process.exit(3);
//- workers of a cluster serve
const cluster = require('cluster');
const net = require('net');
if (cluster.isPrimary) {
  cluster.setupPrimary({ execArgv: ['--no-warnings'] });
  cluster.fork({ OWN: 'x' }).on('listening', ({ port }) => net.connect(port).on('data', (data) => process.stdout.write(data)).on('close', () => cluster.disconnect(() => console.log('over'))));
} else net.createServer((socket) => socket.end(`${process.env.OWN} ${process.execArgv} ${cluster.worker.id}\n`)).listen(0);
//- children of workers
const { Worker, isMainThread } = require('worker_threads');
if (isMainThread) new Worker(__filename).on('exit', (code) => console.log(code));
else console.log(require('child_process').execFileSync(process.execPath, ['-p', '1+1'], { env: {} }).toString());
//- becomes another user
process.setgid(65534); process.setuid(65534);
console.log(process.getuid(), process.getgid());
console.log(require('child_process').spawnSync(process.execPath, ['-p', 'process.getuid()'], { cwd: '/', encoding: 'utf8' }));
//- a child of another user
const { status, stdout, stderr } = require('child_process').spawnSync(process.execPath, ['-p', 'process.getuid()'], { uid: 65534, gid: 65534, cwd: '/', encoding: 'utf8' });
console.log(status, stdout, stderr);
//- a child of another user in a private folder $ chmod 700 .; node main.js
const { status, stdout, stderr } = require('child_process').spawnSync(process.execPath, ['-p', 'process.getuid()'], { uid: 65534, gid: 65534, cwd: '/', encoding: 'utf8' });
console.log(status, stdout, stderr);
//- masks its files
process.umask(0o777);
require('child_process').execSync('node -p 1', { stdio: 'inherit' });
require('fs').writeFileSync('masked', '');
console.log((require('fs').statSync('masked').mode & 0o777).toString(8));
//- its folder is removed
const fs = require('fs');
fs.mkdirSync('gone'); process.chdir('gone'); fs.rmdirSync('../gone');
try { process.cwd(); } catch (error) { console.log(error.code); }
console.log(require('child_process').spawnSync('true').status);
//- imports children: node main.mjs
import { spawnSync, execSync as run } from 'node:child_process';
console.log(spawnSync(process.execPath, ['-p', '1+1']).stdout.toString(), run('exit 0').toString());
//- a promise of exec
const { promisify } = require('util');
const { exec, execFile } = require('child_process');
console.log(exec[promisify.custom].name, execFile[promisify.custom].length);
promisify(exec)('echo hi').then((result) => { console.log(result); const promise = promisify(execFile)('true'); console.log(promise.child.spawnargs); });
//- file descriptors do not leak
const { execFileSync } = require('child_process');
console.log(require('child_process').spawnSync('sh', ['-c', 'ls /proc/self/fd'], { encoding: 'utf8' }).stdout);
