// What the server has loaded: asked once for all parts of the extension, whenever it may have changed.

import * as vscode from "vscode";
import { type Server, type ServerState, WITH_COSTS } from "./client";
import * as protocol from "./protocol";
import { shownTrace } from "./text";

/** Changes within this time are followed by one request. */
const REFRESH_DELAY_MS = 50;
/** Costs follow their functions while somebody types, but not at each key. */
const EDIT_DELAY_MS = 400;

export class Model implements vscode.Disposable {
  private readonly subscriptions: vscode.Disposable[];
  private readonly changed = new vscode.EventEmitter<void>();
  private readonly edited = new vscode.EventEmitter<void>();
  private changeTimer: NodeJS.Timeout | undefined;
  private editTimer: NodeJS.Timeout | undefined;

  /** Fires when what is loaded, or how it is shown, may be something else. */
  readonly onDidChange = this.changed.event;
  /** Fires when functions may have moved in a text that somebody edits. Their costs are the same. */
  readonly onDidEdit = this.edited.event;
  state: ServerState = "starting";
  /** Undefined until the server has answered. */
  status: protocol.Status | undefined;
  /** The traces that were shown last and before that, as URLs. */
  private seen: { last?: string | undefined; before?: string | undefined } = {};

  constructor(readonly server: Server) {
    this.subscriptions = [
      this.changed,
      this.edited,
      server.onDidChangeState((state) => {
        this.state = state;
        this.status = undefined;
        this.publish();
        if (state === "running") this.refreshSoon();
      }),
      server.onDidChange(() => this.refreshSoon()),
      vscode.workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
        if (contentChanges.length === 0 || !hasCosts(document)) return;
        clearTimeout(this.editTimer);
        this.editTimer = setTimeout(() => this.edited.fire(), EDIT_DELAY_MS);
      }),
    ];
  }

  /** The trace whose costs are shown. */
  get shown(): protocol.TraceStatus | undefined {
    return this.status && shownTrace(this.status);
  }

  /** What is shown is compared with this; undefined if it is not compared. */
  get comparison(): protocol.ComparisonStatus | undefined {
    return this.status?.comparison ?? undefined;
  }

  /** The trace that was shown before; of those that nobody has looked at yet, the next older one. */
  get previous(): protocol.TraceStatus | undefined {
    const traces = this.status?.traces.filter((it) => it.state !== "failed") ?? [];
    const at = traces.findIndex((it) => it.shown);
    const before = traces.find((it) => it.uri === this.seen.before && !it.shown);
    return before ?? (at < 0 ? traces[0] : (traces[at + 1] ?? traces[at - 1]));
  }

  /** Whether costs are drawn in texts and in the explorer: there are some, and the user has not hidden them. */
  get draws(): boolean {
    return this.shown !== undefined && this.status?.enabled === true;
  }

  /** Waits until the server has said what there is. Throws if it does not start. */
  async whenReady(): Promise<void> {
    while (!this.status) {
      if (typeof this.state === "object") throw new Error(this.state.failed);
      await new Promise<void>((done) => {
        const waiting = this.onDidChange(() => {
          waiting.dispose();
          done();
        });
      });
    }
  }

  dispose(): void {
    clearTimeout(this.changeTimer);
    clearTimeout(this.editTimer);
    for (const it of this.subscriptions) it.dispose();
  }

  private refreshSoon(): void {
    clearTimeout(this.changeTimer);
    this.changeTimer = setTimeout(() => void this.refresh(), REFRESH_DELAY_MS);
  }

  /** Asks the server what there is now. */
  async refresh(): Promise<void> {
    if (this.state !== "running") return;
    try {
      this.status = await this.server.request<protocol.Status>(protocol.STATUS, {});
    } catch {
      // The server ended during the request; its change of state is shown.
      return;
    }
    const shown = this.shown?.uri;
    if (shown !== undefined && shown !== this.seen.last) this.seen = { last: shown, before: this.seen.last };
    this.publish();
  }

  private publish(): void {
    const contexts = {
      running: this.state === "running",
      loaded: this.status?.traces.some((it) => it.state === "loaded") ?? false,
      threads: (this.shown?.threads.length ?? 0) > 1,
      comparing: this.comparison !== undefined,
    };
    for (const [name, value] of Object.entries(contexts)) void setContext(name, value);
    // Menus of files ask for these: of what ends in `.json` only the server knows which are traces.
    const traces = this.status?.traces.filter((it) => it.state !== "failed") ?? [];
    void setContext(
      "traceFiles",
      traces.map((it) => vscode.Uri.parse(it.uri).fsPath),
    );
    this.changed.fire();
  }
}

/** Sets one of the names that the conditions of `package.json` ask for. */
export function setContext(name: string, value: boolean | string | string[]): Thenable<unknown> {
  return vscode.commands.executeCommand("setContext", `proflens.${name}`, value);
}

/** Whether the server has costs for documents of this kind. */
export function hasCosts(document: vscode.TextDocument): boolean {
  return vscode.languages.match(WITH_COSTS, document) > 0;
}
