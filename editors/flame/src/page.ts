// The page: one profile, what of it is looked at, and the parts that show it.

import { Actions } from "./actions";
import { TimeAxis } from "./axis";
import { Chart } from "./chart";
import { type Palette, swatchesOf } from "./colors";
import { Crumbs } from "./crumbs";
import type { Profile } from "./data";
import { el, oncePerFrame } from "./dom";
import type { Host } from "./host";
import { Texts } from "./info";
import { type Command, commandOf, showHelp } from "./keys";
import { frameAt, type Place, stackOf } from "./layout";
import { Minimap, type Strip, stripOf } from "./minimap";
import { type Choice, Model, type View } from "./model";
import { matcher, matchingFunctions } from "./search";
import { readState, restore, type State, stateOf } from "./state";
import { shareText, statusText, whyEmpty } from "./status";
import { Table } from "./table";
import { shown } from "./text";
import { currentPalette, onThemeChange } from "./theme";
import { differenceLegend, legend, Toolbar, VIEW_TEXTS } from "./toolbar";
import { Tooltip } from "./tooltip";

export class Page {
  readonly texts: Texts;
  readonly chart: Chart;
  readonly table: Table;
  readonly tooltip = new Tooltip();
  readonly element: HTMLElement;
  view: View = "callTree";
  sandwichOf: number | null = null;
  /** Whether the editor's cursor came to its function after anything was selected in the page. */
  private isCursorLast = false;
  timeThread: number;
  model: Model;
  palette: Palette;
  private matches: Uint8Array | null = null;
  private viewBefore: View = "callTree";
  readonly toolbar: Toolbar;
  private readonly axis: TimeAxis;
  private readonly minimap: Minimap;
  private readonly crumbs = new Crumbs();
  private readonly status = el("p", { class: "status" });
  private readonly live = el("p", { class: "live", role: "status", "aria-live": "polite" });
  private readonly message = el("p", { class: "message", hidden: true, "aria-hidden": "true" });
  private messageTimer = 0;
  private readonly note = el("p", { class: "notice", hidden: true });
  private legend: HTMLElement;
  private readonly actions: Actions;
  private readonly closed = new AbortController();
  private keepTimer = 0;
  private readonly follow = oncePerFrame(() => this.drawAround());

  constructor(
    readonly profile: Profile,
    readonly host: Host,
    kept: unknown,
  ) {
    const { header } = profile;
    const swatches = swatchesOf(header);
    this.texts = new Texts(profile);
    this.actions = new Actions(this);
    const hottest = header.threads.reduce((best, it, i) => (it.active > header.threads[best].active ? i : best), 0);
    const timed = header.threads.findIndex((it) => it.runs[2] > 0);
    this.timeThread = header.threads[hottest].runs[2] > 0 ? hottest : Math.max(0, timed);
    this.model = new Model(profile, this.everything());
    this.palette = currentPalette(header.categories, false);
    this.chart = new Chart(swatches, (fn) => this.texts.name(fn), {
      selected: (place) => this.selected(place),
      hovered: (place, x, y) => this.hover(place, x, y),
      clicked: (place, x, y) => this.pin(place, x, y),
      opened: (place) => this.actions.open(this.functionAt(place)),
      moved: () => this.follow(),
    });
    this.table = new Table(this.texts, {
      selected: (fn) => {
        this.isCursorLast = false;
        this.say(`${shown(this.texts.name(fn), 80)} ${this.texts.place(fn)}`);
      },
      opened: (fn) => this.actions.open(fn),
      sorted: () => this.refresh(),
    });
    this.axis = new TimeAxis(
      header,
      (text, x, y) => this.hoverMarker(text, x, y),
      (marker) => this.showMarker(marker),
    );
    this.minimap = new Minimap(this.chart, (bins) => this.strip(bins));
    this.toolbar = new Toolbar(
      header.title,
      (command) => this.run(command),
      (view) => this.setView(view, false),
      () => this.search(),
    );
    this.legend = this.makeLegend();
    const footer = el("footer", {}, this.legend, this.status);
    const around = el(
      "main",
      { class: "views" },
      this.minimap.canvas,
      this.axis.canvas,
      this.chart.element,
      this.table.element,
      this.note,
      this.tooltip.element,
    );
    this.element = el(
      "div",
      { class: "page" },
      this.toolbar.element,
      el("div", { class: "around" }, this.crumbs.element, this.toolbar.found),
      around,
      footer,
      this.message,
      this.live,
    );
    document.body.replaceChildren(this.element);
    if (header.title !== "") document.title = header.title;
    document.addEventListener("keydown", (event) => this.press(event), { signal: this.closed.signal });
    window.addEventListener("resize", () => this.follow(), { signal: this.closed.signal });
    onThemeChange((isPaper) => this.recolour(isPaper), this.closed.signal);
    const state = readState(kept);
    if (state) restore(this, state);
    else this.refresh();
  }

  close() {
    this.closed.abort();
    clearTimeout(this.keepTimer);
    clearTimeout(this.messageTimer);
  }

  everything(): Choice {
    const threads = this.profile.header.threads.map((_, i) => i);
    return { threads, span: null, isFolded: false, focus: null, side: "after" };
  }

  private makeLegend(isExplained = false): HTMLElement {
    if (this.profile.isComparison) return differenceLegend(this.palette);
    return legend(this.profile.header.categories, this.texts.categoriesSeen(), this.palette, isExplained);
  }

  get hasTime(): boolean {
    return this.profile.isTime && this.profile.header.threads.some((it) => it.runs[2] > 0);
  }

  /** Looks at other threads, another span, or changed stacks. */
  choose(change: Partial<Choice>) {
    this.model = new Model(this.profile, { ...this.model.choice, ...change });
    this.refresh();
  }

  /** A list of views keeps the focus while it leads through them. */
  setView(view: View, takesFocus = true) {
    if (view === "time" && !this.hasTime)
      return this.say("This trace does not say what ran when: it has no time order.");
    if (view === "sandwich") this.sandwichOf = this.functionInMind();
    if (this.view !== view) this.viewBefore = this.view;
    const selected = this.selectedFunction();
    this.view = view;
    if (view === "table") this.table.selected = selected ?? this.functionInMind();
    this.refresh();
    this.say(view === "sandwich" && this.sandwichOf !== null ? this.sandwichText(this.sandwichOf) : VIEW_TEXTS[view]);
    if (!takesFocus) return;
    if (view === "table") this.table.focus();
    else this.chart.canvas.focus({ preventScroll: true });
  }

  /** The function that is meant where none is named: the one that was pointed at last, in the page or by the editor's cursor. */
  private functionInMind(): number | null {
    const { cursor } = this.chart;
    const selected = this.selectedFunction();
    const { total, sides } = this.model.functionCosts();
    const ran = (fn: number | null) => fn !== null && (total[fn] > 0 || sides?.some((it) => it.total[fn] > 0));
    const found = (this.isCursorLast ? [cursor, selected] : [selected, cursor]).concat(this.sandwichOf).find(ran);
    return found ?? this.hottestFunction();
  }

  private sandwichText(fn: number): string {
    return `Sandwich: callers and callees of ${shown(this.texts.name(fn), 80)}`;
  }

  showSandwich(fn: number) {
    this.chart.selection = null;
    this.table.selected = fn;
    this.sandwichOf = fn;
    if (this.view !== "sandwich") this.viewBefore = this.view;
    this.view = "sandwich";
    this.refresh();
    this.say(this.sandwichText(fn));
    this.chart.canvas.focus({ preventScroll: true });
  }

  /** Shows everything again, from what is chosen. */
  refresh() {
    this.tooltip.hide();
    this.findMatches();
    const isTable = this.view === "table";
    const layout = this.model.layout(this.view, this.sandwichOf, this.timeThread);
    for (const it of [this.chart.element, this.minimap.canvas]) it.hidden = isTable;
    this.axis.canvas.hidden = this.view !== "time";
    this.element.classList.toggle("without-colours", isTable);
    this.table.element.hidden = !isTable;
    const isEmpty = !isTable && (!layout || layout.rows.length === 0);
    this.note.hidden = !isEmpty;
    this.note.textContent = isEmpty ? whyEmpty(this.profile, this.model.choice.side) : "";
    this.chart.matches = this.matches;
    this.chart.palette = this.palette;
    if (layout) this.chart.show(layout);
    // What stands between callers and callees is outlined, and keys lead on from there.
    if (layout && this.view === "sandwich" && !isEmpty) this.chart.selection = { row: layout.anchor, index: 0 };
    if (isTable) this.table.show(this.model, this.matches);
    this.axis.setSession(this.profile.header.threads[this.timeThread].session);
    this.minimap.forget();
    this.updateBar();
    this.follow();
  }

  private updateBar() {
    const { header } = this.profile;
    const { choice } = this.model;
    const pressed = new Map<Command, boolean>([["fold", choice.isFolded]]);
    if (this.view !== "table" || choice.focus !== null) pressed.set("focus", choice.focus !== null);
    if (this.view === "time" || choice.span) pressed.set("span", choice.span !== null);
    if (this.profile.isComparison && this.view !== "table") pressed.set("widths", choice.side === "before");
    const count = header.threads.length;
    const shownThreads =
      this.view === "time"
        ? `Thread: ${header.threads[this.timeThread].name}`
        : `Threads: ${choice.threads.length} of ${count}`;
    this.toolbar.update({
      view: this.view,
      hasTime: this.hasTime,
      threads: count > 1 ? shown(shownThreads, 40) : null,
      pressed,
    });
    this.status.textContent = statusText(this);
    this.toolbar.say(shareText(this, this.toolbar.search.value, this.matches));
  }

  /** Which functions the search means. */
  private findMatches() {
    const found = matcher(this.toolbar.search.value);
    this.matches = found && "test" in found ? matchingFunctions(this.profile.header, found.test) : null;
  }

  private search() {
    this.findMatches();
    this.chart.matches = this.matches;
    if (this.view === "table") this.table.show(this.model, this.matches);
    this.toolbar.say(shareText(this, this.toolbar.search.value, this.matches));
    this.chart.ask();
    this.follow();
  }

  /** What goes along when the chart moves. */
  private drawAround() {
    clearTimeout(this.keepTimer);
    this.keepTimer = window.setTimeout(() => this.host.keep(this.state()), 300);
    const { layout } = this.chart;
    this.crumbs.show(this);
    if (this.view === "table" || !layout) return;
    this.minimap.draw(this.palette);
    if (this.view === "time" && layout.origin !== null) {
      const seen = { from: layout.origin + this.chart.from, to: layout.origin + this.chart.to };
      this.axis.draw(seen, this.palette, getComputedStyle(document.body).fontFamily);
    }
  }

  private strip(bins: number): Strip {
    const runs = this.view === "time" ? this.model.runs(this.timeThread) : null;
    return stripOf(this.profile.header, this.model.stacks.fn, this.chart.layout, runs, bins);
  }

  private recolour(isPaper: boolean) {
    const { header } = this.profile;
    this.palette = currentPalette(header.categories, isPaper);
    this.chart.palette = this.palette;
    const fresh = this.makeLegend();
    this.legend.replaceWith(fresh);
    this.legend = fresh;
    this.minimap.forget();
    // Paper does not wait for the next picture on the screen.
    if (this.view !== "table") this.chart.draw();
    this.drawAround();
  }

  functionAt(place: Place): number {
    const layout = this.chart.layout;
    return layout ? layout.frames.fn[frameAt(layout, place)] : 0;
  }

  selectedFunction(): number | null {
    if (this.view === "table") return this.table.selected;
    if (this.chart.selection) return this.functionAt(this.chart.selection);
    return this.view === "sandwich" ? this.sandwichOf : null;
  }

  hottestFunction(): number | null {
    const { self } = this.model.functionCosts();
    let best: number | null = null;
    self.forEach((it, fn) => {
      if (it > 0 && !this.model.isIdle(fn) && (best === null || it > self[best])) best = fn;
    });
    return best;
  }

  private selected(place: Place | null) {
    if (this.tooltip.isPinned) this.tooltip.hide();
    const { layout } = this.chart;
    if (place) this.isCursorLast = false;
    if (place && layout) this.say(this.texts.spoken(this.texts.info(this.model, layout, this.view, place)));
  }

  private hover(place: Place | null, x: number, y: number) {
    if (this.tooltip.isPinned) return;
    const { layout, element } = this.chart;
    if (!place || !layout) return this.tooltip.hide();
    this.tooltip.show(this.texts.info(this.model, layout, this.view, place), x, y + element.offsetTop, null);
  }

  /** Keeps the tooltip of a frame; a click beside all frames closes it. */
  pin(place: Place | null, x: number, y: number) {
    const { layout, element } = this.chart;
    if (!place || !layout) return this.tooltip.hide();
    const info = this.texts.info(this.model, layout, this.view, place);
    this.tooltip.show(info, x, y + element.offsetTop, this.actions.ofFrame(place));
  }

  private hoverMarker(text: string | null, x: number, y: number) {
    if (this.tooltip.isPinned) return;
    if (text === null) return this.tooltip.hide();
    this.tooltip.show({ name: text, rows: [] }, x, y + this.axis.canvas.offsetTop, null);
  }

  /** Zooms to a marker's span, or moves to its point, and says it. */
  private showMarker(marker: number) {
    const { layout } = this.chart;
    if (!layout || layout.origin === null) return;
    const { start, duration } = this.profile.header.markers;
    const from = start[marker] - layout.origin;
    const half = (this.chart.to - this.chart.from) / 2;
    if (duration[marker] > 0) this.chart.glide(from, from + duration[marker]);
    else this.chart.glide(from - half, from + half);
    this.say(this.axis.describe(marker));
    this.lastMarker = start[marker];
  }
  private lastMarker = Number.NEGATIVE_INFINITY;

  /** Says something to those who hear the page. */
  say(text: string) {
    this.live.textContent = text;
  }

  /** Says something to everybody, for a moment. */
  show(text: string) {
    this.say(text);
    this.message.textContent = text;
    this.message.hidden = false;
    clearTimeout(this.messageTimer);
    this.messageTimer = window.setTimeout(() => {
      this.message.hidden = true;
    }, 6000);
  }

  state(): State {
    return stateOf(this);
  }

  /** Outlines the function under the editor's cursor. */
  setCursor(file: string | null, path: string | null) {
    const before = this.chart.cursor;
    this.chart.cursor = this.texts.functionOf(file, path);
    if (this.chart.cursor !== null && this.chart.cursor !== before) this.isCursorLast = true;
    this.chart.ask();
  }

  reveal(file: string, path: string) {
    const fn = this.texts.functionOf(file, path);
    if (fn === null) this.say("This function was not measured.");
    else this.showSandwich(fn);
  }

  private press(event: KeyboardEvent) {
    const command = commandOf(event);
    if (!command || document.querySelector("dialog[open], :popover-open")) return;
    event.preventDefault();
    this.run(command);
  }

  run(command: Command) {
    const { chart } = this;
    switch (command) {
      case "callTree":
      case "inverted":
      case "time":
      case "sandwich":
      case "table":
        return this.setView(command);
      case "invert":
        return this.setView(this.view === "inverted" ? "callTree" : "inverted");
      case "up":
      case "down":
      case "left":
      case "right":
        return chart.step(command);
      case "zoomIn":
        return chart.zoom(0.5, chart.middleOfSelection());
      case "zoomOut":
        return chart.zoom(2, chart.middleOfSelection());
      case "reset":
        return chart.reset();
      case "panLeft":
        return chart.pan(-0.2);
      case "panRight":
        return chart.pan(0.2);
      case "pageUp":
      case "pageDown":
        return chart.element.scrollBy(0, (command === "pageUp" ? -0.8 : 0.8) * chart.element.clientHeight);
      case "search":
        this.toolbar.search.focus();
        return this.toolbar.search.select();
      case "back":
        return this.back();
      case "nextMarker":
      case "previousMarker": {
        if (this.view !== "time") return;
        const marker = this.axis.next(this.lastMarker, command === "previousMarker");
        return marker === null ? this.say("No more markers.") : this.showMarker(marker);
      }
      case "help":
        return showHelp(this.element, this.makeLegend(true));
      default:
        return this.actions.run(command);
    }
  }

  /** One step back: what was opened last is closed first. */
  private back() {
    const { chart, toolbar } = this;
    const { focus, span } = this.model.choice;
    if (!this.tooltip.element.hidden) this.tooltip.hide();
    else if (toolbar.search.value !== "" && document.activeElement === toolbar.search) {
      toolbar.search.value = "";
      this.search();
    } else if (document.activeElement === toolbar.search) chart.canvas.focus();
    else if (chart.layout && this.view !== "table" && chart.to - chart.from < chart.layout.length) chart.reset();
    else if (toolbar.search.value !== "") {
      toolbar.search.value = "";
      this.search();
    } else if (focus !== null) this.choose({ focus: null });
    else if (span) this.choose({ span: null });
    else if (this.view !== "callTree") this.setView(this.viewBefore === this.view ? "callTree" : this.viewBefore);
    if (
      this.view !== "table" &&
      this.element.contains(document.activeElement) &&
      document.activeElement !== toolbar.search
    )
      chart.canvas.focus({ preventScroll: true });
  }

  /** The stack of a frame, the outermost first. */
  stackAt(place: Place): number[] {
    const { layout } = this.chart;
    return layout ? stackOf(layout, frameAt(layout, place), this.view === "inverted") : [];
  }
}
