// The commands that compare what is shown with what was before.

import * as vscode from "vscode";
import type { Model } from "../model";
import type { CompareParams } from "../protocol";
import type { Row } from "../views/rows";
import { choose } from "./choose";

/** Compares with what is given, or with what the user chooses. */
export async function compareWith(model: Model, given?: CompareParams): Promise<void> {
  if (!model.shown) throw new Error("Nothing is shown that could be compared. Load a trace first.");
  const params = given ?? (await choose(model));
  if (params) await model.server.execute("proflens.compareWith", params);
}

/** Compares with a trace of the side bar, or with what is selected in the explorer: each is a run. */
export async function compareWithThis(model: Model, clicked?: Row | vscode.Uri, selected?: unknown): Promise<void> {
  const uris = Array.isArray(selected) ? selected.filter((it) => it instanceof vscode.Uri) : [];
  const one = clicked instanceof vscode.Uri ? clicked : clicked?.target && vscode.Uri.parse(clicked.target.uri);
  const all = uris.length > 0 ? uris : one ? [one] : [];
  if (all.length > 0) await compareWith(model, { before: all.map((it) => it.fsPath) });
}
