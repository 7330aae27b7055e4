// Heat in the editor: marks in the overview ruler and, where the user wants them, bars in the gutter.

import * as vscode from "vscode";
import * as config from "./config";
import { changeMarksOf, colorOf, type Mark, type Marks, marksOf, TONES, type Tone } from "./heatLevels";
import type { Model } from "./model";
import { countOf } from "./text";
import type { EditorCosts, VisibleCosts } from "./visibleCosts";

/** A color of `package.json`. */
export interface ContributedColor {
  id: string;
  defaults: { dark: string; light: string };
}

const NONE: Marks = { ruler: [], bars: [] };

export class Heat implements vscode.Disposable {
  private readonly ruler = types((color) => ({
    overviewRulerColor: color,
    overviewRulerLane: vscode.OverviewRulerLane.Center,
  }));
  // A border at the text would cover its first letters. Pictures know nothing of the colors of themes, but of dark and light.
  private readonly bars: Record<Tone, vscode.TextEditorDecorationType>;
  private readonly subscriptions: vscode.Disposable[];
  /** What is drawn in each document, for the tests. */
  readonly drawn = new Map<string, Marks>();

  constructor(
    private readonly model: Model,
    costs: VisibleCosts,
    colors: readonly ContributedColor[],
  ) {
    this.bars = types((_, tone) => {
      const { dark = "", light = "" } = colors.find((it) => it.id === colorOf(tone))?.defaults ?? {};
      return { dark: { gutterIconPath: bar(dark) }, light: { gutterIconPath: bar(light) } };
    });
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
  options: (color: vscode.ThemeColor, tone: Tone) => vscode.DecorationRenderOptions,
): Record<Tone, vscode.TextEditorDecorationType> {
  const type = (tone: Tone) =>
    vscode.window.createTextEditorDecorationType(options(new vscode.ThemeColor(colorOf(tone)), tone));
  return { 1: type(1), 2: type(2), 3: type(3), 4: type(4), 5: type(5), slower: type("slower"), faster: type("faster") };
}

/** A bar as high as the line, at the side of the line numbers. */
function bar(color: string): vscode.Uri {
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="10" height="40" preserveAspectRatio="none" viewBox="0 0 10 40"><rect x="6" width="4" height="40" fill="${color}"/></svg>`;
  return vscode.Uri.parse(`data:image/svg+xml;base64,${Buffer.from(svg).toString("base64")}`);
}

function ranges(marks: Mark[], tone: Tone): vscode.Range[] {
  return marks.filter((it) => it.level === tone).map(({ line }) => new vscode.Range(line, 0, line, 0));
}
