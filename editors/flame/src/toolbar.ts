// The elements around the graph: views, search, switches, legend and status. They are one row at any width: what does not fit goes
// into a menu.

import { CATEGORY_TEXTS, type Palette, SHADES } from "./colors";
import { STEP_TEXTS } from "./difference";
import { button, el } from "./dom";
import { type Command, labelOf } from "./keys";
import type { View } from "./model";
import { type Entry, MoreMenu } from "./more";

/** What the views are called, in their order. */
export const VIEW_TEXTS: Record<View, string> = {
  callTree: "Call tree",
  inverted: "Bottom-up",
  time: "Time order",
  sandwich: "Sandwich",
  table: "Table",
};
const VIEWS = Object.keys(VIEW_TEXTS) as View[];

interface Item extends Entry {
  button: HTMLButtonElement;
  /** The step, of several with less and less in the bar, from which it is in the menu. */
  away: number;
  isWanted: boolean;
}

/** The steps at which the views become one list to choose from, and the title leaves. */
const LISTED = 3;
const UNTITLED = 7;

const CHART_ONLY: Command[] = ["zoomOut", "zoomIn", "reset", "picture"];

export class Toolbar {
  readonly element: HTMLElement;
  readonly search: HTMLInputElement;
  /** What a search found, in the row below the bar. */
  readonly found = el("output", { class: "found", "aria-live": "polite", hidden: true });
  private readonly title: HTMLElement;
  private readonly views = new Map<View, HTMLButtonElement>();
  private readonly viewGroup: HTMLElement;
  private readonly viewList: HTMLSelectElement;
  private readonly items: Item[] = [];
  private readonly more: MoreMenu;

  constructor(
    title: string,
    run: (command: Command) => void,
    onView: (view: View) => void,
    onSearch: (text: string) => void,
  ) {
    const act = (text: string, command: Command) => button(text, labelOf(command), () => run(command));
    const item = (sign: string, command: Command, away: number, text = sign) => {
      const made = act(sign, command);
      this.items.push({ text, label: labelOf(command), command, button: made, away, isWanted: true, isOn: null });
      return made;
    };
    const group = (label: string, ...children: Node[]) =>
      el("div", { class: "group", role: "group", "aria-label": label }, ...children);
    for (const view of VIEWS) this.views.set(view, act(VIEW_TEXTS[view], view));
    this.viewGroup = group("View", ...this.views.values());
    this.viewList = el(
      "select",
      { "aria-label": "View", change: () => onView(this.viewList.value as View) },
      ...VIEWS.map((it) => el("option", { value: it }, VIEW_TEXTS[it])),
    );
    this.search = el("input", {
      type: "search",
      placeholder: "Search or /regex/",
      "aria-label": labelOf("search"),
      title: labelOf("search"),
      spellcheck: "false",
      input: () => onSearch(this.search.value),
    });
    this.title = el("h1", { title }, title);
    this.more = new MoreMenu(() => this.items.filter((it) => it.isWanted && it.button.hidden), run);
    const change = group(
      "Change",
      item("Threads", "threads", 6),
      item("Focus", "focus", 5),
      item("Only this range", "span", 5),
      item("Show before", "widths", 5),
      item("Collapse recursion", "fold", 4),
    );
    const zoom = group(
      "Zoom",
      item("−", "zoomOut", 2, "Zoom out"),
      item("+", "zoomIn", 2, "Zoom in"),
      item("Reset zoom", "reset", 2),
    );
    const rest = group(
      "More",
      item("Go to function…", "pickFunction", 1),
      item("Save image…", "picture", 1),
      item("?", "help", 7, "Help"),
      this.more.button,
    );
    this.element = el(
      "header",
      { class: "bar", role: "toolbar", "aria-label": "Flame graph" },
      this.title,
      this.viewGroup,
      this.viewList,
      this.search,
      change,
      zoom,
      rest,
      this.more.element,
    );
    new ResizeObserver(() => this.fit()).observe(this.element);
  }

  update(it: { view: View; hasTime: boolean; threads: string | null; pressed: Map<Command, boolean> }) {
    this.viewList.value = it.view;
    for (const [view, element] of this.views) {
      element.setAttribute("aria-pressed", String(view === it.view));
      element.hidden = view === "time" && !it.hasTime;
      const option = this.viewList.options[VIEWS.indexOf(view)];
      option.hidden = option.disabled = element.hidden;
    }
    for (const item of this.items) {
      const { command } = item;
      if (command === "threads") {
        item.isWanted = it.threads !== null;
        item.text = item.button.textContent = it.threads ?? "";
        item.label = item.button.ariaLabel = item.button.title = `${item.text}. ${labelOf(command)}`;
      } else if (CHART_ONLY.includes(command)) {
        item.isWanted = it.view !== "table";
      } else if (["focus", "span", "widths", "fold"].includes(command)) {
        item.isWanted = it.pressed.has(command);
        item.isOn = it.pressed.get(command) ?? false;
        item.button.setAttribute("aria-pressed", String(item.isOn));
      }
    }
    this.fit();
  }

  /** Says how much a search means, or what is wrong with it. */
  say(share: string) {
    this.found.textContent = share;
    this.found.hidden = share === "";
  }

  /** Leaves in the bar what fits into one row: the title is cut first, then one step after the other is taken. */
  private fit() {
    const { element } = this;
    if (element.clientWidth === 0) return;
    const focused = document.activeElement;
    for (let step = 0; step <= UNTITLED; step++) {
      this.place(step);
      if (element.scrollWidth <= element.clientWidth) break;
    }
    // What is hidden for a moment loses the focus.
    if (focused instanceof HTMLElement && element.contains(focused)) focused.focus({ preventScroll: true });
  }

  private place(step: number) {
    const { items } = this;
    for (const it of items) it.button.hidden = !it.isWanted || step >= it.away;
    this.viewGroup.hidden = step >= LISTED;
    this.viewList.hidden = step < LISTED;
    this.title.hidden = step >= UNTITLED;
    this.more.button.hidden = !items.some((it) => it.isWanted && it.button.hidden);
  }
}

/** Categories with their colours, and explained with what they are. */
export function legend(categories: string[], seen: number[], palette: Palette, isExplained: boolean): HTMLElement {
  const entry = (it: number) => {
    const { name, about } = CATEGORY_TEXTS[categories[it]] ?? { name: categories[it], about: "" };
    const text = isExplained && about ? `${name}: ${about}` : name;
    return el("li", { title: about }, swatch(palette.fills[it * SHADES]), text);
  };
  const shape = isExplained ? "explained" : "legend";
  return el("ul", { class: shape, "aria-label": "Colours" }, ...seen.map(entry));
}

/** The scale of differences. */
export function differenceLegend(palette: Palette): HTMLElement {
  const entries = STEP_TEXTS.map((text, step) => el("li", {}, swatch(palette.differences.fills[step]), text));
  return el("ul", { class: "legend", "aria-label": "Colours: how much less or more than before" }, ...entries);
}

export function swatch(fill: string): HTMLElement {
  const it = el("span", { class: "swatch", "aria-hidden": "true" });
  it.style.backgroundColor = fill;
  return it;
}
