// Profiles as drawings, and layouts as text: what the tests of the page share.

import { type Header, type Profile, parseProfile } from "../src/data";
import type { Layout } from "../src/layout";
import { Model } from "../src/model";

/** A thread: a sample of one tick for each word, a letter for each function from the outermost on; `.` is idle, `_` is a gap. */
export type Drawing = string;

/**
 * The page's bytes of drawn threads. Functions are letters; those in upper case are of a dependency. A comparison has the same threads
 * before; a word of it stands for `samples` samples, so that no difference is chance.
 */
export function bytesOf(
  threads: Drawing[],
  change: (header: Header) => void = () => {},
  before: Drawing[] | null = null,
  samples = 1,
): Uint8Array {
  const letters = [...new Set([...threads, ...(before ?? [])].join("").replace(/[\s_]/g, ""))].sort();
  const stacks: { caller: number; fn: number }[] = [];
  const stackOf = (word: string) => {
    let at = -1;
    for (const letter of word) {
      const fn = letters.indexOf(letter);
      const known = stacks.findIndex((it) => it.caller === at && it.fn === fn);
      at = known >= 0 ? known : stacks.push({ caller: at, fn }) - 1;
    }
    return at;
  };
  const wordsOf = (thread: Drawing) => (thread === "" ? [] : thread.split(/\s+/));
  const stacksOf = (thread: Drawing) => wordsOf(thread).map((word) => (word === "_" ? -1 : stackOf(word)));
  const [read, readBefore] = [threads.map(stacksOf), before?.map(stacksOf)];
  const streams: number[] = [];
  const write = (numbers: number[], count: number): [number, number, number] => {
    const at = streams.length;
    for (let it of numbers) {
      for (; it >= 128; it = Math.floor(it / 128)) streams.push((it % 128) + 128);
      streams.push(it);
    }
    return [at, streams.length - at, count];
  };
  const [at, length] = write(
    stacks.flatMap(({ caller, fn }, i) => [caller < 0 ? 0 : i - caller, fn]),
    stacks.length,
  );
  const idle = letters.indexOf(".");
  const sumsOf = (taken: number[]) => {
    const seen = [...new Set(taken.filter((it) => it >= 0))].sort((a, b) => a - b);
    const times = seen.map((stack) => taken.filter((it) => it === stack).length);
    const sums = seen.flatMap((stack, i) => [stack - (seen[i - 1] ?? 0), times[i], times[i] * samples]);
    const idleTime = times.filter((_, i) => stacks[seen[i]].fn === idle).reduce((sum, it) => sum + it, 0);
    const active = times.reduce((sum, it) => sum + it, 0) - idleTime;
    return { samples: taken.length * samples, active, idle: idleTime, sums: write(sums, seen.length) };
  };
  const header: Header = {
    version: 1,
    title: "drawing",
    unit: "time",
    base: "active",
    tick: 1_000_000,
    scope: null,
    folder: "/app",
    names: letters.map((it) => (it === "." ? "(idle)" : it)),
    files: ["src/a.ts"],
    packages: ["react"],
    functions: {
      name: letters.map((_, i) => i),
      path: letters.map((it, i) => (it === "." ? -1 : i)),
      file: letters.map((it) => (it === "." ? -1 : 0)),
      line: letters.map((_, i) => i + 1),
      column: letters.map(() => 1),
      category: letters.map((it) => (it === "." ? 6 : it >= "a" ? 0 : 1)),
      package: letters.map((it) => (/[A-Z]/.test(it) ? 0 : -1)),
      freshness: letters.map(() => 0),
    },
    categories: ["workspace", "dependency", "runtime", "native", "garbage collection", "unplaced", "idle"],
    stacks: { count: stacks.length, at, length },
    threads: read.map((taken, i) => ({
      name: `thread ${i + 1}`,
      session: 0,
      start: i * 100,
      ...sumsOf(taken),
      ...(readBefore && { before: sumsOf(readBefore[i]) }),
      runs: write(...runs(readBefore ? [] : taken)),
      step: 0,
    })),
    markers: { name: [], kind: [], session: [], start: [], duration: [] },
    markerKinds: ["user timing", "long task", "navigation", "other"],
    markersLeftOut: 0,
    ...(before && { comparison: { titles: ["before", "after"], runs: [1, 1] } }),
  };
  change(header);
  const json = new TextEncoder().encode(JSON.stringify(header));
  const bytes = new Uint8Array(4 + json.length + streams.length);
  new DataView(bytes.buffer).setUint32(0, json.length, true);
  bytes.set(json, 4);
  bytes.set(streams, 4 + json.length);
  return bytes;
}

/** Runs as they are sent: the change of the stack and whether there is a gap, the gap, the time. */
function runs(samples: number[]): [numbers: number[], count: number] {
  const numbers: number[] = [];
  let [count, before, gap] = [0, 0, 0];
  for (let i = 0; i < samples.length; ) {
    let end = i;
    while (samples[end] === samples[i]) end++;
    if (samples[i] < 0) gap += end - i;
    else {
      const change = samples[i] - before;
      numbers.push((change < 0 ? -change * 2 - 1 : change * 2) * 2 + (gap > 0 ? 1 : 0));
      if (gap > 0) numbers.push(gap);
      numbers.push(end - i);
      [before, gap] = [samples[i], 0];
      count++;
    }
    i = end;
  }
  return [numbers, count];
}

export const profileOf = (...threads: Drawing[]): Profile => parseProfile(bytesOf(threads));

/** One thread before and after. */
export const comparisonOf = (before: Drawing, after: Drawing, samples = 1000): Profile =>
  parseProfile(bytesOf([after], () => {}, [before], samples));

/** What is looked at: all threads and all time, unless it says something else. */
export function modelOf(profile: Profile, choice: Partial<Model["choice"]> = {}): Model {
  const threads = profile.header.threads.map((_, i) => i);
  return new Model(profile, { threads, span: null, isFolded: false, focus: null, side: "after", ...choice });
}

/** A function by its letter. */
export const fnOf = (profile: Profile, letter: string) => profile.header.names.indexOf(letter);

/** Each row of a layout from left to right: names over where they start and end. */
export function drawn(profile: Profile, layout: Layout | null): string[] {
  if (!layout) return [];
  const { rows, at, frames } = layout;
  const name = (frame: number) => profile.header.names[profile.header.functions.name[frames.fn[frame]]];
  return rows.map((row) =>
    Array.from({ length: row.count }, (_, i) => `${name(row.frame[i])} ${at[row.start[i]]}-${at[row.end[i]]}`).join(
      ", ",
    ),
  );
}
