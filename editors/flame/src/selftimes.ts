// The self times of stacks: threads added up, all of their time or a span of it.

import type { Profile } from "./data";
import type { Pair, Side } from "./difference";
import type { Changed } from "./stacks";

/** A span of time on the axis of a session, in ticks. */
export interface Span {
  session: number;
  from: number;
  to: number;
}

/** Self time and samples by stack. */
export interface SelfTimes {
  self: Float64Array;
  /** Not known in a span of time: what is sent is when stacks ran, not when samples were taken. */
  samples: Float64Array | null;
  /** In a comparison those of both sides, of which one is the above. */
  sides: Pair<SelfTimes> | null;
}

/** Adds up threads, all of their time or a span of it, by changed stacks. */
export function addUp(
  profile: Profile,
  threads: number[],
  span: Span | null,
  changed: Changed | null,
  side: Side = "after",
): SelfTimes {
  const count = changed ? changed.stacks.count : profile.stacks.count;
  const of = changed?.of;
  const self = new Float64Array(count);
  const samples = span ? null : new Float64Array(count);
  const add = (stack: number, time: number) => {
    const at = of ? of[stack] : stack;
    if (at >= 0) self[at] += time;
    return at;
  };
  for (const thread of threads) {
    if (!samples) {
      if (span) eachRun(profile, thread, span, add);
      continue;
    }
    const sums = profile.sums(thread, side);
    for (let i = 0; i < sums.stack.length; i++) {
      const at = add(sums.stack[i], sums.self[i]);
      if (at >= 0) samples[at] += sums.samples[i];
    }
  }
  return { self, samples, sides: null };
}

/** The same of both sides; what is as wide as its time is the side that is shown. */
export function addUpSides(profile: Profile, threads: number[], changed: Changed | null, shown: Side): SelfTimes {
  const before = addUp(profile, threads, null, changed, "before");
  const after = addUp(profile, threads, null, changed, "after");
  return { ...(shown === "before" ? before : after), sides: [before, after] };
}

function eachRun(profile: Profile, thread: number, span: Span, add: (stack: number, time: number) => void) {
  const { session, start } = profile.header.threads[thread];
  if (session !== span.session || start === null) return;
  const { stack, at } = profile.runs(thread);
  for (let i = 0; i < stack.length; i++) {
    const time = Math.min(at[i + 1] + start, span.to) - Math.max(at[i] + start, span.from);
    if (time > 0 && stack[i] >= 0) add(stack[i], time);
  }
}
