// What the context menus of the rows do.

import * as vscode from "vscode";
import { type Row, rowText } from "./rows";

export async function copyName(row?: Row): Promise<void> {
  if (row) await vscode.env.clipboard.writeText(row.name ?? row.label);
}

export async function copyRow(row?: Row): Promise<void> {
  if (row) await vscode.env.clipboard.writeText(rowText(row));
}

export async function revealFile(row?: Row): Promise<void> {
  if (row?.target) await vscode.commands.executeCommand("revealInExplorer", vscode.Uri.parse(row.target.uri));
}
