// The recordings that run: an item in the status bar with their time, their end, and what is shown then.

import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import * as vscode from "vscode";
import type { Server } from "../client";
import { setContext } from "../model";
import { type Definition, elapsed } from "./commandLine";
import { isRecording } from "./commands";
import { definitionOf, folderOf } from "./tasks";

const TICK_MS = 1000;
/** A task may be over before this process hears that it began. */
const LATE_MS = 10_000;
const CTRL_C = "\u0003";

interface Running {
  execution: vscode.TaskExecution;
  name: string;
  definition: Definition;
  /** Where its result will be. */
  results: string;
  start: number;
  process: number | undefined;
  /** Whether the user has asked it to end. */
  isEnding: boolean;
}

export class Recordings implements vscode.Disposable {
  private readonly running = new Map<vscode.TaskExecution, Running>();
  private readonly item = vscode.window.createStatusBarItem("proflens.recording", vscode.StatusBarAlignment.Left, 11);
  private readonly subscriptions: vscode.Disposable[];
  /** Those that have been shown. */
  private readonly results = new Set<string>();
  private ticks: NodeJS.Timeout | undefined;

  constructor(private readonly server: Server) {
    this.item.name = "Proflens recording";
    this.item.command = "proflens.stopRecording";
    this.item.backgroundColor = new vscode.ThemeColor("statusBarItem.warningBackground");
    this.subscriptions = [
      this.item,
      vscode.tasks.onDidStartTask(({ execution }) => this.begin(execution)),
      vscode.tasks.onDidStartTaskProcess(({ execution, processId }) => {
        const running = this.running.get(execution);
        if (running) running.process = processId;
      }),
      vscode.tasks.onDidEndTask(({ execution }) => void this.end(execution)),
    ];
  }

  /** The text of the item in the status bar, for the tests; empty if nothing is recorded. */
  get text(): string {
    return this.running.size > 0 ? this.item.text : "";
  }

  dispose(): void {
    clearInterval(this.ticks);
    for (const it of this.subscriptions) it.dispose();
  }

  /** Ends a recording as Ctrl-C in its terminal does, so that what was recorded is kept. */
  async stop(): Promise<void> {
    const all = [...this.running.values()];
    const items = all.map((running) => ({ label: running.name, description: since(running), running }));
    const title = "Stop which recording?";
    const chosen = all.length > 1 ? (await vscode.window.showQuickPick(items, { title }))?.running : all[0];
    if (!chosen) return;
    const { process: id, execution } = chosen;
    const terminal = id === undefined ? undefined : await terminalOf(id);
    // A program may go on after Ctrl-C. TERM, which `proflens` hands on to it, is harder to ignore.
    if (terminal && (!chosen.isEnding || process.platform === "win32")) terminal.sendText(CTRL_C, false);
    else if (id !== undefined && process.platform !== "win32") process.kill(id, "SIGTERM");
    else execution.terminate();
    chosen.isEnding = true;
    this.draw();
  }

  private begin(execution: vscode.TaskExecution): void {
    const { task } = execution;
    const [definition, folder] = [definitionOf(task), folderOf(task)];
    if (!definition || !folder) return;
    const results = join(folder.uri.fsPath, ".proflens", "recordings");
    const running = { execution, name: task.name, definition, results, start: Date.now() };
    this.running.set(execution, { ...running, process: undefined, isEnding: false });
    this.ticks ??= setInterval(() => this.tick(), TICK_MS);
    this.draw();
  }

  private tick(): void {
    this.draw();
    // With a duration the result is there while the command runs on.
    for (const running of this.running.values()) {
      if (running.definition.duration && this.resultOf(running)) void this.end(running.execution);
    }
  }

  private async end(execution: vscode.TaskExecution): Promise<void> {
    const running = this.running.get(execution);
    if (!running) return;
    this.running.delete(execution);
    this.draw();
    const recorded = this.resultOf(running);
    if (!recorded) {
      void vscode.window.showWarningMessage(`Nothing was recorded of ${running.name}. Its terminal says why.`);
      return;
    }
    this.results.add(recorded);
    try {
      await this.server.execute("proflens.loadTrace", vscode.Uri.file(recorded).toString());
    } catch (error) {
      const reason = error instanceof Error ? error.message : error;
      void vscode.window.showErrorMessage(`${recorded} cannot be shown: ${reason}`);
    }
  }

  /** The newest file that was written since it began and that is not the result of another. */
  private resultOf({ results, start }: Running): string | undefined {
    const time = (path: string) => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
    const found = recordingsIn(results).filter((it) => !this.results.has(it) && time(it) >= start - LATE_MS);
    return found.sort((a, b) => time(b) - time(a))[0];
  }

  private draw(): void {
    const all = [...this.running.values()];
    void setContext("recording", all.length > 0);
    const [first] = all;
    if (!first) {
      clearInterval(this.ticks);
      this.ticks = undefined;
      this.item.hide();
      return;
    }
    const isEnding = all.every((it) => it.isEnding);
    const number = all.length > 1 ? `${all.length} · ` : "";
    this.item.text = isEnding ? "$(loading~spin) Stopping" : `$(record) ${number}${since(first)} $(debug-stop)`;
    const names = all.map((it) => it.name).join(", ");
    this.item.tooltip = `Proflens records ${names}. Click to stop, as Ctrl-C in the terminal does.`;
    this.item.accessibilityInformation = { label: `Proflens records ${names} since ${since(first)}`, role: "button" };
    this.item.show();
  }
}

function since(running: Running): string {
  return elapsed(Date.now() - running.start);
}

function recordingsIn(folder: string): string[] {
  try {
    return readdirSync(folder)
      .filter(isRecording)
      .map((it) => join(folder, it));
  } catch {
    return []; // there is no such folder before the first recording
  }
}

async function terminalOf(id: number): Promise<vscode.Terminal | undefined> {
  for (const terminal of vscode.window.terminals) {
    if ((await terminal.processId) === id) return terminal;
  }
  return undefined;
}
