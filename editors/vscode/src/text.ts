// Texts for users, from the server's answers. No `vscode` here: these are plain functions with unit tests.

import type { Amount, Ledger, Status, ThreadStatus, TraceStatus } from "./protocol";

type Units = [size: number, name: string][];
const TIMES: Units = [
  [86_400e9, "d"],
  [3600e9, "h"],
  [60e9, "m"],
  [1e9, "s"],
  [1e6, "ms"],
  [1e3, "µs"],
  [1, "ns"],
];
const SIZES: Units = [
  [1e12, "TB"],
  [1e9, "GB"],
  [1e6, "MB"],
  [1e3, "kB"],
];
/** From 1,000 seconds, minutes and hours on the next unit reads better. */
const FIRST: Record<string, number> = { m: 1000e9, h: 60_000e9, d: 3_600_000e9 };

/** A time with three significant digits and the fitting unit: `812 µs`, `12.3 ms`, `1.24 s`, `33.4 h`. */
export function time(ns: number): string {
  if (ns === 0) return "0 ms";
  for (const [size, name] of TIMES) {
    const rounded = Number((ns / size).toPrecision(3));
    if (rounded >= 1 && ns >= (FIRST[name] ?? 0)) return `${digits(ns / size, 3)} ${name}`;
  }
  return `${ns} ns`;
}

/** A number of bytes with three significant digits and the fitting unit: `812 B`, `12.3 kB`, `48.0 MB`. */
export function size(bytes: number): string {
  for (const [size, name] of SIZES) {
    if (Number((bytes / size).toPrecision(3)) >= 1) return `${digits(bytes / size, 3)} ${name}`;
  }
  return `${bytes} B`;
}

/** An amount as users read it, with no more digits than are known. */
export function amount(it: Amount): string {
  return "bytes" in it ? size(it.bytes) : (it.text ?? time(it.ns));
}

/** The number of nanoseconds or bytes. */
export function countOf(it: Amount): number {
  return "bytes" in it ? it.bytes : it.ns;
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

/** The text of the status bar: what is loaded, and how much of it is on functions of the workspace. */
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
  if (trace.scope) parts.push(trace.scope);
  parts.push(samples(trace.samples));
  if (status.ledger) parts.push(`${wholePercent(placedShare(status.ledger))} placed`);
  if (!status.enabled) parts.push("hidden");
  return parts.join(" · ");
}

/** The share of the base that is on functions of the workspace. */
export function placedShare(ledger: Ledger): number {
  const base = countOf(ledger.base);
  return base > 0 ? countOf(ledger.placed) / base : 0;
}

/** A share in whole percent, which never rounds up to 100 % or down to 0 %. */
function wholePercent(share: number): string {
  if (share > 0 && share < 0.01) return "<1 %";
  if (share < 1 && share > 0.99) return ">99 %";
  return `${Math.round(share * 100)} %`;
}

export interface LedgerRow {
  /** What it is: `placed`, `generated`, `idle`, `no-stack`, or the name of a reason. */
  why: string;
  label: string;
  amount: number;
  /** The amount as users read it. */
  text: string;
  /** The share of the whole recording. */
  share: number;
  /** Resources or names to which this applies. */
  examples: string[];
}

/** The ledger as rows that add up to the whole recording, the largest first, without empty ones. */
export function ledgerRows(ledger: Ledger): LedgerRow[] {
  const total = countOf(ledger.total);
  const row = (why: string, label: string, it: Amount, examples: string[] = []) => ({
    why,
    label,
    amount: countOf(it),
    text: amount(it),
    share: total > 0 ? countOf(it) / total : 0,
    examples,
  });
  return [
    row("placed", "On functions of this workspace", subtract(ledger.placed, ledger.generated)),
    row("generated", "On generated lines, whose source map is missing", ledger.generated),
    row("idle", "Idle", ledger.idle),
    row("no-stack", "Without a stack: idle, or at work in the engine", ledger.noStack),
    ...ledger.unplaced.map((it) => row(it.why, it.reason, it.amount, it.examples)),
  ]
    .filter((it) => it.amount > 0)
    .sort((a, b) => b.amount - a.amount);
}

/** A whole without one of its parts. */
function subtract(whole: Amount, part: Amount): Amount {
  if (countOf(part) === 0) return whole;
  const value = countOf(whole) - countOf(part);
  return "bytes" in whole ? { bytes: value } : { ns: value };
}

/** The beginning of the first URL or path whose file is not in the workspace, as a suggestion for a path mapping. */
export function unplacedPrefix(ledger: Ledger | null | undefined): string | undefined {
  const example = ledger?.unplaced.find((it) => it.why === "not-in-workspace")?.examples[0];
  if (!example) return undefined;
  const origin = /^[a-z][a-z+.-]*:\/\/[^/]+\//i.exec(example);
  return origin?.[0] ?? example.replace(/[^/\\]*$/, "");
}

/** Positions of a text, as the protocol has them. */
export interface Span {
  start: { line: number; character: number };
  end: { line: number; character: number };
}

/** `src/a.ts:12` of a path and the place in the file, on every system. */
export function describeLocation(path: string, span: Span | null): string {
  const unified = path.replaceAll("\\", "/");
  return span ? `${unified}:${span.start.line + 1}` : unified;
}

/** A text as Markdown shows it, whatever characters it has. */
export function escapeMarkdown(text: string): string {
  return text.replaceAll(/[\\`*_{}[\]()#+\-.!|<>]/g, "\\$&");
}
