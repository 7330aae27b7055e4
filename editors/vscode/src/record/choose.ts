// *Record a command…*: the list of what can be recorded, in which any command line can be typed as well.

import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { promisify } from "node:util";
import * as vscode from "vscode";
import { type Definition, textOf } from "./commandLine";
import { type NodeVersion, nodeVersion, type Offer, ofFile, ofLaunch, ofOwnPackage, ofPackage } from "./commands";

/** What was recorded in this workspace, the latest first. */
const HISTORY = "proflens.recorded";
const HISTORY_LENGTH = 10;
/** Packages of a workspace whose scripts are offered. */
const MOST_PACKAGES = 100;

/** An offer, in its workspace folder. */
export interface Choice extends Offer {
  group: "recorded before" | "this package" | "active file" | "npm scripts" | "launch configurations" | "typed";
  folder: vscode.WorkspaceFolder;
}

interface Recorded {
  folder: string;
  task: Definition;
}

type Item = vscode.QuickPickItem & { choice?: Choice };

/** Always the last line, whatever is typed. */
const ANOTHER: Item = { label: "$(terminal) Another command", description: "as it is typed here", alwaysShow: true };

/** Everything that can be recorded, in the order of the list. */
export async function choices(memory: vscode.Memento): Promise<Choice[]> {
  const before = recordedBefore(memory);
  const all = await scripts();
  const own = ownPackage(all);
  const others = all.filter((it) => !own.some((main) => isSame(main, it)));
  const found = [...own, ...(await activeFile()), ...others, ...launches()];
  return [...before, ...found.filter((it) => !before.some((old) => isSame(old, it)))];
}

/** The scripts of all packages. */
export async function scripts(): Promise<Choice[]> {
  const files = await vscode.workspace.findFiles("**/package.json", "**/node_modules/**", MOST_PACKAGES);
  const sorted = files.map((it) => it.fsPath).sort((a, b) => a.length - b.length || (a < b ? -1 : 1));
  const all = sorted.map(async (path) => {
    const file = vscode.Uri.file(path);
    const folder = vscode.workspace.getWorkspaceFolder(file);
    if (!folder) return [];
    const text = new TextDecoder().decode(await vscode.workspace.fs.readFile(file));
    return inFolder("npm scripts", folder, ofPackage(path, text, folder.uri.fsPath, existsSync));
  });
  return (await Promise.all(all)).flat();
}

/** Asks what to record; undefined if the user left the list. */
export async function choose(memory: vscode.Memento): Promise<Choice | undefined> {
  const list = vscode.window.createQuickPick<Item>();
  list.title = "Record a command";
  list.placeholder = "Choose, or type any command and choose the last line";
  list.matchOnDescription = true;
  list.matchOnDetail = true;
  list.busy = true;
  const accepted = new Promise<Item | undefined>((done) => {
    list.onDidAccept(() => done(list.selectedItems[0]));
    list.onDidHide(() => done(undefined));
  });
  list.show();
  try {
    list.items = [...items(await choices(memory)), separator(""), ANOTHER];
    list.busy = false;
    const chosen = await accepted;
    return chosen === ANOTHER ? await typed(list.value) : chosen?.choice;
  } finally {
    list.dispose();
  }
}

/** What is typed is recorded as it is; before anything is typed, it is asked for. */
async function typed(value: string): Promise<Choice | undefined> {
  const prompt = "It is run in the workspace folder, by a shell if it needs one.";
  const options = { title: "Record a command", placeHolder: "node app.js", prompt };
  const command = (value || (await vscode.window.showInputBox(options)) || "").trim();
  return command
    ? { group: "typed", text: command, about: "", task: { type: "proflens", command }, folder: defaultFolder() }
    : undefined;
}

/** Remembers what was recorded, so that it is the first in the list the next time. */
export async function remember(
  memory: vscode.Memento,
  task: Definition,
  folder: vscode.WorkspaceFolder,
): Promise<void> {
  const now = { folder: folder.uri.toString(), task };
  const others = memory.get<Recorded[]>(HISTORY, []).filter((it) => JSON.stringify(it) !== JSON.stringify(now));
  await memory.update(HISTORY, [now, ...others].slice(0, HISTORY_LENGTH));
}

/** The workspace folder that is meant where nobody says which. Throws an error for users. */
export function defaultFolder(): vscode.WorkspaceFolder {
  const active = vscode.window.activeTextEditor?.document.uri;
  const folder = (active && vscode.workspace.getWorkspaceFolder(active)) ?? vscode.workspace.workspaceFolders?.[0];
  if (!folder) throw new Error("There is no folder in which recordings could be kept. Open one.");
  return folder;
}

function recordedBefore(memory: vscode.Memento): Choice[] {
  return memory.get<Recorded[]>(HISTORY, []).flatMap(({ folder: uri, task }) => {
    const folder = vscode.workspace.workspaceFolders?.find((it) => it.uri.toString() === uri);
    const about = task.cwd && folder ? vscode.workspace.asRelativePath(task.cwd) : "";
    return folder ? inFolder("recorded before", folder, [{ text: textOf(task), about, task }]) : [];
  });
}

function shownFile(): { path: string; folder: vscode.WorkspaceFolder } | undefined {
  const file = vscode.window.activeTextEditor?.document.uri;
  const folder = file?.scheme === "file" ? vscode.workspace.getWorkspaceFolder(file) : undefined;
  return folder && file && { path: file.fsPath, folder };
}

function ownPackage(all: Choice[]): Choice[] {
  const shown = shownFile();
  if (!shown) return [];
  const ofFolder = all.filter((it) => it.folder === shown.folder);
  return ofOwnPackage(shown.path, shown.folder.uri.fsPath, ofFolder).map((it) => ({ ...it, group: "this package" }));
}

async function activeFile(): Promise<Choice[]> {
  const shown = shownFile();
  if (!shown) return [];
  const offer = ofFile(shown.path, shown.folder.uri.fsPath, existsSync, await installedNode());
  return offer ? inFolder("active file", shown.folder, [offer]) : [];
}

/** The Node on the PATH. It is asked in the user's home: a folder with a program of that name has no say. */
async function installedNode(): Promise<NodeVersion | undefined> {
  try {
    const { stdout } = await promisify(execFile)("node", ["--version"], { cwd: homedir(), timeout: 5000 });
    return nodeVersion(stdout);
  } catch {
    return undefined; // there is none
  }
}

function launches(): Choice[] {
  return (vscode.workspace.workspaceFolders ?? []).flatMap((folder) => {
    const all =
      vscode.workspace.getConfiguration("launch", folder).get<Record<string, unknown>[]>("configurations") ?? [];
    const offers = all.map((it) => ofLaunch(it, folder.uri.fsPath)).filter((it) => it !== undefined);
    return inFolder("launch configurations", folder, offers);
  });
}

function inFolder(group: Choice["group"], folder: vscode.WorkspaceFolder, offers: Offer[]): Choice[] {
  const several = (vscode.workspace.workspaceFolders?.length ?? 0) > 1;
  return offers.map((it) => {
    const about = several ? [folder.name, it.about].filter(Boolean).join(" · ") : it.about;
    return { ...it, about, group, folder };
  });
}

function isSame(a: Choice, b: Choice): boolean {
  return a.folder === b.folder && JSON.stringify(a.task) === JSON.stringify(b.task);
}

function items(all: Choice[]): Item[] {
  return all.flatMap((it, at) => {
    const isFirst = it.group !== all[at - 1]?.group;
    return isFirst ? [separator(it.group), item(it)] : [item(it)];
  });
}

function separator(label: string): Item {
  return { label, kind: vscode.QuickPickItemKind.Separator };
}

const ICONS = {
  "recorded before": "history",
  "this package": "package",
  "active file": "file-code",
  "npm scripts": "package",
  "launch configurations": "debug-alt",
  typed: "terminal",
};

function item(choice: Choice): Item {
  const label = `$(${ICONS[choice.group]}) ${choice.text}`;
  const detail = choice.detail === undefined ? {} : { detail: choice.detail };
  return { label, description: choice.about, ...detail, choice };
}
