// From a frame to the text and back: where its function is, and which function is at the cursor.

import * as vscode from "vscode";
import type { Server } from "../client";
import * as protocol from "../protocol";
import type { Definition, PageFunction } from "./messages";

/** How long sentences stand in the status bar. */
const READ_MS = 8000;

/**
 * Shows a function of the page in a column that is not the page's: its definition as it is now, or else the place that
 * the trace names. A sentence in the status bar says when there is neither; that is also what is returned.
 */
export async function openFunction(
  server: Server,
  it: PageFunction,
  pageColumn: vscode.ViewColumn | undefined,
): Promise<string | undefined> {
  const uri = it.file === null ? undefined : fileOf(it.file);
  if (uri && it.path !== null) {
    const params: protocol.DefinitionData = { uri: uri.toString(), path: it.path };
    const now = await server.request<protocol.FunctionLocation | null>(protocol.FUNCTION, params);
    if (now) {
      const { start, end } = now.selectionRange;
      const selection = new vscode.Range(start.line, start.character, end.line, end.character);
      await show(vscode.Uri.parse(now.uri), selection, pageColumn);
      return undefined;
    }
  }
  if (uri && (await isFile(uri))) {
    const start = new vscode.Position(Math.max(it.line - 1, 0), Math.max(it.column - 1, 0));
    await show(uri, new vscode.Range(start, start), pageColumn);
    return undefined;
  }
  const sentence = it.file ? `${it.file} is not on this machine.` : "The trace does not say where this function is.";
  vscode.window.setStatusBarMessage(`$(info) ${sentence.replaceAll("$(", "$\u200b(")}`, READ_MS);
  return sentence;
}

/** The measured function at a place of a text; undefined where nothing was measured. */
export async function functionAt(
  server: Server,
  { document, selection }: vscode.TextEditor,
): Promise<Definition | undefined> {
  const { line, character } = selection.active;
  const params = { textDocument: { uri: document.uri.toString() }, position: { line, character } };
  const found = await server.request<protocol.FunctionLocation | null>(protocol.FUNCTION, params);
  return found ? definitionOf(found.function) : undefined;
}

/** A function of the server as the page compares it with those of its data. */
export function definitionOf({ uri, path }: protocol.DefinitionData): Definition {
  return { file: vscode.Uri.parse(uri).fsPath.replaceAll("\\", "/"), path };
}

/** Asks where to keep a picture, and writes it there. */
export async function save(name: string, bytes: ArrayBuffer | Uint8Array): Promise<void> {
  const safe = name.replaceAll(/[\\/:*?"<>|]/g, "_");
  const extension = safe.slice(safe.lastIndexOf(".") + 1);
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
  const target = await vscode.window.showSaveDialog({
    title: "Save the flame graph",
    filters: { [`${extension.toUpperCase()} pictures`]: [extension] },
    ...(folder && { defaultUri: vscode.Uri.joinPath(folder, safe) }),
  });
  if (target) await vscode.workspace.fs.writeFile(target, new Uint8Array(bytes));
}

/**
 * The file of a function, if it is one of this machine. Names of other machines are not looked up, because already the
 * question whether there is such a file would be sent there.
 */
function fileOf(name: string): vscode.Uri | undefined {
  if (/^[/\\]{2}/.test(name)) return undefined;
  if (/^[a-z][\w+.-]*:\/\//i.test(name)) {
    const uri = vscode.Uri.parse(name);
    return uri.scheme === "file" && uri.authority === "" ? uri : undefined;
  }
  if (/^([a-z]:)?[/\\]/i.test(name)) return vscode.Uri.file(name);
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
  return folder && vscode.Uri.joinPath(folder, name);
}

async function isFile(uri: vscode.Uri): Promise<boolean> {
  try {
    return ((await vscode.workspace.fs.stat(uri)).type & vscode.FileType.File) !== 0;
  } catch {
    // That is how it says that there is none.
    return false;
  }
}

async function show(uri: vscode.Uri, selection: vscode.Range, pageColumn: vscode.ViewColumn | undefined) {
  await vscode.window.showTextDocument(uri, { viewColumn: columnFor(uri, pageColumn), selection });
}

/** The column in which the file is open already, or else one with a text; never the page's own. */
function columnFor(uri: vscode.Uri, pageColumn: vscode.ViewColumn | undefined): vscode.ViewColumn {
  const others = vscode.window.tabGroups.all.filter((it) => it.viewColumn !== pageColumn);
  const has = ({ input }: vscode.Tab) =>
    input instanceof vscode.TabInputText && input.uri.toString() === uri.toString();
  const withText = ({ activeTab }: vscode.TabGroup) => activeTab?.input instanceof vscode.TabInputText;
  const best = others.find((it) => it.tabs.some(has)) ?? others.find(withText) ?? others[0];
  return best?.viewColumn ?? vscode.ViewColumn.Beside;
}
