// The few helpers of the tests in the extension host: run, wait, and send the editor's own requests.

import assert from "node:assert/strict";
import * as vscode from "vscode";

type Test = [name: string, run: () => Promise<void>];
const scenarios: Test[][] = [];
let around: Test[] | undefined;
let begin: () => Promise<void> = async () => {};

/** What brings the editor and its folder back to where each scenario begins. */
export function beforeEach(run: () => Promise<void>): void {
  begin = run;
}

/** A test: a scenario of its own, or a step of the one around it. */
export function test(name: string, run: () => Promise<void>): void {
  if (around) around.push([name, run]);
  else scenarios.push([[name, run]]);
}

/** Tests that go on where the one before ended. Those after one that failed are left out. */
export function scenario(define: () => void): void {
  around = [];
  scenarios.push(around);
  define();
  around = undefined;
}

/** Runs all tests. Throws when one failed, which is what makes the exit code. */
export async function runAll(): Promise<void> {
  const failed: string[] = [];
  let passed = 0;
  for (const steps of scenarios) {
    const before = await outcome("it does not begin from scratch", begin);
    for (const [at, [name, run]] of steps.entries()) {
      const start = Date.now();
      const error = before ?? (await outcome(name, run));
      if (error === undefined) {
        console.log(`ok    ${name} (${Date.now() - start} ms)`);
        passed += 1;
        continue;
      }
      failed.push(name);
      console.log(`FAIL  ${name}\n${error}`);
      for (const [left] of steps.slice(at + 1)) console.log(`FAIL  ${left}: not run, because it goes on from there`);
      break;
    }
  }
  console.log(`${passed} passed, ${failed.length} failed`);
  if (failed.length > 0) throw new Error(`${failed.length} failed`);
}

async function outcome(name: string, run: () => Promise<void>): Promise<string | undefined> {
  try {
    await run();
    return undefined;
  } catch (error) {
    return `${name}: ${error instanceof Error ? error.stack : error}`;
  }
}

/** How long anything may take. */
const LIMIT_MS = 300_000;

/** Repeats `check` until it no longer throws; after minutes its last error is that of the test. */
export async function eventually<T>(check: () => Promise<T> | T, limit = LIMIT_MS): Promise<T> {
  const start = Date.now();
  for (;;) {
    try {
      return await check();
    } catch (error) {
      if (Date.now() - start > limit) throw error;
      await new Promise((done) => setTimeout(done, 50));
    }
  }
}

export interface Shown {
  line: number;
  character: number;
  text: string;
}

/** The hints of a document, as `line`, `character` and text. */
export async function hints(document: vscode.TextDocument): Promise<Shown[]> {
  const all = await vscode.commands.executeCommand<vscode.InlayHint[]>(
    "vscode.executeInlayHintProvider",
    document.uri,
    new vscode.Range(0, 0, document.lineCount, 0),
  );
  return all.map(({ position, label }) => ({
    line: position.line,
    character: position.character,
    text: typeof label === "string" ? label : label.map((it) => it.value).join(""),
  }));
}

/** The lenses of a document, resolved. */
export async function lenses(document: vscode.TextDocument): Promise<(Shown & { command: vscode.Command })[]> {
  const all = await vscode.commands.executeCommand<vscode.CodeLens[]>(
    "vscode.executeCodeLensProvider",
    document.uri,
    1000,
  );
  return all.flatMap(({ range, command }) =>
    command ? [{ line: range.start.line, character: range.start.character, text: command.title, command }] : [],
  );
}

/** The texts of all hovers at a position. */
export async function hover(document: vscode.TextDocument, line: number, character: number): Promise<string> {
  const all = await vscode.commands.executeCommand<vscode.Hover[]>(
    "vscode.executeHoverProvider",
    document.uri,
    new vscode.Position(line, character),
  );
  return all
    .flatMap(({ contents }) => contents.map((it) => (typeof it === "string" ? it : it.value)))
    .join("\n");
}

/** Opens a file of the workspace in the editor. */
export async function open(file: string): Promise<vscode.TextDocument> {
  const document = await vscode.workspace.openTextDocument(uri(file));
  await vscode.window.showTextDocument(document);
  return document;
}

/**
 * Gives up what was typed into a document. The command is for the editor in front, and which one that is the window may only learn: then it is
 * brought to the front, and asked, again.
 */
export async function revert(document: vscode.TextDocument): Promise<void> {
  await eventually(async () => {
    if (!document.isDirty) return;
    const shown = vscode.window.visibleTextEditors.find((it) => it.document === document);
    await vscode.window.showTextDocument(document, shown?.viewColumn ?? vscode.ViewColumn.One);
    await vscode.commands.executeCommand("workbench.action.files.revert");
    assert(!document.isDirty, "it still has what was typed");
  });
}

/**
 * Puts the cursor somewhere by `move`, and resolves when the window says that it is in this line. An extension sees what it set at once,
 * and for a moment again what the window said before that.
 */
export async function cursorMoves(line: number, move: () => unknown): Promise<void> {
  let stop = () => {};
  const moved = new Promise<void>((resolve, reject) => {
    const heard = vscode.window.onDidChangeTextEditorSelection(({ selections }) => {
      if (selections[0]?.active.line === line) resolve();
    });
    const timer = setTimeout(() => reject(new Error(`the cursor does not come to line ${line + 1}`)), LIMIT_MS);
    stop = () => {
      heard.dispose();
      clearTimeout(timer);
    };
  });
  try {
    await move();
    await moved;
  } finally {
    stop();
  }
}

/** A file of the workspace. */
export function uri(file: string): vscode.Uri {
  const folder = vscode.workspace.workspaceFolders?.[0];
  if (!folder) throw new Error("no folder is open");
  return vscode.Uri.joinPath(folder.uri, file);
}
