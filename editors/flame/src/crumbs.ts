// The way back: a button for each thing that narrows what is seen, and for the frames around it.

import type { Chart } from "./chart";
import { button, el } from "./dom";
import { framesAround, type Place } from "./layout";
import type { Choice } from "./model";
import type { Shown } from "./status";
import { shown } from "./text";

/** How many frames of a deep stack have a button: the outermost and the last ones. */
const MOST = 8;

interface Narrowed extends Shown {
  chart: Chart;
  choose(change: Partial<Choice>): void;
  functionAt(place: Place): number;
}

export class Crumbs {
  readonly element = el("nav", { class: "crumbs", "aria-label": "Frames around what is shown" });
  /** What the buttons were made for: while the chart moves, elements are made only where that changes. */
  private made: unknown[] = [];

  show(page: Narrowed) {
    const { chart, view, sandwichOf, model } = page;
    const layout = view === "table" ? null : chart.layout;
    const isZoomed = layout !== null && chart.to - chart.from < layout.length * 0.999;
    const path = isZoomed ? framesAround(layout, chart.from, chart.to) : [];
    const made = [layout, view, sandwichOf, model, ...path.map((it) => it.index)];
    if (made.length === this.made.length && made.every((it, i) => it === this.made[i])) return;
    this.made = made;
    const parts = [
      ...(layout ? [button("All", "All: reset zoom (0)", () => chart.reset())] : []),
      ...buttons(page, path),
    ];
    this.element.hidden = parts.length === 0;
    this.element.replaceChildren(...parts);
  }
}

function buttons(page: Narrowed, path: Place[]): Node[] {
  const { chart, texts, view, sandwichOf } = page;
  const { focus, span } = page.model.choice;
  const parts: Node[] = [];
  if (span) parts.push(button("Range ×", "Range ×: show all time again", () => page.choose({ span: null })));
  if (focus !== null) {
    const name = shown(texts.name(focus), 40);
    parts.push(button(`Focus: ${name} ×`, `Focus: ${name} ×: end the focus`, () => page.choose({ focus: null })));
  }
  if (view === "sandwich" && sandwichOf !== null) {
    parts.push(el("span", {}, `Sandwich of ${shown(texts.name(sandwichOf), 60)}`));
  }
  const some = path.length > MOST ? [...path.slice(0, 2), null, ...path.slice(-5)] : path;
  for (const place of some) {
    if (!place) {
      parts.push(el("span", {}, `${path.length - 7} more`));
      continue;
    }
    const name = shown(texts.name(page.functionAt(place)), 40);
    parts.push(button(name, `Zoom out to ${name}`, () => chart.zoomTo(place)));
  }
  return parts;
}
