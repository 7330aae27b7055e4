// Time order: what ran when, as rows of rectangles, and how busy the thread was.

import type { Profile, Runs } from "./data";
import { finishLayout, type Layout, type Row } from "./layout";
import type { Span } from "./selftimes";
import type { Changed, Stacks } from "./stacks";
import type { Frames } from "./tree";

/** More rectangles would take more memory than a page should; a deep stack that changes at its outer end has very many. */
const MOST_RECTANGLES = 16_000_000;

/** A thread's runs, changed as its stacks are, and of a span of time only. */
export function changedRuns(profile: Profile, thread: number, span: Span | null, changed: Changed | null): Runs {
  const runs = profile.runs(thread);
  const { start, session } = profile.header.threads[thread];
  const isCut = span !== null && span.session === session && start !== null;
  if (!changed && !isCut) return runs;
  const from = isCut ? Math.max(0, span.from - start) : 0;
  const to = isCut ? span.to - start : Number.POSITIVE_INFINITY;
  const stack: number[] = [];
  const at: number[] = [];
  let end = 0;
  for (let i = 0; i < runs.stack.length; i++) {
    if (runs.at[i + 1] <= from || runs.at[i] >= to) continue;
    const it = runs.stack[i];
    stack.push(it >= 0 && changed ? changed.of[it] : it);
    at.push(Math.max(from, runs.at[i]));
    end = Math.min(to, runs.at[i + 1]);
  }
  return { stack: Int32Array.from(stack), at: Float64Array.from([...at, end]) };
}

/** The layout of runs. Neighbouring runs share the rectangles of the callers that they share. */
export function timeLayout({ stack, at }: Runs, stacks: Stacks, frames: Frames, start: number): Layout {
  const { caller } = stacks;
  const depth = depths(stacks);
  const deepest = (stack.length > 0 ? depth.reduce((most, it) => Math.max(most, it), 0) : 0) + 1;
  const counts = new Float64Array(deepest);
  for (let i = 0, before = -1; i < stack.length; i++) {
    let a = stack[i];
    let b = before;
    before = a;
    while (a !== b) {
      if (b < 0 || (a >= 0 && depth[a] >= depth[b])) {
        counts[depth[a]]++;
        a = caller[a];
      } else b = caller[b];
    }
  }
  const kept = rowsThatFit(counts);
  const rows = Array.from(counts.subarray(0, kept), (count): Row => {
    return { count: 0, start: new Uint32Array(count), end: new Uint32Array(count), frame: new Uint32Array(count) };
  });
  for (let i = 0, before = -1; i <= stack.length; i++) {
    let a = i < stack.length ? stack[i] : -1;
    let b = before;
    before = a;
    // What has ended is closed before what begins is opened, so that the last rectangle of a row is the one to close.
    let opened = a;
    while (a !== b) {
      if (a >= 0 && (b < 0 || depth[a] > depth[b])) a = caller[a];
      else if (b >= 0 && (a < 0 || depth[b] > depth[a])) b = close(rows, depth, caller, b, i);
      else {
        b = close(rows, depth, caller, b, i);
        a = caller[a];
      }
    }
    for (; opened !== a; opened = caller[opened]) {
      const row = rows[depth[opened]];
      if (!row) continue;
      row.start[row.count] = i;
      row.frame[row.count++] = opened;
    }
  }
  const zero = at[0] ?? 0;
  return finishLayout({
    rows: rows.filter((row) => row.count > 0),
    at: zero === 0 ? at : at.map((it) => it - zero),
    length: at.length > 0 ? at[at.length - 1] - zero : 0,
    frames,
    callersFrom: frames.count,
    anchor: 0,
    origin: start + zero,
    leftOut: kept < deepest ? `Frames more than ${kept} deep are left out in time order.` : null,
  });
}

function close(rows: Row[], depth: Int32Array, caller: Int32Array, stack: number, at: number): number {
  const row = rows[depth[stack]];
  if (row) row.end[row.count - 1] = at;
  return caller[stack];
}

function depths({ count, caller }: Stacks): Int32Array {
  const depth = new Int32Array(count);
  for (let i = 0; i < count; i++) depth[i] = caller[i] < 0 ? 0 : depth[caller[i]] + 1;
  return depth;
}

function rowsThatFit(counts: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < counts.length; i++) {
    sum += counts[i];
    if (sum > MOST_RECTANGLES) return Math.max(1, i);
  }
  return counts.length;
}

/** How much of each of `bins` equal parts of the time each category took: `bins` values for each category. */
export function activity(
  runs: Runs,
  categoryOf: (stack: number) => number,
  categories: number,
  bins: number,
): Float64Array {
  const { stack, at } = runs;
  const amounts = new Float64Array(bins * categories);
  if (stack.length === 0) return amounts;
  const zero = at[0];
  const width = (at[at.length - 1] - zero) / bins || 1;
  for (let i = 0; i < stack.length; i++) {
    if (stack[i] < 0) continue;
    const base = categoryOf(stack[i]) * bins;
    const from = (at[i] - zero) / width;
    const to = (at[i + 1] - zero) / width;
    const first = Math.min(bins - 1, Math.floor(from));
    const last = Math.min(bins - 1, Math.floor(to));
    for (let bin = first; bin <= last; bin++) {
      amounts[base + bin] += Math.max(0, Math.min(to, bin + 1) - Math.max(from, bin));
    }
  }
  return amounts;
}
