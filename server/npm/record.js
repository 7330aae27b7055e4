// Records the process that it is loaded into, from its start to its end: `node --require proflens/record app.js`. For where nobody
// can write `proflens record --` before a command, which also keeps the texts that ran, their source maps, and child processes.
'use strict';

const fs = require('fs');
const path = require('path');
const { Session } = require('inspector');
const { isMainThread } = require('worker_threads');

const FOLDER = '.proflens/recordings';

if (isMainThread) {
  const session = new Session();
  session.connect();
  session.post('Profiler.enable');
  session.post('Profiler.setSamplingInterval', { interval: 1000 });
  session.post('Profiler.start');
  // The last thing that a process does in order, also of process.exit().
  process.once('exit', () => session.post('Profiler.stop', write));
}

function write(error, answer) {
  const name = `${new Date().toISOString().slice(0, 19).replaceAll(':', '-')}-${process.pid}.cpuprofile`;
  const file = path.resolve(FOLDER, name);
  try {
    if (error) throw error;
    fs.mkdirSync(FOLDER, { recursive: true });
    fs.writeFileSync(file, JSON.stringify(answer.profile));
  } catch (reason) {
    process.stderr.write(`Proflens: the recording could not be written to ${file}: ${reason.message}.\n`);
  }
}
