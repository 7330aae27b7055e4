// The view "Where the time went": the ledger, and below each line what it is about and what would repair it.

import * as vscode from "vscode";
import type { Model } from "../model";
import type * as protocol from "../protocol";
import { type Row, RowView } from "./rows";

/** What brings time of a line of the ledger to functions. */
const REPAIRS: Record<string, Row> = {
  map: { id: "map", label: "Map a path of the trace…", ...does("proflens.mapPath", "link") },
  chooseMap: { id: "chooseMap", label: "Choose the source map…", ...does("proflens.chooseMap", "map") },
  exclude: {
    id: "exclude",
    label: "Count dependencies as code of this workspace…",
    tooltip: "Opens the setting proflens.exclude: without **/node_modules/** in it dependencies are annotated too.",
    ...does("workbench.action.openSettings", "settings-gear", "proflens.exclude"),
  },
};
const REPAIRS_OF: Record<string, string[]> = {
  "not-in-workspace": ["map"],
  "other-text": ["map"],
  ambiguous: ["map"],
  dependency: ["exclude"],
  generated: ["chooseMap"],
  "map-broken": ["chooseMap"],
};

export class LedgerView extends RowView {
  constructor(model: Model) {
    super("ledger", model);
  }

  protected async roots(): Promise<Row[]> {
    const { status } = this.model;
    const ledger = status?.ledger;
    this.tree.title = this.model.shown?.unit === "bytes" ? "Where the memory went" : "Where the time went";
    this.tree.description = ledger ? `${ledger.total.text} in all` : "";
    this.say("");
    if (!status || !ledger) return [];
    return ledger.rows.map((it) => this.row(it, status));
  }

  private row(it: protocol.LedgerRow, status: protocol.Status): Row {
    const examples = it.examples.map((example) => ({ id: `${it.why} ${example}`, label: example }));
    const maps = it.why === "generated" ? status.lostMaps.map(lostMapRow) : [];
    const repairs = (REPAIRS_OF[it.why] ?? [])
      .filter((name) => name !== "chooseMap" || status.lostMaps.length > 0)
      .flatMap((name) => REPAIRS[name] ?? [])
      .map((repair) => ({ ...repair, id: `${it.why} ${repair.id}` }));
    const below = [...maps, ...examples, ...repairs];
    return {
      id: it.why,
      // The amount comes first: it is what is compared, and a narrow side bar cuts off the end.
      label: `${it.amount.text}  ${it.label}`,
      name: it.label,
      ...(it.amount.beside !== undefined && { description: it.amount.beside }),
      icon: new vscode.ThemeIcon(it.why === "placed" ? "pass" : repairs.length > 0 ? "tools" : "circle-outline"),
      ...(below.length > 0 && { children: () => below }),
    };
  }
}

function lostMapRow(it: protocol.LostMap): Row {
  const why = it.reason ?? `${it.wanted} is missing`;
  return {
    id: `lost ${it.generated}`,
    label: vscode.workspace.asRelativePath(vscode.Uri.parse(it.generated)),
    description: `${it.self.text} · ${why}`,
    target: { uri: it.generated, selectionRange: null },
  };
}

function does(command: string, icon: string, ...args: unknown[]): Pick<Row, "command" | "icon" | "kind"> {
  return { command: { title: command, command, arguments: args }, icon: new vscode.ThemeIcon(icon), kind: "action" };
}
