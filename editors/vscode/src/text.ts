// Texts for users, from the server's answers. No `vscode` here: these are plain functions with unit tests.

import type { Amount, Ledger, Status, ThreadStatus, TraceStatus } from "./protocol";

/** An amount with what stands beside it: `12.3 ms (4.6 %)`. */
export function inFull(it: Amount): string {
  return it.beside === undefined ? it.text : `${it.text} (${it.beside})`;
}

/** The number of nanoseconds or bytes. */
export function countOf(it: Amount): number {
  return "bytes" in it ? it.bytes : it.ns;
}

/** `12,345` rows of a view. Numbers of what was measured come with their texts. */
export function thousands(count: number): string {
  return count.toLocaleString("en-US");
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
  const parts = [`$(flame) ${recordingName(trace.name) ?? trace.name}`];
  // Its process and number are in the tooltip.
  if (thread) parts.push(thread.name.replace(/ \(.*\)$/, ""));
  parts.push(trace.samples.text);
  if (status.ledger) parts.push(`${status.ledger.placed.text} placed`);
  if (!status.enabled) parts.push("hidden");
  return parts.join(" · ");
}

/** The name of what was recorded, of a file that `proflens record` named: `npm run test-all` of `2026-11-24T09-30-00-npm+run+test-all.json.gz`. */
export function recordingName(file: string): string | undefined {
  return RECORDING.exec(file)?.[2]?.replaceAll("+", " ");
}

/** A text in the name of a file, as `proflens record` writes it: a plus stands for a space, so that hyphens are those of the text. */
export function inFileName(text: string): string {
  const written = text.replaceAll(/\s+/g, "+").replaceAll(/[^\w.+-]+/g, "-");
  return written.slice(0, 60).replaceAll(/^[-.+]+|[-.+]+$/g, "");
}

/** The same name with another text for what was recorded; undefined if nothing of the text can be in the name of a file. */
export function renamedRecording(file: string, to: string): string | undefined {
  const [, time, , ending] = RECORDING.exec(file) ?? [];
  const name = inFileName(to);
  return time && name ? `${time}-${name}${ending}` : undefined;
}

const RECORDING = /^(\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d)-(.+?)((?:-\d+)?(?:\.json\.gz|\.json|\.heapprofile))$/;

/** When `proflens record` wrote a file of this name: `just now`, `12 minutes ago`, then the day. */
export function recordedWhen(file: string, now: Date): string | undefined {
  const [date, time] = RECORDING.exec(file)?.[1]?.split("T") ?? [];
  if (!date || !time) return undefined;
  const minutes = Math.round((now.getTime() - Date.parse(`${date}T${time.replaceAll("-", ":")}Z`)) / 60_000);
  if (minutes < 1) return "just now";
  if (minutes < 60) return `${counted(minutes, "minute")} ago`;
  if (minutes < 24 * 60) return `${counted(Math.floor(minutes / 60), "hour")} ago`;
  return date;
}

function counted(count: number, what: string): string {
  return count === 1 ? `1 ${what}` : `${count} ${what}s`;
}

/** The beginnings of the URLs and paths whose files are not in the workspace, as suggestions for a path mapping. */
export function unplacedPrefixes(ledger: Ledger | null | undefined): string[] {
  const examples = ledger?.rows.find((it) => it.why === "not-in-workspace")?.examples ?? [];
  const prefixes = examples.flatMap((it) => {
    const [origin] = /^[a-z][a-z+.-]*:\/\/[^/]+\//i.exec(it) ?? [];
    const folder = it.replace(/[^/\\]*$/, "");
    return origin ? [origin, folder] : [folder];
  });
  return [...new Set(prefixes)];
}

/** Positions of a text, as the protocol has them. */
export interface Span {
  start: { line: number; character: number };
  end: { line: number; character: number };
}

/** `a.ts:12 · src` of a path and the place in the file, on every system: what tells places apart stands first. */
export function describeLocation(path: string, span: Span | null): string {
  const unified = path.replaceAll("\\", "/");
  const slash = unified.lastIndexOf("/");
  const [folder, file] = [unified.slice(0, Math.max(slash, 0)), unified.slice(slash + 1)];
  const place = span ? `${file}:${span.start.line + 1}` : file;
  return folder ? `${place} · ${folder}` : place;
}

/** A text as Markdown shows it, whatever characters it has. */
export function escapeMarkdown(text: string): string {
  return text.replaceAll(/[\\`*_{}[\]()#+\-.!|<>]/g, "\\$&");
}
