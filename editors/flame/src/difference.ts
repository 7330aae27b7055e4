// How much a frame or a function changed between the sides of a comparison: as a place on the scale of colours, and in words. The
// server draws pictures by the same rules (server/flame/src/difference.rs).

import { percent, thousands } from "./text";

/** The side before, and the one after. */
export type Side = "before" | "after";

/** Its place in pairs. */
export const indexOf = (side: Side | undefined): 0 | 1 => (side === "before" ? 0 : 1);

/** What is before and what is after. */
export type Pair<T> = [before: T, after: T];

/** Costs as columns, by frame or by function. */
export interface Costs {
  self: Float64Array;
  total: Float64Array;
  samples: Float64Array | null;
}

/** Ratios of the larger time to the smaller one at which the steps of the scale begin; behind them is what only one side has. */
const STEPS = [1.05, 1.25, 2];
/** A difference of equal times lies within this many standard deviations with 95 % probability. */
const SURE = 1.96;

/** The step in the middle: about the same. */
export const SAME = 4;

/** What the legend says of the steps, from gone to new. */
export const STEP_TEXTS = ["▼ gone", "▼ −50 %", "▼ −20 %", "▼ −5 %", "same", "▲ +5 %", "▲ +25 %", "▲ ×2", "▲ new"];

/** Whether times differ by more than the chance in when samples are taken. */
export function isMoreThanSampling([before, after]: Pair<number>, samples: Pair<number>): boolean {
  const variance = (time: number, count: number) => time ** 2 / Math.max(1, count);
  return Math.abs(after - before) > SURE * Math.sqrt(variance(before, samples[0]) + variance(after, samples[1]));
}

/** The step of a change, 0 to 8, which is its place in the palette. What may be chance is about the same. */
export function stepOf(times: Pair<number>, samples: Pair<number>): number {
  const [before, after] = times;
  if (before === after || !isMoreThanSampling(times, samples)) return SAME;
  const low = Math.min(before, after);
  const ratio = Math.max(before, after) / low;
  const size = low === 0 ? 4 : STEPS.filter((it) => ratio >= it).length;
  return after > before ? SAME + size : SAME - size;
}

/** The sign of a step, for those who see no colours. */
export const markOf = (step: number): string => (step > SAME ? "▲" : step < SAME ? "▼" : "");

/** The change in words: `+38 %`, `−12 %`, `×2.4`, `new`, `gone`. */
export function changeText([before, after]: Pair<number>): string {
  if (before === 0) return after === 0 ? "0 %" : "new";
  if (after === 0) return "gone";
  const ratio = after / before;
  if (ratio >= 100) return `×${thousands(Math.round(ratio))}`;
  if (ratio >= 2) return `×${ratio.toFixed(1)}`;
  const size = percent(Math.abs(ratio - 1));
  if (size === "0 %" || size === "<0.01 %") return "0 %";
  return `${ratio < 1 ? "−" : "+"}${size}`;
}

/** Before and after of one row of columns. */
export const pairOf = (sides: Pair<Costs>, what: "self" | "total", at: number): Pair<number> => [
  sides[0][what][at],
  sides[1][what][at],
];

const samplesOf = (sides: Pair<Costs>, at: number): Pair<number> => [
  sides[0].samples?.[at] ?? 0,
  sides[1].samples?.[at] ?? 0,
];

/** Whether a row's total time differs by more than chance. */
export const isSure = (sides: Pair<Costs>, at: number): boolean =>
  isMoreThanSampling(pairOf(sides, "total", at), samplesOf(sides, at));

/** The steps of all rows: what frames are coloured by. */
export function stepsOf(sides: Pair<Costs>): Uint8Array {
  return Uint8Array.from(sides[0].total, (_, at) => stepOf(pairOf(sides, "total", at), samplesOf(sides, at)));
}
