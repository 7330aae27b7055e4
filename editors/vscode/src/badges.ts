// Badges in the explorer: which share of self time lies in each file and in each folder, without opening any.

import * as vscode from "vscode";
import * as config from "./config";
import { badgeOf } from "./heatLevels";
import type { Model } from "./model";
import * as protocol from "./protocol";
import { amount, percent } from "./text";

interface Cost {
  share: number;
  /** Of a file. The sum of those of a folder has digits that nobody knows. */
  self?: protocol.Amount;
}

export class Badges implements vscode.FileDecorationProvider, vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<undefined>();
  private readonly subscriptions: vscode.Disposable[];
  private costs = new Map<string, Cost>();
  /** What the costs were made of, so that the explorer is drawn again only when they are others. */
  private made = "";
  readonly onDidChangeFileDecorations = this.changed.event;

  constructor(private readonly model: Model) {
    this.subscriptions = [
      this.changed,
      vscode.window.registerFileDecorationProvider(this),
      model.onDidChange(() => void this.update()),
      vscode.workspace.onDidChangeConfiguration((event) => {
        if (event.affectsConfiguration("proflens.explorer.badges")) this.changed.fire(undefined);
      }),
    ];
  }

  provideFileDecoration(uri: vscode.Uri): vscode.FileDecoration | undefined {
    const cost = this.costs.get(uri.toString());
    if (!cost || !config.isOn("explorer.badges", uri)) return undefined;
    const share = percent(cost.share);
    const tooltip = cost.self ? `Self ${amount(cost.self)} (${share})` : `Self ${share}`;
    return new vscode.FileDecoration(badgeOf(cost.share), tooltip);
  }

  dispose(): void {
    for (const it of this.subscriptions) it.dispose();
  }

  private async update(): Promise<void> {
    const items = this.model.draws ? await this.files() : [];
    const made = JSON.stringify(items.map((it) => [it.uri, it.selfShare]));
    if (made === this.made) return;
    this.made = made;
    this.costs = new Map();
    for (const it of items) {
      const file = vscode.Uri.parse(it.uri);
      this.costs.set(file.toString(), { share: it.selfShare, self: it.self });
      for (const folder of foldersAround(file)) this.add(folder.toString(), it.selfShare);
    }
    this.changed.fire(undefined);
  }

  private async files(): Promise<protocol.HotItem[]> {
    const params: protocol.HottestParams = { by: "self", group: "file", limit: 0 };
    try {
      const { items } = await this.model.server.request<protocol.HotList>(protocol.HOTTEST, params);
      return items.filter((it) => it.selfShare > 0);
    } catch {
      // The server ended during the request; its change of state asks again.
      return [];
    }
  }

  /** The shares of files are of one base, and self times do not overlap. */
  private add(uri: string, share: number): void {
    this.costs.set(uri, { share: (this.costs.get(uri)?.share ?? 0) + share });
  }
}

/** The folders around a file, without the workspace's own. */
function foldersAround(file: vscode.Uri): vscode.Uri[] {
  const root = vscode.workspace.getWorkspaceFolder(file)?.uri;
  const all: vscode.Uri[] = [];
  if (!root) return all;
  for (let it = parent(file); it.path.length > root.path.length; it = parent(it)) all.push(it);
  return all;
}

function parent(uri: vscode.Uri): vscode.Uri {
  return vscode.Uri.joinPath(uri, "..");
}
