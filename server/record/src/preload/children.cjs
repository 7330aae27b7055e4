// Takes the recorder along into whatever Node process or worker the program starts, also with an environment of its own, and
// lets a process that is about to be killed, or becomes another program, write what it has recorded.
'use strict';

const fs = require('fs');
const path = require('path');
const threads = require('worker_threads');

// So long a process that is writing may go on before it is killed.
const LONGEST_WRITE_MS = 15_000;

/** `environment` is what a process must have to be recorded. */
exports.follow = function follow(settings, environment) {
  followAsynchronous(settings, environment);
  followSynchronous(environment);
  followWorkers(environment);
  waitForWrites(settings);
  // What is imported from these modules is a copy.
  require('module').syncBuiltinESMExports();
};

/** Calls `finish` where this process ends without an `exit` event. */
exports.finishBefore = function finishBefore(finish) {
  for (const name of ['abort', 'reallyExit', 'execve']) {
    const original = process[name];
    if (typeof original !== 'function') continue;
    process[name] = function (...parameters) {
      finish(name);
      return Reflect.apply(original, this, parameters);
    };
  }
};

/** `spawn`, `fork`, `exec` and `execFile`. */
function followAsynchronous(settings, environment) {
  const { ChildProcess } = require('child_process');
  const { spawn } = ChildProcess.prototype;
  ChildProcess.prototype.spawn = function (options) {
    const pairs = options?.envPairs;
    if (Array.isArray(pairs)) {
      const variables = {};
      for (const pair of pairs) variables[pair.slice(0, pair.indexOf('=', 1))] = pair.slice(pair.indexOf('=', 1) + 1);
      const added = addTo(variables, environment, isNode(options.file));
      if (added !== variables) options.envPairs = Object.entries(added).map(([name, value]) => `${name}=${value}`);
    }
    const result = Reflect.apply(spawn, this, arguments);
    if (options?.detached && isNode(options.file) && this.pid) noteChild(settings, this.pid);
    return result;
  };
}

function followSynchronous(environment) {
  const modules = require('child_process');
  for (const name of ['spawnSync', 'execFileSync', 'execSync']) {
    const original = modules[name];
    modules[name] = function (file, ...parameters) {
      const index = parameters.findIndex((it) => it && typeof it === 'object' && !Array.isArray(it));
      const { env } = parameters[index] ?? {};
      if (env && typeof file === 'string') {
        const command = name === 'execSync' ? file.trim().split(/\s/)[0] : file;
        const added = addTo(env, environment, isNode(command));
        if (added !== env) parameters[index] = { ...parameters[index], env: added };
      }
      return Reflect.apply(original, this, [file, ...parameters]);
    };
  }
}

function followWorkers(environment) {
  threads.Worker = new Proxy(threads.Worker, {
    construct(target, [file, options, ...rest], newTarget) {
      const env = options?.env ?? process.env;
      const added = typeof env === 'object' ? addTo(env, environment, true) : env;
      const changed = added === env ? options : { ...options, env: added };
      return Reflect.construct(target, [file, changed, ...rest], newTarget);
    },
  });
}

/** Variables with the recorder's in them; the same object if nothing is missing, or it is nothing for a process like this. */
function addTo(variables, environment, isForNode) {
  const { NODE_OPTIONS: options } = variables;
  if (options === undefined && !isForNode) return variables;
  const added = { ...variables };
  for (const [name, value] of Object.entries(environment)) {
    if (name !== 'NODE_OPTIONS') added[name] ??= value;
    else if (!options?.includes(value)) added[name] = options ? `${options} ${value}` : value;
  }
  const isSame = Object.keys(environment).every((it) => added[it] === variables[it]);
  return isSame ? variables : added;
}

function isNode(file) {
  return file === process.execPath || /^node(js)?(\.exe)?$/.test(path.basename(String(file ?? '')));
}

/** A child that may outlive this process may not have begun to be recorded when the recording ends. */
function noteChild({ folder }, pid) {
  try {
    fs.writeFileSync(path.join(folder, `${pid}.child.json`), JSON.stringify({ process: pid }));
  } catch {
    // It is recorded as any other child.
  }
}

/** Runners kill their children if these take long to end, as they do while they write. */
function waitForWrites(settings) {
  const isWriting = (pid) => {
    const files = fs.readdirSync(settings.folder);
    const isMarked = files.some((it) => it.startsWith(`${pid}-`) && it.endsWith('.writing'));
    // The main thread writes last.
    return isMarked && !files.includes(`${pid}-0.part.json`);
  };
  const wait = (pid, signal) => {
    try {
      if (signal !== 'SIGKILL' && signal !== 9) return;
      const still = new Int32Array(new SharedArrayBuffer(4));
      for (let waited = 0; waited < LONGEST_WRITE_MS && isWriting(pid); waited += 20) Atomics.wait(still, 0, 0, 20);
    } catch {
      // The recording is over.
    }
  };
  const { ChildProcess } = require('child_process');
  const before = (object, name, pidOf) => {
    const original = object[name];
    object[name] = function (...parameters) {
      wait(...pidOf(this, parameters));
      return Reflect.apply(original, this, parameters);
    };
  };
  before(ChildProcess.prototype, 'kill', (child, [signal]) => [child.pid, signal]);
  before(process, 'kill', (_, [pid, signal]) => [pid, signal]);
}
