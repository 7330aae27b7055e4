// Reads and writes settings. Their defaults are in the server, from which those in `package.json` are generated.

import * as vscode from "vscode";

const SECTION = "proflens";
// biome-ignore lint/suspicious/noTemplateCurlyInString: the variable as users write it in settings
const FOLDER = "${workspaceFolder}";

/** All settings of the section `proflens`, for `initializationOptions`. */
export function all(): unknown {
  return vscode.workspace.getConfiguration(SECTION);
}

/** The server's program in the settings, with `${workspaceFolder}` replaced. */
export function serverPath(): string | undefined {
  const path = vscode.workspace.getConfiguration(SECTION).get<string | null>("server.path");
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? "";
  return path?.trim().replaceAll(FOLDER, folder) || undefined;
}

/** A setting that is on or off, for a file or folder. */
export function isOn(key: string, scope: vscode.Uri): boolean {
  return vscode.workspace.getConfiguration(SECTION, scope).get<boolean>(key) === true;
}

/** Whether a change of settings makes another server process necessary. */
export function needsRestart(event: vscode.ConfigurationChangeEvent): boolean {
  return event.affectsConfiguration(`${SECTION}.server`);
}

/** Throws if the folder is not trusted: VS Code would ignore what is written to its settings. */
export function requireTrust(what: string): void {
  if (!vscode.workspace.isTrusted) {
    throw new Error(`This folder is not trusted, so its ${what} do not count. Trust it with "Manage Workspace Trust".`);
  }
}

/** Adds a mapping to the workspace's settings, relative to its folder where it lies inside. */
export async function addPathMapping(from: string, folder: vscode.Uri): Promise<void> {
  const settings = vscode.workspace.getConfiguration(SECTION);
  const mappings = settings.get<object[]>("pathMappings") ?? [];
  const inside = relativePath(folder);
  const to = inside === undefined ? folder.fsPath : [FOLDER, inside].filter(Boolean).join("/");
  const mapping = { from, to: from.endsWith("/") ? `${to}/` : to };
  await settings.update("pathMappings", [...mappings, mapping], vscode.ConfigurationTarget.Workspace);
}

/** Gives a generated file its source map in the workspace's settings, both relative to its folder. */
export async function addSourceMap(generated: vscode.Uri, map: vscode.Uri): Promise<void> {
  const settings = vscode.workspace.getConfiguration(SECTION);
  const maps = settings.get<Record<string, string>>("sourceMaps.maps") ?? {};
  const [from, to] = [generated, map].map((it) => relativePath(it) ?? it.fsPath) as [string, string];
  await settings.update("sourceMaps.maps", { ...maps, [from]: to }, vscode.ConfigurationTarget.Workspace);
}

/** The path below the workspace folder, if there is only one: with several it would be ambiguous. */
function relativePath(uri: vscode.Uri): string | undefined {
  const single = vscode.workspace.workspaceFolders?.length === 1;
  const root = single ? vscode.workspace.getWorkspaceFolder(uri)?.uri : undefined;
  return root && uri.path.slice(root.path.length).replace(/^\/+|\/+$/g, "");
}
