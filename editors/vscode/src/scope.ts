// What part of the recording is looked at: a function and what is below it, a window of time. Each choice narrows the ones before.

import * as vscode from "vscode";
import type { Server } from "./client";
import type { CallersParams, FocusHow, FocusParams, TraceStatus, WindowParams } from "./protocol";

const HOWS: { how: FocusHow; label: string; description: string }[] = [
  { how: "below", label: "What is below it", description: "only what it and those that it called cost" },
  { how: "callers", label: "Its callers", description: "only who called it" },
  { how: "drop", label: "All without it", description: "without the samples in which it ran" },
  { how: "merge", label: "Merged into its callers", description: "its time is theirs" },
  { how: "collapse", label: "A package as one function…", description: "such as react" },
];

/** Asks how to focus on a function, unless that is given, and does so. */
export async function focus(server: Server, given?: FocusParams, place?: CallersParams): Promise<void> {
  const params = given ?? (await askHow(place));
  if (params) await server.execute("proflens.focus", params);
}

async function askHow(place?: CallersParams): Promise<FocusParams | undefined> {
  const picked = await vscode.window.showQuickPick(HOWS, { placeHolder: "Look at the function at the cursor" });
  if (!picked) return undefined;
  if (picked.how !== "collapse") {
    if (!place) throw new Error("Put the cursor into a function first.");
    return { how: picked.how, function: place };
  }
  const name = await vscode.window.showInputBox({ prompt: "The package whose functions become one" });
  return name ? { how: "collapse", package: name } : undefined;
}

const BETWEEN = "Between two moments…";

/** Asks for a window of time, unless it is given, and looks at that. */
export async function window(server: Server, trace: TraceStatus | undefined, given?: WindowParams): Promise<void> {
  const params = given ?? (await askWindow(trace));
  if (params) await server.execute("proflens.window", params);
}

async function askWindow(trace: TraceStatus | undefined): Promise<WindowParams | undefined> {
  const markers = trace?.markers ?? [];
  const placeHolder = markers.length > 0 ? "While this lasts" : "The trace has no markers";
  const picked = await vscode.window.showQuickPick([BETWEEN, ...markers], { placeHolder });
  if (!picked) return undefined;
  if (picked !== BETWEEN) return { markers: [picked] };
  const moments = await vscode.window.showInputBox({
    prompt: "From and to, since the start of the recording. The first alone means until its end.",
    placeHolder: "1.2s 3.4s",
    validateInput: (text) => (/^\S+(\s+\S+)?$/.test(text.trim()) ? undefined : "One or two moments: 300ms 1.2s"),
  });
  const [from, to] = moments?.trim().split(/\s+/) ?? [];
  return from ? { from, ...(to && { to }) } : undefined;
}
