// The cost of each line, and how often it ran where that was counted, on demand: as text at the lines of a file, where it is in view, until it is
// switched off.

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
    const lines = this.files.has(uri) && base ? shownLines(costs).filter((it) => it.line < document.lineCount) : [];
    const tab = Number(editor.options.tabSize) || 4;
    const width = Math.max(0, ...lines.map((it) => it.cost?.self.text.length ?? 0));
    const texts = lines.map((it) => ({ ...it, text: textOf(it, width), code: document.lineAt(it.line) }));
    const margins = marginsOf(
      texts.map((it) => it.code.text),
      tab,
    );
    const longest = Math.max(0, ...texts.map((it) => it.text.length));
    const options = texts.map(({ line, text, cost, ran, code }, at): vscode.DecorationOptions => {
      const share = cost ? countOf(cost.self) / Math.max(countOf(base ?? cost.self), 1) : 0;
      const margin = margins[at];
      const place =
        margin === undefined ? new vscode.Position(line, code.firstNonWhitespaceCharacterIndex) : code.range.end;
      const drawn = {
        contentText: text.padEnd(longest, "\u00a0"),
        margin: margin === undefined ? "0 1.5ch 0 0" : `0 0 0 ${margin}ch`,
        color: new vscode.ThemeColor("proflens.lineCostForeground"),
        border: "solid",
        textDecoration: `none; border-width: 0 0 0 2px; padding-left: 0.75ch`,
        borderColor: cost ? new vscode.ThemeColor(`proflens.heat${levelOf(share)}`) : "transparent",
      };
      return {
        range: new vscode.Range(place, place),
        hoverMessage: `Line ${line + 1}: ${[...(cost ? sentences(cost) : []), ...(ran ? [`${ran.times.text}, counted in another run`] : [])].join("; ")}`,
        renderOptions: margin === undefined ? { before: drawn } : { after: drawn },
      };
    });
    editor.setDecorations(this.type, options);
    this.drawn.set(
      uri,
      texts.map(({ line, text }) => ({ line, text: text.trim() })),
    );
  }
}

/** A line with a cost, or of which it is known how often it ran. */
interface ShownLine {
  line: number;
  cost?: protocol.LineCosts;
  ran?: protocol.LineRuns;
}

/** The lines with a cost, and those on which it changes how often code ran. */
function shownLines({ lines, ran }: protocol.DocumentCosts): ShownLine[] {
  const shown = new Map<number, ShownLine>(lines.map((cost) => [cost.line, { line: cost.line, cost }]));
  for (const it of ran) {
    const known = shown.get(it.line);
    if (known || it.isOther) shown.set(it.line, { ...known, line: it.line, ran: it });
  }
  return [...shown.values()].sort((a, b) => a.line - b.line);
}

/** The cost in a column that is so wide, and how often the line ran: `12.3 ms  ran 1,200 times`. */
function textOf({ cost, ran }: ShownLine, width: number): string {
  const column = (cost?.self.text ?? "").padStart(width, "\u00a0");
  const gap = width > 0 ? "\u00a0\u00a0" : "";
  return ran ? `${column}${gap}${ran.times.text}` : column;
}

function sentences({ self, inlined }: protocol.LineCosts): string[] {
  const own = `self ${inFull(self)}`;
  return inlined ? [own, `of it ${inFull(inlined)} in functions that it was inlined into`] : [own];
}

/** Why there are no costs of lines, if there are none. */
function whyNone({ functions, lines, ran }: protocol.DocumentCosts): string | undefined {
  if (lines.length > 0 || ran.length > 0) return undefined;
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
