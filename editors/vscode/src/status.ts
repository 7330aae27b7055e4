// The status bar item: what is loaded and how much of it is placed; a click opens the quick actions.

import * as vscode from "vscode";
import type { Loading, Server, ServerState } from "./client";
import * as protocol from "./protocol";
import { amount, ledgerRows, percent, samples, shownThread, shownTrace, statusBarText, thousands, time } from "./text";

/** Changes within this time are followed by one request. */
const REFRESH_DELAY_MS = 50;

export class StatusBar implements vscode.Disposable {
  private readonly item = vscode.window.createStatusBarItem("proflens.status", vscode.StatusBarAlignment.Left, 10);
  private readonly subscriptions: vscode.Disposable[];
  private state: ServerState = "starting";
  private loading: Loading | undefined;
  private status: protocol.Status | undefined;
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly server: Server) {
    this.item.name = "Proflens";
    this.subscriptions = [
      this.item,
      server.onDidChangeState((state) => {
        this.state = state;
        this.status = undefined;
        this.draw();
        if (state === "running") this.refreshSoon();
      }),
      server.onDidChangeLoading((loading) => {
        this.loading = loading;
        this.draw();
      }),
      server.onDidChange(() => this.refreshSoon()),
    ];
    this.draw();
    this.item.show();
  }

  /** The text of the item, for the tests. */
  get text(): string {
    return this.item.text;
  }

  dispose(): void {
    clearTimeout(this.timer);
    for (const it of this.subscriptions) it.dispose();
  }

  private refreshSoon(): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.refresh(), REFRESH_DELAY_MS);
  }

  private async refresh(): Promise<void> {
    if (this.state !== "running") return;
    try {
      this.status = await this.server.request<protocol.Status>(protocol.STATUS, {});
    } catch {
      // The server ended during the request; its change of state is shown.
      return;
    }
    const loaded = this.status.traces.some((it) => it.state === "loaded");
    void vscode.commands.executeCommand("setContext", "proflens.loaded", loaded);
    this.draw();
  }

  private draw(): void {
    const running = this.state === "running";
    void vscode.commands.executeCommand("setContext", "proflens.running", running);
    if (!running) void vscode.commands.executeCommand("setContext", "proflens.loaded", false);
    const { text, tooltip, background } = this.content();
    this.item.text = text;
    this.item.tooltip = tooltip;
    this.item.accessibilityInformation = { label: `Proflens: ${text.replaceAll(/\$\([^)]*\) ?/g, "")}` };
    this.item.backgroundColor = background && new vscode.ThemeColor(`statusBarItem.${background}Background`);
    this.item.command = running ? "proflens.showActions" : "proflens.showLog";
  }

  private content(): { text: string; tooltip: vscode.MarkdownString | string; background?: "error" | "warning" } {
    if (typeof this.state === "object") {
      return { text: "$(flame) Proflens", tooltip: this.state.failed, background: "error" };
    }
    if (this.state === "stopped") {
      return {
        text: "$(flame) Proflens stopped",
        tooltip: "The server stopped. Click for its log.",
        background: "error",
      };
    }
    if (this.loading) {
      const percentage = this.loading.percentage === undefined ? "" : ` ${this.loading.percentage} %`;
      return { text: `$(loading~spin) ${this.loading.title}${percentage}`, tooltip: this.loading.message ?? "" };
    }
    if (this.state === "starting" || !this.status) return { text: "$(loading~spin) Proflens", tooltip: "Starting" };
    const failed = this.status.traces.some((it) => it.state === "failed") && !shownTrace(this.status);
    return {
      text: statusBarText(this.status),
      tooltip: tooltip(this.status),
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
    const span = bytes && status.ledger ? `of ${amount(status.ledger.total)}` : `over ${time(trace.durationNs)}`;
    const parts = [`**${escapeMarkdown(trace.name)}**`];
    const thread = shownThread(trace);
    if (thread) parts.push(escapeMarkdown(thread.name));
    if (trace.sessions > 1) parts.push(`${thousands(trace.sessions)} sessions`);
    parts.push(`${samples(trace.samples)} ${span}`);
    text.appendMarkdown(`${parts.join(" · ")}\n\n`);
    if (status.ledger) {
      const rows = ledgerRows(status.ledger).map((it) => `| ${it.label} | ${it.text} | ${percent(it.share)} |`);
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

function escapeMarkdown(text: string): string {
  return text.replaceAll(/[\\`*_{}[\]()#+\-.!|<>]/g, "\\$&");
}
