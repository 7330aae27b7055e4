// Ways to hear of what a program does without being seen by it: no listener of ours is counted, no function changes its name,
// and no frame of ours stands in a stack trace. What cannot be hidden is listed in docs/record.md.
'use strict';

const OWN_FILES = __dirname;
// The trap of a proxy, and what it calls.
const OWN_FRAMES = 2;

/** Puts `handler` around `object[name]`, which keeps its name, its length and its properties. */
exports.wrap = function wrap(object, name, handler) {
  if (typeof object?.[name] !== 'function') return;
  const descriptor = Object.getOwnPropertyDescriptor(object, name);
  const wrapped = new Proxy(object[name], handler);
  if (descriptor && !descriptor.writable) Object.defineProperty(object, name, { ...descriptor, value: wrapped });
  else object[name] = wrapped;
};

/** Calls `call`; what it throws has the stack that it has without us. */
exports.withoutFrames = function withoutFrames(call) {
  const { stackTraceLimit } = Error;
  const isLimited = typeof stackTraceLimit === 'number';
  if (isLimited) Error.stackTraceLimit = stackTraceLimit + OWN_FRAMES + 1;
  try {
    return call();
  } catch (error) {
    throw hideFrames(error);
  } finally {
    if (isLimited) Error.stackTraceLimit = stackTraceLimit;
  }
};

function hideFrames(error) {
  try {
    if (typeof error?.stack === 'string' && error.stack.includes(OWN_FILES)) {
      const lines = error.stack.split('\n').filter((line) => !line.includes(OWN_FILES) && !/^ +at Reflect\./.test(line));
      Object.defineProperty(error, 'stack', { value: lines.join('\n'), writable: true, configurable: true });
    }
  } catch {
    // It stays as it is: an error that cannot be changed is still the program's.
  }
  return error;
}

/**
 * Calls `finish` when this thread is about to emit `exit`, and where it ends without that. Node looks `process.emit` up for each
 * event, and says before that it exits (node/src/api/hooks.cc, EmitProcessExitInternal; lib/internal/process/per_thread.js, exit):
 * so a look is enough, and no listener is needed.
 */
exports.atExit = function atExit(finish) {
  let emit = process.emit;
  const undo = [];
  const finishOnce = (reason) => {
    for (const undoOne of undo.splice(0)) undoOne();
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
  for (const name of ['abort', 'reallyExit', 'execve']) {
    const original = process[name];
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
 * Calls `note` whenever the program begins or ceases to listen to something. Node itself has a listener for both, to open and
 * close its handles of signals (lib/internal/process/signal.js); ours takes its place and calls it.
 */
exports.onListeners = function onListeners({ added, removed }) {
  const around = (event, before, after) => {
    const [listener, ...others] = process.rawListeners(event);
    const wrapped = (original) =>
      new Proxy(original, {
        apply(target, self, parameters) {
          before(parameters[0]);
          const result = Reflect.apply(target, self, parameters);
          after(parameters[0]);
          return result;
        },
      });
    if (listener && others.length === 0) {
      process.removeListener(event, listener);
      process.on(event, wrapped(listener));
    } else {
      process.on(event, wrapped(() => {}));
    }
  };
  const nothing = () => {};
  around('newListener', added, nothing);
  around('removeListener', nothing, removed);
};

/** A module of Node's own C++, or null where Node gives it to nobody. */
exports.binding = function binding(name) {
  const before = Object.getOwnPropertyDescriptor(process, 'noDeprecation');
  process.noDeprecation = true;
  try {
    return process.binding(name);
  } catch {
    return null;
  } finally {
    if (before) Object.defineProperty(process, 'noDeprecation', before);
    else delete process.noDeprecation;
  }
};
