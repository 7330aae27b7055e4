// How hot something is: five levels by the share of self time, and of a comparison whether it became slower. No `vscode` here: these are plain functions with unit tests.

import type { DocumentCosts, Verdict } from "./protocol";
import { countOf } from "./text";

/** From 1 to 5; `package.json` contributes a color for each: `proflens.heat1` to `proflens.heat5`. */
export type Level = 1 | 2 | 3 | 4 | 5;
export const LEVELS: readonly Level[] = [1, 2, 3, 4, 5];
/** Of a comparison; `package.json` contributes `proflens.slower` and `proflens.faster`. */
export type Direction = "slower" | "faster";
/** What a mark says, each with a color of its own. */
export type Tone = Level | Direction;
export const TONES: readonly Tone[] = [...LEVELS, "slower", "faster"];

/** The color of a tone, as `package.json` names it. */
export function colorOf(tone: Tone): string {
  return typeof tone === "number" ? `proflens.heat${tone}` : `proflens.${tone}`;
}

/** Where a certain change goes. All other verdicts have no color. */
export function directionOf(verdict: Verdict | undefined): Direction | undefined {
  if (verdict === "regression") return "slower";
  return verdict === "improvement" ? "faster" : undefined;
}

/** The least share of levels 2 to 5. */
const LIMITS = [0.01, 0.05, 0.1, 0.2];
/** Lines with a smaller share are not marked: nearly every line of a hot function has some sample. */
const MIN_LINE_SHARE = 0.001;

/** The level of a share of self time. */
export function levelOf(share: number): Level {
  return (1 + LIMITS.filter((it) => share >= it).length) as Level;
}

/** A line with what its mark says. */
export interface Mark {
  line: number;
  level: Tone;
}

/** What is marked in a document. */
export interface Marks {
  /** Each measured function where its name stands, and each line with a cost. */
  ruler: Mark[];
  /** The lines with a cost; where the trace has no lines, all lines of each function. */
  bars: Mark[];
}

/** The marks of a document; `base` is what 100 % is, in nanoseconds or bytes. */
export function marksOf(costs: DocumentCosts, base: number): Marks {
  const lines = costs.lines
    .map((it) => ({ line: it.line, share: base > 0 ? countOf(it.self) / base : 0 }))
    .filter((it) => it.share >= MIN_LINE_SHARE)
    .map(({ line, share }) => ({ line, level: levelOf(share) }));
  const headers = costs.functions.map((it) => ({ line: it.selectionRange.start.line, level: levelOf(it.selfShare) }));
  const all = costs.functions.map((it) => ({ range: it.range, level: levelOf(it.selfShare) }));
  return { ruler: hottestByLine([...headers, ...lines]), bars: costs.lines.length > 0 ? lines : bodies(all) };
}

/** The marks of a document that is compared: only functions that changed for certain. */
export function changeMarksOf({ functions }: DocumentCosts): Marks {
  const changed = functions.flatMap(({ range, selectionRange, change }) => {
    const level = directionOf(change?.verdict);
    return level ? [{ range, level, line: selectionRange.start.line }] : [];
  });
  return { ruler: inOrder(new Map(changed.map(({ line, level }) => [line, level]))), bars: bodies(changed) };
}

/** All lines of functions. They are ordered by their start, so that inner ones replace those around them. */
function bodies(functions: { range: DocumentCosts["functions"][number]["range"]; level: Tone }[]): Mark[] {
  const levels = new Map<number, Tone>();
  for (const { range, level } of functions) {
    for (let line = range.start.line; line <= range.end.line; line += 1) levels.set(line, level);
  }
  return inOrder(levels);
}

function hottestByLine(marks: { line: number; level: Level }[]): Mark[] {
  const levels = new Map<number, Level>();
  for (const { line, level } of marks) levels.set(line, Math.max(level, levels.get(line) ?? 1) as Level);
  return inOrder(levels);
}

function inOrder(levels: Map<number, Tone>): Mark[] {
  return [...levels].map(([line, level]) => ({ line, level })).sort((a, b) => a.line - b.line);
}

/** The badge of a file of this share: percent in at most two characters, or none below half a percent. */
export function badgeOf(share: number): string | undefined {
  const percent = Math.min(Math.round(share * 100), 99);
  return percent > 0 ? String(percent) : undefined;
}

/** Lines longer than this do not move the column in which the costs of lines stand: it is to be in view in half a window. */
const MAX_COLUMN = 60;
/** What stands behind a line longer than this is out of view in many windows. */
const MAX_END = 90;

/**
 * How many characters behind the end of each line its cost stands, so that those of short lines form a column; of a line whose end is
 * out of view undefined: its cost stands in front of its code.
 */
export function marginsOf(lines: string[], tab: number): (number | undefined)[] {
  const ends = lines.map((line) => widthOf(line, tab));
  const column = Math.max(0, ...ends.filter((it) => it <= MAX_COLUMN)) + 2;
  return ends.map((it) => (it > MAX_END ? undefined : Math.max(column - it, 2)));
}

function widthOf(line: string, tab: number): number {
  let width = 0;
  for (const it of line) width += it === "\t" ? tab - (width % tab) : 1;
  return width;
}
