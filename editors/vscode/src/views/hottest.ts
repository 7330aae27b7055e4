// The view "Hottest functions": functions, files or folders by self or total time, all or those that fit a filter.

import * as vscode from "vscode";
import { levelOf } from "../heatLevels";
import type { Model } from "../model";
import * as protocol from "../protocol";
import { amount, percent, samples } from "../text";
import { inParts, placeOf, type Row, RowView } from "./rows";

/** So many rows are asked for; who looks for others uses the filter. */
const LIMIT = 500;
const SYMBOLS = { function: "circle-filled", file: "file", folder: "folder" };

export class HottestView extends RowView {
  private by: protocol.HotBy;
  private group: protocol.HotGroup;
  private filter = "";

  constructor(
    model: Model,
    private readonly memory: vscode.Memento,
  ) {
    super("hottest", model);
    this.by = memory.get("hottest.by", "self");
    this.group = memory.get("hottest.group", "function");
    this.change({});
    this.subscriptions.push(model.onDidEdit(() => this.refresh()));
  }

  /** Shows another list. */
  change(to: { by?: protocol.HotBy; group?: protocol.HotGroup; filter?: string }): void {
    this.by = to.by ?? this.by;
    this.group = to.group ?? this.group;
    this.filter = to.filter ?? this.filter;
    void this.memory.update("hottest.by", this.by);
    void this.memory.update("hottest.group", this.group);
    this.setContext("hottestBy", this.by);
    this.setContext("hottestGroup", this.group);
    this.setContext("hottestFiltered", this.filter !== "");
    const shown = [`${this.group}s by ${this.by}`, this.filter && `with "${this.filter}"`];
    this.tree.description = shown.filter(Boolean).join(" ");
    this.refresh();
  }

  /** Asks for the filter, if it is not given. */
  async changeFilter(given?: unknown): Promise<void> {
    const filter =
      typeof given === "string"
        ? given
        : await vscode.window.showInputBox({
            title: "Filter the hottest",
            prompt: "A part of the name or the path, in any case. Nothing shows all.",
            value: this.filter,
          });
    if (filter !== undefined) this.change({ filter: filter.trim() });
  }

  protected async roots(): Promise<Row[]> {
    const params: protocol.HottestParams = { by: this.by, group: this.group, filter: this.filter, limit: LIMIT };
    const list = await this.model.server.request<protocol.HotList>(protocol.HOTTEST, params);
    if (list.recording === null) this.say("");
    else if (list.count === 0) this.say(this.nothing());
    else if (list.count > LIMIT)
      this.say(
        `The hottest ${LIMIT.toLocaleString("en-US")} of ${list.count.toLocaleString("en-US")}. The filter finds the others.`,
      );
    else this.say("");
    return inParts(
      list.items.map((it) => this.row(it)),
      "others",
    );
  }

  private nothing(): string {
    if (this.filter) return `No measured ${this.group} has "${this.filter}" in its name or path.`;
    return "No function of this workspace was measured. The view below says where the time went.";
  }

  private row(it: protocol.HotItem): Row {
    const bySelf = this.by === "self";
    const cost = `${amount(bySelf ? it.self : it.total)} (${percent(bySelf ? it.selfShare : it.totalShare)})`;
    const place = this.group === "function" ? placeOf(it) : it.path === "." ? "" : it.path;
    const self = `Self ${amount(it.self)} (${percent(it.selfShare)}), ${samples(it.selfSamples)}`;
    const total = `Total ${amount(it.total)} (${percent(it.totalShare)}), ${samples(it.totalSamples)}`;
    const color = new vscode.ThemeColor(`proflens.heat${levelOf(bySelf ? it.selfShare : it.totalShare)}`);
    const row: Row = {
      id: it.function ? `${it.function.uri}#${it.function.path}` : it.uri,
      label: it.name,
      description: [cost, place].filter(Boolean).join(" · "),
      tooltip: [it.name, self, total, place].filter(Boolean).join("\n"),
      icon: new vscode.ThemeIcon(SYMBOLS[this.group], color),
    };
    if (it.function) row.function = it.function;
    if (this.group === "folder") row.command = revealCommand(it.uri);
    else row.target = it;
    return row;
  }
}

/** A folder has no text to go to, so that it is shown in the explorer. */
function revealCommand(uri: string): vscode.Command {
  return { title: "Reveal in Explorer", command: "revealInExplorer", arguments: [vscode.Uri.parse(uri)] };
}
