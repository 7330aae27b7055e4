// *Compare with…*: the list of what can be the side before.

import * as vscode from "vscode";
import type { Model } from "../model";
import type { CompareParams } from "../protocol";
import { thousands } from "../text";
import { age, type Offer, offersOf, type Recorded } from "./text";

type Item = vscode.QuickPickItem & { choose?: () => Promise<CompareParams | undefined> };

/** Asks what to compare with; undefined if the user left the list. */
export async function choose(model: Model): Promise<CompareParams | undefined> {
  const title = `Compare ${model.shown?.name ?? "what is shown"} with what was before`;
  const options = { title, matchOnDescription: true, matchOnDetail: true, placeHolder: "What to compare with" };
  return await (await vscode.window.showQuickPick(items(model), options))?.choose?.();
}

/** What can be compared with, for the tests. */
export async function offers(model: Model): Promise<string[]> {
  return (await items(model)).map(({ label, description }) => [label, description].filter(Boolean).join(" | "));
}

async function items(model: Model): Promise<Item[]> {
  const recordings = (await recordingsOf(model)).map(item);
  return [
    {
      label: "$(history) The previous recording",
      description: "the newest one of the same program that is older",
      choose: async () => ({ before: "previous" }),
    },
    ...(recordings.length > 0 ? [separator("recordings of this workspace"), ...recordings] : []),
    separator(""),
    { label: "$(git-commit) Recordings of a commit or tag…", choose: ofCommit, alwaysShow: true },
    { label: "$(file) Files…", description: "each is a run", choose: () => opened(false), alwaysShow: true },
    {
      label: "$(folder) A folder…",
      description: "each file in it is a run",
      choose: () => opened(true),
      alwaysShow: true,
    },
  ];
}

/** The recordings of the workspace without what is shown, which may be a folder of runs. */
async function recordingsOf(model: Model): Promise<Offer[]> {
  const { shown } = model;
  const others = (model.status?.traces ?? []).filter(
    (it) => !it.shown && it.state !== "failed" && !(shown && it.uri.startsWith(`${shown.uri}/`)),
  );
  const known = await Promise.all(
    others.map(async ({ uri }): Promise<Recorded[]> => {
      const file = vscode.Uri.parse(uri);
      try {
        return [{ path: file.path, time: (await vscode.workspace.fs.stat(file)).mtime }];
      } catch {
        // It was deleted, which the server has not noticed yet.
        return [];
      }
    }),
  );
  // What lies there belongs to any program: each is a side by itself.
  const shared = /\/\.proflens(\/recordings)?$/;
  const roots = new Set((vscode.workspace.workspaceFolders ?? []).map((it) => it.uri.path));
  return offersOf(
    known.flat(),
    (folder) => shared.test(folder) || roots.has(folder) || !folder.includes("/.proflens/"),
  );
}

function item({ path, runs, time }: Offer): Item {
  const file = vscode.Uri.file(path);
  const name = path.slice(path.lastIndexOf("/") + 1);
  return {
    label: `$(${runs > 1 ? "folder" : "file"}) ${name}`,
    description: [age(Date.now() - time), runs > 1 && `${thousands(runs)} runs`].filter(Boolean).join(" · "),
    detail: vscode.workspace.asRelativePath(file),
    choose: async () => ({ before: [file.fsPath] }),
  };
}

async function ofCommit(): Promise<CompareParams | undefined> {
  const rev = await vscode.window.showInputBox({
    title: "Compare with the recordings of a commit",
    prompt: "A branch, a tag or a commit, of which this workspace has recordings.",
    placeHolder: "main",
  });
  return rev?.trim() ? { rev: rev.trim() } : undefined;
}

async function opened(isFolder: boolean): Promise<CompareParams | undefined> {
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
  const chosen = await vscode.window.showOpenDialog({
    title: isFolder ? "The folder with the recordings before" : "The recordings before",
    openLabel: "Compare",
    canSelectFiles: !isFolder,
    canSelectFolders: isFolder,
    canSelectMany: !isFolder,
    ...(folder && { defaultUri: folder }),
  });
  return chosen && { before: chosen.map((it) => it.fsPath) };
}

function separator(label: string): Item {
  return { label, kind: vscode.QuickPickItemKind.Separator };
}
