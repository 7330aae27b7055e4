// Draws the rows of a layout on a canvas. A row is written as one line of pixels and all lines are stretched at once; only names
// and outlines are drawn one by one. docs/flame-drawing.md has what else was tried.

import type { Palette } from "./colors";
import { changeText, markOf, pairOf } from "./difference";
import type { Layout, Level } from "./layout";
import { shown } from "./text";

/** What is drawn, in pixels of the canvas. */
export interface Picture {
  layout: Layout;
  palette: Palette;
  /** Each function's place in the palette. */
  swatches: Uint8Array;
  nameOf: (fn: number) => string;
  /** The part of the layout from the left edge to the right one. */
  from: number;
  to: number;
  /** The first pixel of the rows that is seen. */
  top: number;
  rowHeight: number;
  fontSize: number;
  fontFamily: string;
  /** Functions that a search means. */
  matches: Uint8Array | null;
  /** The function under the editor's cursor. */
  cursor: number | null;
}

export interface Label {
  row: number;
  x: number;
  width: number;
  frame: number;
}

/** Narrower rectangles have no name. */
const NAMED_FROM = 34;

export class Renderer {
  private lines: HTMLCanvasElement | null = null;
  private image: ImageData | null = null;
  private pixels = new Uint32Array(0);
  private weight = new Float32Array(0);
  private ink = new Float32Array(0);
  private left = new Float32Array(0);
  private right = new Float32Array(0);
  private readonly names = new Map<number, string>();
  private readonly wide = new Map<string, string>();
  private font = "";
  private letter = 7;
  /** How many rectangles the last drawing read. */
  read = 0;

  draw(g: CanvasRenderingContext2D, it: Picture) {
    const { width, height } = g.canvas;
    const { palette, layout, rowHeight, top } = it;
    g.fillStyle = `rgb(${palette.theme.background.join(", ")})`;
    g.fillRect(0, 0, width, height);
    const first = Math.max(0, Math.floor(top / rowHeight));
    const last = Math.min(layout.rows.length - 1, Math.floor((top + height - 1) / rowHeight));
    this.read = 0;
    if (last < first || width === 0 || !(it.to > it.from)) return;
    const count = last - first + 1;
    this.resize(width, count);
    const labels: Label[] = [];
    const outlines: Label[] = [];
    for (let row = first; row <= last; row++) this.paintRow(it, row, row - first, width, labels, outlines);
    const lines = this.lines as HTMLCanvasElement;
    lines.getContext("2d")?.putImageData(this.image as ImageData, 0, 0);
    g.imageSmoothingEnabled = false;
    g.drawImage(lines, 0, 0, width, count, 0, first * rowHeight - top, width, count * rowHeight);
    // A line of background between rows.
    const gap = Math.max(1, Math.round(rowHeight / 18));
    for (let row = first; row <= last; row++) g.fillRect(0, (row + 1) * rowHeight - top - gap, width, gap);
    this.writeNames(g, it, labels);
    this.outline(g, it, outlines, gap);
  }

  private resize(width: number, rows: number) {
    if (this.image && this.image.width === width && this.image.height === rows) {
      this.pixels.fill(0);
      return;
    }
    this.lines ??= document.createElement("canvas");
    this.lines.width = width;
    this.lines.height = rows;
    const g = this.lines.getContext("2d", { willReadFrequently: true }) as CanvasRenderingContext2D;
    this.image = g.createImageData(width, rows);
    this.pixels = new Uint32Array(this.image.data.buffer);
    this.weight = new Float32Array(width);
    this.ink = new Float32Array(width);
  }

  /** Writes a row's line: each pixel has the colour of what covers most of it, and as much opacity as is covered. */
  private paintRow(it: Picture, row: number, line: number, width: number, labels: Label[], outlines: Label[]) {
    const { layout, from, to, swatches, matches, cursor, palette } = it;
    const scale = width / (to - from);
    const level = levelFor(layout.levels[row], scale);
    const seen = level ? this.measureLevel(level, from, to, scale) : this.measureRow(layout, row, from, to, scale);
    this.read += seen.count;
    const { weight, ink, pixels, left, right } = this;
    const frames = level ? level.frame : layout.rows[row].frame;
    const fns = layout.frames.fn;
    const { steps } = layout;
    const colored = steps ? palette.differences : palette;
    const base = line * width;
    weight.fill(0);
    ink.fill(0);
    for (let i = 0; i < seen.count; i++) {
      const x0 = Math.max(0, left[i]);
      const x1 = Math.min(width, right[i]);
      const wide = x1 - x0;
      if (!(wide > 0)) continue;
      const frame = frames[seen.first + i];
      const fn = fns[frame];
      const colors = matches && !matches[fn] ? colored.dim.pixels : colored.pixels;
      const color = colors[steps ? steps[frame] : swatches[fn]];
      const full = level ? level.cover[seen.first + i] / 255 : 1;
      const p = x0 | 0;
      const q = Math.min(width - 1, x1 | 0);
      if (p === q) {
        ink[p] += wide * full;
        if (wide * full > weight[p]) {
          weight[p] = wide * full;
          pixels[base + p] = color;
        }
        continue;
      }
      const head = (p + 1 - x0) * full;
      const tail = (x1 - q) * full;
      ink[p] += head;
      if (head > weight[p]) {
        weight[p] = head;
        pixels[base + p] = color;
      }
      if (q - p > 1) {
        pixels.fill(color, base + p + 1, base + q);
        ink.fill(full, p + 1, q);
        weight.fill(full, p + 1, q);
      }
      ink[q] += tail;
      if (tail > weight[q]) {
        weight[q] = tail;
        pixels[base + q] = color;
      }
      // The edge between neighbours.
      if (wide > 3) ink[q > p + 1 ? q - 1 : p] *= 0.5;
      if (wide > NAMED_FROM) labels.push({ row, x: x0, width: wide, frame });
      if (fn === cursor && wide > 1.5) outlines.push({ row, x: x0, width: wide, frame });
    }
    for (let x = 0; x < width; x++) {
      const covered = ink[x];
      if (covered > 0) pixels[base + x] |= (covered >= 1 ? 255 : Math.max(24, (covered * 255) | 0)) << 24;
    }
  }

  private measureLevel({ start, end, count }: Level, from: number, to: number, scale: number) {
    const first = search(count, (i) => end[i] <= from);
    const behind = search(count, (i) => start[i] < to);
    this.reserve(behind - first);
    const { left, right } = this;
    for (let i = first; i < behind; i++) {
      left[i - first] = (start[i] - from) * scale;
      right[i - first] = (end[i] - from) * scale;
    }
    return { first, count: Math.max(0, behind - first) };
  }

  private measureRow({ rows, at }: Layout, row: number, from: number, to: number, scale: number) {
    const { start, end, count } = rows[row];
    const first = search(count, (i) => at[end[i]] <= from);
    const behind = search(count, (i) => at[start[i]] < to);
    this.reserve(behind - first);
    const { left, right } = this;
    for (let i = first; i < behind; i++) {
      left[i - first] = (at[start[i]] - from) * scale;
      right[i - first] = (at[end[i]] - from) * scale;
    }
    return { first, count: Math.max(0, behind - first) };
  }

  private reserve(count: number) {
    if (count <= this.left.length) return;
    this.left = new Float32Array(2 * count);
    this.right = new Float32Array(2 * count);
  }

  private writeNames(g: CanvasRenderingContext2D, it: Picture, labels: Label[]) {
    const { palette, swatches, layout, rowHeight, fontSize, matches } = it;
    const { steps } = layout;
    const colored = steps ? palette.differences : palette;
    const font = `${fontSize}px ${it.fontFamily}`;
    g.font = font;
    g.textBaseline = "alphabetic";
    if (font !== this.font) {
      this.font = font;
      this.letter = g.measureText("m").width;
      this.wide.clear();
    }
    const pad = fontSize / 3;
    const baseline = Math.round((rowHeight + fontSize * 0.68) / 2);
    let style = "";
    for (const { row, x, width, frame } of labels) {
      const fn = layout.frames.fn[frame];
      const texts = matches && !matches[fn] ? colored.dim.texts : colored.texts;
      const color = texts[steps ? steps[frame] : swatches[fn]];
      if (color !== style) {
        style = color;
        g.fillStyle = color;
      }
      const y = row * rowHeight - it.top + baseline;
      const mark = steps ? markOf(steps[frame]) : "";
      // The sign of a difference, so that it is seen without colours too.
      const left = mark === "" ? pad : pad + 1.6 * this.letter;
      if (mark !== "") g.fillText(mark, x + pad, y);
      const name = this.name(it, fn);
      const text = this.fit(g, name, width - left - pad);
      if (text !== "") g.fillText(text, x + left, y);
      if (!layout.frames.sides || text !== name) continue;
      const change = `  ${changeText(pairOf(layout.frames.sides, "total", frame))}`;
      const end = left + g.measureText(name).width;
      if (end + pad + change.length * this.letter <= width) g.fillText(change, x + end, y);
    }
  }

  private name(it: Picture, fn: number): string {
    let name = this.names.get(fn);
    if (name === undefined) {
      name = shown(it.nameOf(fn)) || "(anonymous)";
      this.names.set(fn, name);
    }
    return name;
  }

  /** A name cut to a width. Letters of the font are equally wide; those of other scripts are measured, once for each width in letters. */
  private fit(g: CanvasRenderingContext2D, name: string, width: number): string {
    const room = Math.floor(width / this.letter);
    if (room < 2) return "";
    if (/^[\x20-\x7e…]*$/.test(name)) return name.length <= room ? name : `${name.slice(0, room - 1)}…`;
    const key = `${room} ${name}`;
    let text = this.wide.get(key);
    if (text === undefined) {
      const letters = [...name];
      text = name;
      for (
        let length = Math.min(letters.length, room);
        g.measureText(text).width > (room + 1) * this.letter && length > 0;
        length--
      ) {
        text = `${letters.slice(0, length - 1).join("")}…`;
      }
      if (this.wide.size > 5000) this.wide.clear();
      this.wide.set(key, text);
    }
    return text;
  }

  private outline(g: CanvasRenderingContext2D, it: Picture, outlines: Label[], gap: number) {
    if (outlines.length === 0) return;
    g.strokeStyle = it.palette.theme.cursor;
    g.lineWidth = 2 * gap;
    g.beginPath();
    for (const { row, x, width } of outlines) {
      g.rect(x + gap, row * it.rowHeight - it.top + gap, Math.max(0, width - 2 * gap), it.rowHeight - 3 * gap);
    }
    g.stroke();
  }
}

/** The coarsest level in which nothing that was joined is wider than half a pixel; null: the row itself. */
function levelFor(levels: Level[], scale: number): Level | null {
  for (let i = levels.length - 1; i >= 0; i--) if (levels[i].unit * scale <= 0.5) return levels[i];
  return null;
}

/** The first number for which something is no longer true. */
function search(count: number, isBefore: (at: number) => boolean): number {
  let low = 0;
  let high = count;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (isBefore(middle)) low = middle + 1;
    else high = middle;
  }
  return low;
}
