// The cost of each line, on demand: as text at the lines of a file, where it is in view, until it is switched off.

import * as vscode from "vscode";
import { levelOf, marginsOf } from "./heatLevels";
import { type Model, setContext } from "./model";
import * as protocol from "./protocol";
import { countOf, inFull } from "./text";
import type { EditorCosts, VisibleCosts } from "./visibleCosts";

const NO_LINES =
  "This trace has no line numbers of samples. A .cpuprofile of Node or a trace of Chrome has them: record one of these for costs by line.";
const NO_FILE = "No file is shown in the editor: open one to see the costs of its lines.";
const NO_FUNCTIONS = "No function of this file was measured.";
const HIDDEN = "Costs are hidden, or no trace is loaded.";
const EDITED =
  "All measured functions of this file were edited since, so it is not known which lines the costs belong to.";

export class LineCosts implements vscode.Disposable {
  private readonly type = vscode.window.createTextEditorDecorationType({
    rangeBehavior: vscode.DecorationRangeBehavior.ClosedOpen,
  });
  private readonly subscriptions: vscode.Disposable[];
  /** The files whose lines show their costs. */
  private readonly files = new Set<string>();
  /** What is drawn in each of them, for the tests. */
  readonly drawn = new Map<string, { line: number; text: string }[]>();

  constructor(
    private readonly model: Model,
    private readonly costs: VisibleCosts,
  ) {
    this.subscriptions = [
      this.type,
      costs.onDidUpdate((it) => this.draw(it)),
      vscode.window.onDidChangeActiveTextEditor(() => this.publish()),
      vscode.workspace.onDidCloseTextDocument(({ uri }) => this.files.delete(uri.toString())),
    ];
  }

  /** Shows the costs of the lines of the active file; or says why there are none, which is also what it returns. */
  async show(): Promise<string | undefined> {
    const document = vscode.window.activeTextEditor?.document;
    if (!document) return this.say(NO_FILE);
    const uri = document.uri.toString();
    const params = { textDocument: { uri } };
    const costs = await this.model.server.request<protocol.DocumentCosts>(protocol.DOCUMENT_COSTS, params);
    const reason = this.model.draws ? whyNone(costs) : HIDDEN;
    if (reason) return this.say(reason);
    this.files.add(uri);
    this.publish();
    this.costs.updateAll();
    void vscode.window.setStatusBarMessage(`$(flame) ${covered(costs)}`, 8000);
    return undefined;
  }

  hide(): void {
    const uri = vscode.window.activeTextEditor?.document.uri.toString();
    if (!uri) return;
    this.files.delete(uri);
    this.publish();
    this.costs.updateAll();
  }

  dispose(): void {
    for (const it of this.subscriptions) it.dispose();
  }

  private say(reason: string): string {
    void vscode.window.showInformationMessage(reason);
    return reason;
  }

  private publish(): void {
    const uri = vscode.window.activeTextEditor?.document.uri.toString();
    void setContext("linesShown", uri !== undefined && this.files.has(uri));
  }

  private draw({ editor, costs }: EditorCosts): void {
    const { document } = editor;
    const uri = document.uri.toString();
    const base = this.model.status?.ledger?.base;
    const lines = this.files.has(uri) && base ? costs.lines.filter((it) => it.line < document.lineCount) : [];
    const tab = Number(editor.options.tabSize) || 4;
    const texts = lines.map((it) => ({ ...it, text: it.self.text, code: document.lineAt(it.line) }));
    const margins = marginsOf(
      texts.map((it) => it.code.text),
      tab,
    );
    const longest = Math.max(0, ...texts.map((it) => it.text.length));
    const options = texts.map(({ line, text, self, inlined, code }, at): vscode.DecorationOptions => {
      const share = countOf(self) / Math.max(countOf(base ?? self), 1);
      const margin = margins[at];
      const place =
        margin === undefined ? new vscode.Position(line, code.firstNonWhitespaceCharacterIndex) : code.range.end;
      const drawn = {
        contentText: text.padStart(longest, "\u00a0"),
        margin: margin === undefined ? "0 1.5ch 0 0" : `0 0 0 ${margin}ch`,
        color: new vscode.ThemeColor("proflens.lineCostForeground"),
        border: "solid",
        textDecoration: `none; border-width: 0 0 0 2px; padding-left: 0.75ch`,
        borderColor: new vscode.ThemeColor(`proflens.heat${levelOf(share)}`),
      };
      return {
        range: new vscode.Range(place, place),
        hoverMessage: `Line ${line + 1}: self ${inFull(self)}${inlined ? `; of it ${inFull(inlined)} in functions that it was inlined into` : ""}`,
        renderOptions: margin === undefined ? { before: drawn } : { after: drawn },
      };
    });
    editor.setDecorations(this.type, options);
    this.drawn.set(
      uri,
      texts.map(({ line, text }) => ({ line, text })),
    );
  }
}

/** Why there are no costs of lines, if there are none. */
function whyNone({ functions, lines }: protocol.DocumentCosts): string | undefined {
  if (lines.length > 0) return undefined;
  if (functions.length === 0) return NO_FUNCTIONS;
  return functions.every((it) => it.freshness === "edited") ? EDITED : NO_LINES;
}

/** How much of the self time of the file is on its lines. */
function covered({ unit, onLines }: protocol.DocumentCosts): string {
  const what = unit === "bytes" ? "memory" : "self time";
  return onLines && onLines.part < 1
    ? `The lines have ${onLines.text} of the ${what} of this file`
    : `The lines have all ${what} of this file`;
}
