// Counts how often each function of one thread is called, by V8's precise coverage, in a run of which nothing is timed.
//
// V8 counts the blocks of a function, of which the first is the whole: unlike its numbers of calls alone, these are right in optimised code,
// and let it be optimised. They are asked for once, at the end. Whoever asks sets them to 0, and the next answer leaves out functions without
// inner blocks that were only called in optimised code since (`Coverage::Collect`, v8/src/debug/debug-coverage.cc): in two hundred questions
// to one program, calls of four of 225 functions were lost.
'use strict';

const process = require('process');
const { isElsewhere } = require('./plain.cjs');
const { followScripts, mayHaveOtherSessions, openSession } = require('./samples.cjs');

// V8's numbers have 32 bits, of which it takes the highest for a sign.
const FULL = 2 ** 32;
// To count to that takes more than two nanoseconds a call, and what began at 0 again is seldom below this.
const FULL_AFTER_US = 10_000_000;
const MANY = 2 ** 28;

/** Counts the calls in this thread. */
exports.recordCounts = function recordCounts(settings) {
  // V8 has one coverage for each thread.
  if (process.env.NODE_V8_COVERAGE) throw new Error('V8 counts for NODE_V8_COVERAGE in it, and cannot count for two');
  const session = openSession();
  const scripts = followScripts(session, settings);

  return {
    start({ wantsTexts }) {
      if (wantsTexts) scripts.start();
      session.ask('Profiler.enable');
      session.ask('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
      return Infinity;
    },
    next: () => Infinity,
    stop() {
      const { result } = session.ask('Profiler.takePreciseCoverage');
      const counted = result.filter(({ url }) => url && !url.startsWith('node:') && !isElsewhere(url));
      const counts = counted.map(({ scriptId, url, functions }) => ({ scriptId, url, functions: functions.map(rangesOf) }));
      const nodes = counted.map(({ scriptId }) => ({ callFrame: { scriptId } }));
      const hasMany = counts.some(({ functions }) => functions.some(([, , ranges]) => ranges[0][2] > MANY));
      const mayBeFull = hasMany && process.cpuUsage().user > FULL_AFTER_US;
      return { counts, scripts: scripts.sampled({ nodes }).scripts, isDisturbed: mayHaveOtherSessions(), mayBeFull };
    },
    leave() {
      session.ask('Profiler.stopPreciseCoverage');
      session.ask('Debugger.disable');
    },
  };
};

/** A function: its name, whether it was counted by blocks, and start, end and number of itself and of each of its blocks. */
function rangesOf({ functionName, ranges, isBlockCoverage }) {
  const rows = ranges.map(({ startOffset, endOffset, count }) => [startOffset, endOffset, count < 0 ? count + FULL : count]);
  return [functionName, isBlockCoverage, rows];
}
