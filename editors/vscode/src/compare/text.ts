// The words of a comparison. No `vscode` here: these are plain functions with unit tests.

import type { Direction } from "../heatLevels";
import type { ComparisonStatus, Quantity, Verdict } from "../protocol";
import { thousands } from "../text";

const MINUTE = 60_000;
/** The least age of each unit, the largest first. */
const AGES: [size: number, name: string][] = [
  [24 * 60 * MINUTE, "day"],
  [60 * MINUTE, "hour"],
  [MINUTE, "minute"],
];

/** How long ago something was: `just now`, `5 minutes ago`, `2 days ago`. */
export function age(milliseconds: number): string {
  for (const [size, name] of AGES) {
    const count = Math.floor(milliseconds / size);
    if (count >= 1) return `${count} ${name}${count === 1 ? "" : "s"} ago`;
  }
  return "just now";
}

/** A recording of the workspace, with the time at which it was written. */
export interface Recorded {
  /** Its path, with `/` between the names. */
  path: string;
  time: number;
}

/** What can be compared with: one recording, or all of a folder as runs of one side. */
export interface Offer {
  /** The files or folders of the side before. */
  path: string;
  runs: number;
  /** When the last of it was written. */
  time: number;
}

/** The offers of recordings, the newest first. Recordings side by side in a folder of their own are runs of one program. */
export function offersOf(recordings: Recorded[], isCommon: (folder: string) => boolean): Offer[] {
  const folders = new Map<string, Recorded[]>();
  for (const it of recordings) {
    const folder = it.path.replace(/\/[^/]*$/, "");
    folders.set(folder, [...(folders.get(folder) ?? []), it]);
  }
  const offers = [...folders].flatMap(([folder, all]): Offer[] =>
    all.length > 1 && !isCommon(folder)
      ? [{ path: folder, runs: all.length, time: Math.max(...all.map((it) => it.time)) }]
      : all.filter((it) => !folders.has(it.path)).map(({ path, time }) => ({ path, runs: 1, time })),
  );
  return offers.sort((a, b) => b.time - a.time);
}

/** The text of the status bar item: against what, and what became of all active time. */
export function comparisonText({ title, active }: ComparisonStatus): string {
  const all = active.verdict === "unsure" ? `${active.text}, unsure` : active.text;
  return `$(git-compare) vs ${title}: ${all} $(close)`;
}

/** How many functions changed for certain. */
export type Changes = Record<Direction, number>;

/** `2 functions slower, 1 faster`; nothing where none changed. */
export function changesText(changes: Changes, unit: Quantity): string {
  const words =
    unit === "bytes" ? { slower: "with more", faster: "with less" } : { slower: "slower", faster: "faster" };
  const [first, second] = (["slower", "faster"] as const).filter((it) => changes[it] > 0);
  if (!first) return "";
  const count = changes[first];
  const text = `${thousands(count)} ${count === 1 ? "function" : "functions"} ${words[first]}`;
  return second ? `${text}, ${thousands(changes[second])} ${words[second]}` : text;
}

/** The badge of a file or folder with changes: two characters at most. */
export function badgeOfChanges({ slower, faster }: Changes): string {
  return [slower > 0 && "▲", faster > 0 && "▼"].filter(Boolean).join("");
}

/** What did not change, or by no more than chance, stands below a row for each of these verdicts: it is not in the way. */
export const FOLDED: [verdict: Verdict, label: string][] = [
  ["shifted", "Time moved to or from what they call"],
  ["new", "New, maybe by chance"],
  ["gone", "Gone, maybe by chance"],
  ["unchanged", "The same"],
  ["unsure", "Not enough data to tell"],
  ["not-comparable", "Not comparable"],
];
