// Ways to hear of what a program does without being seen by it: no listener of ours is counted, no function changes its name,
// no frame of ours stands in a stack trace, and what the program puts in the place of something built in is not called by us. What cannot be hidden is listed in docs/record.md.
'use strict';

const path = require('path');
// The program may delete the global one.
const process = require('process');
const { isMainThread } = require('worker_threads');

/** Puts `handler` around `object[name]`, which keeps its name, its length and its properties. */
exports.wrap = function wrap(object, name, handler) {
  if (typeof object?.[name] !== 'function') return;
  const descriptor = Object.getOwnPropertyDescriptor(object, name);
  const wrapped = new Proxy(object[name], handler);
  if (descriptor && !descriptor.writable) Object.defineProperty(object, name, { ...descriptor, value: wrapped });
  else object[name] = wrapped;
};

/** Calls `used` when a function of a module of Node is read first, as it is when the program loads the module. */
exports.onUse = function onUse(module, used) {
  const functions = Object.entries(Object.getOwnPropertyDescriptors(module)).filter(([, { value }]) => typeof value === 'function');
  const restore = () => {
    for (const [name, descriptor] of functions) Object.defineProperty(module, name, descriptor);
    used();
  };
  for (const [name, { value, enumerable }] of functions) {
    const get = () => {
      restore();
      return value;
    };
    const set = (replaced) => {
      restore();
      module[name] = replaced;
    };
    Object.defineProperty(module, name, { configurable: true, enumerable, get, set });
  }
};

/**
 * Calls `finish` when this thread is about to emit `exit`, and where it ends without that. Node looks `process.emit` up for each
 * event, and says before that it exits (node/src/api/hooks.cc, EmitProcessExitInternal; lib/internal/process/per_thread.js, exit):
 * so a look is enough, and no listener is needed.
 */
exports.atExit = function atExit(finish) {
  let emit = process.emit;
  const undo = [];
  const finishOnce = (reason) => {
    try {
      for (const undoOne of undo.splice(0)) undoOne();
    } catch {
      // The program has frozen it.
    }
    finish(reason);
  };
  Object.defineProperty(process, 'emit', {
    configurable: true,
    enumerable: false,
    get() {
      if (process._exiting) finishOnce('exit');
      return emit;
    },
    set(replaced) {
      emit = replaced;
    },
  });
  undo.push(() => Object.defineProperty(process, 'emit', { value: emit, configurable: true, enumerable: false, writable: true }));
  // A worker has the first two only to say that it cannot.
  for (const name of isMainThread ? ['abort', 'execve', 'reallyExit'] : ['reallyExit']) {
    const original = process[name];
    if (typeof original !== 'function') continue;
    exports.wrap(process, name, {
      apply(target, self, parameters) {
        finishOnce(name);
        return Reflect.apply(target, self, parameters);
      },
    });
    const wrapped = process[name];
    undo.push(() => {
      if (process[name] === wrapped) process[name] = original;
    });
  }
};

/**
 * Calls `added` before the program listens to an event of the process, and `removed` after it has ceased to. Node itself has
 * listeners for both, to open and close its handles of signals (lib/internal/process/signal.js); ours stands in the place of the
 * first of them and calls it.
 */
exports.onListeners = function onListeners({ added, removed }) {
  const around = (event, before, after) => {
    const handler = {
      apply(target, self, parameters) {
        before(parameters[0]);
        const result = Reflect.apply(target, self, parameters);
        after(parameters[0]);
        return result;
      },
    };
    // In its place, as their order can be seen.
    const { _events: events } = process;
    const listeners = events?.[event];
    if (Array.isArray(listeners)) listeners[0] = new Proxy(listeners[0], handler);
    else if (listeners) events[event] = new Proxy(listeners, handler);
    else process.on(event, new Proxy(() => {}, handler));
  };
  const nothing = () => {};
  around('newListener', added, nothing);
  around('removeListener', nothing, removed);
};

/** Whether the program is in a listener that Node itself has called, as it calls those of signals. */
exports.isInListener = function isInListener() {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = Infinity;
  const { stack } = new Error();
  Error.stackTraceLimit = stackTraceLimit;
  return /process\.emit/.test(String(stack).split('\n').pop());
};

/** A module of Node's own C++, or null where Node gives it to nobody. */
exports.binding = function binding(name) {
  try {
    return withoutDeprecations(() => process.binding(name));
  } catch {
    return null;
  }
};

function withoutDeprecations(call) {
  const before = Object.getOwnPropertyDescriptor(process, 'noDeprecation');
  process.noDeprecation = true;
  try {
    return call();
  } finally {
    if (before) Object.defineProperty(process, 'noDeprecation', before);
    else delete process.noDeprecation;
  }
}

/** What is built in as it is now, before the program can change it. */
exports.builtIn = {
  parse: JSON.parse,
  stringify: JSON.stringify,
  now: Date.now,
};

/** Takes our modules out of where the program can list modules. */
exports.hideModules = function hideModules(module) {
  for (const file of Object.keys(require.cache)) if (path.dirname(file) === __dirname) delete require.cache[file];
  const { children } = withoutDeprecations(() => module.parent) ?? {};
  const index = children?.indexOf(module) ?? -1;
  if (index >= 0) children.splice(index, 1);
};
