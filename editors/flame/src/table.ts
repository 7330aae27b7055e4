// The same data as a table: functions with their costs, sorted by any column. Only rows that are seen are in the document.

import { type Costs, changeText, type Pair, pairOf } from "./difference";
import { el } from "./dom";
import type { Texts } from "./info";
import type { Model } from "./model";
import { percent, shown, thousands } from "./text";

const ROW = 24;
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
  isNumber: boolean;
}

const COLUMNS: Columned[] = [
  { column: "name", title: "Function", isNumber: false },
  { column: "self", title: "Self", isNumber: true },
  { column: "share", title: "Self share", isNumber: true },
  { column: "total", title: "Total", isNumber: true },
  { column: "totalShare", title: "Total share", isNumber: true },
  { column: "samples", title: "Samples", isNumber: true },
  { column: "place", title: "Place", isNumber: false },
];

const COMPARED: Columned[] = [
  { column: "name", title: "Function", isNumber: false },
  { column: "selfBefore", title: "Self before", isNumber: true },
  { column: "selfAfter", title: "Self after", isNumber: true },
  { column: "selfDifference", title: "Self difference", isNumber: true },
  { column: "totalBefore", title: "Total before", isNumber: true },
  { column: "totalAfter", title: "Total after", isNumber: true },
  { column: "totalDifference", title: "Total difference", isNumber: true },
  { column: "place", title: "Place", isNumber: false },
];

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
        el("button", { type: "button", click: () => this.sort(column) }, title),
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
    this.table.setAttribute("aria-rowcount", String(fns.length + 1));
    this.heads.forEach((head, i) => {
      const isSorted = this.columns[i].column === this.sorting.column;
      head.setAttribute("aria-sort", !isSorted ? "none" : this.sorting.isDescending ? "descending" : "ascending");
    });
    this.fill();
  }

  focus() {
    this.table.focus({ preventScroll: true });
    if (this.selected === null && this.fns.length > 0) this.select(0);
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
    const first = Math.max(0, Math.floor(element.scrollTop / ROW) - MARGIN);
    const last = Math.min(fns.length, Math.ceil((element.scrollTop + element.clientHeight) / ROW) + MARGIN);
    const rows = fns.slice(first, last).map((fn, i) => this.row(model, fn, first + i));
    this.body.replaceChildren(gap(first, this.columns), ...rows, gap(fns.length - last, this.columns));
    const at = this.selected === null ? -1 : fns.indexOf(this.selected);
    if (at >= first && at < last) this.table.setAttribute("aria-activedescendant", `function-${at}`);
    else this.table.removeAttribute("aria-activedescendant");
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
      percent(self[fn] / model.active),
      texts.amount(total[fn]),
      percent(total[fn] / model.active),
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
    const cell = (text: string, i: number) =>
      el("td", { class: classOf(this.columns[i].column, this.columns[i].isNumber) }, text);
    return el("tr", attributes, ...cells.map(cell));
  }

  private difference(it: Pair<number>): string {
    return it[0] === it[1] ? "0" : `${this.texts.difference(it)}, ${changeText(it)}`;
  }

  private select(at: number) {
    this.selected = this.fns[at];
    const { element } = this;
    // The head covers the first row's height.
    if (at * ROW < element.scrollTop) element.scrollTop = at * ROW;
    else if ((at + 2) * ROW > element.scrollTop + element.clientHeight)
      element.scrollTop = (at + 2) * ROW - element.clientHeight;
    this.fill();
    this.events.selected(this.selected);
  }

  private press(event: KeyboardEvent) {
    if (event.target !== this.table || event.ctrlKey || event.metaKey || event.altKey) return;
    const at = this.selected === null ? -1 : this.fns.indexOf(this.selected);
    const page = Math.max(1, Math.floor(this.element.clientHeight / ROW) - 2);
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
  if (!isNumber) return column;
  return column.endsWith("Difference") ? "number difference" : "number";
}

/** Room for rows that are not in the document. */
function gap(rows: number, columns: Columned[]): HTMLElement {
  const cell = el("td", { colspan: columns.length, class: "gap" });
  cell.style.height = `${rows * ROW}px`;
  return el("tr", { "aria-hidden": "true" }, cell);
}
