// Reads the bytes of a profile into typed arrays: they come from a file that anybody may have made, so that all is checked here, once.

import type { Pair, Side } from "./difference";
import type { Stacks } from "./stacks";

export interface Functions {
  name: number[];
  /** Into the names, -1 where it has no definition. */
  path: number[];
  file: number[];
  line: number[];
  column: number[];
  category: number[];
  package: number[];
  freshness: number[];
}

type Stream = [at: number, length: number, count: number];

/** What the samples of a thread add up to. */
interface ThreadSums {
  samples: number;
  active: number;
  idle: number;
  sums: Stream;
}

export interface Thread extends ThreadSums {
  name: string;
  session: number;
  /** In ticks on the axis of its session; null without an axis. */
  start: number | null;
  /** In a comparison the side before; all else is the side after. */
  before?: ThreadSums;
  runs: Stream;
  /** Runs shorter than this were merged with their neighbours; 0: none. */
  step: number;
}

export interface Markers {
  name: number[];
  kind: number[];
  session: number[];
  start: number[];
  duration: number[];
}

export interface Header {
  version: number;
  title: string;
  unit: "time" | "bytes";
  /** What 100 % is: all time, or all that is not idle. */
  base: "active" | "all";
  tick: number;
  scope: string | null;
  /** To which files of the workspace are relative; empty where that is nobody's business. */
  folder: string;
  names: string[];
  files: string[];
  packages: string[];
  functions: Functions;
  categories: string[];
  stacks: { count: number; at: number; length: number };
  threads: Thread[];
  markers: Markers;
  markerKinds: string[];
  markersLeftOut: number;
  /** There, if this is a comparison: what the sides are of, and the number of runs of which each is the mean. */
  comparison?: { titles: Pair<string>; runs: Pair<number> };
}

/** Of one thread: time that stacks had themselves, sorted by stack. */
export interface Sums {
  stack: Int32Array;
  self: Float64Array;
  samples: Float64Array;
}

/** Of one thread, in order: what ran from `at[i]` to `at[i + 1]`, in ticks since the thread's start; -1 where nothing was sampled. */
export interface Runs {
  stack: Int32Array;
  at: Float64Array;
}

/** The data is not what it should be. Its text is a sentence for the user. */
export class Broken extends Error {}

export class Profile {
  readonly stacks: Stacks;
  private readonly sumsOf: Record<Side, Map<number, Sums>> = { before: new Map(), after: new Map() };
  private readonly runsOf = new Map<number, Runs>();

  constructor(
    readonly header: Header,
    private readonly streams: Uint8Array,
  ) {
    this.stacks = readStacks(header, streams);
  }

  get isTime(): boolean {
    return this.header.unit === "time";
  }

  get isComparison(): boolean {
    return this.header.comparison !== undefined;
  }

  sums(thread: number, side: Side = "after"): Sums {
    return kept(this.sumsOf[side], thread, () => readSums(this.header, thread, side, this.streams));
  }

  runs(thread: number): Runs {
    return kept(this.runsOf, thread, () => readRuns(this.header, thread, this.streams));
  }
}

function kept<K, V>(all: Map<K, V>, key: K, make: () => V): V {
  let it = all.get(key);
  if (it === undefined) {
    it = make();
    all.set(key, it);
  }
  return it;
}

/** Inflates and reads. Only the stacks are read at once, sums and runs when they are asked for. */
export async function readProfile(deflated: Uint8Array): Promise<Profile> {
  return parseProfile(await inflate(deflated));
}

async function inflate(deflated: Uint8Array): Promise<Uint8Array> {
  const stream = new Blob([deflated as BlobPart]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  try {
    return new Uint8Array(await new Response(stream).arrayBuffer());
  } catch {
    throw new Broken("The data of this flame graph is cut off or damaged: write it again with proflens flame.");
  }
}

export function parseProfile(bytes: Uint8Array): Profile {
  if (bytes.length < 4) throw damaged("it ends in its header");
  const length = new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true);
  if (length + 4 > bytes.length) throw damaged("it ends in its header");
  let header: Header;
  try {
    header = JSON.parse(new TextDecoder().decode(bytes.subarray(4, 4 + length)));
  } catch {
    throw damaged("its header is no JSON");
  }
  if (header?.version !== 1) {
    throw new Broken(`This page reads version 1 of the data, not ${cutVersion(header?.version)}: update Proflens.`);
  }
  checkHeader(header);
  return new Profile(header, bytes.subarray(4 + length));
}

const cutVersion = (it: unknown) => String(it).slice(0, 20);

function damaged(what: string): Broken {
  return new Broken(`The data of this flame graph is damaged, ${what}: write it again with proflens flame.`);
}

function checkHeader(header: Header) {
  const { functions, names, files, packages, categories, markers, markerKinds } = header;
  const lists = [names, files, packages, categories, header.threads, functions?.name, markers?.name, markerKinds];
  if (lists.some((it) => !Array.isArray(it)) || !header.stacks || !(header.tick > 0))
    throw damaged("its header lacks a part");
  const count = functions.name.length;
  const within = (list: number[], low: number, high: number, length: number, what: string) => {
    if (!Array.isArray(list) || list.length !== length) throw damaged(`its header lacks a ${what}`);
    for (const it of list)
      if (!(Number.isInteger(it) && it >= low && it < high)) throw damaged(`it names a ${what} that is not there`);
  };
  within(functions.name, 0, names.length, count, "name");
  within(functions.path, -1, names.length, count, "name");
  within(functions.file, -1, files.length, count, "file");
  within(functions.package, -1, packages.length, count, "package");
  within(functions.category, 0, categories.length, count, "category");
  within(functions.line, 0, 2 ** 32, count, "line");
  within(functions.column, 0, 2 ** 32, count, "column");
  within(functions.freshness, 0, 4, count, "freshness");
  within(markers.name, 0, names.length, markers.name.length, "name");
  within(markers.kind, 0, markerKinds.length, markers.name.length, "kind of marker");
  if (header.comparison) checkComparison(header);
}

function checkComparison({ comparison, threads }: Header) {
  const isPair = (it: unknown, type: string) =>
    Array.isArray(it) && it.length === 2 && it.every((it) => typeof it === type);
  const isRight = isPair(comparison?.titles, "string") && isPair(comparison?.runs, "number");
  if (!isRight || threads.some((it) => !Array.isArray(it.before?.sums))) throw damaged("its header lacks a side");
}

/** Numbers of 7 bits a byte, the lowest first. */
class Reader {
  private at: number;
  private readonly end: number;

  constructor(
    private readonly bytes: Uint8Array,
    at: number,
    length: number,
  ) {
    this.at = at;
    this.end = at + length;
    if (!(at >= 0 && length >= 0 && this.end <= bytes.length)) throw damaged("one of its lists is cut off");
  }

  next(): number {
    let value = 0;
    let shift = 0;
    for (;;) {
      if (this.at >= this.end) throw damaged("one of its lists is cut off");
      const byte = this.bytes[this.at++];
      // Bits above the 31st would be lost in a shift.
      if (shift < 28) value |= (byte & 127) << shift;
      else value += (byte & 127) * 2 ** shift;
      if (byte < 128) return value;
      shift += 7;
      if (shift > 56) throw damaged("one of its numbers is too long");
    }
  }
}

/** Whether this many numbers fit into this many bytes: nothing is allocated for an impossible count. */
function checkCount(count: number, length: number, each: number) {
  if (!(Number.isInteger(count) && count >= 0 && count * each <= length)) throw damaged("one of its lists is cut off");
}

function readStacks(header: Header, streams: Uint8Array): Stacks {
  const { count, at, length } = header.stacks;
  checkCount(count, length, 2);
  const reader = new Reader(streams, at, length);
  const caller = new Int32Array(count);
  const fn = new Int32Array(count);
  const functions = header.functions.name.length;
  for (let i = 0; i < count; i++) {
    const distance = reader.next();
    if (distance > i) throw damaged("a stack has a caller that is not there");
    caller[i] = distance === 0 ? -1 : i - distance;
    fn[i] = reader.next();
    if (fn[i] >= functions || fn[i] < 0) throw damaged("a stack has a function that is not there");
  }
  return { count, caller, fn };
}

function readSums(header: Header, thread: number, side: Side, streams: Uint8Array): Sums {
  const it = header.threads[thread];
  const [at, length, count] = (side === "before" ? it.before : it)?.sums ?? [0, 0, 0];
  checkCount(count, length, 3);
  const reader = new Reader(streams, at, length);
  const sums = { stack: new Int32Array(count), self: new Float64Array(count), samples: new Float64Array(count) };
  for (let i = 0, stack = 0; i < count; i++) {
    stack += reader.next();
    if (stack >= header.stacks.count) throw damaged("a sum has a stack that is not there");
    sums.stack[i] = stack;
    sums.self[i] = reader.next();
    sums.samples[i] = reader.next();
  }
  return sums;
}

function readRuns(header: Header, thread: number, streams: Uint8Array): Runs {
  const [at, length, count] = header.threads[thread].runs;
  checkCount(count, length, 2);
  const reader = new Reader(streams, at, length);
  const stacks = new Int32Array(2 * count);
  const times = new Float64Array(2 * count + 1);
  let out = 0;
  let time = 0;
  for (let i = 0, stack = 0; i < count; i++) {
    const step = reader.next();
    const change = Math.floor(step / 2);
    stack += change % 2 === 1 ? -(change + 1) / 2 : change / 2;
    if (stack < 0 || stack >= header.stacks.count) throw damaged("a run has a stack that is not there");
    if (step % 2 === 1) {
      const gap = reader.next();
      if (gap > 0) {
        stacks[out] = -1;
        times[out++] = time;
        time += gap;
      }
    }
    stacks[out] = stack;
    times[out++] = time;
    time += reader.next();
  }
  times[out] = time;
  return { stack: stacks.slice(0, out), at: times.slice(0, out + 1) };
}
