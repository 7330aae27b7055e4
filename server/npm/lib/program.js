// Finds the program of this platform, which is in a package of its own that npm chooses by `os`, `cpu` and `libc`.
'use strict';

const path = require('path');
const { name: command } = require('../package.json');
const platforms = require('./platforms.json');

/** The package with the program for a platform: `@proflens/linux-x64`, or `@proflens/fleet-linux-x64`. */
const packageOf = (platform) => `@proflens/${[...command.split('-').slice(1), platform].join('-')}`;

/** The path of the program. Throws an error with one sentence for the user, if there is none. */
function find(resolve = require.resolve) {
  const fitting = Object.keys(platforms).filter(
    (it) => platforms[it].os === process.platform && platforms[it].cpu === process.arch,
  );
  if (fitting.length === 0) {
    throw new Error(
      `${command} has no program for ${process.platform} on ${process.arch}. With Rust you can build it from its source: cargo build --release.`,
    );
  }
  const installed = fitting.map((name) => ({ name, program: located(name, resolve) })).filter((it) => it.program);
  if (installed.length === 0) {
    const missing = fitting.length > 1 ? fitting.find(runsHere) : fitting[0];
    throw new Error(
      `The package ${packageOf(missing)}, which has the program for this machine, is not installed. Install ${command} again without --omit=optional; if a lock file from another platform leaves the package out, remove node_modules and the lock file first.`,
    );
  }
  // Package managers that do not know `libc` install both programs for Linux.
  return (installed.length > 1 ? installed.find((it) => runsHere(it.name)) : installed[0]).program;
}

function located(name, resolve) {
  const file = process.platform === 'win32' ? `${command}.exe` : command;
  try {
    return path.join(path.dirname(resolve(`${packageOf(name)}/package.json`)), 'bin', file);
  } catch {
    return undefined;
  }
}

/** Whether a program for Linux finds its C library here. */
function runsHere(name) {
  const { report } = process;
  if (report) report.excludeNetwork = true; // would look up the names of all connections
  // Runtimes without reports are built for glibc.
  const isGlibc = !report || Boolean(report.getReport().header.glibcVersionRuntime);
  return platforms[name].libc === (isGlibc ? 'glibc' : 'musl');
}

module.exports = { command, find };
