// The axis of time, and below it the markers of the trace, a row for each kind that it has.

import type { Palette } from "./colors";
import type { Header } from "./data";
import { el, fitCanvas } from "./dom";
import { niceStep, point, shown, time } from "./text";

const AXIS_HEIGHT = 18;
const LANE_HEIGHT = 15;
/** Marks of the axis are at least so far apart. */
const LEAST_GAP = 110;

const KINDS: Record<string, string> = {
  "user timing": "User timing",
  "long task": "Long task",
  interaction: "Interaction",
  navigation: "Navigation",
  other: "Marker",
};

/** The part of the axis that is seen, in ticks. */
export interface Seen {
  from: number;
  to: number;
}

export class TimeAxis {
  readonly canvas = el("canvas", { class: "axis", "aria-hidden": "true" });
  private readonly g = this.canvas.getContext("2d", { alpha: false }) as CanvasRenderingContext2D;
  /** The markers of the session, by their start. */
  private markers: number[] = [];
  private lanes: number[] = [];
  private seen: Seen = { from: 0, to: 1 };

  constructor(
    private readonly header: Header,
    hovered: (text: string | null, x: number, y: number) => void,
    private readonly clicked: (marker: number) => void,
  ) {
    this.canvas.addEventListener("pointermove", (event) => {
      const marker = this.markerAt(event.offsetX, event.offsetY);
      hovered(marker === null ? null : this.describe(marker), event.offsetX, event.offsetY);
    });
    this.canvas.addEventListener("pointerleave", () => hovered(null, 0, 0));
    this.canvas.addEventListener("click", (event) => {
      const marker = this.markerAt(event.offsetX, event.offsetY);
      if (marker !== null) this.clicked(marker);
    });
  }

  setSession(session: number) {
    const { markers } = this.header;
    this.markers = markers.start.flatMap((_, i) => (markers.session[i] === session ? [i] : []));
    this.markers.sort((a, b) => markers.start[a] - markers.start[b]);
    this.lanes = [...new Set(this.markers.map((it) => markers.kind[it]))].sort((a, b) => a - b);
  }

  /** The next marker behind a point of the axis, or the last one before it. */
  next(after: number, isBack: boolean): number | null {
    const { start } = this.header.markers;
    const found = isBack
      ? this.markers.findLast((it) => start[it] < after)
      : this.markers.find((it) => start[it] > after);
    return found ?? null;
  }

  describe(marker: number): string {
    const { markers, names, markerKinds, tick } = this.header;
    const kind = KINDS[markerKinds[markers.kind[marker]]] ?? "Marker";
    const length = markers.duration[marker] > 0 ? `, ${time(markers.duration[marker] * tick)}` : "";
    return `${kind} ${shown(names[markers.name[marker]], 120)}${length}, at ${point(markers.start[marker] * tick, 1e4)}`;
  }

  draw(seen: Seen, { theme, fills, texts }: Palette, fontFamily: string) {
    const { canvas, g } = this;
    this.seen = seen;
    fitCanvas(canvas, canvas.clientWidth, AXIS_HEIGHT + this.lanes.length * LANE_HEIGHT);
    canvas.style.height = `${AXIS_HEIGHT + this.lanes.length * LANE_HEIGHT}px`;
    const ratio = window.devicePixelRatio || 1;
    g.setTransform(ratio, 0, 0, ratio, 0, 0);
    g.fillStyle = `rgb(${theme.background.join(", ")})`;
    g.fillRect(0, 0, canvas.width, canvas.height);
    g.font = `11px ${fontFamily}`;
    g.textBaseline = "middle";
    this.drawMarks(theme.text, theme.line);
    this.drawMarkers(fills[0], texts[0]);
    g.setTransform(1, 0, 0, 1, 0, 0);
  }

  private drawMarks(text: string, line: string) {
    const { g, seen } = this;
    const { tick } = this.header;
    const width = this.canvas.clientWidth;
    const span = (seen.to - seen.from) * tick;
    const step = niceStep((span * LEAST_GAP) / Math.max(1, width));
    for (let n = Math.ceil((seen.from * tick) / step); n * step <= seen.to * tick; n++) {
      const x = ((n * step - seen.from * tick) / span) * width;
      g.fillStyle = line;
      g.fillRect(x, 0, 1, AXIS_HEIGHT);
      g.fillStyle = text;
      g.fillText(point(n * step, step), x + 4, AXIS_HEIGHT / 2);
    }
  }

  private drawMarkers(fill: string, text: string) {
    const { g, seen } = this;
    const { markers, names } = this.header;
    const width = this.canvas.clientWidth;
    const scale = width / (seen.to - seen.from);
    const ends = new Map<number, number>();
    for (const it of this.markers) {
      const x0 = Math.max(-4, (markers.start[it] - seen.from) * scale);
      const x1 = Math.min(width + 4, (markers.start[it] + markers.duration[it] - seen.from) * scale);
      if (x1 < 0 || x0 > width) continue;
      const lane = this.lanes.indexOf(markers.kind[it]);
      // What lies on the pixel of the one before is not seen.
      if (x1 < (ends.get(lane) ?? -9)) continue;
      ends.set(lane, Math.ceil(x1));
      const y = AXIS_HEIGHT + lane * LANE_HEIGHT;
      g.fillStyle = fill;
      g.fillRect(x0, y, Math.max(2, x1 - x0 - 1), LANE_HEIGHT - 1);
      if (x1 - x0 < 40) continue;
      g.save();
      g.beginPath();
      g.rect(x0, y, x1 - x0 - 3, LANE_HEIGHT);
      g.clip();
      g.fillStyle = text;
      g.fillText(shown(names[markers.name[it]], 100), x0 + 4, y + LANE_HEIGHT / 2);
      g.restore();
    }
  }

  private markerAt(x: number, y: number): number | null {
    const { markers } = this.header;
    const lane = Math.floor((y - AXIS_HEIGHT) / LANE_HEIGHT);
    if (lane < 0 || lane >= this.lanes.length) return null;
    const ticks = (this.seen.to - this.seen.from) / Math.max(1, this.canvas.clientWidth);
    const at = this.seen.from + x * ticks;
    const found = this.markers.findLast((it) => {
      const end = markers.start[it] + Math.max(markers.duration[it], 3 * ticks);
      return markers.kind[it] === this.lanes[lane] && markers.start[it] - 2 * ticks <= at && end >= at;
    });
    return found ?? null;
  }
}
