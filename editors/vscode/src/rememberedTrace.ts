// The trace that is shown stays so when the window is loaded anew: the server, which starts with it, shows the newest one.

import type * as vscode from "vscode";
import type { Model } from "./model";

const KEY = "proflens.shown";

/** What was shown, and which trace was the newest then: one that has come since is shown instead. */
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
    const newest = status.traces[0]?.uri;
    const before = this.memory.get<Remembered>(KEY);
    if (!this.isRestored && before && before.shown !== shown.uri && before.newest === newest) {
      this.isRestored = true;
      const isThere = status.traces.some((it) => it.uri === before.shown && it.state !== "failed");
      if (isThere) await this.model.server.execute("proflens.selectTrace", before.shown);
      return;
    }
    this.isRestored = true;
    await this.memory.update(KEY, { shown: shown.uri, newest } satisfies Remembered);
  }
}
