// Badges in the explorer: which share of self time lies in each file and in each folder, without opening any; of a comparison
// where something changed for certain.

import * as vscode from "vscode";
import { badgeOfChanges, type Changes, changesText } from "./compare/text";
import * as config from "./config";
import { badgeOf, directionOf } from "./heatLevels";
import type { Model } from "./model";
import * as protocol from "./protocol";
import { inFull } from "./text";

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
    const list = this.model.draws ? await this.list(comparison ? "difference" : "self") : NONE;
    const made = JSON.stringify([comparison, list.items.map((it) => [it.uri, it.selfShare, it.change?.verdict])]);
    if (made === this.made) return;
    this.made = made;
    this.badges = comparison ? ofChanges(list.items, this.model.shown?.unit ?? "time") : ofCosts(list);
    this.changed.fire(undefined);
  }

  private async list(by: "self" | "difference"): Promise<Costs> {
    const params: protocol.HottestParams = { by, group: by === "self" ? "file" : "function", limit: 0 };
    try {
      return await this.model.server.request<protocol.HotList>(protocol.HOTTEST, params);
    } catch {
      // The server ended during the request; its change of state asks again.
      return NONE;
    }
  }
}

type Costs = Pick<protocol.HotList, "items" | "folders">;
const NONE: Costs = { items: [], folders: [] };

/** The share of each file and of the folders around it. */
function ofCosts({ items, folders }: Costs): Map<string, Badge> {
  const files = items
    .filter((it) => it.selfShare > 0)
    .map(({ uri, self, selfShare }) => ({ uri, text: badgeOf(selfShare), tooltip: `Self ${inFull(self)}` }));
  const around = folders.map(({ uri, self }) => ({ uri, text: badgeOf(self.part), tooltip: `Self ${self.text}` }));
  return new Map([...files, ...around].map(({ uri, ...badge }) => [vscode.Uri.parse(uri).toString(), badge]));
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
