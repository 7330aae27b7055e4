// What part of the recording is looked at: a function and what is below it, a window of time. Each choice narrows the ones before.

import * as vscode from "vscode";
import type { Server } from "./client";
import type { Model } from "./model";
import type { CallersParams, FocusHow, FocusParams, TraceStatus, WindowParams } from "./protocol";

/** The status bar item of a focus or of a range of time: what is looked at, and a click that leaves. */
export class ScopeStatus implements vscode.Disposable {
  private readonly item = vscode.window.createStatusBarItem("proflens.scope", vscode.StatusBarAlignment.Left, 9.5);
  private readonly subscriptions: vscode.Disposable[];

  constructor(private readonly model: Model) {
    this.item.name = "Proflens focus";
    this.item.command = "proflens.clearScope";
    this.subscriptions = [this.item, model.onDidChange(() => this.draw())];
  }

  /** The text of the item, for the tests; empty if all of the recording is shown. */
  get text(): string {
    return this.model.shown?.scope ? this.item.text : "";
  }

  dispose(): void {
    for (const it of this.subscriptions) it.dispose();
  }

  private draw(): void {
    const scope = this.model.shown?.scope;
    if (!scope) {
      this.item.hide();
      return;
    }
    this.item.text = `$(filter) ${scope} $(close)`;
    this.item.tooltip = "Only this part of the recording is shown. A click shows the whole recording.";
    this.item.accessibilityInformation = {
      label: `Proflens: only ${scope}. Show the whole recording.`,
      role: "button",
    };
    this.item.show();
  }
}

const HOWS: { how: FocusHow; label: string; description: string }[] = [
  {
    how: "below",
    label: "Focus on the function",
    description: "show only what it and the functions that it called cost",
  },
  { how: "callers", label: "Focus on its callers", description: "show only who called it" },
  { how: "drop", label: "Leave out samples with the function", description: "as if it had never run" },
  { how: "merge", label: "Count the function as its callers", description: "its self time becomes theirs" },
  { how: "collapse", label: "Collapse a package…", description: "show all its functions as one, such as react" },
];

/** Asks how to focus on a function, unless that is given, and does so. */
export async function focus(server: Server, given?: FocusParams, place?: CallersParams): Promise<void> {
  const params = given ?? (await askHow(place));
  if (params) await server.execute("proflens.focus", params);
}

async function askHow(place?: CallersParams): Promise<FocusParams | undefined> {
  const picked = await vscode.window.showQuickPick(HOWS, { placeHolder: "What to do with the function at the cursor" });
  if (!picked) return undefined;
  if (picked.how !== "collapse") {
    if (!place) throw new Error("Put the cursor into a function first.");
    return { how: picked.how, function: place };
  }
  const name = await vscode.window.showInputBox({ prompt: "The package whose functions become one" });
  return name ? { how: "collapse", package: name } : undefined;
}

const BETWEEN = "Between two moments…";

/** Something to look at, or the question for two moments. */
interface WindowChoice extends vscode.QuickPickItem {
  params?: WindowParams;
}

/** Asks for a window of time, unless it is given, and looks at that. */
export async function window(server: Server, trace: TraceStatus | undefined, given?: WindowParams): Promise<void> {
  const params = given ?? (await askWindow(trace));
  if (params) await server.execute("proflens.window", params);
}

async function askWindow(trace: TraceStatus | undefined): Promise<WindowParams | undefined> {
  const markers = trace?.markers ?? [];
  const labels = trace?.labels ?? [];
  const placeHolder =
    labels.length > 0
      ? "While this lasts, or the samples with this label"
      : markers.length > 0
        ? "While this lasts"
        : "The trace has no markers";
  const choices: WindowChoice[] = [
    { label: BETWEEN },
    ...markers.map(({ name, detail }) => ({ label: name, description: detail, params: { markers: [name] } })),
    ...labels.map((label) => ({ label, params: { labels: [label] } })),
  ];
  const picked = await vscode.window.showQuickPick(choices, { placeHolder });
  if (!picked) return undefined;
  if (picked.params) return picked.params;
  const moments = await vscode.window.showInputBox({
    prompt: "From and to, since the start of the recording. The first alone means until its end.",
    placeHolder: "1.2s 3.4s",
    validateInput: (text) => (/^\S+(\s+\S+)?$/.test(text.trim()) ? undefined : "One or two moments: 300ms 1.2s"),
  });
  const [from, to] = moments?.trim().split(/\s+/) ?? [];
  return from ? { from, ...(to && { to }) } : undefined;
}
