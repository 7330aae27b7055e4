// Badges in the explorer: which share of self time lies in each file and in each folder, without opening any; of a comparison
// where something changed for certain.

import * as vscode from "vscode";
import { badgeOfChanges, type Changes, changesText } from "./compare/text";
import * as config from "./config";
import { badgeOf, directionOf } from "./heatLevels";
import type { Model } from "./model";
import * as protocol from "./protocol";
import { inFull, percent } from "./text";

interface Badge {
  text: string | undefined;
  tooltip: string;
}

export class Badges implements vscode.FileDecorationProvider, vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<undefined>();
  private readonly subscriptions: vscode.Disposable[];
  private badges = new Map<string, Badge>();
  /** What they were made of, so that the explorer is drawn again only when they are others. */
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
    const badge = this.badges.get(uri.toString());
    return badge && config.isOn("explorer.badges", uri)
      ? new vscode.FileDecoration(badge.text, badge.tooltip)
      : undefined;
  }

  dispose(): void {
    for (const it of this.subscriptions) it.dispose();
  }

  private async update(): Promise<void> {
    const { comparison } = this.model;
    const items = this.model.draws ? await this.items(comparison ? "difference" : "self") : [];
    const made = JSON.stringify([comparison, items.map((it) => [it.uri, it.selfShare, it.change?.verdict])]);
    if (made === this.made) return;
    this.made = made;
    this.badges = comparison ? ofChanges(items, this.model.shown?.unit ?? "time") : ofCosts(items);
    this.changed.fire(undefined);
  }

  private async items(by: "self" | "difference"): Promise<protocol.HotItem[]> {
    const params: protocol.HottestParams = { by, group: by === "self" ? "file" : "function", limit: 0 };
    try {
      return (await this.model.server.request<protocol.HotList>(protocol.HOTTEST, params)).items;
    } catch {
      // The server ended during the request; its change of state asks again.
      return [];
    }
  }
}

/** The share of each file and of the folders around it. The shares are of one base, and self times do not overlap. */
function ofCosts(items: protocol.HotItem[]): Map<string, Badge> {
  const badges = new Map<string, Badge>();
  const folders = new Map<string, number>();
  for (const { uri, self, selfShare } of items.filter((it) => it.selfShare > 0)) {
    const file = vscode.Uri.parse(uri);
    const tooltip = `Self ${inFull(self)}`;
    badges.set(file.toString(), { text: badgeOf(selfShare), tooltip });
    for (const it of foldersAround(file)) folders.set(it.toString(), (folders.get(it.toString()) ?? 0) + selfShare);
  }
  // The sum of amounts of a folder has digits that nobody knows.
  for (const [uri, share] of folders) badges.set(uri, { text: badgeOf(share), tooltip: `Self ${percent(share)}` });
  return badges;
}

/** How many functions of each file and of the folders around it changed for certain. */
function ofChanges(items: protocol.HotItem[], unit: protocol.Quantity): Map<string, Badge> {
  const all = new Map<string, Changes>();
  for (const { uri, change } of items) {
    const direction = directionOf(change?.verdict);
    if (!direction) continue;
    const file = vscode.Uri.parse(uri);
    for (const it of [file, ...foldersAround(file)].map((it) => it.toString())) {
      const changes = all.get(it) ?? { slower: 0, faster: 0 };
      all.set(it, { ...changes, [direction]: changes[direction] + 1 });
    }
  }
  return new Map([...all].map(([uri, it]) => [uri, { text: badgeOfChanges(it), tooltip: changesText(it, unit) }]));
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
