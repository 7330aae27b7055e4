// One function in the middle: above it all that calls it, below it all that it calls, both as wide as its total time.

import type { Costs, Pair } from "./difference";
import { finishLayout, type Layout, type Row, rowsOfTree } from "./layout";
import type { SelfTimes } from "./selftimes";
import { type Changed, focusOn, outermostOccurrences, type Stacks } from "./stacks";
import { type Entry, entryOf, type Frames, invert, isSeen, totals } from "./tree";

const noneSkipped = () => false;

/**
 * The sandwich of a function. In recursion the outermost occurrence counts, so that no time counts twice. `shown` is the side of a
 * comparison that is shown, null without one.
 */
export function sandwich(
  stacks: Stacks,
  times: SelfTimes,
  all: Frames,
  fn: number,
  functions: number,
  shown: 0 | 1 | null,
): Layout {
  const below = calleesOf(times, focusOn(stacks, fn, functions));
  const first = outermostOccurrences(stacks, functions);
  const other = shown === null ? undefined : all.sides?.[1 - shown];
  const entries: Entry[] = [];
  for (let i = 0; i < stacks.count; i++) {
    if (stacks.fn[i] !== fn || !first[i]) continue;
    const entry = entryOf(i, all.total, all.samples, other?.total, other?.samples);
    if (isSeen(entry)) entries.push(entry);
  }
  const above = invert(stacks, entries, all.samples !== null, shown);
  return join(below, above.frames, above.isCut ? `Only ${above.depth} levels of callers are shown.` : null);
}

function calleesOf(times: SelfTimes, changed: Changed): Frames {
  const { sides } = times;
  const both: Pair<SelfTimes> | null = sides && [changedTimes(sides[0], changed), changedTimes(sides[1], changed)];
  return totals(changed.stacks, { ...changedTimes(times, changed), sides: both });
}

function changedTimes(times: SelfTimes, { stacks, of }: Changed): SelfTimes {
  const self = new Float64Array(stacks.count);
  const samples = times.samples && new Float64Array(stacks.count);
  for (let i = 0; i < of.length; i++) {
    if (of[i] < 0) continue;
    self[of[i]] += times.self[i];
    if (times.samples && samples) samples[of[i]] += times.samples[i];
  }
  return { self, samples, sides: null };
}

/** Both trees in one layout: the function is in the callees' tree; in that of the callers it is what they stand on. */
function join(below: Frames, above: Frames, leftOut: string | null): Layout {
  const from = below.count;
  const shifted = above.parent.map((it) => (it < 0 ? -1 : it + from));
  // The first frame above is the function itself, which is drawn as the one below.
  for (let i = 1; i < above.count; i++) if (above.parent[i] === 0) shifted[i] = 0;
  const frames: Frames = {
    count: from + above.count,
    fn: concatInts(below.fn, above.fn),
    parent: concatInts(below.parent, shifted),
    ...both(below, above),
    sides:
      below.sides && above.sides ? [both(below.sides[0], above.sides[0]), both(below.sides[1], above.sides[1])] : null,
  };
  const at = new Float64Array(2 * frames.count);
  const down = rowsOfTree(below, noneSkipped, at);
  const aboveAt = new Float64Array(2 * above.count);
  const up = rowsOfTree(above, noneSkipped, aboveAt).slice(1);
  at.set(aboveAt, 2 * from);
  const moved = up.map((row): Row => {
    const frame = row.frame.map((it) => it + from);
    return { count: row.count, frame, start: frame.map((it) => 2 * it), end: frame.map((it) => 2 * it + 1) };
  });
  return finishLayout({
    rows: [...moved.reverse(), ...down],
    at,
    length: down.length > 0 ? below.total[down[0].frame[0]] : 0,
    frames,
    callersFrom: from,
    anchor: moved.length,
    origin: null,
    leftOut,
  });
}

function both(below: Costs, above: Costs): Costs {
  return {
    self: concat(below.self, above.self),
    total: concat(below.total, above.total),
    samples: below.samples && above.samples ? concat(below.samples, above.samples) : null,
  };
}

function concat(a: Float64Array, b: Float64Array): Float64Array {
  const both = new Float64Array(a.length + b.length);
  both.set(a);
  both.set(b, a.length);
  return both;
}

function concatInts(a: Int32Array, b: Int32Array): Int32Array {
  const both = new Int32Array(a.length + b.length);
  both.set(a);
  both.set(b, a.length);
  return both;
}
