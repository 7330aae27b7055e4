// The commands that record: each starts a task of our type, and the recordings that run take it from there.

import { join } from "node:path";
import * as vscode from "vscode";
import type { Model } from "../model";
import { choices, choose, defaultFolder, remember, scripts } from "./choose";
import { type Definition, fileOf, textOf } from "./commandLine";
import { Recordings } from "./recordings";
import { type Program, provideTasks, taskOf } from "./tasks";

/** Types of VS Code's own debugger for JavaScript. */
const DEBUGGERS = /^(pwa-|node|chrome|msedge)/;

export class Recorder implements vscode.Disposable {
  private readonly recordings: Recordings;

  private readonly program: Program;
  /** The debug sessions that run: VS Code itself only tells which is active. */
  private readonly sessions = new Set<vscode.DebugSession>();
  private readonly subscriptions: vscode.Disposable[];

  constructor(
    private readonly model: Model,
    private readonly memory: vscode.Memento,
  ) {
    this.program = () => model.server.program();
    this.recordings = new Recordings(model.server);
    this.subscriptions = [
      this.recordings,
      provideTasks(this.program, async () => {
        if (!vscode.workspace.isTrusted) return [];
        return (await scripts()).map((it) => taskOf(it.task, it.folder, this.program));
      }),
      vscode.debug.onDidStartDebugSession((it) => this.sessions.add(it)),
      vscode.debug.onDidTerminateDebugSession((it) => this.sessions.delete(it)),
    ];
  }

  /** The text of the item in the status bar, for the tests; empty if nothing is recorded. */
  get text(): string {
    return this.recordings.text;
  }

  dispose(): void {
    for (const it of this.subscriptions) it.dispose();
  }

  /** What *Record a command…* offers, for the tests. */
  async offers(): Promise<string[]> {
    return (await choices(this.memory)).map((it) =>
      [it.group, it.text, it.about, it.detail].filter(Boolean).join(" | "),
    );
  }

  /** Records what the user chooses, or a command line or task that is given. */
  async record(given?: string | Omit<Definition, "type">): Promise<void> {
    requireTrust();
    if (given === undefined) {
      const chosen = await choose(this.memory);
      if (chosen) await this.start(chosen.task, chosen.folder);
    } else {
      const task = typeof given === "string" ? { command: given } : given;
      await this.start({ ...task, type: "proflens" }, defaultFolder());
    }
  }

  /** Records the program that is being debugged, without a second debugger: over that of VS Code. */
  async recordDebugSession(): Promise<void> {
    requireTrust();
    const active = vscode.debug.activeDebugSession;
    if (!active) throw new Error("No debug session runs. Start one, then record it.");
    // A launch is a session too. The programs that it started are those below it.
    const below = [...this.sessions].filter((it) => it.parentSession?.id === active.id);
    for (const session of [active, ...below]) {
      const attach = DEBUGGERS.test(session.type) ? await protocolOf(session) : undefined;
      if (!attach) continue;
      const folder = session.workspaceFolder ?? defaultFolder();
      // The address says nothing about the program, and nobody else needs to know it.
      const out = join(recordingsOf(folder), fileOf(session.name, new Date(), "json.gz"));
      await this.execute({ type: "proflens", attach, out }, folder, session.name);
      return;
    }
    throw new Error(`${active.name} is no program in VS Code's debugger for JavaScript. Record its command instead.`);
  }

  stop(): Promise<void> {
    return this.recordings.stop();
  }

  /** Shows the trace that was shown before the present one: twice, and it is back. */
  async showPrevious(): Promise<void> {
    const previous = this.model.previous;
    if (previous) await this.model.server.execute("proflens.selectTrace", previous.uri);
    else void vscode.window.showInformationMessage("There is only one recording.");
  }

  private async start(task: Definition, folder: vscode.WorkspaceFolder): Promise<void> {
    const ending = task.heap ? "heapprofile" : "json.gz";
    const out = task.out ?? join(recordingsOf(folder), fileOf(textOf(task), new Date(), ending));
    await this.execute({ ...task, out }, folder, textOf(task));
    await remember(this.memory, task, folder);
  }

  private async execute(task: Definition, folder: vscode.WorkspaceFolder, name?: string): Promise<void> {
    await vscode.tasks.executeTask(taskOf(task, folder, this.program, name));
  }
}

function recordingsOf(folder: vscode.WorkspaceFolder): string {
  return join(folder.uri.fsPath, ".proflens", "recordings");
}

function requireTrust(): void {
  if (vscode.workspace.isTrusted) return;
  throw new Error(
    'Recording runs programs of this folder, which is not trusted. Trust it with "Manage Workspace Trust".',
  );
}

/** Where VS Code's debugger hands on the DevTools protocol of a session. */
async function protocolOf(session: vscode.DebugSession): Promise<string | undefined> {
  const command = "extension.js-debug.requestCDPProxy";
  const proxy = await vscode.commands.executeCommand<{ host: string; port: number; path?: string } | undefined>(
    command,
    session.id,
  );
  return proxy && `ws://${proxy.host}:${proxy.port}${proxy.path ?? ""}`;
}
