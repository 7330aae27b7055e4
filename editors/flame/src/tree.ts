// Trees of frames with their times: merged from the outermost function on, or inverted from where the time is spent.

import type { Costs, Pair } from "./difference";
import type { SelfTimes } from "./selftimes";
import type { Stacks } from "./stacks";

/** Frames with what they cost. A tree's children sum, with what ends in the frame, to it. */
export interface Frames extends Costs {
  count: number;
  fn: Int32Array;
  /** The frame on which it stands: its caller, or where trees grow towards callers, its callee. -1: none. */
  parent: Int32Array;
  /** In a comparison the costs of both sides, of which one is the frames' own. */
  sides: Pair<Costs> | null;
}

/** All time and all samples below each stack, itself included. */
export function totals(stacks: Stacks, times: SelfTimes): Frames {
  const { sides } = times;
  const both: Pair<Costs> | null = sides && [costsOf(stacks, sides[0]), costsOf(stacks, sides[1])];
  return { count: stacks.count, fn: stacks.fn, parent: stacks.caller, ...costsOf(stacks, times), sides: both };
}

function costsOf(stacks: Stacks, { self, samples }: SelfTimes): Costs {
  const total = self.slice();
  const all = samples?.slice() ?? null;
  for (let i = stacks.count - 1; i >= 0; i--) {
    const up = stacks.caller[i];
    if (up < 0) continue;
    total[up] += total[i];
    if (all) all[up] += all[i];
  }
  return { self, total, samples: all };
}

/** What is turned upside down: a stack, and how much of its time and how many of its samples count. */
export interface Entry {
  stack: number;
  time: number;
  samples: number;
  /** In a comparison the same of the side that is not shown. */
  other?: { time: number; samples: number };
}

/** A stack with its time, and where there is another side, that of this side. */
export function entryOf(
  stack: number,
  time: Float64Array,
  samples: Float64Array | null,
  otherTime?: Float64Array,
  otherSamples?: Float64Array | null,
): Entry {
  const entry: Entry = { stack, time: time[stack], samples: samples?.[stack] ?? 0 };
  if (otherTime) entry.other = { time: otherTime[stack], samples: otherSamples?.[stack] ?? 0 };
  return entry;
}

/** Whether it is on any side. */
export const isSeen = ({ time, other }: Entry): boolean => time > 0 || (other?.time ?? 0) > 0;

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
export function invert(stacks: Stacks, entries: Entry[], withSamples: boolean, shown: 0 | 1 | null): Inverted {
  const fn: number[] = [];
  const parent: number[] = [];
  const self: number[] = [];
  const total: number[] = [];
  const samples: number[] = [];
  const other: Record<keyof Costs, number[]> = { self: [], total: [], samples: [] };
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
        const others = { self: 0, total: 0, samples: 0 };
        const up: Entry[] = [];
        for (const entry of group) {
          time += entry.time;
          count += entry.samples;
          others.total += entry.other?.time ?? 0;
          others.samples += entry.other?.samples ?? 0;
          const caller = stacks.caller[entry.stack];
          if (caller >= 0) up.push({ ...entry, stack: caller });
          else {
            ends += entry.time;
            others.self += entry.other?.time ?? 0;
          }
        }
        self.push(ends);
        total.push(time);
        samples.push(count);
        other.self.push(others.self);
        other.total.push(others.total);
        other.samples.push(others.samples);
        if (up.length > 0) next.push({ frame: it, at: up });
      }
    }
    level = next;
    depth++;
  }
  const columns = (it: Record<keyof Costs, number[]>): Costs => ({
    self: Float64Array.from(it.self),
    total: Float64Array.from(it.total),
    samples: withSamples ? Float64Array.from(it.samples) : null,
  });
  const own = columns({ self, total, samples });
  const sides: Pair<Costs> | null = shown === null ? null : shown === 0 ? [own, columns(other)] : [columns(other), own];
  const frames = { count: fn.length, fn: Int32Array.from(fn), parent: Int32Array.from(parent), ...own, sides };
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
