// What the context menus of the rows do.

import * as vscode from "vscode";
import { FileChangeType } from "vscode-languageclient/node";
import type { Model } from "../model";
import { recordingName, renamedRecording } from "../text";
import { type Row, rowText, type Target } from "./rows";

export async function copyName(row?: Row): Promise<void> {
  const { name, label } = chosen(row);
  await vscode.env.clipboard.writeText(name ?? label);
}

export async function copyRow(row?: Row): Promise<void> {
  await vscode.env.clipboard.writeText(rowText(chosen(row)));
}

export async function revealFile(row?: Row): Promise<void> {
  await vscode.commands.executeCommand("revealInExplorer", vscode.Uri.parse(targetOf(row).uri));
}

/** What VS Code hands over of a row that was redrawn while its menu was open is nothing. */
export function chosen<T>(value: T | undefined): T {
  if (value === undefined) throw new Error("The list has changed in the meantime: choose the row once more.");
  return value;
}

function targetOf(row?: Row): Target {
  return chosen(row?.target);
}

/** Gives a recording another name, and its file with it: the time in front stays. One that is shown stays shown. */
export async function renameRecording({ server, shown }: Model, row?: Row, given?: string): Promise<void> {
  const { uri } = targetOf(row);
  const from = vscode.Uri.parse(uri);
  const file = fileName(from);
  const options = { title: "Rename the recording", value: recordingName(file) ?? "" };
  const name = given ?? (await vscode.window.showInputBox(options));
  if (!name) return;
  const renamed = renamedRecording(file, name);
  if (!renamed) throw new Error(`"${name}" has no letter or digit that the name of a file can have.`);
  const to = vscode.Uri.joinPath(from, "..", renamed);
  const isShown = shown?.uri === uri;
  await vscode.workspace.fs.rename(from, to);
  if (!isShown) return;
  await server.execute("proflens.loadTrace", to.toString());
  await server.execute("proflens.unloadTrace", uri);
}

/** Moves the file of a recording to the trash, where the system has one, unless the user thinks better of it. */
export async function deleteRecording({ server }: Model, row?: Row, isSure = false): Promise<void> {
  const { uri } = targetOf(row);
  const { label, kind } = chosen(row);
  const file = vscode.Uri.parse(uri);
  const question = `Delete the recording ${label}?`;
  const detail = fileName(file);
  if (!isSure && !(await vscode.window.showWarningMessage(question, { modal: true, detail }, "Delete"))) return;
  if (kind?.includes("loaded")) await server.execute("proflens.unloadTrace", uri);
  // The trash of a remote machine may not exist.
  const useTrash = !vscode.env.remoteName;
  await vscode.workspace.fs.delete(file, { useTrash });
  await server.fileChanged(uri, FileChangeType.Deleted);
}

function fileName(uri: vscode.Uri): string {
  return uri.path.slice(uri.path.lastIndexOf("/") + 1);
}
