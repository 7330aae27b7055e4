// The flame graphs: panels beside the code and custom editors of traces, any number of them at once, and what connects
// them with the text.

import * as vscode from "vscode";
import { hasCosts, type Model } from "../model";
import type { DefinitionData } from "../protocol";
import { isSame, Source } from "./content";
import type { Definition } from "./messages";
import { FlamePage, type Origin } from "./page";
import { definitionOf, functionAt } from "./places";

/** Both kinds have this name in `package.json` and in the state of the workbench. */
const TYPE = "proflens.flameGraph";
/** The outline follows the cursor where it rests. */
const FOLLOW_DELAY_MS = 150;

/** What menus and links pass: a row or a definition with a function; from the menu of an editor, its file. */
export type Given = { function?: DefinitionData } | DefinitionData | vscode.Uri;

export class FlameGraphs
  implements vscode.WebviewPanelSerializer, vscode.CustomReadonlyEditorProvider, vscode.Disposable
{
  private readonly subscriptions: vscode.Disposable[];
  private readonly source: Source;
  private timer: NodeJS.Timeout | undefined;
  /** Those that are open, the oldest first. */
  readonly pages: FlamePage[] = [];

  constructor(
    private readonly model: Model,
    private readonly extension: vscode.Uri,
  ) {
    this.source = new Source(model);
    this.subscriptions = [
      vscode.window.registerWebviewPanelSerializer(TYPE, this),
      vscode.window.registerCustomEditorProvider(TYPE, this, { supportsMultipleEditorsPerDocument: true }),
      vscode.window.onDidChangeTextEditorSelection(({ textEditor }) => this.follow(textEditor)),
      vscode.window.onDidChangeActiveTextEditor((editor) => this.follow(editor)),
      { dispose: () => clearTimeout(this.timer) },
    ];
  }

  /** Shows a flame graph beside the code: the one that is open, or a new one, also if that is in use already. */
  show(): FlamePage {
    const open = this.latest();
    if (!open || open.active) return this.openPanel();
    open.front();
    return open;
  }

  /** Shows a function in a flame graph; without one, that at the cursor. Says why if there is none. */
  async showFunction(given?: Given): Promise<void> {
    const definition = given && "path" in given && "uri" in given ? given : undefined;
    const known = definition ?? (given && "function" in given ? given.function : undefined);
    const editor = vscode.window.activeTextEditor;
    const found = known ? definitionOf(known) : editor && (await functionAt(this.model.server, editor));
    if (!found) {
      void vscode.window.showInformationMessage("No measured function here. Put the cursor on the name of one.");
      return;
    }
    const page = this.latest() ?? this.openPanel();
    page.front();
    page.reveal(found);
  }

  async deserializeWebviewPanel(panel: vscode.WebviewPanel): Promise<void> {
    this.add(panel);
  }

  openCustomDocument(uri: vscode.Uri): vscode.CustomDocument {
    return { uri, dispose: () => {} };
  }

  async resolveCustomEditor({ uri }: vscode.CustomDocument, panel: vscode.WebviewPanel): Promise<void> {
    await this.model.whenReady();
    const known = this.model.status?.traces.find((it) => isSame(it.uri, uri));
    const command = known && known.state !== "failed" ? "proflens.selectTrace" : "proflens.loadTrace";
    const opening = known?.shown ? Promise.resolve() : this.model.server.execute(command, uri.toString());
    this.add(panel, { own: uri, opening });
    await opening;
  }

  dispose(): void {
    for (const it of [...this.subscriptions, ...this.pages]) it.dispose();
  }

  /** The flame graph that is meant where none is named: one that is seen, the newest of several. */
  private latest(): FlamePage | undefined {
    const usable = this.pages.filter((it) => it.noticed === undefined);
    const best = (filter: (it: FlamePage) => boolean) => usable.filter(filter).at(-1);
    return best((it) => it.active) ?? best((it) => it.visible) ?? usable.at(-1);
  }

  private openPanel(): FlamePage {
    const panel = vscode.window.createWebviewPanel(TYPE, "Flame graph", vscode.ViewColumn.Beside);
    return this.add(panel);
  }

  private add(panel: vscode.WebviewPanel, origin: Origin = {}): FlamePage {
    const page = new FlamePage(panel, this.model, this.source, this.extension, origin);
    this.pages.push(page);
    page.onDidGetReady(() => this.follow(vscode.window.activeTextEditor ?? vscode.window.visibleTextEditors[0]));
    page.onDidClose(() => {
      this.pages.splice(this.pages.indexOf(page), 1);
      if (this.pages.length === 0) this.source.clear();
    });
    return page;
  }

  /** Outlines the function at the cursor, while somebody sees it. */
  private follow(editor: vscode.TextEditor | undefined): void {
    if (!editor || !hasCosts(editor.document) || !this.pages.some((it) => it.visible)) return;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.outlineAt(editor), FOLLOW_DELAY_MS);
  }

  private async outlineAt(editor: vscode.TextEditor): Promise<void> {
    let found: Definition | undefined;
    try {
      found = await functionAt(this.model.server, editor);
    } catch {
      // Without a server there is no graph to outline anything in, and the status bar says why.
      return;
    }
    for (const it of this.pages) it.outline(found);
  }
}
