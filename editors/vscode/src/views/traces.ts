// The view "Traces and threads": which traces there are, which one is shown, and which of its threads.

import * as vscode from "vscode";
import type { Model } from "../model";
import type * as protocol from "../protocol";
import { recordedWhen, recordingName } from "../text";
import { type Row, RowView } from "./rows";

const { Checked, Unchecked } = vscode.TreeItemCheckboxState;
const ICONS: Record<protocol.LoadState, string> = {
  found: "file",
  loading: "loading~spin",
  loaded: "file",
  failed: "warning",
};

export class TracesView extends RowView {
  constructor(model: Model) {
    super("traces", model);
    this.subscriptions.push(
      this.tree.onDidChangeCheckboxState(({ items }) => {
        void this.choose(new Map(items.map(([row, state]) => [row.label, state === Checked])));
      }),
    );
  }

  /** Shows these threads too, or no longer. Without any it is the page again, as at the start. */
  async choose(changes: Map<string, boolean>): Promise<void> {
    const trace = this.model.shown;
    if (!trace) return;
    const chosen = trace.threads.filter((it) => changes.get(it.name) ?? it.shown).map((it) => it.name);
    const threads = chosen.length > 0 ? chosen : null;
    await vscode.commands.executeCommand("proflens.selectTrace", trace.uri, threads);
    // A box that changed nothing, such as the last one that was taken away, gets its old state again.
    this.refresh();
  }

  protected async roots(): Promise<Row[]> {
    const traces = this.model.status?.traces ?? [];
    this.say("");
    return traces.map((it) => traceRow(it, nameAmong(traces, it)));
  }
}

/** What was recorded, or the name of the file, with that of its folder where other traces have the same, as runs of several sides have. */
function nameAmong(traces: protocol.TraceStatus[], { name, uri }: protocol.TraceStatus): string {
  const recorded = recordingName(name);
  if (recorded !== undefined) return recorded;
  if (traces.filter((it) => it.name === name).length < 2) return name;
  return vscode.Uri.parse(uri).path.split("/").slice(-2).join("/");
}

function traceRow(trace: protocol.TraceStatus, label: string): Row {
  const { uri, state, shown, error } = trace;
  const threads = shown && trace.threads.length > 1 ? trace.threads.map((it) => threadRow(it, uri)) : [];
  const path = vscode.workspace.asRelativePath(vscode.Uri.parse(uri));
  return {
    id: uri,
    label,
    description: [recordedWhen(trace.name, new Date()), ...facts(trace), shown && "shown"].filter(Boolean).join(" · "),
    tooltip: [path, trace.format, error].filter(Boolean).join("\n"),
    icon: new vscode.ThemeIcon(shown ? "flame" : ICONS[state]),
    target: { uri, selectionRange: null },
    command: { title: "Show costs", command: "proflens.selectTrace", arguments: [uri] },
    kind: [
      "trace",
      recordingName(trace.name) !== undefined && "recording",
      (state === "loaded" || state === "failed") && "loaded",
      !shown && state !== "failed" && "other",
    ]
      .filter(Boolean)
      .join(" "),
    unfolded: true,
    ...(threads.length > 0 && { children: () => threads }),
  };
}

function facts({ state, samples, sessions, error }: protocol.TraceStatus): string[] {
  if (state === "failed") return [error ?? "could not be read"];
  if (state === "loading") return ["is being read"];
  if (state === "found") return ["not loaded"];
  return sessions.number > 1 ? [samples.text, sessions.text] : [samples.text];
}

function threadRow(thread: protocol.ThreadStatus, uri: string): Row {
  return {
    id: `${uri} ${thread.name}`,
    label: thread.name,
    description: `${thread.active.text} active · ${thread.samples.text}`,
    checkbox: thread.shown ? Checked : Unchecked,
    kind: "thread",
  };
}
