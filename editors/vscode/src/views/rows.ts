// What all views of the side bar have in common: rows that jump, that can be copied, and that tests can read.

import * as vscode from "vscode";
import { type Model, setContext } from "../model";
import type { CallTreeParams, DefinitionData } from "../protocol";
import { describeLocation, type Span } from "../text";

/** So many rows are drawn at once; the others unfold below a row that counts them. */
const ROWS_AT_ONCE = 200;

/** A row of a view. Context menus hand it to the commands. */
export interface Row {
  /** Which row it is, in its view: what stays unfolded when the view is drawn again. */
  id: string;
  label: string;
  /** What is copied as its name, if it is not the label. */
  name?: string;
  description?: string;
  tooltip?: string | vscode.MarkdownString;
  icon?: vscode.ThemeIcon;
  /** Where a click leads. */
  target?: Target;
  /** What a click does instead. */
  command?: vscode.Command;
  /** The function that it stands for, of which callers can be asked. */
  function?: DefinitionData;
  /** The node of a call tree that it is. */
  node?: CallTreeParams;
  checkbox?: vscode.TreeItemCheckboxState;
  /** Words for the conditions of menus. */
  kind?: string;
  unfolded?: boolean;
  children?: () => Promise<Row[]> | Row[];
}

export interface Target {
  uri: string;
  selectionRange: Span | null;
}

/** A view: it is drawn again when what is loaded changes. */
export abstract class RowView implements vscode.TreeDataProvider<Row>, vscode.Disposable {
  protected readonly tree: vscode.TreeView<Row>;
  protected readonly subscriptions: vscode.Disposable[] = [];
  private readonly changed = new vscode.EventEmitter<Row | undefined>();
  readonly onDidChangeTreeData = this.changed.event;

  constructor(
    protected readonly name: string,
    protected readonly model: Model,
  ) {
    this.tree = vscode.window.createTreeView(`proflens.${name}`, {
      treeDataProvider: this,
      showCollapseAll: true,
      manageCheckboxStateManually: true,
    });
    this.subscriptions.push(
      this.tree,
      this.changed,
      model.onDidChange(() => this.refresh()),
    );
  }

  /** The rows at the top. They also set the sentence that is shown if there are none. */
  protected abstract roots(): Promise<Row[]>;

  async getChildren(row?: Row): Promise<Row[]> {
    if (row) return (await row.children?.()) ?? [];
    // Without a server or a trace there are no rows, and then the welcome text says what to do.
    if (!this.model.status) {
      this.say("");
      return [];
    }
    return await this.roots();
  }

  getTreeItem(row: Row): vscode.TreeItem {
    const folded = row.unfolded ? vscode.TreeItemCollapsibleState.Expanded : vscode.TreeItemCollapsibleState.Collapsed;
    const item = new vscode.TreeItem(row.label, row.children ? folded : vscode.TreeItemCollapsibleState.None);
    item.id = row.id;
    item.tooltip = row.tooltip ?? rowText(row);
    const { kind = "row", function: of, target, node } = row;
    item.contextValue = [kind, of && "function", target && "file", node && "path"].filter(Boolean).join(" ");
    if (row.description) item.description = row.description;
    if (row.icon) item.iconPath = row.icon;
    if (row.checkbox !== undefined) item.checkboxState = row.checkbox;
    const command = row.command ?? (row.target && jump(row.target));
    if (command) item.command = command;
    return item;
  }

  /** What the view shows, for the tests: its sentence, or its rows to this depth, each level indented by two spaces. */
  async text(depth = 0): Promise<string[]> {
    const below = async (row: Row | undefined, level: number): Promise<string[]> => {
      const rows = await this.getChildren(row);
      const texts = rows.map(async (it) => {
        const box =
          it.checkbox === undefined ? "" : it.checkbox === vscode.TreeItemCheckboxState.Checked ? "[x] " : "[ ] ";
        const text = "  ".repeat(level) + box + rowText(it);
        return [text, ...(level < depth ? await below(it, level + 1) : [])];
      });
      return (await Promise.all(texts)).flat();
    };
    const rows = await below(undefined, 0);
    return this.tree.message ? [this.tree.message, ...rows] : rows;
  }

  /** The row of a text, for the tests. */
  async find(text: string): Promise<Row | undefined> {
    const search = async (row?: Row): Promise<Row | undefined> => {
      const rows = await this.getChildren(row);
      const found = rows.find((it) => rowText(it).startsWith(text));
      if (found) return found;
      for (const it of rows.filter((it) => it.unfolded)) {
        const below = await search(it);
        if (below) return below;
      }
      return undefined;
    };
    return await search();
  }

  refresh(): void {
    this.changed.fire(undefined);
  }

  dispose(): void {
    for (const it of this.subscriptions) it.dispose();
  }

  /** The sentence above the rows, or instead of them; none for an empty text. */
  protected say(sentence: string): void {
    this.tree.message = sentence;
  }

  /** Brings the view to the front. */
  protected async reveal(): Promise<void> {
    await vscode.commands.executeCommand(`proflens.${this.name}.focus`);
  }

  protected setContext(name: string, value: boolean | string): void {
    void setContext(name, value);
  }
}

/** A row as a line of text, which is also what is copied. */
export function rowText({ label, description }: Row): string {
  return [label, description].filter(Boolean).join("  ");
}

/** The first rows, and one for the others, below which they unfold. */
export function inParts(rows: Row[], id: string): Row[] {
  if (rows.length <= ROWS_AT_ONCE) return rows;
  const others = rows.slice(ROWS_AT_ONCE);
  const key = `${id}+${ROWS_AT_ONCE}`;
  const label = others.length === 1 ? "1 other" : `${others.length.toLocaleString("en-US")} others`;
  return [...rows.slice(0, ROWS_AT_ONCE), { id: key, label, children: () => inParts(others, key) }];
}

/** `src/a.ts:12` of a place. */
export function placeOf({ uri, selectionRange }: Target): string {
  const path = vscode.workspace.asRelativePath(vscode.Uri.parse(uri));
  return describeLocation(path, selectionRange);
}

function jump({ uri, selectionRange }: Target): vscode.Command {
  const start = selectionRange?.start;
  const place = start && new vscode.Position(start.line, start.character);
  const options = place ? [{ selection: new vscode.Range(place, place) }] : [];
  return { title: "Go to", command: "vscode.open", arguments: [vscode.Uri.parse(uri), ...options] };
}
