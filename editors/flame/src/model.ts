// What is looked at: threads, a span of time and changed stacks, and all that follows from them, computed once when it is asked for.

import type { Profile, Runs } from "./data";
import { type Costs, indexOf, type Pair, type Side } from "./difference";
import { type Layout, treeLayout } from "./layout";
import { sandwich } from "./sandwich";
import { addUp, addUpSides, type SelfTimes, type Span } from "./selftimes";
import { type Changed, chain, focusOn, foldRecursion, outermostOccurrences, type Stacks } from "./stacks";
import { changedRuns, timeLayout } from "./timeline";
import { type Entry, entryOf, type Frames, invert, isSeen, totals } from "./tree";

export type View = "callTree" | "inverted" | "time" | "sandwich" | "table";

export interface Choice {
  threads: number[];
  span: Span | null;
  isFolded: boolean;
  /** Only what this function did and called. */
  focus: number | null;
  /** In a comparison the side of which all is as wide as its time. */
  side: Side;
}

/** What functions cost. In the total and in its samples a function counts once per stack. */
export interface FunctionCosts extends Costs {
  /** In a comparison what they cost on both sides. */
  sides: Pair<Costs> | null;
}

export class Model {
  readonly stacks: Stacks;
  readonly times: SelfTimes;
  readonly frames: Frames;
  /** All time that is not idle, of the threads and the span. */
  readonly active: number;
  readonly idle: number;
  /** In a comparison the active time of both sides. */
  readonly actives: Pair<number> | null;
  /** What 100 % is, and in a comparison that of both sides. */
  readonly base: number;
  readonly bases: Pair<number> | null;
  private readonly changed: Changed | null;
  private readonly layouts = new Map<string, Layout>();
  private costs: FunctionCosts | null = null;
  private threadCounts: Int32Array | null = null;

  constructor(
    readonly profile: Profile,
    readonly choice: Choice,
  ) {
    const functions = profile.header.functions.name.length;
    let changed = choice.isFolded ? foldRecursion(profile.stacks, functions) : null;
    const add = (changed: Changed | null) =>
      profile.isComparison
        ? addUpSides(profile, choice.threads, changed, choice.side)
        : addUp(profile, choice.threads, choice.span, changed);
    const whole = add(changed);
    const stacks = changed?.stacks ?? profile.stacks;
    const idle = (at: number) => this.isIdle(stacks.fn[at]);
    this.idle = sum(whole.self, idle);
    const active = ({ self }: SelfTimes) => sum(self, (at) => !idle(at));
    this.active = active(whole);
    this.actives = whole.sides && [active(whole.sides[0]), active(whole.sides[1])];
    const base = (times: SelfTimes) => (profile.header.base === "all" ? sum(times.self, () => true) : active(times));
    this.base = base(whole);
    this.bases = whole.sides && [base(whole.sides[0]), base(whole.sides[1])];
    if (choice.focus !== null) changed = chain(changed, focusOn(stacks, choice.focus, functions));
    this.changed = changed;
    this.stacks = changed?.stacks ?? profile.stacks;
    this.times = choice.focus === null ? whole : add(changed);
    this.frames = totals(this.stacks, this.times);
  }

  /** The place of the shown side in pairs; null if there is but one. */
  private get shown(): 0 | 1 | null {
    return this.profile.isComparison ? indexOf(this.choice.side) : null;
  }

  readonly isIdle = (fn: number): boolean => {
    const { categories, functions } = this.profile.header;
    return categories[functions.category[fn]] === "idle";
  };

  /** Whether its time is a part of what 100 % is. */
  readonly isOfBase = (fn: number): boolean => this.profile.header.base === "all" || !this.isIdle(fn);

  /** The layout of a view. The table and a sandwich of no function have none. */
  layout(view: View, fn: number | null, thread: number): Layout | null {
    const key = `${view} ${view === "sandwich" ? fn : ""} ${view === "time" ? thread : ""}`;
    let it = this.layouts.get(key);
    if (!it) {
      const made = this.makeLayout(view, fn, thread);
      if (!made) return null;
      // Layouts of time order are large; others are made in no time.
      for (const other of this.layouts.keys())
        if (other.startsWith("time") || this.layouts.size > 8) this.layouts.delete(other);
      this.layouts.set(key, made);
      it = made;
    }
    return it;
  }

  private makeLayout(view: View, fn: number | null, thread: number): Layout | null {
    switch (view) {
      case "callTree":
        return treeLayout(this.frames, this.isIdle);
      case "inverted":
        return this.inverted();
      case "time":
        return timeLayout(this.runs(thread), this.stacks, this.frames, this.profile.header.threads[thread].start ?? 0);
      case "sandwich":
        if (fn === null) return null;
        return sandwich(this.stacks, this.times, this.frames, fn, this.functionCount, this.shown);
      case "table":
        return null;
    }
  }

  private inverted(): Layout {
    const { stacks, times } = this;
    const other = times.sides?.[1 - indexOf(this.choice.side)];
    const entries: Entry[] = [];
    for (let i = 0; i < stacks.count; i++) {
      if (this.isIdle(stacks.fn[i])) continue;
      const entry = entryOf(i, times.self, times.samples, other?.self, other?.samples);
      if (isSeen(entry)) entries.push(entry);
    }
    const { frames, isCut, depth } = invert(stacks, entries, times.samples !== null, this.shown);
    return treeLayout(frames, () => false, isCut ? `Only ${depth} levels of callers are shown.` : null);
  }

  /** What ran when on a thread, with the changed stacks. */
  runs(thread: number): Runs {
    return changedRuns(this.profile, thread, this.choice.span, this.changed);
  }

  get functionCount(): number {
    return this.profile.header.functions.name.length;
  }

  functionCosts(): FunctionCosts {
    this.costs ??= this.addUpFunctions();
    return this.costs;
  }

  private addUpFunctions(): FunctionCosts {
    const { sides } = this.frames;
    const first = outermostOccurrences(this.stacks, this.functionCount);
    const own = this.costsOf(this.frames, first);
    return { ...own, sides: sides && [this.costsOf(sides[0], first), this.costsOf(sides[1], first)] };
  }

  private costsOf(frames: Costs, first: Uint8Array): Costs {
    const { stacks } = this;
    const self = new Float64Array(this.functionCount);
    const total = new Float64Array(this.functionCount);
    const samples = frames.samples && new Float64Array(this.functionCount);
    for (let i = 0; i < stacks.count; i++) {
      const fn = stacks.fn[i];
      self[fn] += frames.self[i];
      if (!first[i]) continue;
      total[fn] += frames.total[i];
      if (samples && frames.samples) samples[fn] += frames.samples[i];
    }
    return { self, total, samples };
  }

  /** On how many of the threads each function was seen. */
  threadsOf(fn: number): number {
    this.threadCounts ??= this.countThreads();
    return this.threadCounts[fn];
  }

  private countThreads(): Int32Array {
    const { caller, fn, count } = this.profile.stacks;
    const counts = new Int32Array(this.functionCount);
    const lastThread = new Int32Array(this.functionCount).fill(-1);
    const seenBy = new Int32Array(count).fill(-1);
    for (const thread of this.choice.threads) {
      const before = this.profile.isComparison ? this.profile.sums(thread, "before").stack : [];
      for (const stack of [...this.profile.sums(thread).stack, ...before]) {
        for (let it = stack; it >= 0 && seenBy[it] !== thread; it = caller[it]) {
          seenBy[it] = thread;
          if (lastThread[fn[it]] === thread) continue;
          lastThread[fn[it]] = thread;
          counts[fn[it]]++;
        }
      }
    }
    return counts;
  }
}

function sum(values: Float64Array, counts: (at: number) => boolean): number {
  let sum = 0;
  for (let i = 0; i < values.length; i++) if (values[i] > 0 && counts(i)) sum += values[i];
  return sum;
}
