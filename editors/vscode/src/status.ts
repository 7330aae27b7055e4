// The status bar item: what is loaded and how much of it is placed; a click opens the quick actions.

import * as vscode from "vscode";
import type { Loading } from "./client";
import type { Model } from "./model";
import type * as protocol from "./protocol";
import { escapeMarkdown, shownThread, shownTrace, statusBarText } from "./text";

export class StatusBar implements vscode.Disposable {
  private readonly item = vscode.window.createStatusBarItem("proflens.status", vscode.StatusBarAlignment.Left, 10);
  private readonly subscriptions: vscode.Disposable[];
  private loading: Loading | undefined;

  constructor(private readonly model: Model) {
    this.item.name = "Proflens";
    this.subscriptions = [
      this.item,
      model.onDidChange(() => this.draw()),
      model.server.onDidChangeLoading((loading) => {
        this.loading = loading;
        this.draw();
      }),
    ];
    this.draw();
    this.item.show();
  }

  /** The text of the item, for the tests. */
  get text(): string {
    return this.item.text;
  }

  dispose(): void {
    for (const it of this.subscriptions) it.dispose();
  }

  private draw(): void {
    const { text, tooltip, background } = this.content();
    this.item.text = text;
    this.item.tooltip = tooltip;
    this.item.accessibilityInformation = { label: `Proflens: ${text.replaceAll(/\$\([^)]*\) ?/g, "")}` };
    this.item.backgroundColor = background && new vscode.ThemeColor(`statusBarItem.${background}Background`);
    if (this.model.state !== "running") this.item.command = "proflens.showLog";
    else this.item.command = this.loading ? "proflens.cancelLoading" : "proflens.showActions";
  }

  private content(): { text: string; tooltip: vscode.MarkdownString | string; background?: "error" | "warning" } {
    const { state, status } = this.model;
    if (typeof state === "object") {
      return { text: "$(flame) Proflens", tooltip: state.failed, background: "error" };
    }
    if (state === "stopped") {
      return {
        text: "$(flame) Proflens stopped",
        tooltip: "The server stopped. Click for its log.",
        background: "error",
      };
    }
    if (this.loading) {
      const { title, message, percentage } = this.loading;
      const far = message ?? (percentage === undefined ? "" : `${percentage} %`);
      return { text: `$(loading~spin) ${title} ${far} $(close)`, tooltip: "Click to cancel." };
    }
    if (state === "starting" || !status) return { text: "$(loading~spin) Proflens", tooltip: "Starting" };
    const failed = status.traces.some((it) => it.state === "failed") && !shownTrace(status);
    return {
      text: statusBarText(status),
      tooltip: tooltip(status),
      ...(failed && { background: "warning" as const }),
    };
  }
}

function tooltip(status: protocol.Status): vscode.MarkdownString {
  const text = new vscode.MarkdownString("", true);
  text.isTrusted = true;
  const trace = shownTrace(status);
  if (trace) {
    const bytes = trace.unit === "bytes";
    const span = bytes && status.ledger ? `of ${status.ledger.total.text}` : `over ${trace.duration.text}`;
    const parts = [`**${escapeMarkdown(trace.name)}**`];
    const thread = shownThread(trace);
    if (thread) parts.push(escapeMarkdown(thread.name));
    if (trace.sessions.number > 1) parts.push(trace.sessions.text);
    parts.push(`${trace.samples.text} ${span}`);
    text.appendMarkdown(`${parts.join(" · ")}\n\n`);
    if (status.ledger) {
      const rows = status.ledger.rows.map((it) => `| ${it.label} | ${it.amount.text} | ${it.amount.beside ?? ""} |`);
      const what = bytes ? "memory" : "time";
      text.appendMarkdown([`| Where the ${what} went | | |`, "| :-- | --: | --: |", ...rows].join("\n"));
      text.appendMarkdown("\n\n");
    }
    text.appendMarkdown(
      "[Hottest functions](command:proflens.showHottest) · [Quick actions](command:proflens.showActions)",
    );
  } else {
    text.appendMarkdown(
      "No trace is loaded. [Load one…](command:proflens.loadTrace) or [learn how to record one](command:proflens.openWalkthrough).",
    );
  }
  for (const it of status.traces.filter((it) => it.error))
    text.appendMarkdown(`\n\n$(warning) ${escapeMarkdown(it.error ?? "")}`);
  for (const it of status.problems.slice(0, 5)) {
    text.appendMarkdown(
      `\n\n$(info) ${escapeMarkdown([it.where, it.what].filter(Boolean).join(": "))}. ${escapeMarkdown(it.hint)}`,
    );
  }
  return text;
}
