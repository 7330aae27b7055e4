#!/usr/bin/env node
// Starts the program of this platform in place of Node or, where Node cannot be replaced, as a child whose end is its own.
'use strict';

const { command, find } = require('../lib/program.js');

function fail(sentence) {
  process.stderr.write(`${sentence}\n`);
  process.exit(1);
}

function main() {
  let program;
  try {
    program = find();
  } catch (error) {
    return fail(error.message);
  }
  const args = process.argv.slice(2);
  if (process.execve) {
    try {
      // Comes back only if it fails. Node warns of it in the next turn, which never comes.
      return process.execve(program, [program, ...args], process.env);
    } catch {
      // Windows, and threads; a program that does not start tells why below.
    }
  }
  let child;
  // Before the program starts: a signal that came in between would end this process alone.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
    process.on(signal, () => {
      // A terminal sends its interrupt to the child too, and two of them mean more than one.
      if (signal !== 'SIGINT' || !process.stdin.isTTY) child.kill(signal);
    });
  }
  child = require('child_process').spawn(program, args, { stdio: 'inherit', windowsHide: true });
  child.on('error', (error) => fail(`${program} cannot be started: ${error.message}. Install ${command} again.`));
  child.on('exit', (code, signal) => {
    if (signal === null) return process.exit(code);
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
}

main();
