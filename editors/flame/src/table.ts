// The same data as a table: functions with their costs, sorted by any column. Only rows that are seen are in the document. Where it is
// narrow, numbers give way to the name, and the location stands below it.

import { type Costs, changeText, type Pair, pairOf } from "./difference";
import { el } from "./dom";
import type { Texts } from "./info";
import type { Model } from "./model";
import { percent, shown, thousands } from "./text";

/** The height of a row, and of one with the location in a second line. */
const ROW = 24;
const HIGH_ROW = 40;
/** The height of the head, which covers the first rows. */
const HEAD = 24;
/** Rows above and below of what is seen. */
const MARGIN = 10;

export type Column =
  | "name"
  | "self"
  | "share"
  | "total"
  | "totalShare"
  | "samples"
  | "place"
  | "selfBefore"
  | "selfAfter"
  | "selfDifference"
  | "totalBefore"
  | "totalAfter"
  | "totalDifference";

export interface Sorting {
  column: Column;
  isDescending: boolean;
}

interface Columned {
  column: Column;
  title: string;
  /** How wide it is, in pixels; names and locations may get more. */
  width: number;
  /** Of several that do not fit together the one with the lower rank is shown. */
  rank: number;
  isNumber: boolean;
}

const name = (width: number): Columned => ({ column: "name", title: "Function", width, rank: 0, isNumber: false });
const number = (column: Column, title: string, width: number, rank: number): Columned => {
  return { column, title, width, rank, isNumber: true };
};
/** How much wider a column is that has minutes and seconds. */
const MINUTES = 36;
const place = (rank: number): Columned => ({ column: "place", title: "Location", width: 160, rank, isNumber: false });

export const COLUMNS: Columned[] = [
  name(200),
  number("self", "Self", 92, 1),
  number("share", "Self %", 86, 2),
  number("total", "Total", 92, 3),
  number("totalShare", "Total %", 86, 4),
  number("samples", "Samples", 90, 6),
  place(5),
];

export const COMPARED: Columned[] = [
  name(160),
  number("selfBefore", "Self before", 108, 6),
  number("selfAfter", "Self after", 100, 3),
  number("selfDifference", "Self difference", 162, 1),
  number("totalBefore", "Total before", 108, 7),
  number("totalAfter", "Total after", 100, 4),
  number("totalDifference", "Total difference", 162, 2),
  place(5),
];

/** The columns for which there is room: the name, what it is sorted by, and of the others as many as fit, by their rank. */
export function columnsFor(columns: Columned[], width: number, { column }: Sorting): Columned[] {
  const rank = (it: Columned) => (it.column === column ? Math.min(it.rank, 0.5) : it.rank);
  const shown: Columned[] = [];
  let room = width;
  for (const it of [...columns].sort((a, b) => rank(a) - rank(b))) {
    room -= it.width;
    if (room < 0 && shown.length > 1) break;
    shown.push(it);
  }
  return shown;
}

/** A number in three parts, so that those of a column have their decimal points and their units below each other. */
export function numberParts(text: string): [whole: string, fraction: string, unit: string] {
  const [, whole, fraction, unit] = /^([^ .]*)(\.[^ ]*)?(.*)$/.exec(text) ?? ["", text];
  return [whole, fraction ?? "", unit ?? ""];
}

/** Functions in the order of a column; what is equal is in the order of self time, then of the data. */
export function sorted(model: Model, texts: Texts, fns: number[], { column, isDescending }: Sorting): number[] {
  const { self, total, samples, sides } = model.functionCosts();
  const sign = isDescending ? -1 : 1;
  const numbers: Partial<Record<Column, Float64Array | null>> = {
    self,
    share: self,
    total,
    totalShare: total,
    samples,
    ...(sides && comparedColumns(sides)),
  };
  const values = numbers[column];
  const rest = (a: number, b: number) => self[b] - self[a] || a - b;
  if (values) return fns.sort((a, b) => sign * (values[a] - values[b]) || rest(a, b));
  const words = new Map(fns.map((fn) => [fn, column === "place" ? texts.place(fn) : texts.name(fn).slice(0, 300)]));
  const word = (fn: number) => words.get(fn) ?? "";
  return fns.sort((a, b) => sign * (word(a) < word(b) ? -1 : word(a) > word(b) ? 1 : 0) || rest(a, b));
}

function comparedColumns([before, after]: Pair<Costs>): Partial<Record<Column, Float64Array>> {
  return {
    selfBefore: before.self,
    selfAfter: after.self,
    selfDifference: after.self.map((it, fn) => it - before.self[fn]),
    totalBefore: before.total,
    totalAfter: after.total,
    totalDifference: after.total.map((it, fn) => it - before.total[fn]),
  };
}

export class Table {
  readonly element: HTMLElement;
  sorting: Sorting;
  /** The function that is selected. */
  selected: number | null = null;
  private readonly table: HTMLTableElement;
  private readonly body = el("tbody");
  private readonly heads: HTMLElement[];
  private readonly columns: Columned[];
  private fns: number[] = [];
  private model: Model | null = null;
  private shown: Column[] = [];
  private hasMinutes = false;
  private rowHeight = ROW;

  constructor(
    private readonly texts: Texts,
    private readonly events: { selected(fn: number): void; opened(fn: number): void; sorted(): void },
  ) {
    const { isComparison } = texts.profile;
    this.columns = isComparison ? COMPARED : COLUMNS;
    // What got slower itself comes first; the other way round, what got faster.
    this.sorting = { column: isComparison ? "selfDifference" : "self", isDescending: true };
    this.heads = this.columns.map(({ column, title, isNumber }) =>
      el(
        "th",
        { scope: "col", class: classOf(column, isNumber) },
        el("button", { type: "button", title: `Sort by ${title}`, click: () => this.sort(column) }, title),
      ),
    );
    const head = el("thead", {}, el("tr", { "aria-rowindex": 1 }, ...this.heads));
    this.table = el(
      "table",
      { class: "functions", role: "grid", tabindex: 0, "aria-label": "Functions" },
      head,
      this.body,
    );
    this.element = el("div", { class: "table" }, this.table);
    this.element.addEventListener("scroll", () => this.fill());
    new ResizeObserver(() => this.fill()).observe(this.element);
    this.table.addEventListener("keydown", (event) => this.press(event));
  }

  show(model: Model, matches: Uint8Array | null) {
    this.model = model;
    const { total, sides } = model.functionCosts();
    const fns: number[] = [];
    total.forEach((it, fn) => {
      const isSeen = sides ? sides.some((side) => side.total[fn] > 0) : it > 0;
      if (isSeen && !model.isIdle(fn) && (!matches || matches[fn])) fns.push(fn);
    });
    this.fns = sorted(model, this.texts, fns, this.sorting);
    // From a minute on times have two units.
    const longest = total.reduce((most, it) => Math.max(most, it), 0);
    this.hasMinutes = numberParts(this.texts.amount(longest))[2].length > 4;
    this.table.classList.toggle("minutes", this.hasMinutes);
    this.table.setAttribute("aria-rowcount", String(fns.length + 1));
    this.heads.forEach((head, i) => {
      const isSorted = this.columns[i].column === this.sorting.column;
      head.setAttribute("aria-sort", !isSorted ? "none" : this.sorting.isDescending ? "descending" : "ascending");
    });
    this.fill();
  }

  focus() {
    this.table.focus({ preventScroll: true });
    if (this.fns.length > 0) this.select(Math.max(0, this.fns.indexOf(this.selected ?? -1)));
  }

  /** Sorts as it was kept, if the column is there. */
  sortBy(sorting: Sorting) {
    if (this.columns.some((it) => it.column === sorting.column)) this.sorting = sorting;
  }

  private sort(column: Column) {
    const isText = column === "name" || column === "place";
    const isSame = this.sorting.column === column;
    this.sorting = { column, isDescending: isSame ? !this.sorting.isDescending : !isText };
    this.events.sorted();
  }

  private fill() {
    const { model, element, fns } = this;
    if (!model || element.clientHeight === 0) return;
    this.arrange();
    const { rowHeight } = this;
    const first = Math.max(0, Math.floor(element.scrollTop / rowHeight) - MARGIN);
    const last = Math.min(fns.length, Math.ceil((element.scrollTop + element.clientHeight) / rowHeight) + MARGIN);
    const rows = fns.slice(first, last).map((fn, i) => this.row(model, fn, first + i));
    this.body.replaceChildren(this.gap(first), ...rows, this.gap(fns.length - last));
    const at = this.selected === null ? -1 : fns.indexOf(this.selected);
    if (at >= first && at < last) this.table.setAttribute("aria-activedescendant", `function-${at}`);
    else this.table.removeAttribute("aria-activedescendant");
  }

  /** Shows the columns for which there is room. */
  private arrange() {
    const { element, heads } = this;
    const wider = (it: Columned) => (this.hasMinutes && /^(self|total)(?!Share)/.test(it.column) ? MINUTES : 0);
    const columns = this.columns.map((it) => ({ ...it, width: it.width + wider(it) }));
    this.shown = columnsFor(columns, element.clientWidth, this.sorting).map((it) => it.column);
    columns.forEach(({ column, width, isNumber }, i) => {
      heads[i].hidden = !this.shown.includes(column);
      if (isNumber) heads[i].style.width = `${width}px`;
    });
    const height = this.shown.includes("place") ? ROW : HIGH_ROW;
    this.table.classList.toggle("high", height === HIGH_ROW);
    if (height === this.rowHeight) return;
    const first = element.scrollTop / this.rowHeight;
    this.rowHeight = height;
    element.scrollTop = first * height;
  }

  private row(model: Model, fn: number, at: number): HTMLElement {
    const { self, total, samples, sides } = model.functionCosts();
    const { texts } = this;
    const compared = (it: Pair<number>) => [texts.amount(it[0]), texts.amount(it[1]), this.difference(it)];
    const compareds = sides && [
      shown(texts.name(fn), 200),
      ...compared(pairOf(sides, "self", fn)),
      ...compared(pairOf(sides, "total", fn)),
      texts.place(fn),
    ];
    const cells = compareds ?? [
      shown(texts.name(fn), 200),
      texts.amount(self[fn]),
      percent(self[fn] / model.base),
      texts.amount(total[fn]),
      percent(total[fn] / model.base),
      samples ? thousands(samples[fn]) : "",
      texts.place(fn),
    ];
    const attributes = {
      id: `function-${at}`,
      "aria-rowindex": at + 2,
      "aria-selected": String(fn === this.selected),
      click: () => this.select(at),
      dblclick: () => this.events.opened(fn),
    };
    const cell = (text: string, i: number) => {
      const { column, isNumber } = this.columns[i];
      if (!this.shown.includes(column)) return [];
      const second = () => el("div", { class: "muted" }, texts.place(fn) || texts.category(fn));
      const named = column === "name" && this.rowHeight === HIGH_ROW ? [second()] : [];
      const attributes = { class: classOf(column, isNumber), title: text };
      return [el("td", attributes, ...(isNumber ? parts(text) : [text]), ...named)];
    };
    return el("tr", attributes, ...cells.flatMap(cell));
  }

  /** Room for rows that are not in the document. */
  private gap(rows: number): HTMLElement {
    const cell = el("td", { colspan: this.shown.length, class: "gap" });
    cell.style.height = `${rows * this.rowHeight}px`;
    return el("tr", { "aria-hidden": "true" }, cell);
  }

  private difference(it: Pair<number>): string {
    return it[0] === it[1] ? "0" : `${this.texts.difference(it)}, ${changeText(it)}`;
  }

  private select(at: number) {
    this.selected = this.fns[at];
    const { element, rowHeight } = this;
    const [top, bottom] = [at * rowHeight, (at + 1) * rowHeight + HEAD];
    if (top < element.scrollTop) element.scrollTop = top;
    else if (bottom > element.scrollTop + element.clientHeight) element.scrollTop = bottom - element.clientHeight;
    this.fill();
    this.events.selected(this.selected);
  }

  private press(event: KeyboardEvent) {
    if (event.target !== this.table || event.ctrlKey || event.metaKey || event.altKey) return;
    const at = this.selected === null ? -1 : this.fns.indexOf(this.selected);
    const page = Math.max(1, Math.floor(this.element.clientHeight / this.rowHeight) - 2);
    const moves: Record<string, number> = {
      ArrowDown: at + 1,
      ArrowUp: at - 1,
      PageDown: at + page,
      PageUp: at - page,
      Home: 0,
      End: this.fns.length - 1,
    };
    const to = moves[event.key];
    if (to === undefined || this.fns.length === 0) return;
    event.preventDefault();
    event.stopPropagation();
    this.select(Math.max(0, Math.min(this.fns.length - 1, to)));
  }
}

function classOf(column: Column, isNumber: boolean): string {
  return isNumber ? `number ${column}` : column;
}

function parts(text: string): Node[] {
  const [whole, fraction, unit] = numberParts(text);
  const tail = el("span", { class: "tail" }, el("span", { class: "fraction" }, fraction), unit);
  return [document.createTextNode(whole), tail];
}
