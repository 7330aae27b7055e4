// What people read, from what the server says. No `vscode` here: these are plain functions, tested as such.

import type { Ledger, Status, ThreadStatus, TraceStatus } from "./protocol";

const UNITS: [size: number, name: string][] = [
  [60e9, "m"],
  [1e9, "s"],
  [1e6, "ms"],
  [1e3, "µs"],
  [1, "ns"],
];
/** From 1,000 seconds on, minutes read better. */
const FIRST_MINUTE = 1000e9;

/** A time with three significant digits and the fitting unit: `812 µs`, `12.3 ms`, `1.24 s`. */
export function time(ns: number): string {
  if (ns === 0) return "0 ms";
  for (const [size, name] of UNITS) {
    const rounded = Number((ns / size).toPrecision(3));
    if (rounded >= 1 && (name !== "m" || ns >= FIRST_MINUTE)) return `${digits(ns / size, 3)} ${name}`;
  }
  return `${ns} ns`;
}

/** A share of a whole with two significant digits: `18 %`, `4.6 %`. */
export function percent(share: number): string {
  const value = share * 100;
  if (value === 0) return "0 %";
  if (value < 0.01) return "<0.01 %";
  return `${Number(digits(value, 2))} %`;
}

/** `12,345`. */
export function thousands(count: number): string {
  return count.toLocaleString("en-US");
}

/** `1 sample`, `214 samples`. */
export function samples(count: number): string {
  return `${thousands(count)} ${count === 1 ? "sample" : "samples"}`;
}

function digits(value: number, significant: number): string {
  const magnitude = Math.floor(Math.log10(Number(value.toPrecision(significant))));
  return Number(value.toPrecision(significant)).toFixed(Math.max(significant - 1 - magnitude, 0));
}

/** The trace whose costs are shown. */
export function shownTrace(status: Status): TraceStatus | undefined {
  return status.traces.find((it) => it.shown);
}

/** The thread whose costs are shown, where the trace has several and one of them is. */
export function shownThread({ threads }: TraceStatus): ThreadStatus | undefined {
  const shown = threads.filter((it) => it.shown);
  return shown.length === 1 ? shown[0] : undefined;
}

/** What the status bar says: what is loaded, and how much of it lies on functions of the workspace. */
export function statusBarText(status: Status): string {
  const trace = shownTrace(status);
  if (!trace) {
    const failed = status.traces.find((it) => it.state === "failed");
    return failed ? `$(flame) ${failed.name} could not be read` : "$(flame) No trace";
  }
  const thread = shownThread(trace);
  const parts = [`$(flame) ${trace.name}`];
  // Its process and number are in the tooltip.
  if (thread) parts.push(thread.name.replace(/ \(.*\)$/, ""));
  parts.push(samples(trace.samples));
  if (status.ledger) parts.push(`${wholePercent(placedShare(status.ledger))} placed`);
  if (!status.enabled) parts.push("hidden");
  return parts.join(" · ");
}

/** How much of the base lies on functions of the workspace. */
export function placedShare(ledger: Ledger): number {
  return ledger.baseNs > 0 ? ledger.placedNs / ledger.baseNs : 0;
}

/** Whole percents that never round something up to all, or down to nothing. */
function wholePercent(share: number): string {
  if (share > 0 && share < 0.01) return "<1 %";
  if (share < 1 && share > 0.99) return ">99 %";
  return `${Math.round(share * 100)} %`;
}

export interface LedgerRow {
  label: string;
  ns: number;
  /** Of the whole recording. */
  share: number;
  /** Resources or names for which this is so. */
  examples: string[];
}

/** The ledger as rows that add up to the whole recording, the largest first; what is empty is left out. */
export function ledgerRows(ledger: Ledger): LedgerRow[] {
  const row = (label: string, ns: number, examples: string[] = []) => ({
    label,
    ns,
    share: ledger.totalNs > 0 ? ns / ledger.totalNs : 0,
    examples,
  });
  return [
    row("On functions of this workspace", ledger.placedNs - ledger.generatedNs),
    row("On generated lines, whose source map is missing", ledger.generatedNs),
    row("Idle", ledger.idleNs),
    row("Without a stack: idle, or at work in the engine", ledger.noStackNs),
    ...ledger.unplaced.map((it) => row(WHY[it.why] ?? it.why, it.ns, it.examples)),
  ]
    .filter((it) => it.ns > 0)
    .sort((a, b) => b.ns - a.ns);
}

/** The beginning of the first URL or path whose file is not in the workspace: a guess at what has to be mapped. */
export function unplacedPrefix(ledger: Ledger | null | undefined): string | undefined {
  const example = ledger?.unplaced.find((it) => it.why === "not-in-workspace")?.examples[0];
  if (!example) return undefined;
  const origin = /^[a-z][a-z+.-]*:\/\/[^/]+\//i.exec(example);
  return origin?.[0] ?? example.replace(/[^/\\]*$/, "");
}

/** The reasons of contract and server, as people read them. */
const WHY: Record<string, string> = {
  native: "Engine, browser or builtin code",
  gc: "Garbage collection",
  program: "The engine, outside of JavaScript",
  runtime: "The runtime's own code",
  "no-resource": "Code without a file",
  "not-in-workspace": "Files that are not in this workspace",
  dependency: "Dependencies",
  "map-missing": "Generated code whose source map is missing",
  "map-broken": "Generated code whose source map cannot be read",
  "outside-map": "Generated code that its source map does not cover",
  "no-definition": "Places where no function is found",
  ambiguous: "Files that could be several of this workspace",
  unsampled: "Gaps without samples",
  unknown: "Samples that point at nothing",
};
