// What the page says of all that it shows: how much it is, which part, and what of it a search means.

import type { Profile } from "./data";
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
  const { span, focus, threads, isFolded } = model.choice;
  const parts = [`${texts.amount(model.active)} ${isTime ? "active" : "allocated"}`];
  if (model.idle > 0) parts.push(`${texts.amount(model.idle)} idle`);
  const samples = threads.reduce((sum, it) => sum + header.threads[it].samples, 0);
  if (!span) parts.push(counted(samples, "sample"));
  if (header.scope) parts.push(shown(header.scope));
  if (span) {
    const length = (span.to - span.from) * header.tick;
    parts.push(`${point(span.from * header.tick, length)} to ${point(span.to * header.tick, length)}`);
  }
  if (focus !== null) parts.push(`focus on ${shown(texts.name(focus), 80)}`);
  if (isFolded) parts.push("recursion folded");
  const { step } = header.threads[timeThread];
  if (step > 0 && (span || view === "time")) parts.push(`runs shorter than ${texts.amount(step)} joined`);
  const leftOut = model.layout(view, sandwichOf, timeThread)?.leftOut;
  if (leftOut) parts.push(leftOut);
  if (view === "time" && header.markersLeftOut > 0) parts.push(`${counted(header.markersLeftOut, "marker")} left out`);
  return parts.join(" · ");
}

/** How much of the time a search means; what is wrong with it, if it is no regular expression. */
export function shareText({ profile, model }: Shown, query: string, matches: Uint8Array | null): string {
  const found = matcher(query);
  if (!found) return "";
  if ("problem" in found) return found.problem;
  const { stacks, times, active, isIdle } = model;
  const time = matches ? matchedTime(stacks, times.self, matches, isIdle) : 0;
  return `${percent(active > 0 ? time / active : 0)} of the ${profile.isTime ? "time" : "memory"} matches`;
}

/** Why there is nothing to draw. */
export function whyEmpty({ header }: Profile): string {
  const isWithoutTime = header.threads.every((it) => it.active + it.idle === 0);
  if (isWithoutTime) return "Its samples span no time: there is nothing to draw.";
  return "Nothing is left to draw: choose other threads, a longer span, or no focus.";
}
