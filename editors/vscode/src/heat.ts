// Heat in the editor: marks in the overview ruler and, where the user wants them, bars beside the text.

import * as vscode from "vscode";
import * as config from "./config";
import { changeMarksOf, colorOf, type Mark, type Marks, marksOf, TONES, type Tone } from "./heatLevels";
import type { Model } from "./model";
import { countOf } from "./text";
import type { EditorCosts, VisibleCosts } from "./visibleCosts";

const NONE: Marks = { ruler: [], bars: [] };

export class Heat implements vscode.Disposable {
  private readonly ruler = types((color) => ({
    overviewRulerColor: color,
    overviewRulerLane: vscode.OverviewRulerLane.Center,
  }));
  private readonly bars = types((color) => ({
    isWholeLine: true,
    borderColor: color,
    borderStyle: "solid",
    borderWidth: "0 0 0 3px",
  }));
  private readonly subscriptions: vscode.Disposable[];
  /** What is drawn in each document, for the tests. */
  readonly drawn = new Map<string, Marks>();

  constructor(
    private readonly model: Model,
    costs: VisibleCosts,
  ) {
    this.subscriptions = [
      ...Object.values(this.ruler),
      ...Object.values(this.bars),
      costs.onDidUpdate((it) => this.draw(it)),
      vscode.workspace.onDidChangeConfiguration((event) => {
        if (event.affectsConfiguration("proflens.heat")) costs.updateAll();
      }),
    ];
  }

  dispose(): void {
    for (const it of this.subscriptions) it.dispose();
  }

  private draw({ editor, costs }: EditorCosts): void {
    const { uri } = editor.document;
    const all = this.marksOf(costs);
    const marks = {
      ruler: config.isOn("heat.overviewRuler", uri) ? all.ruler : [],
      bars: config.isOn("heat.gutter", uri) ? all.bars : [],
    };
    for (const tone of TONES) {
      editor.setDecorations(this.ruler[tone], ranges(marks.ruler, tone));
      editor.setDecorations(this.bars[tone], ranges(marks.bars, tone));
    }
    this.drawn.set(uri.toString(), marks);
  }

  private marksOf(costs: EditorCosts["costs"]): Marks {
    const ledger = this.model.status?.ledger;
    if (!ledger) return NONE;
    return this.model.comparison ? changeMarksOf(costs) : marksOf(costs, countOf(ledger.base));
  }
}

/** A decoration for each tone, in its color. */
function types(
  options: (color: vscode.ThemeColor) => vscode.DecorationRenderOptions,
): Record<Tone, vscode.TextEditorDecorationType> {
  const type = (tone: Tone) =>
    vscode.window.createTextEditorDecorationType(options(new vscode.ThemeColor(colorOf(tone))));
  return { 1: type(1), 2: type(2), 3: type(3), 4: type(4), 5: type(5), slower: type("slower"), faster: type("faster") };
}

function ranges(marks: Mark[], tone: Tone): vscode.Range[] {
  return marks.filter((it) => it.level === tone).map(({ line }) => new vscode.Range(line, 0, line, 0));
}
