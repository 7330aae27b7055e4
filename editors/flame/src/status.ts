// What the page says of all that it shows: how much it is, which part, and what of it a search means.

import type { Profile } from "./data";
import { changeText, type Side } from "./difference";
import type { Texts } from "./info";
import type { Model, View } from "./model";
import { matchedTime, matcher } from "./search";
import { counted, percent, point, shown } from "./text";

/** What is shown of a profile. */
export interface Shown {
  profile: Profile;
  texts: Texts;
  model: Model;
  view: View;
  sandwichOf: number | null;
  timeThread: number;
}

export function statusText({ profile, texts, model, view, sandwichOf, timeThread }: Shown): string {
  const { header, isTime } = profile;
  const { span, focus, threads, isFolded, side } = model.choice;
  const parts: string[] = [];
  if (header.comparison && model.actives) {
    const [before, after] = model.actives.map((it) => texts.amount(it));
    parts.push(`${before} ${isTime ? "active" : "allocated"} before, ${after} after (${changeText(model.actives)})`);
    const { runs } = header.comparison;
    if (runs.some((it) => it > 1)) parts.push(`means of ${counted(runs[0], "run")} before, ${runs[1]} after`);
    if (view !== "table") parts.push(`frames show ${side}`);
  } else {
    parts.push(`${texts.amount(model.active)} ${isTime ? "active" : "allocated"}`);
    if (model.idle > 0) parts.push(`${texts.amount(model.idle)} idle`);
    const samples = threads.reduce((sum, it) => sum + header.threads[it].samples, 0);
    if (!span) parts.push(counted(samples, "sample"));
  }
  if (header.scope) parts.push(shown(header.scope));
  if (span) {
    const length = (span.to - span.from) * header.tick;
    parts.push(`${point(span.from * header.tick, length)} to ${point(span.to * header.tick, length)}`);
  }
  if (focus !== null) parts.push(`focus on ${shown(texts.name(focus), 80)}, without its callers`);
  if (isFolded) parts.push("recursion collapsed");
  const { step } = header.threads[timeThread];
  if (step > 0 && (span || view === "time")) parts.push(`what is shorter than ${texts.amount(step)} is joined`);
  const leftOut = model.layout(view, sandwichOf, timeThread)?.leftOut;
  if (leftOut) parts.push(leftOut);
  if (view === "time" && header.markersLeftOut > 0) parts.push(`${counted(header.markersLeftOut, "marker")} left out`);
  return parts.join(" · ");
}

/** How much of the time a search means; what is wrong with it, if it is not a regular expression. */
export function shareText({ profile, model }: Shown, query: string, matches: Uint8Array | null): string {
  const found = matcher(query);
  if (!found) return "";
  if ("problem" in found) return found.problem;
  const { stacks, times, isIdle } = model;
  const share = (self: Float64Array, base: number) =>
    percent(base > 0 && matches ? matchedTime(stacks, self, matches, isIdle) / base : 0);
  const of = `of the ${profile.isTime ? "time" : "memory"} matches`;
  if (!times.sides || !model.bases) return `${share(times.self, model.base)} ${of}`;
  const [before, after] = times.sides.map(({ self }, it) => share(self, model.bases?.[it] ?? 0));
  return `${before} before, ${after} after ${of}`;
}

/** Why there is nothing to draw. */
export function whyEmpty({ header }: Profile, side: Side): string {
  const all = header.threads.flatMap((it) => (it.before ? [it, it.before] : [it]));
  if (all.every((it) => it.active + it.idle === 0)) return "Its samples span no time: there is nothing to draw.";
  if (header.comparison) {
    const other = side === "before" ? "after" : "before";
    return `None of this ran ${side}: show ${other} (w), choose other threads, or end the focus.`;
  }
  return "Nothing ran here: choose other threads or a longer range, or end the focus.";
}
