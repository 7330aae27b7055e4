// The view "Callers and callees": both trees of the function at the cursor, or of one that the user keeps.

import * as vscode from "vscode";
import { levelOf } from "../heatLevels";
import { hasCosts, type Model } from "../model";
import * as protocol from "../protocol";
import { countOf, inFull } from "../text";
import { inParts, placeOf, type Row, RowView } from "./rows";

/** The view follows the cursor where it rests. */
const FOLLOW_DELAY_MS = 150;
/** The error of the protocol for a question about something that has changed by now. */
const CONTENT_MODIFIED = -32801;

const ROOTS: [protocol.CallDirection, string][] = [
  ["callers", "Called by"],
  ["callees", "Calls"],
];

export class CallsView extends RowView {
  /** What is asked about: a function, or a place in a text. */
  private about: protocol.CallersParams | undefined;
  /** The function that was found there. */
  private found: string | undefined;
  private pinned = false;
  private timer: NodeJS.Timeout | undefined;

  constructor(model: Model) {
    super("calls", model);
    this.subscriptions.push(
      model.onDidEdit(() => this.refresh()),
      vscode.window.onDidChangeTextEditorSelection(({ textEditor }) => this.follow(textEditor)),
      vscode.window.onDidChangeActiveTextEditor((editor) => this.follow(editor)),
      this.tree.onDidChangeVisibility(() => this.follow(vscode.window.activeTextEditor)),
      { dispose: () => clearTimeout(this.timer) },
    );
    this.follow(vscode.window.activeTextEditor);
  }

  /** Shows a function of a row and keeps it, or without one that at the cursor. */
  async show(row?: Partial<Row>): Promise<void> {
    if (row?.function) {
      this.about = row.function;
      this.pin(true);
    } else {
      this.pin(false);
      this.follow(vscode.window.activeTextEditor);
    }
    this.refresh();
    await this.reveal();
  }

  /** Keeps the function whatever the cursor does, or follows the cursor again. */
  pin(pinned: boolean): void {
    this.pinned = pinned;
    this.setContext("pinned", pinned);
    this.describe();
    if (!pinned) this.follow(vscode.window.activeTextEditor);
  }

  protected async roots(): Promise<Row[]> {
    const { about } = this;
    this.found = undefined;
    const trees = about ? await Promise.all(ROOTS.map(([direction]) => this.node(about, direction, []))) : [];
    const [first] = trees;
    // The name of the function is known from here on: what is kept is the function, not the place in the text.
    if (about && first && about === this.about) {
      this.about = first.function;
      this.found = first.name;
    }
    this.describe();
    if (!this.model.shown) this.say("");
    else if (!about) this.say("Put the cursor into a function to see its callers and callees.");
    else if (first) this.say("");
    else
      this.say(
        this.pinned ? "This function is not in the trace that is shown." : "No measured function at the cursor.",
      );
    return trees.flatMap((tree, at) => {
      const [direction, label] = ROOTS[at] ?? [];
      if (!tree || !direction || !label) return [];
      const id = `${tree.recording} ${direction} ${tree.function.uri}#${tree.function.path}`;
      const children = () => this.below(tree, direction, [], id);
      return [{ id, label, description: inFull(tree.total), unfolded: true, children }];
    });
  }

  private describe(): void {
    this.tree.description = [this.found, this.pinned && "kept"].filter(Boolean).join(" · ");
  }

  /** The rows of a node: who called or is called there, and what ends there. */
  private below(tree: protocol.CallTree, direction: protocol.CallDirection, path: number[], id: string): Row[] {
    const rows = tree.items.map((it) => [countOf(it.total), this.row(it, tree, direction, path, id)] as const);
    if (countOf(tree.ends) > 0) {
      const description = `${inFull(tree.ends)} · ${tree.endsAbout}`;
      rows.push([
        countOf(tree.ends),
        { id: `${id} ends`, label: tree.endsName, description, icon: icon(tree.endsShare, "dash") },
      ]);
    }
    rows.sort(([a], [b]) => b - a);
    const all = rows.map(([, row]) => row);
    if (tree.others) {
      const { count, total, share } = tree.others;
      const label = count === 1 ? "1 other" : `${count.toLocaleString("en-US")} others`;
      const description = `${inFull(total)} · together, each less than those above`;
      all.push({ id: `${id} others`, label, description, icon: icon(share, "dash") });
    }
    return inParts(all, id);
  }

  private row(
    it: protocol.CallTreeItem,
    tree: protocol.CallTree,
    direction: protocol.CallDirection,
    above: number[],
    idAbove: string,
  ): Row {
    const path = [...above, it.key];
    const id = `${idAbove}/${it.key}`;
    const target = it.uri === null ? undefined : { uri: it.uri, selectionRange: it.selectionRange };
    const place = target ? placeOf(target) : it.description;
    const cost = inFull(it.total);
    return {
      id,
      label: it.name,
      description: [cost, place].filter(Boolean).join(" · "),
      tooltip: [it.name, `${cost}, ${it.samples.text}`, place].filter(Boolean).join("\n"),
      icon: icon(it.share, target ? "circle-filled" : "circle-outline"),
      ...(target && { target }),
      ...(it.function && { function: it.function }),
      node: { function: tree.function, direction, path, recording: tree.recording },
      children: async () => {
        const node = await this.node(tree.function, direction, path, tree.recording);
        return node ? this.below(node, direction, path, id) : [];
      },
    };
  }

  /** Asks for a node. A tree whose recording is no longer shown is redrawn. */
  private async node(
    about: protocol.CallersParams,
    direction: protocol.CallDirection,
    path: number[],
    recording?: number,
  ): Promise<protocol.CallTree | null> {
    const params: protocol.CallTreeParams = {
      function: about,
      direction,
      path,
      ...(recording !== undefined && { recording }),
    };
    try {
      return await this.model.server.request<protocol.CallTree | null>(protocol.CALL_TREE, params);
    } catch (error) {
      if ((error as { code?: number }).code !== CONTENT_MODIFIED) throw error;
      this.refresh();
      return null;
    }
  }

  private follow(editor: vscode.TextEditor | undefined): void {
    if (this.pinned || !editor || !hasCosts(editor.document)) return;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      if (this.pinned) return;
      const { line, character } = editor.selection.active;
      this.about = { textDocument: { uri: editor.document.uri.toString() }, position: { line, character } };
      this.refresh();
    }, FOLLOW_DELAY_MS);
  }
}

function icon(share: number, name: string): vscode.ThemeIcon {
  return new vscode.ThemeIcon(name, new vscode.ThemeColor(`proflens.heat${levelOf(share)}`));
}
