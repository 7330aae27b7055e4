// The costs of the documents that are on the screen, asked once for all that is drawn into them.

import * as vscode from "vscode";
import { hasCosts, type Model } from "./model";
import * as protocol from "./protocol";

/** An editor with the costs of the text that it shows now. */
export interface EditorCosts {
  editor: vscode.TextEditor;
  costs: protocol.DocumentCosts;
}

const NOTHING: protocol.DocumentCosts = {
  version: null,
  unit: "time",
  functions: [],
  lines: [],
  ran: [],
  onLines: null,
};

export class VisibleCosts implements vscode.Disposable {
  private readonly updated = new vscode.EventEmitter<EditorCosts>();
  private readonly subscriptions: vscode.Disposable[];

  /** Fires for each editor whenever its costs, or their places, may be others. */
  readonly onDidUpdate = this.updated.event;

  constructor(private readonly model: Model) {
    this.subscriptions = [
      this.updated,
      model.onDidChange(() => this.updateAll()),
      model.onDidEdit(() => this.updateAll()),
      vscode.window.onDidChangeVisibleTextEditors(() => this.updateAll()),
    ];
  }

  dispose(): void {
    for (const it of this.subscriptions) it.dispose();
  }

  updateAll(): void {
    for (const it of vscode.window.visibleTextEditors) if (hasCosts(it.document)) void this.update(it);
  }

  private async update(editor: vscode.TextEditor): Promise<void> {
    const { document } = editor;
    if (!this.model.draws) {
      this.updated.fire({ editor, costs: NOTHING });
      return;
    }
    const textDocument = { uri: document.uri.toString() };
    try {
      const costs = await this.model.server.request<protocol.DocumentCosts>(protocol.DOCUMENT_COSTS, { textDocument });
      // The answer for an older text comes too late; that for the newer one follows. What was hidden meanwhile stays so.
      if (costs.version === document.version && this.model.draws) this.updated.fire({ editor, costs });
    } catch {
      // The text changed or the server ended during the request; both are followed by another one.
    }
  }
}
