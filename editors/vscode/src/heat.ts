// Heat in the editor: marks in the overview ruler and, where the user wants them, bars beside the text.

import * as vscode from "vscode";
import * as config from "./config";
import { LEVELS, type Level, type Mark, type Marks, marksOf } from "./heatLevels";
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
    const ledger = this.model.status?.ledger;
    const all = ledger ? marksOf(costs, countOf(ledger.base)) : NONE;
    const marks = {
      ruler: config.isOn("heat.overviewRuler", uri) ? all.ruler : [],
      bars: config.isOn("heat.gutter", uri) ? all.bars : [],
    };
    for (const level of LEVELS) {
      editor.setDecorations(this.ruler[level], ranges(marks.ruler, level));
      editor.setDecorations(this.bars[level], ranges(marks.bars, level));
    }
    this.drawn.set(uri.toString(), marks);
  }
}

/** A decoration for each level, in its color. */
function types(
  options: (color: vscode.ThemeColor) => vscode.DecorationRenderOptions,
): Record<Level, vscode.TextEditorDecorationType> {
  const type = (level: Level) =>
    vscode.window.createTextEditorDecorationType(options(new vscode.ThemeColor(`proflens.heat${level}`)));
  return { 1: type(1), 2: type(2), 3: type(3), 4: type(4), 5: type(5) };
}

function ranges(marks: Mark[], level: Level): vscode.Range[] {
  return marks.filter((it) => it.level === level).map(({ line }) => new vscode.Range(line, 0, line, 0));
}
