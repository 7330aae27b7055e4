// Where each scenario begins: the folder as it was, nothing open, nothing chosen, the costs of the default trace. After one that
// failed there may be anything.

import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as vscode from "vscode";
import type { Api } from "../../../editors/vscode/src/extension";
import type { Status } from "../../../editors/vscode/src/protocol";
import { eventually, uri } from "./harness";

const { executeCommand } = vscode.commands;
const DEFAULT = "primes.cpuprofile";
/** The files of the folder at first, with their bytes. */
const original = new Map<string, Buffer>();

/** Brings all of it back; before the extension has started there is nothing to bring back yet. */
export async function fromScratch(api: Api | undefined): Promise<void> {
  const root = uri("").fsPath;
  if (original.size === 0) for (const it of filesBelow(root)) original.set(it, readFileSync(it));
  if (!api) return;
  await eventually(async () => await endWork(api));
  for (const it of filesBelow(root)) if (!original.has(it)) rmSync(it);
  for (const name of readdirSync(root)) if (!existsInOriginal(join(root, name))) rmSync(join(root, name), { recursive: true });
  for (const [path, bytes] of original) if (!existsSync(path) || !readFileSync(path).equals(bytes)) writeFileSync(path, bytes);
  await eventually(async () => await showDefault(api));
}

/** Ends what runs, and closes what is open without saving it. Throws while another editor opens by itself. */
async function endWork(api: Api): Promise<void> {
  await executeCommand("workbench.action.closeQuickOpen");
  await executeCommand("notifications.clearAll");
  if (vscode.debug.activeDebugSession) await vscode.debug.stopDebugging();
  vscode.debug.removeBreakpoints(vscode.debug.breakpoints);
  for (const it of vscode.tasks.taskExecutions) it.terminate();
  await eventually(() => assert.equal(vscode.tasks.taskExecutions.length, 0));
  for (const document of vscode.workspace.textDocuments) {
    // The editor writes its user's settings by itself, through a document that is unsaved for a moment.
    if (document.uri.path.endsWith("/User/settings.json")) continue;
    const hasLines = api.lineCosts(document.uri).length > 0;
    if (!document.isDirty && !hasLines) continue;
    await vscode.window.showTextDocument(document);
    if (hasLines) await executeCommand("proflens.hideLineCosts");
    if (document.isDirty) await executeCommand("workbench.action.files.revert");
  }
  await executeCommand("workbench.action.closeAllEditors");
}

/** Shows the costs of the default trace as at the start. Throws while they are not shown. */
async function showDefault(api: Api): Promise<void> {
  const trace = uri(DEFAULT).toString();
  const status = (await api.request("proflens/status", {})) as Status;
  if (status.comparison) await executeCommand("proflens.stopComparing");
  if (!status.enabled) await executeCommand("proflens.toggle");
  if (status.unit !== "time") await executeCommand("proflens.cycleUnit", "time");
  const shown = status.traces.find((it) => it.shown);
  if (shown?.scope) await executeCommand("proflens.clearScope");
  if (shown?.uri !== trace) await executeCommand("proflens.selectTrace", trace, null);
  for (const it of ["orderBySelf", "listFunctions", "clearFilter", "unpinFunction"]) await executeCommand(`proflens.${it}`);
  assert.match(api.statusText(), /^\$\(flame\) primes\.cpuprofile · 784 samples · 89 % placed$/);
  assert.deepEqual([api.scopeText(), api.comparisonText()], ["", ""]);
}

function filesBelow(folder: string): string[] {
  return (readdirSync(folder, { recursive: true }) as string[]).map((it) => join(folder, it)).filter((it) => statSync(it).isFile());
}

function existsInOriginal(path: string): boolean {
  return [...original.keys()].some((it) => it === path || it.startsWith(`${path}/`));
}
