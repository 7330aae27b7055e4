// What is kept while the page is away, and over a new recording of the same program: by names, since all numbers change.

import type { Chart } from "./chart";
import type { Side } from "./difference";
import type { Texts } from "./info";
import { endOf, frameAt, framesAround, type Layout, placeOf, startOf } from "./layout";
import type { Choice, View } from "./model";
import type { Shown } from "./status";
import type { Sorting, Table } from "./table";
import type { Toolbar } from "./toolbar";

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
  /** In a comparison the side that widths are of. */
  side?: Side;
}

/** The part that is seen: in time order in nanoseconds on the axis, else as parts of the deepest frame that holds all of it. */
export type Seen = { time: [from: number, to: number] } | { path: string[]; part: [from: number, to: number] };

const VIEWS: View[] = ["callTree", "inverted", "time", "sandwich", "table"];

/** A state that was kept, if it is one: it may come from an address that anybody wrote. */
export function readState(it: unknown): State | null {
  const state = it as State | null;
  if (typeof state !== "object" || state === null || state.version !== 1 || !VIEWS.includes(state.view)) return null;
  const isText = (it: unknown) => it === null || typeof it === "string";
  const isNumber = (it: unknown) => typeof it === "number" && Number.isFinite(it);
  const isPair = (it: unknown) => Array.isArray(it) && it.length === 2 && it.every(isNumber);
  const isTexts = (it: unknown) => Array.isArray(it) && it.every((it) => typeof it === "string");
  const { span, seen, sorting } = state;
  if (![undefined, "before", "after"].includes(state.side)) return null;
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

/** A page, as far as it is kept. */
interface Kept extends Shown {
  readonly chart: Chart;
  readonly table: Table;
  readonly toolbar: Toolbar;
  readonly hasTime: boolean;
  hottestFunction(): number | null;
  everything(): Choice;
  choose(change: Partial<Choice>): void;
}

/** What a page shows. */
export function stateOf(page: Kept): State {
  const { texts, chart, model } = page;
  const { header } = page.profile;
  const { threads, span, focus, isFolded, side } = model.choice;
  const key = (fn: number | null) => (fn === null ? null : texts.key(fn));
  const isZoomed = chart.layout !== null && chart.to - chart.from < chart.layout.length;
  return {
    version: 1,
    view: page.view,
    threads: threads.length === header.threads.length ? null : threads.map((it) => header.threads[it].name),
    timeThread: header.threads[page.timeThread].name,
    span: span && { session: span.session, from: span.from * header.tick, to: span.to * header.tick },
    isFolded,
    focus: key(focus),
    sandwich: key(page.sandwichOf),
    search: page.toolbar.search.value,
    seen: isZoomed && chart.layout ? seenPart(chart.layout, texts, header.tick, chart.from, chart.to) : null,
    top: chart.element.scrollTop,
    sorting: page.table.sorting,
    side,
  };
}

/** Shows in a page what was kept, as far as it is there. */
export function restore(page: Kept, state: State) {
  const { header } = page.profile;
  const { texts, chart } = page;
  const find = (key: string | null) => {
    const at = key === null ? -1 : header.functions.name.findIndex((_, fn) => texts.key(fn) === key);
    return at < 0 ? null : at;
  };
  const wanted = state.threads;
  const threads = header.threads.flatMap((it, i) => (!wanted || wanted.includes(it.name) ? [i] : []));
  const thread = header.threads.findIndex((it) => it.name === state.timeThread && it.runs[2] > 0);
  if (thread >= 0) page.timeThread = thread;
  const span =
    state.span && page.hasTime
      ? { ...state.span, from: state.span.from / header.tick, to: state.span.to / header.tick }
      : null;
  page.sandwichOf = find(state.sandwich) ?? page.hottestFunction();
  page.view = state.view === "time" && !page.hasTime ? "callTree" : state.view;
  page.table.sortBy(state.sorting);
  page.toolbar.search.value = state.search;
  page.choose({
    threads: threads.length > 0 ? threads : page.everything().threads,
    span,
    isFolded: state.isFolded === true,
    focus: find(state.focus),
    side: state.side ?? "after",
  });
  const part = state.seen && chart.layout ? findPart(chart.layout, texts, header.tick, state.seen) : null;
  if (part) chart.move(part[0], part[1]);
  chart.element.scrollTop = state.top;
}
