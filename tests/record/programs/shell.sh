#- is replaced by Node
exec node -e 'process.exit(11)'
#- a pipeline
node -e 'console.log(1)' | node -e 'process.stdin.pipe(process.stdout)'; exit 6
#- a reader that ends early
node -e 'for (let i = 0; i < 1e5; i++) console.log(i)' 2>/dev/null | head -2; yes | node -e 'process.stdin.once("data", (d) => { console.log(d.toString()[0]); process.exit() })'
#- statuses of a pipeline
bash -c 'set -o pipefail; node -e "process.exit(3)" | cat; echo $?; node -e "process.exit(4)" | node -e "process.exit(5)"; echo ${PIPESTATUS[@]}'
#- at once
for i in 1 2 3 4; do node -e "setTimeout(() => process.exit($i), 20)" & done; wait; echo done; node -e 'process.exit(9)' & wait $!; echo $?
#- ends with a signal
kill -TERM $$
#- crashes
ulimit -c 0; kill -SEGV $$
#- a child is killed
node -e 'process.kill(process.pid, 9); setInterval(() => {}, 1000)'; echo $?
#- kills its group
node -e 'process.kill(0, "SIGTERM"); setInterval(() => {}, 1000)'; echo not reached
#- interrupts its group and handles it
trap 'echo trapped' INT; node -e 'let n = 0; process.on("SIGINT", () => n++); process.kill(0, "SIGINT"); setTimeout(() => console.log(n), 300)'; echo $?
#- interrupts its group
trap 'echo trapped' INT; node -e 'process.kill(0, "SIGINT"); setInterval(() => {}, 1000)'; echo $?
#- ignores signals
trap '' INT TERM; node -e 'process.kill(process.pid, "SIGINT"); process.kill(process.pid, "SIGTERM"); setTimeout(() => console.log("on"), 100)'; echo $?
#- ignores hanging up, as nohup does
trap '' HUP; node -e 'process.kill(process.pid, "SIGHUP"); setTimeout(() => console.log("on"), 100)'; echo $?
#- a trap of the exit
trap 'echo bye' EXIT; node -e 'process.exit(2)'; exit 3
#- a time limit that is reached
timeout 1 node -e 'setInterval(() => {}, 1000)'; echo $?
#- a time limit that is reached while it is busy
timeout 1 node -e 'for (;;);'; echo $?
#- a time limit that kills
timeout -s KILL 1 node -e 'setInterval(() => {}, 1000)'; echo $?
#- is terminated from outside and handles it
node -e 'process.on("SIGTERM", () => { console.log("term"); process.exit(7) }); fs.writeFileSync("up", ""); setInterval(() => {}, 1000)' & while ! test -e up; do sleep 0.05; done; kill -TERM $!; wait $!; echo $?
#- without an environment
env -i "$(command -v node)" -p 'Object.keys(process.env).length'; env -u NODE_OPTIONS node -p 'process.env.NODE_OPTIONS'
#- empties the options of Node
NODE_OPTIONS= node -p 'JSON.stringify(process.env.NODE_OPTIONS)'; unset NODE_OPTIONS; node -p 'process.env.NODE_OPTIONS'
#- options of Node
NODE_OPTIONS='--max-old-space-size=100' node -p 'Math.round(v8.getHeapStatistics().heap_size_limit / 1e6)'; NODE_OPTIONS='--stack-trace-limit=2' node -p 'Error.stackTraceLimit'; NODE_OPTIONS='--nonsense' node -p 1; echo $?
#- other variables of Node
NODE_PATH=$PWD/lib node -p 'require("own")'; NODE_DEBUG=own node -e 'util.debuglog("own")("said")' 2>&1 | sed 's/[0-9]\+/N/'; NODE_NO_WARNINGS=1 node -e 'process.emitWarning("x")'; NODE_REDIRECT_WARNINGS=warnings.txt node -e 'process.emitWarning("x")'; grep -c Warning warnings.txt; NODE_PENDING_DEPRECATION=1 node -p 1
#- /lib/own.js
module.exports = 'from NODE_PATH';
#- debugs modules
NODE_DEBUG=module node -e 'require("fs")' 2>&1 | grep -c proflens; NODE_DEBUG=worker node -e 1 2>&1 | sed 's/[0-9]\+/N/g'
#- cleans the folder
git init -q; git clean -fdxq -e '*.sh'; node -p 1; git clean -fdxq; node -p 2; echo $?
#- removes what is recorded
rm -rf .proflens; node -p 1; echo $?; node -e 'new (require("worker_threads").Worker)("console.log(2)", { eval: true })'; echo $?
#- removes what is recorded in the middle
node main.js; echo $?; node -p 3
#- /main.js
require('fs').rmSync('.proflens', { recursive: true, force: true });
console.log(1, require('child_process').execFileSync(process.execPath, ['-p', '2']).toString());
new (require('worker_threads').Worker)('console.log("worker")', { eval: true });
#- makes the folder unreadable
chmod -R a-rwx .proflens 2>/dev/null; node -p 1; echo $?; chmod -R u+rwx .proflens 2>/dev/null; true
#- a folder that nobody can write
mkdir sealed; cd sealed; chmod 555 .; setpriv --reuid=65534 --regid=65534 --clear-groups node -p 'process.getuid()'; echo $?
#- limits of the shell
ulimit -n 64; node -p 1; ulimit -f 2000; node -e 'console.log(2)'; ulimit -t 20; node -p 3
#- few files
ulimit -n 40; node -e 'const fs = require("fs"); let n = 0; try { for (;;) { fs.openSync("/dev/null"); n++; } } catch (error) { console.log(error.code, n > 5) }'
#- small files
(ulimit -f 1; node -e 'console.log("written")'); echo $?
#- few processes and little space
(ulimit -v 4000000; node -p 1 2>/dev/null); echo $?
#- npm runs a script
npm run --silent own; echo $?; npm test --silent
#- /package.json
{"name": "own", "version": "1.0.0", "scripts": {"preown": "echo pre", "own": "node -e 'console.log(process.env.npm_lifecycle_event)'; exit 4", "test": "node -p 'process.argv.length'"}}
#- npx
npx --no-install own one; echo $?
#- /package.json
{"name": "own", "version": "1.0.0"}
#- /node_modules/.bin/own
#!/bin/sh
exec node -p 'process.argv.length'
#- other programs
python3 -c 'print(1)' 2>/dev/null; perl -e 'print "perl\n"; exit 2'; echo $?; git --version | cut -d' ' -f1; awk 'BEGIN { print "awk" }'
#- a daemon
(node -e 'setTimeout(() => require("fs").writeFileSync("late", ""), 300)' >/dev/null 2>&1 </dev/null &); echo started; while ! test -e late; do sleep 0.05; done; echo late
#- a co-process
mkfifo pipe; node -e 'require("fs").createReadStream("pipe").pipe(process.stdout)' & echo through > pipe; wait
#- an empty program
node -e ''; echo $?; : > empty.js; node empty.js; echo $?; : > empty.mjs; node empty.mjs; echo $?; node < /dev/null; echo $?
