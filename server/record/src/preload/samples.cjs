// Samples one thread by V8's inspector and hands over what it has in pieces, so that little of it lies in the program's own
// heap, and most of it is on the disk if the program is killed.
//
// V8 hands samples out only when a profile ends, and forgets which code was optimised when its last profile does. So two
// profiles overlap: the next one starts, then the one before ends (`console.profile` and `console.profileEnd` of the inspector,
// v8/src/inspector/v8-profiler-agent-impl.cc), and `proflens record` cuts the first where the second starts.
//
// A piece is often handed over in an interrupt, which may come in the middle of a regular expression of the program. There no other may
// be matched: at its end, V8 11.3 (Node 20) frees the stack that the interrupted one goes on with (RegExpStackScope, v8/src/regexp).
'use strict';

const { existsSync, renameSync, writeFileSync } = require('fs');
const { join } = require('path');
const process = require('process');
const { findSourceMap } = require('module');
const threads = require('worker_threads');
const inspector = require('inspector');
const { makesCode } = require('./makes_code.cjs');
const { fileOf, isElsewhere, isOurs, isPlain, noticeLoaders } = require('./plain.cjs');
const { builtIn, wrap } = require('./unseen.cjs');

// A node of the call tree takes about 300 bytes as JSON, and three times that when it is parsed. To write one takes V8 about
// three microseconds, and most nodes of a piece were in the piece before: large pieces cost less, and small heaps get small ones.
const MOST_NODES = 8000;
const NODES_PER_MB = 90;
const SHORTEST_PIECE_MS = 50;
const FIRST_PIECE_MS = 100;
// After this time a program gets a debugger, which tells what ran, whatever it runs (plain.cjs). The files of one that ends before are
// still there for who wants their texts.
const PLAIN_MS = 250;
const LONGEST_PIECE_MS = 5000;
// How many bytes of scripts that the program has forgotten V8 keeps; those that were sampled are written with the next piece.
const SCRIPTS_BYTES = 8 * 1024 * 1024;
// For how many scripts without a URL it is known who made them, the latest ones.
const MOST_MADE = 20_000;
// Whoever else asks V8's profiler would get our profiles too: Node for these, and whoever is connected to the inspector.
const OTHER_PROFILERS = /--(cpu-prof|experimental-test-coverage|test-coverage)\b/;
// Says of each write that it is one.
const TRACES_WRITES = /--trace-sync-io\b/;
let hasOtherSessions = false;

/** A recording of time in this thread; `hand` takes each piece. */
exports.recordTime = function recordTime(settings, hand) {
  const session = openSession();
  const scripts = followScripts(session, settings);
  const isWhole = Boolean(process.env.NODE_V8_COVERAGE) || [OTHER_PROFILERS, TRACES_WRITES].some((rule) => rule.test(flags()));
  // Who makes code is only known of what is made after the debugger has begun.
  const makesCodeAtOnce = isWhole || makesCode();
  const nodesOfPiece = Math.min(settings.heapMb * NODES_PER_MB, MOST_NODES);
  const pieces = { number: 0, period: FIRST_PIECE_MS, profile: null, began: 0 };
  session.on('Profiler.consoleProfileFinished', ({ profile }) => {
    pieces.profile = profile;
  });
  const title = (number) => `proflens ${process.pid}-${threads.threadId}-${number}`;
  let keepsTexts = false;
  const piece = (profile) => {
    const isShort = builtIn.now() - pieces.began < PLAIN_MS;
    if (keepsTexts && !(isShort && isPlain(profile))) scripts.start();
    return { profile: hideRecorder(profile), ...scripts.sampled(profile) };
  };
  noticeLoaders();

  return {
    /** Begins, and returns how many milliseconds the first piece should have. `wantsTexts`: whether the texts that ran are kept. */
    start({ wantsTexts }) {
      keepsTexts = wantsTexts;
      pieces.began = builtIn.now();
      if (keepsTexts && makesCodeAtOnce) scripts.start();
      session.ask('Profiler.enable');
      session.ask('Profiler.setSamplingInterval', { interval: settings.intervalUs });
      if (isWhole) session.ask('Profiler.start');
      else inspector.console.profile(title(0));
      return isWhole ? Infinity : pieces.period;
    },
    /** Hands over what there is, and returns how many milliseconds the next piece should have. */
    next() {
      if (isWhole || hasOtherSessions || inspector.url()) {
        if (keepsTexts) scripts.start();
        return LONGEST_PIECE_MS;
      }
      inspector.console.profile(title(pieces.number + 1));
      inspector.console.profileEnd(title(pieces.number));
      pieces.number++;
      const { profile } = pieces;
      pieces.profile = null;
      const wanted = (pieces.period * nodesOfPiece) / profile.nodes.length;
      pieces.period = Math.min(Math.max(Math.min(wanted, pieces.period * 2), SHORTEST_PIECE_MS), LONGEST_PIECE_MS);
      hand(piece(profile));
      return pieces.period;
    },
    stop() {
      if (isWhole) return piece(session.ask('Profiler.stop').profile);
      inspector.console.profileEnd(title(pieces.number));
      return piece(pieces.profile);
    },
    /** Takes back what costs something while the program goes on. Without the profiler V8 would count no coverage any more. */
    leave: () => session.ask('Debugger.disable'),
  };
};

/** The first V8 that was seen to keep the samples of what it collected, Node 20; that of Node 18 ignores that it was asked to. */
const FIRST_V8_OF_COLLECTED = 11;

/** A recording of what this thread allocates, in one piece. */
exports.recordHeap = function recordHeap({ heap, countsCollected }) {
  if (countsCollected && parseInt(process.versions.v8, 10) < FIRST_V8_OF_COLLECTED) {
    throw new Error(`Node ${process.version} does not count what was collected, but Node 20 and newer do`);
  }
  const includes = { includeObjectsCollectedByMajorGC: countsCollected, includeObjectsCollectedByMinorGC: countsCollected };
  const session = openSession();
  const urls = new Map();
  session.on('Debugger.scriptParsed', ({ scriptId, url }) => urls.set(scriptId, url));
  return {
    start() {
      session.ask('Debugger.enable');
      // A `debugger` statement would stop this thread for ever.
      session.ask('Debugger.setSkipAllPauses', { skip: true });
      session.ask('HeapProfiler.enable');
      session.ask('HeapProfiler.startSampling', { samplingInterval: heap, ...includes });
      return Infinity;
    },
    next: () => Infinity,
    stop() {
      const { profile } = session.ask('HeapProfiler.stopSampling');
      // Side by side, as stacks may be deeper than texts can be nested.
      const nodes = [];
      const open = [{ node: profile.head, caller: 0 }];
      for (let next; (next = open.pop()); ) {
        const { id, callFrame, selfSize, children } = next.node;
        // V8 does not know any more where functions were that nobody holds.
        if (!callFrame.url) callFrame.url = urls.get(callFrame.scriptId) ?? '';
        hideFrame(callFrame);
        for (let at = children.length - 1; at >= 0; at--) open.push({ node: children[at], caller: nodes.length });
        nodes.push({ id, caller: next.caller, callFrame, selfSize });
      }
      return { heap: { nodes, samples: profile.samples }, scripts: [] };
    },
    leave: () => session.ask('Debugger.disable'),
  };
};

/** Notices sessions that the program opens itself. */
exports.noticeSessions = function noticeSessions() {
  wrap(inspector, 'Session', {
    construct(target, parameters, newTarget) {
      hasOtherSessions = true;
      return Reflect.construct(target, parameters, newTarget);
    },
  });
};

/** Whether somebody else may be asking V8's profiler: a session of the program's own, or whoever is connected to the inspector. */
exports.mayHaveOtherSessions = () => hasOtherSessions || Boolean(inspector.url());

/** The flags of this process and of its `NODE_OPTIONS`. */
function flags() {
  return [...process.execArgv, process.env.NODE_OPTIONS ?? ''].join(' ');
}

/** A session of V8's inspector with this thread. Its answers come before `ask` returns. */
exports.openSession = openSession;
function openSession() {
  const session = new inspector.Session();
  session.connect();
  return {
    ask(method, parameters) {
      let answer;
      session.post(method, parameters, (error, result) => {
        if (error) throw new Error(`${method}: ${error.message}`);
        answer = result;
      });
      return answer;
    },
    on: (event, listener) => session.on(event, ({ params }) => listener(params)),
  };
}

/** The scripts of this thread, whose texts are kept once they are sampled, and who made those that have no url. */
exports.followScripts = followScripts;
function followScripts(session, settings) {
  const scripts = new Map();
  const makers = new Map();
  const sampled = new Set();
  const kept = new Set();
  let isFollowing = false;
  return {
    /** From now on, as V8 forgets scripts that nobody holds, such as the modules of a test that has ended. */
    start() {
      if (isFollowing) return;
      session.on('Debugger.scriptParsed', (script) => {
        const { scriptId, url, hash, length, startLine, startColumn } = script;
        // At first the debugger tells of what was there before, as if we had made it.
        if (!url && isFollowing) noteMaker(script);
        if (url.startsWith('node:')) return;
        // An inline map is a part of the text.
        const mapUrl = script.sourceMapURL?.startsWith('data:') ? null : script.sourceMapURL || null;
        const map = startColumn < 0 && !script.sourceMapURL ? findMapOfVitest(url) : null;
        if (url) scripts.set(scriptId, { scriptId, url, hash, length, startLine, startColumn, mapUrl, map });
      });
      session.ask('Debugger.enable', { maxScriptsCacheSize: SCRIPTS_BYTES });
      // A `debugger` statement would stop this thread for ever.
      session.ask('Debugger.setSkipAllPauses', { skip: true });
      isFollowing = true;
    },
    /** What is to be said of the scripts of a profile that were not in a piece before. */
    sampled(profile) {
      for (const { callFrame } of profile.nodes) {
        // V8 leaves out the url of functions that it inlined in code that names itself by `sourceURL`, as modules on Vite's server do.
        if (!callFrame.url) callFrame.url = scripts.get(callFrame.scriptId)?.url ?? '';
        sampled.add(callFrame.scriptId);
      }
      const ids = [...sampled].filter((id) => !kept.has(id));
      const all = (of, say) => ids.filter((id) => of.has(id)).map(say).filter(Boolean);
      return { scripts: all(scripts, keep), made: all(makers, keepMaker) };
    },
  };

  /** Who made a script by `eval` or `new Function`; of what such a script made in turn, who made that. */
  function noteMaker({ scriptId, stackTrace }) {
    const frame = stackTrace?.callFrames[0];
    const maker = frame?.url ? frame : makers.get(frame?.scriptId);
    if (!maker || maker.url.startsWith('node:') || isOurs(maker.url)) return;
    makers.set(scriptId, maker);
    if (makers.size > MOST_MADE) makers.delete(makers.keys().next().value);
  }

  /** Says what a script is, with its text, which is written once for all threads that ran it. */
  function keep(id) {
    const { hash, length, ...script } = scripts.get(id);
    kept.add(id);
    if (isElsewhere(script.url)) return null;
    const text = keepText(id);
    const map = script.mapUrl ? findMap(script.url) : builtIn.parse(script.map);
    return text && { ...script, text, map };
  }

  /** Says who made a script, with the text in which that can be looked up. */
  function keepMaker(id) {
    const frame = makers.get(id);
    kept.add(id);
    const { startLine, startColumn } = scripts.get(frame.scriptId) ?? {};
    const text = keepText(frame.scriptId);
    return text && { scriptId: id, by: frame, text, startLine, startColumn };
  }

  function keepText(id) {
    if (!scripts.has(id)) return null;
    const { hash, length } = scripts.get(id);
    const text = `${hash}-${length}.text`;
    if (existsSync(join(settings.folder, text))) return text;
    const { scriptSource } = session.ask('Debugger.getScriptSource', { scriptId: id });
    // V8 has forgotten it.
    if (!scriptSource && length > 0) return null;
    writeText(settings, text, scriptSource);
    return text;
  }
}

/** The time of the recorder itself is not the user's. */
function hideRecorder(profile) {
  for (const { callFrame } of profile.nodes) hideFrame(callFrame);
  return profile;
}

function hideFrame(callFrame) {
  if (isOurs(callFrame.url)) callFrame.url = 'node:internal/proflens';
}

/** The source map that Node itself has read, if it reads them. Node would look for one with a regular expression. */
function findMap(url) {
  if (process.sourceMapsEnabled === false) return null;
  return findSourceMap?.(fileOf(url))?.payload ?? null;
}

/** The source map that Vitest 5 keeps beside a module, as it leaves no comment in the text; only until the next test. */
function findMapOfVitest(url) {
  const modules = globalThis.__vitest_worker__?.evaluatedModules?.fileToModulesMap?.get(fileOf(url));
  for (const { meta } of modules ?? []) if (typeof meta?.sourceMap === 'string') return meta.sourceMap;
  return null;
}

/** Under another name first, so that a file that is there is whole. */
exports.writeText = writeText;
function writeText({ folder }, file, text) {
  const unfinished = join(folder, `${file}.${process.pid}-${threads.threadId}`);
  writeFileSync(unfinished, text);
  renameSync(unfinished, join(folder, file));
}
