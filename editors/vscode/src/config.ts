// Reads settings and hands them on as they are. Defaults live in `package.json` and, by generation, in the server.

import * as vscode from "vscode";

const SECTION = "proflens";
// biome-ignore lint/suspicious/noTemplateCurlyInString: the variable as people write it in settings
const FOLDER = "${workspaceFolder}";

/** Everything below `proflens`, as the server takes it in `initializationOptions`. */
export function all(): unknown {
  return vscode.workspace.getConfiguration(SECTION);
}

/** The server's program as the user named it, with `${workspaceFolder}` replaced. */
export function serverPath(): string | undefined {
  const path = vscode.workspace.getConfiguration(SECTION).get<string | null>("server.path");
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? "";
  return path?.trim().replaceAll(FOLDER, folder) || undefined;
}

/** Whether a change asks for another server process rather than for other answers of this one. */
export function needsRestart(event: vscode.ConfigurationChangeEvent): boolean {
  return event.affectsConfiguration(`${SECTION}.server`);
}

/** Before a setting is written that VS Code takes over only from a folder that the user trusts. */
export function needsTrust(what: string): void {
  if (!vscode.workspace.isTrusted) {
    throw new Error(`This folder is not trusted, so its ${what} do not count. Trust it with "Manage Workspace Trust".`);
  }
}

/** Adds a mapping to the workspace's settings, relative to its folder where it lies inside. */
export async function addPathMapping(from: string, folder: vscode.Uri): Promise<void> {
  const settings = vscode.workspace.getConfiguration(SECTION);
  const mappings = settings.get<object[]>("pathMappings") ?? [];
  const inside = below(folder);
  const to = inside === undefined ? folder.fsPath : [FOLDER, inside].filter(Boolean).join("/");
  const mapping = { from, to: from.endsWith("/") ? `${to}/` : to };
  await settings.update("pathMappings", [...mappings, mapping], vscode.ConfigurationTarget.Workspace);
}

/** Gives a generated file its source map in the workspace's settings, both relative to its folder. */
export async function addSourceMap(generated: vscode.Uri, map: vscode.Uri): Promise<void> {
  const settings = vscode.workspace.getConfiguration(SECTION);
  const maps = settings.get<Record<string, string>>("sourceMaps.maps") ?? {};
  const [from, to] = [generated, map].map((it) => below(it) ?? it.fsPath) as [string, string];
  await settings.update("sourceMaps.maps", { ...maps, [from]: to }, vscode.ConfigurationTarget.Workspace);
}

/** The path below the workspace folder, where there is just one: with several, nothing would say which is meant. */
function below(uri: vscode.Uri): string | undefined {
  const single = vscode.workspace.workspaceFolders?.length === 1;
  const root = single ? vscode.workspace.getWorkspaceFolder(uri)?.uri : undefined;
  return root && uri.path.slice(root.path.length).replace(/^\/+|\/+$/g, "");
}
