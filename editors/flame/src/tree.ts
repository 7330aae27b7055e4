// Trees of frames with their times: merged from the outermost function on, or inverted from where the time is spent.

import type { SelfTimes, Stacks } from "./stacks";

/** Frames with what they cost. A tree's children sum, with what ends in the frame, to it. */
export interface Frames {
  count: number;
  fn: Int32Array;
  /** The frame on which it stands: its caller, or where trees grow towards callers, its callee. -1: none. */
  parent: Int32Array;
  self: Float64Array;
  total: Float64Array;
  samples: Float64Array | null;
}

/** All time and all samples below each stack, itself included. */
export function totals(stacks: Stacks, { self, samples }: SelfTimes): Frames {
  const total = self.slice();
  const all = samples?.slice() ?? null;
  for (let i = stacks.count - 1; i >= 0; i--) {
    const up = stacks.caller[i];
    if (up < 0) continue;
    total[up] += total[i];
    if (all) all[up] += all[i];
  }
  return { count: stacks.count, fn: stacks.fn, parent: stacks.caller, self, total, samples: all };
}

/** What is turned upside down: a stack, of which so much time and so many samples count. */
export interface Entry {
  stack: number;
  time: number;
  samples: number;
}

/** More than any screen shows; recursion 10,000 deep would be 50 million. */
const MOST_STEPS = 3_000_000;

/** An inverted tree, and whether its deepest callers were left out. */
export interface Inverted {
  frames: Frames;
  isCut: boolean;
  /** How deep it is. */
  depth: number;
}

/** The tree of the callers of stacks, by function, the longest first. Frames of one depth lie side by side, in their order. */
export function invert(stacks: Stacks, entries: Entry[], withSamples: boolean): Inverted {
  const fn: number[] = [];
  const parent: number[] = [];
  const self: number[] = [];
  const total: number[] = [];
  const samples: number[] = [];
  let steps = 0;
  let depth = 0;
  let level: { frame: number; at: Entry[] }[] = [{ frame: -1, at: entries }];
  while (level.length > 0 && steps <= MOST_STEPS) {
    const next: typeof level = [];
    for (const { frame, at } of level) {
      steps += at.length;
      for (const [callee, group] of byFunction(stacks, at)) {
        const it = fn.length;
        fn.push(callee);
        parent.push(frame);
        let time = 0;
        let count = 0;
        let ends = 0;
        const up: Entry[] = [];
        for (const entry of group) {
          time += entry.time;
          count += entry.samples;
          const caller = stacks.caller[entry.stack];
          if (caller < 0) ends += entry.time;
          else up.push({ stack: caller, time: entry.time, samples: entry.samples });
        }
        self.push(ends);
        total.push(time);
        samples.push(count);
        if (up.length > 0) next.push({ frame: it, at: up });
      }
    }
    level = next;
    depth++;
  }
  const frames = {
    count: fn.length,
    fn: Int32Array.from(fn),
    parent: Int32Array.from(parent),
    self: Float64Array.from(self),
    total: Float64Array.from(total),
    samples: withSamples ? Float64Array.from(samples) : null,
  };
  return { frames, isCut: level.length > 0, depth };
}

/** Entries by function, those with the most time first. */
function byFunction({ fn }: Stacks, entries: Entry[]): [number, Entry[]][] {
  if (entries.length === 1) return [[fn[entries[0].stack], entries]];
  const groups = new Map<number, Entry[]>();
  for (const entry of entries) {
    const group = groups.get(fn[entry.stack]);
    if (group) group.push(entry);
    else groups.set(fn[entry.stack], [entry]);
  }
  const time = (group: Entry[]) => group.reduce((sum, it) => sum + it.time, 0);
  const timed = Array.from(groups, (it) => ({ it, time: time(it[1]) }));
  return timed.sort((a, b) => b.time - a.time || a.it[0] - b.it[0]).map(({ it }) => it);
}
