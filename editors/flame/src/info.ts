// What is said of one frame: in the tooltip, to a screen reader, and of its function in the table.

import { CATEGORY_TEXTS } from "./colors";
import type { Profile } from "./data";
import { type Costs, changeText, isSure, type Pair, pairOf } from "./difference";
import type { Definition } from "./host";
import { endOf, frameAt, type Layout, type Place, stackOf, startOf } from "./layout";
import type { Model, View } from "./model";
import { percent, place, point, shown, size, thousands, time } from "./text";

const FRESHNESS = ["", "moved since it was recorded", "edited since it was recorded", "no longer in its file"];

export interface Info {
  name: string;
  rows: [label: string, value: string][];
}

/** Texts of functions and of frames. */
export class Texts {
  constructor(readonly profile: Profile) {}

  amount(ticks: number): string {
    const { unit, tick } = this.profile.header;
    return unit === "time" ? time(ticks * tick) : size(ticks * tick);
  }

  /** A difference with its sign: `+3.20 ms`. */
  difference([before, after]: Pair<number>): string {
    return `${after < before ? "−" : after > before ? "+" : ""}${this.amount(Math.abs(after - before))}`;
  }

  /** `12.3 ms before, 17.0 ms after, +4.70 ms (+38 %)`. */
  change(pair: Pair<number>): string {
    const [before, after] = pair.map((it) => this.amount(it));
    return `${before} before, ${after} after, ${this.difference(pair)} (${changeText(pair)})`;
  }

  /** The whole name, as it is. */
  name(fn: number): string {
    const { names, functions } = this.profile.header;
    return names[functions.name[fn]] || "(anonymous)";
  }

  place(fn: number): string {
    const { files, functions } = this.profile.header;
    return functions.file[fn] < 0 ? "" : place(files[functions.file[fn]], functions.line[fn]);
  }

  category(fn: number): string {
    const { categories, packages, functions } = this.profile.header;
    const category = categories[functions.category[fn]];
    const name = CATEGORY_TEXTS[category]?.name ?? category;
    return functions.package[fn] < 0 ? name : `${name} ${shown(packages[functions.package[fn]], 60)}`;
  }

  /** What names a function over recordings. */
  key(fn: number): string {
    const { files, functions } = this.profile.header;
    const file = functions.file[fn] < 0 ? "" : files[functions.file[fn]];
    return `${this.name(fn).slice(0, 200)}\n${file.slice(0, 400)}`;
  }

  definition(fn: number): Definition | null {
    const { files, names, functions } = this.profile.header;
    if (functions.file[fn] < 0) return null;
    return {
      file: files[functions.file[fn]],
      path: functions.path[fn] < 0 ? null : names[functions.path[fn]],
      line: functions.line[fn],
      column: functions.column[fn],
    };
  }

  /** Everything that is known of a rectangle. */
  info(model: Model, layout: Layout, view: View, at: Place): Info {
    const frame = frameAt(layout, at);
    const { frames } = layout;
    const fn = frames.fn[frame];
    const share = (ticks: number) => (model.base > 0 && model.isOfBase(fn) ? ` (${percent(ticks / model.base)})` : "");
    const cost = (ticks: number) => `${this.amount(ticks)}${share(ticks)}`;
    const rows: Info["rows"] = [];
    const costs = model.functionCosts();
    const isInverted = view === "inverted" || frame >= layout.callersFrom;
    // What grows towards callers stands for a part of what the function at its foot cost.
    const part = !isInverted ? null : frames.parent[frame] < 0 ? "Self" : "On this path";
    if (frames.sides && costs.sides) {
      rows.push(...this.changes(frames.sides, frame, part));
      const isAll = [0, 1].every((it) => costs.sides?.[it].total[fn] === frames.sides?.[it].total[frame]);
      if (!isAll) rows.push(["On all paths", this.change(pairOf(costs.sides, "total", fn))]);
      return { name: this.name(fn), rows: [...rows, ...this.about(model, fn)] };
    }
    if (view === "time" && layout.origin !== null) {
      const { tick } = this.profile.header;
      const length = (endOf(layout, at) - startOf(layout, at)) * tick;
      rows.push(["Here", `${time(length)} from ${point((layout.origin + startOf(layout, at)) * tick, length || 1)}`]);
    }
    if (part) rows.push([part, cost(frames.total[frame])]);
    else rows.push(["Self", cost(frames.self[frame])], ["Total", cost(frames.total[frame])]);
    if (frames.samples) rows.push(["Samples", thousands(frames.samples[frame])]);
    if (costs.total[fn] !== frames.total[frame] || costs.self[fn] !== frames.self[frame]) {
      rows.push(["On all paths", `${cost(costs.self[fn])} self, ${cost(costs.total[fn])} total`]);
    }
    return { name: this.name(fn), rows: [...rows, ...this.about(model, fn)] };
  }

  /** What changed in a frame, and whether that can be told. */
  private changes(sides: Pair<Costs>, frame: number, part: string | null): Info["rows"] {
    const total = pairOf(sides, "total", frame);
    const rows: Info["rows"] = [[part ?? "Total", this.change(total)]];
    if (!part) rows.push(["Self", this.change(pairOf(sides, "self", frame))]);
    const [before, after] = sides.map((it) => it.samples?.[frame] ?? 0);
    rows.push(["Samples", `${thousands(before)} before, ${thousands(after)} after`]);
    const isSame = total[0] === total[1];
    if (!isSame && !isSure(sides, frame)) rows.push(["Difference", "no more than the chance in sampling"]);
    else if (total[0] === 0) rows.push(["Difference", "new: not seen before"]);
    else if (total[1] === 0) rows.push(["Difference", "gone: not seen after"]);
    return rows;
  }

  private about(model: Model, fn: number): Info["rows"] {
    const rows: Info["rows"] = [["Kind", this.category(fn)]];
    const place = this.place(fn);
    if (place !== "") rows.push(["Location", place]);
    const { path, freshness } = this.profile.header.functions;
    if (path[fn] >= 0 && FRESHNESS[freshness[fn]]) rows.push(["Source", FRESHNESS[freshness[fn]]]);
    const threads = model.choice.threads.length;
    if (threads > 1) rows.push(["Threads", `${model.threadsOf(fn)} of ${threads}`]);
    return rows;
  }

  /** One sentence for those who hear the page. */
  spoken({ name, rows }: Info): string {
    return `${shown(name, 80)}, ${rows.map(([label, value]) => `${label.toLowerCase()} ${value}`).join(", ")}`;
  }

  /** Names of a stack, the outermost first. */
  stack(layout: Layout, frame: number, isInverted: boolean): string {
    const line = (it: number) => {
      const fn = layout.frames.fn[it];
      const place = this.place(fn);
      return place === "" ? shown(this.name(fn)) : `${shown(this.name(fn))} (${place})`;
    };
    return stackOf(layout, frame, isInverted).map(line).join("\n");
  }

  /** The legend's entries: categories that functions have. */
  categoriesSeen(): number[] {
    return [...new Set(this.profile.header.functions.category)].sort((a, b) => a - b);
  }

  /** The function of a definition, whose file the editor names by its whole path. */
  functionOf(file: string | null, path: string | null): number | null {
    if (file === null || path === null) return null;
    const { functions, files, names, folder } = this.profile.header;
    const named = folder && file.startsWith(`${folder}/`) ? file.slice(folder.length + 1) : file;
    const at = functions.path.findIndex(
      (it, fn) => it >= 0 && names[it] === path && functions.file[fn] >= 0 && files[functions.file[fn]] === named,
    );
    return at < 0 ? null : at;
  }
}
