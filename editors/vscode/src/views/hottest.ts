// The view "Hottest functions": functions, files or folders by self or total time, all or those that fit a filter; of a comparison
// functions by their difference.

import * as vscode from "vscode";
import { FOLDED } from "../compare/text";
import { colorOf, directionOf, levelOf } from "../heatLevels";
import type { Model } from "../model";
import * as protocol from "../protocol";
import { inFull, thousands } from "../text";
import { inParts, placeOf, type Row, RowView } from "./rows";

/** So many rows are asked for; who looks for others uses the filter. */
const LIMIT = 500;
const SYMBOLS = { function: "circle-filled", file: "file", folder: "folder" };
const VERDICT_SYMBOLS: Record<protocol.Verdict, string> = {
  regression: "triangle-up",
  improvement: "triangle-down",
  "possible-regression": "triangle-up",
  "possible-improvement": "triangle-down",
  shifted: "arrow-swap",
  new: "add",
  gone: "remove",
  unchanged: "dash",
  unsure: "question",
  "not-comparable": "circle-slash",
};

export class HottestView extends RowView {
  private by: Exclude<protocol.HotBy, "difference">;
  /** Whether a comparison is listed by difference, as it is at first. */
  private isByDifference = true;
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
    this.subscriptions.push(
      model.onDidEdit(() => this.refresh()),
      model.onDidChange(() => {
        if (!model.comparison) this.isByDifference = true;
        this.describe();
      }),
    );
  }

  /** Shows another list. */
  change(to: { by?: protocol.HotBy; group?: protocol.HotGroup; filter?: string }): void {
    if (to.by) this.isByDifference = to.by === "difference";
    if (to.by && to.by !== "difference") this.by = to.by;
    this.group = to.group ?? this.group;
    this.filter = to.filter ?? this.filter;
    void this.memory.update("hottest.by", this.by);
    void this.memory.update("hottest.group", this.group);
    this.describe();
    this.refresh();
  }

  /** Brings the list of what changed to the front. */
  async showDifferences(): Promise<void> {
    this.change({ by: "difference" });
    await this.reveal();
  }

  private get order(): protocol.HotBy {
    return this.model.comparison && this.isByDifference ? "difference" : this.by;
  }

  private describe(): void {
    const { order } = this;
    this.setContext("hottestBy", order);
    this.setContext("hottestGroup", this.group);
    this.setContext("hottestFiltered", this.filter !== "");
    const group = order === "difference" ? "function" : this.group;
    const shown = [`${group}s by ${order}`, this.filter && `with "${this.filter}"`];
    this.tree.description = shown.filter(Boolean).join(" ");
  }

  /** Asks for the filter, if it is not given. */
  async changeFilter(given?: unknown): Promise<void> {
    const filter =
      typeof given === "string"
        ? given
        : await vscode.window.showInputBox({
            title: "Filter the hottest",
            prompt: "A part of the name or the path, in any case. Leave it empty to show all.",
            value: this.filter,
          });
    if (filter !== undefined) this.change({ filter: filter.trim() });
  }

  protected async roots(): Promise<Row[]> {
    if (this.order === "difference") return await this.differences();
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

  /** What changed, first what did for certain, and below a row for each other verdict those of that. */
  private async differences(): Promise<Row[]> {
    const params: protocol.HottestParams = { by: "difference", group: "function", filter: this.filter, limit: 0 };
    const { items, recording } = await this.model.server.request<protocol.HotList>(protocol.HOTTEST, params);
    const rowsOf = (fits: (it: protocol.HotChange) => boolean) =>
      items.flatMap((it) => (it.change && fits(it.change) ? [this.differenceRow(it, it.change)] : []));
    const changed = rowsOf((it) => it.isShown);
    if (recording === null || changed.length > 0) this.say("");
    else if (items.length === 0) this.say(this.nothing());
    else this.say("No function changed by more than noise.");
    const folded = FOLDED.flatMap(([verdict, label]): Row[] => {
      const all = rowsOf((it) => !it.isShown && it.verdict === verdict);
      if (all.length === 0) return [];
      const description = all.length === 1 ? "1 function" : `${thousands(all.length)} functions`;
      const icon = new vscode.ThemeIcon(VERDICT_SYMBOLS[verdict]);
      return [{ id: verdict, label, description, icon, kind: "verdict", children: () => inParts(all, verdict) }];
    });
    return [...inParts(changed, "changed"), ...folded];
  }

  private differenceRow(it: protocol.HotItem, change: protocol.HotChange): Row {
    const { before, after, text, verdict, words, which, interval } = change;
    const direction = directionOf(verdict);
    const isInText = it.selectionRange !== null;
    const place = isInText ? placeOf(it) : it.path;
    const sides = `${which === "self" ? "Self" : "Total"} ${before} before, ${after} after`;
    const sureness = [words, interval && `95 %: ${interval}`].filter(Boolean).join(", ");
    return {
      id: it.function ? `${it.function.uri}#${it.function.path}` : `${it.uri} ${it.name}`,
      label: it.name,
      // The change comes first: a narrow side bar cuts off the end.
      description: [text, `${before} → ${after}`, place].filter(Boolean).join(" · "),
      tooltip: [it.name, sides, sureness, place].filter(Boolean).join("\n"),
      icon: new vscode.ThemeIcon(VERDICT_SYMBOLS[verdict], direction && new vscode.ThemeColor(colorOf(direction))),
      ...(isInText && { target: it }),
      ...(isInText && it.function && { function: it.function }),
    };
  }

  private nothing(): string {
    if (this.filter) return `No measured ${this.group} has "${this.filter}" in its name or path.`;
    return "No function of this workspace was measured. The view below says where the time went.";
  }

  private row(it: protocol.HotItem): Row {
    const bySelf = this.by === "self";
    const cost = inFull(bySelf ? it.self : it.total);
    const place = this.group === "function" ? placeOf(it) : it.path === "." ? "" : it.path;
    const self = `Self ${inFull(it.self)}, ${it.selfSamples.text}`;
    const total = `Total ${inFull(it.total)}, ${it.totalSamples.text}`;
    const calls = it.calls && `${it.calls.text}, counted in another run`;
    const color = new vscode.ThemeColor(colorOf(levelOf(bySelf ? it.selfShare : it.totalShare)));
    const row: Row = {
      id: it.function ? `${it.function.uri}#${it.function.path}` : it.uri,
      label: it.name,
      description: [cost, it.calls?.text, place].filter(Boolean).join(" · "),
      tooltip: [it.name, self, total, calls, place].filter(Boolean).join("\n"),
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
