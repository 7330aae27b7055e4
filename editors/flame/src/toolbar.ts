// The elements around the graph: views, search, switches, legend and status.

import { CATEGORY_TEXTS, type Palette, SHADES } from "./colors";
import { STEP_TEXTS } from "./difference";
import { button, el } from "./dom";
import { type Command, KEYS } from "./keys";
import type { View } from "./model";

const VIEWS: { view: View; text: string }[] = [
  { view: "merged", text: "Merged" },
  { view: "inverted", text: "Bottom-up" },
  { view: "time", text: "Time order" },
  { view: "sandwich", text: "Sandwich" },
  { view: "table", text: "Table" },
];

export class Toolbar {
  readonly element: HTMLElement;
  readonly search: HTMLInputElement;
  readonly share = el("output", { class: "share", "aria-live": "polite" });
  readonly threads: HTMLButtonElement;
  private readonly views = new Map<View, HTMLButtonElement>();
  private readonly switches = new Map<Command, HTMLButtonElement>();

  constructor(title: string, run: (command: Command) => void, onSearch: (text: string) => void) {
    const act = (text: string, command: Command) => button(text, labelOf(command), () => run(command));
    for (const { view, text } of VIEWS) this.views.set(view, act(text, view));
    for (const [text, command] of [
      ["Focus", "focus"],
      ["Fold recursion", "fold"],
      ["Only this span", "span"],
      ["Widths before", "widths"],
    ] as [string, Command][]) {
      this.switches.set(command, act(text, command));
    }
    this.threads = act("Threads", "threads");
    this.search = el("input", {
      type: "search",
      placeholder: "Search, or /regex/",
      "aria-label": "Search functions: text or /regular expression/",
      spellcheck: "false",
      input: () => onSearch(this.search.value),
    });
    const group = (label: string, ...children: Node[]) =>
      el("div", { class: "group", role: "group", "aria-label": label }, ...children);
    this.element = el(
      "header",
      { class: "bar", role: "toolbar", "aria-label": "Flame graph" },
      el("h1", { title }, title),
      group("View", ...this.views.values()),
      group("Search", this.search, this.share),
      group("Change", this.threads, ...this.switches.values()),
      group("Zoom", act("−", "zoomOut"), act("+", "zoomIn"), act("All", "reset")),
      group("More", act("Function…", "pickFunction"), act("Picture…", "picture"), act("?", "help")),
    );
  }

  update(it: { view: View; hasTime: boolean; threads: string | null; pressed: Map<Command, boolean> }) {
    for (const [view, element] of this.views) {
      element.setAttribute("aria-pressed", String(view === it.view));
      element.hidden = view === "time" && !it.hasTime;
    }
    for (const [command, element] of this.switches) {
      element.hidden = !it.pressed.has(command);
      element.setAttribute("aria-pressed", String(it.pressed.get(command) ?? false));
    }
    this.threads.hidden = it.threads === null;
    this.threads.textContent = it.threads;
  }
}

/** What a button does, and its key. */
function labelOf(command: Command): string {
  const key = KEYS.find((it) => it.command === command);
  return key ? `${key.text} (${key.keys[0]})` : command;
}

/** Categories with their colours. */
export function legend(categories: string[], seen: number[], palette: Palette): HTMLElement {
  const entry = (it: number) =>
    el("li", {}, swatch(palette.fills[it * SHADES]), CATEGORY_TEXTS[categories[it]] ?? categories[it]);
  return el("ul", { class: "legend", "aria-label": "Colours" }, ...seen.map(entry));
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
