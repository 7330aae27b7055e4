// The whole of a view in one strip, with the part that is seen: in time order how busy the thread was, else how deep the stacks are.

import { type Palette, SHADES } from "./colors";
import type { Header, Runs } from "./data";
import { STEP_TEXTS } from "./difference";
import { el, fitCanvas } from "./dom";
import type { Layout } from "./layout";
import { activity } from "./timeline";

/** What is moved by the minimap. */
export interface Moved {
  readonly from: number;
  readonly to: number;
  readonly layout: Layout | null;
  move(from: number, to: number): void;
}

/** Amounts of each group at each of `bins` columns, and what a full column is. */
export interface Strip {
  bins: number;
  amounts: Float64Array;
  full: number;
  /** The colour of a group; null: it is not drawn. */
  fillOf: (palette: Palette, group: number) => string | null;
}

/** How many frames of each group lie above each other at each column. */
export function silhouette(
  layout: Layout,
  groupOf: (frame: number) => number,
  groups: number,
  bins: number,
): Omit<Strip, "fillOf"> {
  const amounts = new Float64Array(bins * groups);
  const scale = bins / (layout.length || 1);
  const add = (frame: number, start: number, end: number) => {
    const base = groupOf(frame) * bins;
    const last = Math.min(bins - 1, Math.ceil(end * scale) - 1);
    for (let x = Math.floor(start * scale); x <= last; x++) amounts[base + x]++;
  };
  layout.rows.forEach((row, depth) => {
    const level = layout.levels[depth].findLast((it) => it.unit * scale <= 1);
    // Of several rectangles in one column the first stands for all.
    let column = -1;
    const count = level ? level.count : row.count;
    for (let i = 0; i < count; i++) {
      const start = level ? level.start[i] : layout.at[row.start[i]];
      const end = level ? level.end[i] : layout.at[row.end[i]];
      if (Math.ceil(end * scale) - 1 <= column) continue;
      add(level ? level.frame[i] : row.frame[i], Math.max(start, (column + 1) / scale), end);
      column = Math.ceil(end * scale) - 1;
    }
  });
  return flattened(amounts, bins);
}

/** High columns lose more than low ones: deep recursion in one place would leave nothing to see of all others. */
function flattened(amounts: Float64Array, bins: number): Omit<Strip, "fillOf"> {
  const sums = new Float64Array(bins);
  for (let i = 0; i < amounts.length; i++) sums[i % bins] += amounts[i];
  const full = sums.reduce((most, it) => Math.max(most, it), 1);
  for (let i = 0; i < amounts.length; i++) if (amounts[i] > 0) amounts[i] *= Math.sqrt(full / sums[i % bins]);
  return { bins, amounts, full };
}

/** The strip of a view: by what changed in a comparison, else by category, and in order of time by what ran when. */
export function stripOf(
  { functions, categories }: Header,
  fnOfStack: Int32Array,
  layout: Layout | null,
  runs: Runs | null,
  bins: number,
): Strip {
  const { category } = functions;
  const idle = categories.indexOf("idle");
  const fillOf = (palette: Palette, group: number) => (group === idle ? null : palette.fills[group * SHADES]);
  if (runs || !layout) {
    const of = (stack: number) => category[fnOfStack[stack]];
    const amounts = runs ? activity(runs, of, categories.length, bins) : new Float64Array(0);
    return { bins, amounts, full: 1, fillOf };
  }
  const { steps, frames } = layout;
  if (!steps) return { ...silhouette(layout, (frame) => category[frames.fn[frame]], categories.length, bins), fillOf };
  const strip = silhouette(layout, (frame) => steps[frame], STEP_TEXTS.length, bins);
  return { ...strip, fillOf: (palette, step) => palette.differences.fills[step] };
}

const HEIGHT = 44;

export class Minimap {
  readonly canvas = el("canvas", { class: "minimap", "aria-hidden": "true" });
  private readonly g = this.canvas.getContext("2d", { alpha: false }) as CanvasRenderingContext2D;
  private readonly kept = document.createElement("canvas");
  private isStale = true;

  constructor(
    private readonly moved: Moved,
    /** Makes the strip with this many columns. */
    private readonly strip: (bins: number) => Strip,
  ) {
    this.canvas.addEventListener("pointerdown", (event) => this.press(event));
  }

  forget() {
    this.isStale = true;
  }

  draw(palette: Palette) {
    const { canvas, g, kept, moved } = this;
    const width = canvas.clientWidth;
    if (width === 0 || !moved.layout) return;
    if (fitCanvas(canvas, width, HEIGHT) || this.isStale) {
      kept.width = canvas.width;
      kept.height = canvas.height;
      this.paint(kept.getContext("2d") as CanvasRenderingContext2D, palette);
      this.isStale = false;
    }
    g.drawImage(kept, 0, 0);
    const scale = canvas.width / (moved.layout.length || 1);
    const [x0, x1] = [Math.floor(moved.from * scale), Math.ceil(moved.to * scale)];
    g.fillStyle = `rgba(${palette.theme.background.join(", ")}, 0.7)`;
    g.fillRect(0, 0, x0, canvas.height);
    g.fillRect(x1, 0, canvas.width - x1, canvas.height);
    g.strokeStyle = palette.theme.selection;
    g.lineWidth = 2;
    g.strokeRect(x0 + 1, 1, Math.max(2, x1 - x0 - 2), canvas.height - 2);
  }

  private paint(g: CanvasRenderingContext2D, palette: Palette) {
    const { width, height } = g.canvas;
    g.fillStyle = `rgb(${palette.theme.background.join(", ")})`;
    g.fillRect(0, 0, width, height);
    const { bins, amounts, full, fillOf } = this.strip(width);
    const y = new Float64Array(bins).fill(height);
    for (let group = 0; group < amounts.length / bins; group++) {
      const fill = fillOf(palette, group);
      if (fill === null) continue;
      g.fillStyle = fill;
      for (let x = 0; x < bins; x++) {
        const high = (amounts[group * bins + x] / full) * height;
        if (high === 0) continue;
        y[x] -= high;
        g.fillRect(x, y[x], 1, high);
      }
    }
  }

  /** Inside the part that is seen it is moved, outside a new part is drawn. */
  private press(event: PointerEvent) {
    const { layout, from, to } = this.moved;
    if (event.button !== 0 || !layout) return;
    event.preventDefault();
    const ticks = (x: number) => (layout.length * x) / Math.max(1, this.canvas.clientWidth);
    const begun = event.offsetX;
    const isMove = ticks(begun) >= from && ticks(begun) <= to && to - from < layout.length;
    const done = new AbortController();
    this.canvas.setPointerCapture(event.pointerId);
    const drag = (it: PointerEvent) => {
      const by = ticks(it.offsetX - begun);
      if (isMove) this.moved.move(from + by, to + by);
      else if (Math.abs(it.offsetX - begun) > 3) {
        this.moved.move(ticks(Math.min(begun, it.offsetX)), ticks(Math.max(begun, it.offsetX)));
      }
    };
    const release = (it: PointerEvent) => {
      done.abort();
      if (isMove || Math.abs(it.offsetX - begun) > 3) return;
      const half = (to - from) / 2;
      this.moved.move(ticks(begun) - half, ticks(begun) + half);
    };
    this.canvas.addEventListener("pointermove", drag, { signal: done.signal });
    this.canvas.addEventListener("pointerup", release, { signal: done.signal });
    this.canvas.addEventListener("pointercancel", () => done.abort(), { signal: done.signal });
  }
}
