// Counts how often each function of one thread is called, by V8's precise coverage, in a run of which nothing is timed.
//
// V8 counts the blocks of a function, of which the first is the whole: unlike its numbers of calls alone, these are right in optimised code,
// and let it be optimised. They have 31 bits and begin at 0 again whenever they are asked for, so they are asked for every second, and
// `proflens record` adds them up. Like a piece of a profile, what is asked for may interrupt the program in the middle of a regular
// expression, and no other may be matched then.
'use strict';

const process = require('process');
const { isElsewhere } = require('./plain.cjs');
const { followScripts, mayHaveOtherSessions, openSession } = require('./samples.cjs');

const PERIOD_MS = 1000;

/** Counts the calls in this thread; `hand` takes what was counted since the last time. */
exports.recordCounts = function recordCounts(settings, hand) {
  // V8 has one coverage for each thread, and who asks for it sets it back.
  if (process.env.NODE_V8_COVERAGE) throw new Error('V8 counts for NODE_V8_COVERAGE in it, and cannot count for two');
  const session = openSession();
  const scripts = followScripts(session, settings);

  /** What was counted since the last time, with the texts; at the end with the functions that were not called, too. */
  const take = (isLast) => {
    const { result } = session.ask('Profiler.takePreciseCoverage');
    const counts = [];
    const nodes = [];
    for (const script of result) {
      if (!script.url || script.url.startsWith('node:') || isElsewhere(script.url)) continue;
      const functions = [];
      for (const { functionName, ranges, isBlockCoverage } of script.functions) {
        const { startOffset, endOffset, count } = ranges[0];
        if (isLast || count > 0) functions.push([functionName, startOffset, endOffset, count, isBlockCoverage]);
      }
      if (functions.length === 0) continue;
      counts.push({ scriptId: script.scriptId, url: script.url, functions });
      nodes.push({ callFrame: { scriptId: script.scriptId } });
    }
    return { counts, scripts: scripts.sampled({ nodes }).scripts, isDisturbed: mayHaveOtherSessions() };
  };

  return {
    start({ wantsTexts }) {
      if (wantsTexts) scripts.start();
      session.ask('Profiler.enable');
      session.ask('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
      return PERIOD_MS;
    },
    next() {
      hand(take(false));
      return PERIOD_MS;
    },
    stop: () => take(true),
    leave() {
      session.ask('Profiler.stopPreciseCoverage');
      session.ask('Debugger.disable');
    },
  };
};
