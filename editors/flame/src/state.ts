// What is kept while the page is away, and over a new recording of the same program: by names, since all numbers change.

import type { Texts } from "./info";
import { endOf, frameAt, type Layout, type Place, placeAt, placeOf, startOf } from "./layout";
import type { View } from "./model";
import type { Sorting } from "./table";

export interface State {
  version: 1;
  view: View;
  /** Null: all. */
  threads: string[] | null;
  timeThread: string | null;
  span: { session: number; from: number; to: number } | null;
  isFolded: boolean;
  focus: string | null;
  sandwich: string | null;
  search: string;
  seen: Seen | null;
  top: number;
  sorting: Sorting;
}

/** The part that is seen: in time order in nanoseconds on the axis, else as parts of the deepest frame that holds all of it. */
export type Seen = { time: [from: number, to: number] } | { path: string[]; part: [from: number, to: number] };

const VIEWS: View[] = ["merged", "inverted", "time", "sandwich", "table"];

/** A state that was kept, if it is one: it may come from an address that anybody wrote. */
export function readState(it: unknown): State | null {
  const state = it as State | null;
  if (typeof state !== "object" || state === null || state.version !== 1 || !VIEWS.includes(state.view)) return null;
  const isText = (it: unknown) => it === null || typeof it === "string";
  const isNumber = (it: unknown) => typeof it === "number" && Number.isFinite(it);
  const isPair = (it: unknown) => Array.isArray(it) && it.length === 2 && it.every(isNumber);
  const isTexts = (it: unknown) => Array.isArray(it) && it.every((it) => typeof it === "string");
  const { span, seen, sorting } = state;
  const isRight =
    [state.timeThread, state.focus, state.sandwich].every(isText) &&
    (state.threads === null || isTexts(state.threads)) &&
    (span === null || (typeof span === "object" && [span.session, span.from, span.to].every(isNumber))) &&
    typeof state.search === "string" &&
    isNumber(state.top) &&
    typeof sorting?.column === "string" &&
    (seen === null ||
      (typeof seen === "object" && ("time" in seen ? isPair(seen.time) : isTexts(seen.path) && isPair(seen.part))));
  return isRight ? state : null;
}

/** More frames than this lie above each other only in recursion. */
const LONGEST_PATH = 200;

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

export function seenPart(layout: Layout, texts: Texts, tick: number, from: number, to: number): Seen {
  if (layout.origin !== null) return { time: [(layout.origin + from) * tick, (layout.origin + to) * tick] };
  const path = framesAround(layout, from, to).slice(0, LONGEST_PATH);
  const last = path.at(-1);
  const start = last ? startOf(layout, last) : 0;
  const width = last ? endOf(layout, last) - start : layout.length;
  return {
    path: path.map((it) => texts.key(layout.frames.fn[frameAt(layout, it)])),
    part: [(from - start) / width, (to - start) / width],
  };
}

/** Where that part is in a layout; where a frame is no longer there, all of the last one that is. */
export function findPart(layout: Layout, texts: Texts, tick: number, seen: Seen): [from: number, to: number] | null {
  if ("time" in seen) {
    if (layout.origin === null) return null;
    return [seen.time[0] / tick - layout.origin, seen.time[1] / tick - layout.origin];
  }
  if (layout.origin !== null) return null;
  let on = -1;
  let isWhole = true;
  for (let i = 0; i < seen.path.length && isWhole; i++) {
    const row = layout.rows[layout.anchor + i];
    const { parent, fn } = layout.frames;
    const found = row?.frame.find((it) => parent[it] === on && texts.key(fn[it]) === seen.path[i]);
    if (found === undefined) isWhole = false;
    else on = found;
  }
  const place = on < 0 ? null : placeOf(layout, on);
  const start = place ? startOf(layout, place) : 0;
  const width = place ? endOf(layout, place) - start : layout.length;
  return isWhole ? [start + seen.part[0] * width, start + seen.part[1] * width] : [start, start + width];
}
