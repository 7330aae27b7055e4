// Where frames lie: rows of rectangles in typed arrays, each with coarser levels, so that a picture reads no more than it has pixels.
// docs/flame-drawing.md has the measurements behind this.

import { stepsOf } from "./difference";
import { type Callees, callees, type Stacks } from "./stacks";
import type { Frames } from "./tree";

/** One row, from left to right. `start` and `end` are indices into the layout's positions. */
export interface Row {
  count: number;
  start: Uint32Array;
  end: Uint32Array;
  frame: Uint32Array;
}

/** Rectangles that together are narrower than `unit` are one, which has the frame of the widest and says how much of it is covered. */
export interface Level {
  unit: number;
  count: number;
  /** Positions as Float32: off by 2^-24 of the whole at most, far below a pixel of the zooms that show a level. */
  start: Float32Array;
  end: Float32Array;
  frame: Uint32Array;
  cover: Uint8Array;
}

export interface Layout {
  rows: Row[];
  levels: Level[][];
  /** In ticks from the left edge. */
  at: Float64Array;
  length: number;
  frames: Frames;
  /** In a comparison by frame how much it changed: its place in the colours of differences. */
  steps: Uint8Array | null;
  /** Frames from here on are callers: the frame on which such a one stands is what it called. */
  callersFrom: number;
  /** The row at which reading begins. */
  anchor: number;
  /** The place of the left edge on the time axis; null: there is no axis. */
  origin: number | null;
  /** What was left out, as a sentence. */
  leftOut: string | null;
}

export function finishLayout(it: Omit<Layout, "levels" | "steps">): Layout {
  const most = it.rows.reduce((most, row) => Math.max(most, row.count), 0);
  const scratch = {
    start: new Float32Array(most),
    end: new Float32Array(most),
    frame: new Uint32Array(most),
    cover: new Uint8Array(most),
  };
  const steps = it.frames.sides && stepsOf(it.frames.sides);
  return { ...it, steps, levels: it.rows.map((row) => coarser(row, it.at, it.length, scratch)) };
}

/** A row of less is drawn as it is. */
const FEW = 2000;

function coarser(row: Row, at: Float64Array, length: number, scratch: Omit<Level, "unit" | "count">): Level[] {
  const levels: Level[] = [];
  let from: Level | null = null;
  let count = row.count;
  // Below the mean distance of the rectangles next to nothing would become one.
  for (let unit = length / count; unit < length / 200 && count > FEW; unit *= 2) {
    const out: number = from ? joinLevel(from, unit, scratch) : joinRow(row, at, unit, scratch);
    // A level that hardly has fewer is not worth its memory.
    if (out > 0.55 * count) continue;
    from = {
      unit,
      count: out,
      start: scratch.start.slice(0, out),
      end: scratch.end.slice(0, out),
      frame: scratch.frame.slice(0, out),
      cover: scratch.cover.slice(0, out),
    };
    count = out;
    levels.push(from);
  }
  return levels;
}

function joinRow(row: Row, at: Float64Array, unit: number, to: Omit<Level, "unit" | "count">): number {
  let out = 0;
  for (let i = 0; i < row.count; ) {
    const start = at[row.start[i]];
    let end = at[row.end[i]];
    let widest = end - start;
    let covered = widest;
    let frame = row.frame[i++];
    for (; widest < unit && i < row.count; i++) {
      const next = at[row.end[i]];
      if (next - start > unit) break;
      const width = next - at[row.start[i]];
      covered += width;
      if (width > widest) {
        widest = width;
        frame = row.frame[i];
      }
      end = next;
    }
    to.start[out] = start;
    to.end[out] = end;
    to.frame[out] = frame;
    to.cover[out++] = Math.min(255, (255 * covered) / (end - start || 1));
  }
  return out;
}

function joinLevel(from: Level, unit: number, to: Omit<Level, "unit" | "count">): number {
  let out = 0;
  for (let i = 0; i < from.count; ) {
    const start = from.start[i];
    let end = from.end[i];
    let widest = end - start;
    let covered = widest * from.cover[i];
    let frame = from.frame[i++];
    for (; widest < unit && i < from.count; i++) {
      const next = from.end[i];
      if (next - start > unit) break;
      const width = next - from.start[i];
      covered += width * from.cover[i];
      if (width > widest) {
        widest = width;
        frame = from.frame[i];
      }
      end = next;
    }
    to.start[out] = start;
    to.end[out] = end;
    to.frame[out] = frame;
    to.cover[out++] = Math.min(255, covered / (end - start || 1));
  }
  return out;
}

/** Frames side by side, the longest first, each on the frame that it belongs to. Frames without time are left out. */
export function rowsOfTree(
  frames: Frames,
  skip: (fn: number) => boolean,
  at: Float64Array,
  of = childrenOf(frames),
): Row[] {
  const { total, fn } = frames;
  const longestFirst = (list: Int32Array) =>
    list.length > 1 ? list.slice().sort((a, b) => total[b] - total[a] || a - b) : list;
  const rows: Row[] = [];
  let level = Array.from(longestFirst(of.outermost)).filter((it) => total[it] > 0 && !skip(fn[it]));
  let begin = 0;
  for (const it of level) begin = put(at, it, begin, total[it]);
  while (level.length > 0) {
    rows.push(rowOf(level));
    const next: number[] = [];
    for (const it of level) {
      let x = at[2 * it];
      const children = of.list.subarray(of.from[it], of.from[it + 1]);
      for (const child of longestFirst(children)) {
        if (total[child] === 0) break;
        next.push(child);
        x = put(at, child, x, total[child]);
      }
    }
    level = next;
  }
  return rows;
}

function childrenOf(frames: Frames): Callees {
  return callees({ count: frames.count, caller: frames.parent, fn: frames.fn } satisfies Stacks);
}

function put(at: Float64Array, frame: number, start: number, width: number): number {
  at[2 * frame] = start;
  at[2 * frame + 1] = start + width;
  return start + width;
}

function rowOf(frames: number[]): Row {
  const frame = Uint32Array.from(frames);
  return { count: frame.length, frame, start: frame.map((it) => 2 * it), end: frame.map((it) => 2 * it + 1) };
}

export function treeLayout(frames: Frames, skip: (fn: number) => boolean, leftOut: string | null = null): Layout {
  const at = new Float64Array(2 * frames.count);
  const rows = rowsOfTree(frames, skip, at);
  return finishLayout({
    rows,
    at,
    length: rowLength(rows[0], at),
    frames,
    callersFrom: frames.count,
    anchor: 0,
    origin: null,
    leftOut,
  });
}

function rowLength(row: Row | undefined, at: Float64Array): number {
  return row && row.count > 0 ? at[row.end[row.count - 1]] : 0;
}

/** A rectangle: its row and its number in it. */
export interface Place {
  row: number;
  index: number;
}

export const frameAt = ({ rows }: Layout, { row, index }: Place) => rows[row].frame[index];
export const startOf = ({ rows, at }: Layout, { row, index }: Place) => at[rows[row].start[index]];
export const endOf = ({ rows, at }: Layout, { row, index }: Place) => at[rows[row].end[index]];

/** The first rectangle of a row that ends behind a position. */
export function firstBehind({ rows, at }: Layout, row: number, x: number): number {
  const { end, count } = rows[row];
  let low = 0;
  let high = count;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (at[end[middle]] <= x) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The rectangle at a position. */
export function placeAt(layout: Layout, row: number, x: number): Place | null {
  if (row < 0 || row >= layout.rows.length) return null;
  const index = firstBehind(layout, row, x);
  if (index >= layout.rows[row].count) return null;
  return startOf(layout, { row, index }) <= x ? { row, index } : null;
}

/** The frames that hold all of a part, the outermost first. */
export function framesAround(layout: Layout, from: number, to: number): Place[] {
  const path: Place[] = [];
  const slack = (to - from) * 1e-9;
  for (let row = layout.anchor; row < layout.rows.length; row++) {
    const place = placeAt(layout, row, (from + to) / 2);
    if (!place || startOf(layout, place) > from + slack || endOf(layout, place) < to - slack) break;
    path.push(place);
  }
  return path;
}

/** The next rectangle in a direction: the one in the row above or below that shares the most with it, or its neighbour. */
export function neighbour(layout: Layout, from: Place, direction: "up" | "down" | "left" | "right"): Place | null {
  const { row, index } = from;
  if (direction === "left") return index > 0 ? { row, index: index - 1 } : null;
  if (direction === "right") return index + 1 < layout.rows[row].count ? { row, index: index + 1 } : null;
  const to = row + (direction === "up" ? -1 : 1);
  if (to < 0 || to >= layout.rows.length) return null;
  const start = startOf(layout, from);
  const end = endOf(layout, from);
  let best: Place | null = null;
  let most = 0;
  for (let at = firstBehind(layout, to, start); at < layout.rows[to].count; at++) {
    const place = { row: to, index: at };
    if (startOf(layout, place) >= end) break;
    const shared = Math.min(end, endOf(layout, place)) - Math.max(start, startOf(layout, place));
    if (shared > most) {
      most = shared;
      best = place;
    }
  }
  return best;
}

/** The rectangle of a frame, in trees. */
export function placeOf(layout: Layout, frame: number): Place | null {
  for (let row = 0; row < layout.rows.length; row++) {
    const index = layout.rows[row].frame.indexOf(frame);
    if (index >= 0) return { row, index };
  }
  return null;
}

/** Frames from the outermost to this one, as a stack is read. */
export function stackOf(layout: Layout, frame: number, isInverted: boolean): number[] {
  const list: number[] = [];
  for (let it = frame; it >= 0; it = layout.frames.parent[it]) list.push(it);
  return isInverted || frame >= layout.callersFrom ? list : list.reverse();
}
