// What can be done with a frame, a function or the view, by buttons and by keys alike.

import type { Chart } from "./chart";
import { pairOf } from "./difference";
import type { Host } from "./host";
import type { Command } from "./keys";
import type { Place } from "./layout";
import { choose } from "./menu";
import type { Choice } from "./model";
import { png, svg } from "./picture";
import type { Shown } from "./status";
import { shown } from "./text";
import type { Action, Tooltip } from "./tooltip";

/** A page, as far as it is acted on. */
interface Acted extends Shown {
  readonly host: Host;
  readonly element: HTMLElement;
  readonly chart: Chart;
  readonly tooltip: Tooltip;
  functionAt(place: Place): number;
  selectedFunction(): number | null;
  choose(change: Partial<Choice>): void;
  showSandwich(fn: number): void;
  pin(place: Place | null, x: number, y: number): void;
  refresh(): void;
  /** Says something to those who hear the page. */
  say(text: string): void;
  /** Says something to everybody. */
  show(text: string): void;
}

export class Actions {
  constructor(private readonly page: Acted) {}

  /** Buttons of a pinned tooltip. */
  ofFrame(place: Place): Action[] {
    const { page } = this;
    const fn = page.functionAt(place);
    const name = shown(page.texts.name(fn), 60);
    const actions: Action[] = [];
    if (page.texts.definition(fn)) {
      actions.push({ text: "Open", label: `Open the definition of ${name}`, run: () => this.open(fn) });
    }
    actions.push(
      { text: "Zoom", label: `Zoom to ${name}`, run: () => this.zoomTo(place) },
      { text: "Sandwich", label: `Sandwich: callers and callees of ${name}`, run: () => page.showSandwich(fn) },
      { text: "Focus", label: `Focus on ${name} and what it called`, run: () => this.focus(fn) },
      { text: "Copy name", label: `Copy the name ${name}`, run: () => this.copyName(fn) },
      { text: "Copy stack", label: `Copy the stack of ${name}`, run: () => this.copyStack(place) },
    );
    return actions;
  }

  run(command: Command) {
    const { page } = this;
    const fn = page.selectedFunction();
    const place = page.view === "table" ? null : page.chart.selection;
    switch (command) {
      case "open":
        return fn === null ? this.nothingSelected() : this.open(fn);
      case "zoomToFrame":
        return place ? this.zoomTo(place) : this.nothingSelected();
      case "focus":
        if (page.model.choice.focus !== null) return page.choose({ focus: null });
        return fn === null ? this.nothingSelected() : this.focus(fn);
      case "pin": {
        if (!place) return this.nothingSelected();
        const { x, y } = page.chart.boxOf(place);
        page.pin(place, x, y);
        return page.tooltip.focus();
      }
      case "copyName":
        return fn === null ? this.nothingSelected() : this.copyName(fn);
      case "copyStack":
        return place ? this.copyStack(place) : this.nothingSelected();
      case "fold":
        return page.choose({ isFolded: !page.model.choice.isFolded });
      case "span":
        return this.span();
      case "widths":
        return this.widths();
      case "threads":
        return this.threads();
      case "pickFunction":
        return this.pickFunction();
      case "picture":
        return this.picture();
    }
  }

  private nothingSelected() {
    this.page.say("Select a frame first: with the arrow keys, or by a click.");
  }

  open(fn: number) {
    const { page } = this;
    const definition = page.texts.definition(fn);
    const name = shown(page.texts.name(fn), 80);
    if (!definition) return page.show(`It is not known where ${name} is defined.`);
    void page.host.open(definition).then((problem) => {
      if (problem) page.show(`${name} is at ${page.texts.place(fn)}. ${problem}`);
      else page.say(`Opening ${name}`);
    });
  }

  private zoomTo(place: Place) {
    this.page.tooltip.hide();
    this.page.chart.zoomTo(place);
    this.page.chart.canvas.focus({ preventScroll: true });
  }

  private focus(fn: number) {
    this.page.choose({ focus: fn });
    this.page.say(`Focus on ${shown(this.page.texts.name(fn), 80)}`);
  }

  private span() {
    const { page } = this;
    const { layout, from, to } = page.chart;
    if (page.model.choice.span) return page.choose({ span: null });
    if (page.view !== "time" || !layout || layout.origin === null)
      return page.say("A range is chosen in time order: zoom to it first.");
    const { session } = page.profile.header.threads[page.timeThread];
    page.choose({ span: { session, from: Math.round(layout.origin + from), to: Math.round(layout.origin + to) } });
    page.say("All views show this range only");
  }

  private widths() {
    const { page } = this;
    if (!page.profile.isComparison) return page.say("This is no comparison.");
    const side = page.model.choice.side === "before" ? "after" : "before";
    page.choose({ side });
    page.say(side === "before" ? "Frames show before, also what is gone" : "Frames show after");
  }

  private threads() {
    const { page } = this;
    const { threads } = page.profile.header;
    if (threads.length < 2) return page.say("This profile has one thread.");
    const isTime = page.view === "time";
    const listed = threads.flatMap((it, i) => (!isTime || it.runs[2] > 0 ? [i] : []));
    choose(page.element, {
      title: isTime ? "Thread" : "Threads",
      several: !isTime,
      items: listed.map((i) => ({
        text: threads[i].name,
        detail: page.texts.amount(threads[i].active),
        isChosen: isTime ? i === page.timeThread : page.model.choice.threads.includes(i),
      })),
      onChoose: (chosen) => {
        const picked = chosen.map((it) => listed[it]);
        if (isTime && picked.length > 0) {
          page.timeThread = picked[0];
          page.refresh();
        } else page.choose({ threads: picked });
      },
    });
  }

  private pickFunction() {
    const { page } = this;
    const { total, self } = page.model.functionCosts();
    const fns = Array.from(total.keys()).filter((fn) => total[fn] > 0 && !page.model.isIdle(fn));
    fns.sort((a, b) => self[b] - self[a] || a - b);
    choose(page.element, {
      title: "Go to function: callers and callees",
      several: false,
      items: fns.map((fn) => ({
        text: page.texts.name(fn).slice(0, 300),
        detail: `${page.texts.amount(total[fn])} ${page.texts.place(fn)}`,
        isChosen: false,
      })),
      onChoose: ([chosen]) => page.showSandwich(fns[chosen]),
    });
  }

  private copyName(fn: number) {
    this.copy(this.page.texts.name(fn), "Name copied");
  }

  private copyStack(place: Place) {
    const { page } = this;
    const { layout } = page.chart;
    if (!layout) return;
    const text = page.texts.stack(layout, page.chart.frameOf(place), page.view === "inverted");
    this.copy(text, "Stack copied");
  }

  private copy(text: string, done: string) {
    navigator.clipboard.writeText(text).then(
      () => this.page.show(done),
      () => this.page.show("The browser does not let this page copy: allow it the clipboard."),
    );
  }

  private picture() {
    const { page } = this;
    if (page.view === "table") return page.say("The table cannot be saved as an image: choose another view.");
    const ways = ["Save as PNG", "Save as SVG", "Copy as PNG", "Copy as SVG"];
    choose(page.element, {
      title: "Save image",
      several: false,
      items: ways.map((text) => ({ text, detail: "", isChosen: false })),
      onChoose: ([way]) =>
        void this.makePicture(way).catch((error) => page.show(`The image was not saved: ${error.message}`)),
    });
  }

  private async makePicture(way: number) {
    const { page } = this;
    const picture = page.chart.picture();
    if (!picture) return;
    const { header } = page.profile;
    const title = header.title;
    const name = `${title.replace(/[^\w.-]+/g, "-").slice(0, 80) || "flame"}`;
    if (way % 2 === 0) {
      const { width, height } = page.chart.canvas;
      const rows = picture.layout.rows.length * picture.rowHeight - picture.top;
      const made = png(picture, title, width, Math.max(picture.rowHeight, Math.min(height, rows)));
      if (way === 0) await page.host.save(`${name}.png`, await made);
      else await navigator.clipboard.write([new ClipboardItem({ "image/png": made })]);
    } else {
      const { frames } = picture.layout;
      const { fn } = frames;
      const text = svg(
        picture,
        title,
        (frame) =>
          `${shown(page.texts.name(fn[frame]))}, ${frames.sides ? page.texts.change(pairOf(frames.sides, "total", frame)) : page.texts.amount(frames.total[frame])}`,
      );
      if (way === 1) await page.host.save(`${name}.svg`, new Blob([text], { type: "image/svg+xml" }));
      else await navigator.clipboard.writeText(text);
    }
    page.show(way < 2 ? "Image saved" : "Image copied");
  }
}
