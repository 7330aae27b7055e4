// Ways through the hot code: from one hot function of a file to the next, and from a function along what it calls.

import * as vscode from "vscode";
import type { Server } from "./client";
import * as picks from "./picks";
import * as protocol from "./protocol";

/** Calls deeper than this are not followed: a recursion never ends. */
const MAX_DEPTH = 100;

/** Puts the cursor on the next function of the file whose total reaches the threshold; behind the last one begins the first. */
export async function goToHot(server: Server, step: 1 | -1): Promise<void> {
  const editor = vscode.window.activeTextEditor;
  if (!editor) return;
  const textDocument = { uri: editor.document.uri.toString() };
  const { functions } = await server.request<protocol.DocumentCosts>(protocol.DOCUMENT_COSTS, { textDocument });
  const threshold = vscode.workspace.getConfiguration("proflens", editor.document).get("threshold", 0.5) / 100;
  const places = functions
    .filter((it) => it.totalShare >= threshold)
    .map(({ selectionRange: { start } }) => new vscode.Position(start.line, start.character))
    .sort((a, b) => a.compareTo(b));
  const { active } = editor.selection;
  const target =
    step === 1
      ? (places.find((it) => it.isAfter(active)) ?? places[0])
      : (places.findLast((it) => it.isBefore(active)) ?? places.at(-1));
  if (!target) {
    void vscode.window.showInformationMessage("No function of this file is hot.");
    return;
  }
  editor.selection = new vscode.Selection(target, target);
  editor.revealRange(new vscode.Range(target, target), vscode.TextEditorRevealType.InCenterIfOutsideViewport);
}

/** Lists the function at the cursor, the callee in which most of its time went, that one's hottest callee, and so on. */
export async function followHotPath(server: Server, about: protocol.CallersParams | undefined): Promise<string[]> {
  const steps: picks.Step[] = [];
  const path: number[] = [];
  let root: protocol.CallTree | null = null;
  while (about && path.length < MAX_DEPTH) {
    const params: protocol.CallTreeParams = { function: root?.function ?? about, direction: "callees", path };
    const node: protocol.CallTree | null = await server.request(protocol.CALL_TREE, params);
    if (!node) break;
    if (!root) {
      root = node;
      const { uri, selectionRange } =
        (await server.request<protocol.FunctionLocation | null>(protocol.FUNCTION, node.function)) ?? {};
      steps.push({ name: node.name, total: node.total, uri: uri ?? null, selectionRange: selectionRange ?? null });
    }
    const [hottest] = node.items;
    // Where most of it is the function's own, the path ends.
    if (!hottest || hottest.share < node.endsShare) break;
    steps.push(hottest);
    path.push(hottest.key);
  }
  if (steps.length > 0) void picks.hotPath(steps);
  else void vscode.window.showInformationMessage("No measured function here. Put the cursor into one.");
  return steps.map((it) => it.name);
}
