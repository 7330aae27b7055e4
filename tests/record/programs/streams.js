//- echoes its input
process.stdin.on('data', (data) => process.stdout.write(data));
//- reads its input in sync
process.stdout.write(require('fs').readFileSync(0));
//- asks a question
const lines = require('readline').createInterface({ input: process.stdin, output: process.stdout });
lines.question('q? ', (answer) => { console.log('A:' + answer); lines.close(); });
//- a child takes its input
require('child_process').spawn('cat', { stdio: 'inherit' });
//- writes much
process.stdout.write('x'.repeat(5e6));
process.stdout.write('end\n');
//- writes much in sync
for (let i = 0; i < 20000; i++) require('fs').writeSync(1, 'l' + i + '\n');
//- writes to both
for (let i = 0; i < 500; i++) { process.stdout.write(`out ${i}\n`); process.stderr.write(`error ${i}\n`); }
//- closes its output
process.stdout.end('last\n');
process.stdout.on('finish', () => console.error('finished'));
//- replaces its output
process.stdout.write = (data) => { process.stderr.write('> ' + data); return true; };
console.log('hello');
//- destroys its output
process.stdout.on('error', (error) => console.error(error.code));
process.stdout.destroy();
process.stdout.write('x');
//- closes a descriptor
require('fs').closeSync(0);
console.log(require('fs').openSync('/dev/null'));
//- its output is closed $ node main.js 2>/dev/null | head -1
for (let i = 0; i < 1e5; i++) console.log('line');
//- its output is closed and it tells $ node main.js | true
process.stdout.on('error', (error) => { console.error(error.code); process.exit(2); });
process.stdout.write('x'.repeat(1e6));
//- its output is a file $ node main.js > out.txt; echo $?; wc -c < out.txt
process.stdout.write('x'.repeat(5e6));
process.exit(3);
//- its output is closed before $ node main.js >&-; echo $?
console.log(1);
//- its input is closed before $ node main.js <&-; echo $?
process.stdin.on('data', () => {}).on('end', () => console.log('end'));
//- its errors are closed before $ node main.js 2>&-; echo $?
console.error(1);
console.log(2);
//- pipes through
require('stream').pipeline(process.stdin, new (require('stream').Transform)({ transform(data, _, done) { done(null, data.toString().toUpperCase()); } }), process.stdout, (error) => console.error(error));
//- serves itself
const http = require('http');
const server = http.createServer((request, response) => response.end(request.url)).listen(0, async () => {
  console.log(await (await fetch(`http://127.0.0.1:${server.address().port}/path`)).text());
  server.close(() => console.log('closed')); server.closeAllConnections();
});
//- watches a file
const fs = require('fs');
fs.writeFileSync('watched', '');
const watcher = fs.watch('watched', () => { console.log('changed'); watcher.close(); });
fs.writeFileSync('watched', 'x');
//- lists its folder
console.log(require('fs').readdirSync('.').filter((name) => name !== '.proflens'));
