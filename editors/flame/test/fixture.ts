// Makes the bytes of a profile from a drawing, as the server writes them: one line for each run of a thread, `a;b 3`, outermost first;
// `- 2` is a gap. A thread begins with `# name start`. Functions in brackets are of the engine.

import { type Header, type Profile, parseProfile } from "../src/data";
import type { Layout } from "../src/layout";
import type { Model, View } from "../src/model";

const CATEGORIES = ["workspace", "dependency", "runtime", "native", "garbage collection", "unplaced", "idle"];

function number(value: number): number[] {
  const bytes: number[] = [];
  let rest = value;
  for (; rest >= 128; rest = Math.floor(rest / 128)) bytes.push((rest % 128) + 128);
  return [...bytes, rest];
}

const zigzag = (it: number) => (it < 0 ? -2 * it - 1 : 2 * it);

export function bytesOf(drawing: string, change: (header: Header) => void = () => {}): Uint8Array {
  const names: string[] = [];
  const stacks = new Map<string, number>();
  const list: [caller: number, fn: number][] = [];
  const stackOf = (path: string[]): number => {
    let at = -1;
    for (const name of path) {
      const key = `${at};${name}`;
      const known = stacks.get(key);
      if (known === undefined) {
        if (!names.includes(name)) names.push(name);
        stacks.set(key, list.length);
        list.push([at, names.indexOf(name)]);
        at = list.length - 1;
      } else at = known;
    }
    return at;
  };
  const streams: number[] = [];
  const put = (bytes: number[]): [number, number] => {
    streams.push(...bytes);
    return [streams.length - bytes.length, bytes.length];
  };
  const threads: Header["threads"] = [];
  for (const part of `\n${drawing.trim()}`.split(/\n\s*# /).filter((it) => it.trim() !== "")) {
    const [head, ...lines] = part.trim().split(/\n\s*/);
    const [name, start] = head.split(" ");
    const sums = new Map<number, [number, number]>();
    const runs: number[] = [];
    let before = 0;
    let gap = 0;
    let count = 0;
    for (const line of lines) {
      const [, path, text] = /^(.*) (\d+)$/.exec(line) as RegExpExecArray;
      const duration = Number(text);
      if (path === "-") {
        gap = duration;
        continue;
      }
      const stack = stackOf(path.split(";"));
      runs.push(
        ...number(zigzag(stack - before) * 2 + Number(gap > 0)),
        ...(gap > 0 ? number(gap) : []),
        ...number(duration),
      );
      [before, gap] = [stack, 0];
      count++;
      const [self, samples] = sums.get(stack) ?? [0, 0];
      sums.set(stack, [self + duration, samples + 1]);
    }
    const sorted = [...sums].sort(([a], [b]) => a - b);
    const sumBytes = sorted.flatMap(([stack, [self, samples]], i) => [
      ...number(stack - (i > 0 ? sorted[i - 1][0] : 0)),
      ...number(self),
      ...number(samples),
    ]);
    threads.push({
      name,
      session: 0,
      start: start === undefined ? 0 : Number(start),
      samples: count,
      active: 0,
      idle: 0,
      sums: [...put(sumBytes), sorted.length],
      runs: [...put(runs), count],
      step: 0,
    });
  }
  const [at, length] = put(list.flatMap(([caller, fn], i) => [...number(caller < 0 ? 0 : i - caller), ...number(fn)]));
  const column = (value: number) => names.map(() => value);
  const header: Header = {
    version: 1,
    title: "drawn",
    unit: "time",
    tick: 1,
    scope: null,
    folder: "",
    names,
    files: ["src/a.ts"],
    packages: [],
    functions: {
      name: names.map((_, i) => i),
      path: column(-1),
      file: column(-1),
      line: column(0),
      column: column(0),
      category: names.map((it) => (it === "(idle)" ? 6 : 0)),
      package: column(-1),
      freshness: column(0),
    },
    categories: CATEGORIES,
    stacks: { count: list.length, at, length },
    threads,
    markers: { name: [], kind: [], session: [], start: [], duration: [] },
    markerKinds: ["user timing", "long task", "navigation", "other"],
    markersLeftOut: 0,
  };
  change(header);
  const text = new TextEncoder().encode(JSON.stringify(header));
  const bytes = new Uint8Array(4 + text.length + streams.length);
  new DataView(bytes.buffer).setUint32(0, text.length, true);
  bytes.set(text, 4);
  bytes.set(streams, 4 + text.length);
  return bytes;
}

export const profileOf = (drawing: string, change?: (header: Header) => void): Profile =>
  parseProfile(bytesOf(drawing, change));

/** The number of a function. */
export const fnOf = ({ header }: Profile, name: string) => header.names.indexOf(name);

/** The rows of a layout from above, each rectangle as `name from-to`. */
export function drawn(profile: Profile, layout: Layout | null): string[] {
  if (!layout) return [];
  const { rows, at, frames } = layout;
  const name = (frame: number) => profile.header.names[frames.fn[frame]];
  return rows.map(({ start, end, frame }) =>
    Array.from(frame, (it, i) => `${name(it)} ${at[start[i]]}-${at[end[i]]}`).join(", "),
  );
}

export const rows = (model: Model, view: View, fn: string | null = null): string[] =>
  drawn(model.profile, model.layout(view, fn === null ? null : fnOf(model.profile, fn), 0));
