// What is looked at: threads, a span of time and changed stacks, and all that follows from them, computed once when it is asked for.

import type { Profile, Runs } from "./data";
import { type Layout, treeLayout } from "./layout";
import { sandwich } from "./sandwich";
import {
  addUp,
  type Changed,
  chain,
  focusOn,
  foldRecursion,
  outermostOccurrences,
  type SelfTimes,
  type Span,
  type Stacks,
} from "./stacks";
import { changedRuns, timeLayout } from "./timeline";
import { type Entry, type Frames, invert, totals } from "./tree";

export type View = "merged" | "inverted" | "time" | "sandwich" | "table";

export interface Choice {
  threads: number[];
  span: Span | null;
  isFolded: boolean;
  /** Only what this function did and called. */
  focus: number | null;
}

/** What functions cost. In the total and in its samples a function counts once per stack. */
export interface FunctionCosts {
  self: Float64Array;
  total: Float64Array;
  samples: Float64Array | null;
}

export class Model {
  readonly stacks: Stacks;
  readonly times: SelfTimes;
  readonly frames: Frames;
  /** All time that is not idle, of the threads and the span. */
  readonly active: number;
  readonly idle: number;
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
    const whole = addUp(profile, choice.threads, choice.span, changed);
    const stacks = changed?.stacks ?? profile.stacks;
    const idle = (at: number) => this.isIdle(stacks.fn[at]);
    this.idle = sum(whole.self, idle);
    this.active = sum(whole.self, () => true) - this.idle;
    if (choice.focus !== null) changed = chain(changed, focusOn(stacks, choice.focus, functions));
    this.changed = changed;
    this.stacks = changed?.stacks ?? profile.stacks;
    this.times = choice.focus === null ? whole : addUp(profile, choice.threads, choice.span, changed);
    this.frames = totals(this.stacks, this.times);
  }

  readonly isIdle = (fn: number): boolean => {
    const { categories, functions } = this.profile.header;
    return categories[functions.category[fn]] === "idle";
  };

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
      case "merged":
        return treeLayout(this.frames, this.isIdle);
      case "inverted":
        return this.inverted();
      case "time":
        return timeLayout(this.runs(thread), this.stacks, this.frames, this.profile.header.threads[thread].start ?? 0);
      case "sandwich":
        return fn === null ? null : sandwich(this.stacks, this.times, this.frames, fn, this.functionCount);
      case "table":
        return null;
    }
  }

  private inverted(): Layout {
    const { stacks, times } = this;
    const entries: Entry[] = [];
    for (let i = 0; i < stacks.count; i++) {
      if (times.self[i] > 0 && !this.isIdle(stacks.fn[i])) {
        entries.push({ stack: i, time: times.self[i], samples: times.samples?.[i] ?? 0 });
      }
    }
    const { frames, isCut, depth } = invert(stacks, entries, times.samples !== null);
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
    const { stacks, frames } = this;
    const self = new Float64Array(this.functionCount);
    const total = new Float64Array(this.functionCount);
    const samples = frames.samples && new Float64Array(this.functionCount);
    const first = outermostOccurrences(stacks, this.functionCount);
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
      for (const stack of this.profile.sums(thread).stack) {
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
