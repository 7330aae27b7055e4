// The trace that is shown stays so when the window is reloaded: the server, which starts with it, shows the newest one.

import * as vscode from "vscode";
import type { Model } from "./model";

const KEY = "proflens.shown";

/** What was shown, and which was the newest of the other traces: one that has come since is shown instead. */
interface Remembered {
  shown: string;
  newest: string | undefined;
}

export class RememberedTrace implements vscode.Disposable {
  private readonly subscription: vscode.Disposable;
  private isRestored = false;

  constructor(
    private readonly model: Model,
    private readonly memory: vscode.Memento,
  ) {
    this.subscription = model.onDidChange(() => void this.follow());
  }

  dispose(): void {
    this.subscription.dispose();
  }

  private async follow(): Promise<void> {
    const { status, shown } = this.model;
    if (!status || !shown) return;
    const newestBeside = (uri: string) => status.traces.find((it) => it.uri !== uri)?.uri;
    const before = this.memory.get<Remembered>(KEY);
    const isOther = before && before.shown !== shown.uri;
    if (!this.isRestored && isOther && before.newest === newestBeside(before.shown)) {
      this.isRestored = true;
      const listed = status.traces.find((it) => it.uri === before.shown);
      // One that the user named is in no list until it is loaded.
      const isThere = listed ? listed.state !== "failed" : await exists(before.shown);
      if (isThere) await this.model.server.execute("proflens.loadTrace", before.shown);
      return;
    }
    this.isRestored = true;
    await this.memory.update(KEY, { shown: shown.uri, newest: newestBeside(shown.uri) } satisfies Remembered);
  }
}

async function exists(uri: string): Promise<boolean> {
  return await vscode.workspace.fs.stat(vscode.Uri.parse(uri)).then(
    () => true,
    () => false,
  );
}
