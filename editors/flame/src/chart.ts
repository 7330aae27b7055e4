// The chart that is moved: which part of a layout is seen, what is selected, and how mouse, touch pad and keys change both.

import type { Palette } from "./colors";
import { el, fitCanvas, oncePerFrame } from "./dom";
import { type Picture, Renderer } from "./draw";
import { endOf, firstBehind, frameAt, type Layout, neighbour, type Place, placeAt, startOf } from "./layout";

export const ROW_HEIGHT = 18;
const FONT_SIZE = 12;
/** Less than a tick cannot be told apart. */
const LEAST_TICKS = 2;

/** What the chart tells the page. */
export interface ChartEvents {
  selected(place: Place | null): void;
  hovered(place: Place | null, x: number, y: number): void;
  clicked(place: Place | null, x: number, y: number): void;
  opened(place: Place): void;
  moved(): void;
}

export class Chart {
  readonly element: HTMLElement;
  readonly canvas: HTMLCanvasElement;
  readonly renderer = new Renderer();
  layout: Layout | null = null;
  from = 0;
  to = 0;
  selection: Place | null = null;
  palette: Palette | null = null;
  matches: Uint8Array | null = null;
  cursor: number | null = null;
  private readonly spacer = el("div", { class: "spacer" });
  private readonly g: CanvasRenderingContext2D;
  private isMoving = false;
  readonly ask = oncePerFrame(() => this.draw());

  constructor(
    private readonly swatches: Uint8Array,
    private readonly nameOf: (fn: number) => string,
    private readonly events: ChartEvents,
  ) {
    this.canvas = el("canvas", {
      class: "frames",
      tabindex: 0,
      role: "application",
      "aria-label": "Frames: arrow keys select, Enter opens the definition, ? lists all keys",
      "aria-roledescription": "flame graph",
    });
    this.g = this.canvas.getContext("2d", { alpha: false }) as CanvasRenderingContext2D;
    this.element = el("div", { class: "chart" }, this.canvas, this.spacer);
    this.element.addEventListener("scroll", () => {
      this.ask();
      this.events.moved();
    });
    new ResizeObserver(this.ask).observe(this.element);
    this.listen();
  }

  get width(): number {
    return this.element.clientWidth;
  }

  private get height(): number {
    return this.element.clientHeight;
  }

  show(layout: Layout) {
    this.layout = layout;
    this.from = 0;
    this.to = layout.length;
    this.selection = null;
    this.makeRoom();
    const half = Math.floor(this.height / 2 / ROW_HEIGHT) * ROW_HEIGHT;
    this.element.scrollTop = layout.anchor * ROW_HEIGHT > half ? layout.anchor * ROW_HEIGHT - half : 0;
    this.ask();
  }

  /** The canvas stays where it is while its element scrolls; what is behind it makes the element as high as all rows. */
  private makeRoom() {
    this.canvas.style.height = `${this.height}px`;
    const rows = (this.layout?.rows.length ?? 0) * ROW_HEIGHT;
    this.spacer.style.height = `${Math.max(0, rows - this.height)}px`;
  }

  picture(): Picture | null {
    const { layout, palette } = this;
    if (!layout || !palette) return null;
    const ratio = this.canvas.width / Math.max(1, this.width);
    return {
      layout,
      palette,
      swatches: this.swatches,
      nameOf: this.nameOf,
      from: this.from,
      to: this.to,
      top: Math.round(this.element.scrollTop * ratio),
      rowHeight: Math.round(ROW_HEIGHT * ratio),
      fontSize: Math.round(FONT_SIZE * ratio),
      fontFamily: getComputedStyle(this.canvas).fontFamily,
      matches: this.matches,
      cursor: this.cursor,
    };
  }

  draw() {
    this.makeRoom();
    fitCanvas(this.canvas, this.width, this.height);
    const picture = this.picture();
    if (!picture) return;
    this.renderer.draw(this.g, picture);
    this.drawSelection(picture);
  }

  private drawSelection({ layout, palette, top, rowHeight }: Picture) {
    if (!this.selection) return;
    const { g } = this;
    const scale = this.canvas.width / (this.to - this.from);
    const x0 = Math.max(-2, (startOf(layout, this.selection) - this.from) * scale);
    const x1 = Math.min(this.canvas.width + 2, (endOf(layout, this.selection) - this.from) * scale);
    if (x1 < 0 || x0 > this.canvas.width) return;
    g.strokeStyle = palette.theme.selection;
    g.lineWidth = Math.max(2, rowHeight / 9);
    g.strokeRect(x0 + 1, this.selection.row * rowHeight - top + 1, Math.max(2, x1 - x0 - 2), rowHeight - 3);
  }

  /** Shows a part, kept within the whole. */
  move(from: number, to: number) {
    const { layout } = this;
    if (!layout) return;
    const span = Math.min(layout.length, Math.max(LEAST_TICKS, to - from));
    const start = Math.max(0, Math.min(layout.length - span, from));
    if (start === this.from && start + span === this.to) return;
    this.from = start;
    this.to = start + span;
    this.ask();
    this.events.moved();
  }

  /** The same, in a few steps where people do not mind motion. */
  glide(from: number, to: number) {
    if (matchMedia("(prefers-reduced-motion: reduce)").matches) return this.move(from, to);
    const [oldFrom, oldTo, begun] = [this.from, this.to, performance.now()];
    this.isMoving = true;
    const step = (now: number) => {
      if (!this.isMoving) return;
      const part = Math.min(1, Math.max(0, (now - begun) / 160));
      const eased = 1 - (1 - part) ** 3;
      this.move(oldFrom + (from - oldFrom) * eased, oldTo + (to - oldTo) * eased);
      if (part < 1) requestAnimationFrame(step);
      else this.isMoving = false;
    };
    requestAnimationFrame(step);
  }

  /** Zooms at a part of the width, 0 to 1. */
  zoom(factor: number, at = 0.5) {
    this.isMoving = false;
    const span = (this.to - this.from) * factor;
    const fixed = this.from + (this.to - this.from) * at;
    this.move(fixed - span * at, fixed + span * (1 - at));
  }

  /** Where keys zoom, as a part of the width: at the selection, if it is seen. */
  middleOfSelection(): number {
    const { layout, selection } = this;
    if (!layout || !selection) return 0.5;
    const start = Math.max(this.from, startOf(layout, selection));
    const end = Math.min(this.to, endOf(layout, selection));
    return end > start ? ((start + end) / 2 - this.from) / (this.to - this.from) : 0.5;
  }

  pan(part: number) {
    this.isMoving = false;
    const by = (this.to - this.from) * part;
    this.move(this.from + by, this.to + by);
  }

  reset() {
    if (this.layout) this.glide(0, this.layout.length);
  }

  zoomTo(place: Place) {
    if (this.layout) this.glide(startOf(this.layout, place), endOf(this.layout, place));
  }

  select(place: Place | null) {
    this.selection = place;
    if (place) this.reveal(place);
    this.ask();
    this.events.selected(place);
  }

  /** Moves as little as is needed for a rectangle to be seen, and zooms out of what lies in it. */
  reveal(place: Place) {
    if (!this.layout) return;
    const y = place.row * ROW_HEIGHT;
    const { scrollTop } = this.element;
    if (y < scrollTop) this.element.scrollTop = y;
    else if (y + ROW_HEIGHT > scrollTop + this.height) this.element.scrollTop = y + ROW_HEIGHT - this.height;
    const [start, end] = [startOf(this.layout, place), endOf(this.layout, place)];
    const span = this.to - this.from;
    if (end <= this.from || start >= this.to) {
      const middle = (start + end) / 2;
      this.move(middle - span / 2, middle + span / 2);
    }
  }

  /** Moves the selection; without one it begins where reading begins. */
  step(direction: "up" | "down" | "left" | "right") {
    const { layout } = this;
    if (!layout || layout.rows.length === 0) return;
    if (!this.selection) {
      const index = firstBehind(layout, layout.anchor, this.from);
      this.select({ row: layout.anchor, index: Math.min(index, layout.rows[layout.anchor].count - 1) });
      return;
    }
    const next = neighbour(layout, this.selection, direction);
    if (next) this.select(next);
  }

  placeUnder(x: number, y: number): Place | null {
    if (!this.layout || this.width === 0) return null;
    const at = this.from + ((this.to - this.from) * x) / this.width;
    return placeAt(this.layout, Math.floor((y + this.element.scrollTop) / ROW_HEIGHT), at);
  }

  /** Where a rectangle is on the canvas. */
  boxOf(place: Place): { x: number; y: number } {
    if (!this.layout) return { x: 0, y: 0 };
    const scale = this.width / (this.to - this.from);
    const x = Math.max(0, (startOf(this.layout, place) - this.from) * scale);
    return { x: Math.min(x, this.width), y: (place.row + 1) * ROW_HEIGHT - this.element.scrollTop };
  }

  frameOf(place: Place): number {
    return frameAt(this.layout as Layout, place);
  }

  private listen() {
    const { canvas } = this;
    canvas.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
    canvas.addEventListener("pointerdown", (event) => this.press(event));
    canvas.addEventListener("pointermove", (event) => {
      if (event.buttons === 0) {
        this.events.hovered(this.placeUnder(event.offsetX, event.offsetY), event.offsetX, event.offsetY);
      }
    });
    canvas.addEventListener("pointerleave", () => this.events.hovered(null, 0, 0));
    canvas.addEventListener("dblclick", (event) => {
      const place = this.placeUnder(event.offsetX, event.offsetY);
      if (place) this.events.opened(place);
    });
  }

  private wheel(event: WheelEvent) {
    event.preventDefault();
    this.events.hovered(null, 0, 0);
    const unit = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? 16 : 1;
    const [x, y] = [event.deltaX * unit, event.deltaY * unit];
    if (event.shiftKey) this.pan((x || y) / Math.max(1, this.width));
    else if (event.altKey) this.element.scrollTop += y;
    else if (Math.abs(x) > Math.abs(y)) this.pan(x / Math.max(1, this.width));
    // A pinch comes as a wheel with Ctrl and small steps.
    else this.zoom(Math.exp(y / (event.ctrlKey ? 80 : 400)), event.offsetX / Math.max(1, this.width));
  }

  private press(event: PointerEvent) {
    if (event.button !== 0) return;
    this.canvas.focus({ preventScroll: true });
    this.isMoving = false;
    const [x, y, from, to, top] = [event.clientX, event.clientY, this.from, this.to, this.element.scrollTop];
    const pressed = new AbortController();
    let isDragged = false;
    this.canvas.setPointerCapture(event.pointerId);
    const drag = (it: PointerEvent) => {
      if (!isDragged && Math.abs(it.clientX - x) + Math.abs(it.clientY - y) < 4) return;
      if (!isDragged) this.events.hovered(null, 0, 0);
      isDragged = true;
      const by = ((x - it.clientX) * (to - from)) / Math.max(1, this.width);
      this.move(from + by, to + by);
      this.element.scrollTop = top + y - it.clientY;
    };
    const release = (it: PointerEvent) => {
      pressed.abort();
      if (isDragged || it.type !== "pointerup") return;
      const place = this.placeUnder(event.offsetX, event.offsetY);
      this.select(place);
      this.events.clicked(place, event.offsetX, event.offsetY);
    };
    const { signal } = pressed;
    this.canvas.addEventListener("pointermove", drag, { signal });
    this.canvas.addEventListener("pointerup", release, { signal });
    this.canvas.addEventListener("pointercancel", release, { signal });
  }
}
