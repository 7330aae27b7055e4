// The few helpers of the tests in the extension host: run, wait, and send the editor's own requests.

import * as vscode from "vscode";

type Test = [name: string, run: () => Promise<void>];
const tests: Test[] = [];

/** A test; they run in the order in which they are written, on one workspace. */
export function test(name: string, run: () => Promise<void>): void {
  tests.push([name, run]);
}

/** Runs all tests. Throws when one failed, which is what makes the exit code. */
export async function runAll(): Promise<void> {
  let failed = 0;
  for (const [name, run] of tests) {
    const start = Date.now();
    try {
      await run();
      console.log(`ok    ${name} (${Date.now() - start} ms)`);
    } catch (error) {
      failed += 1;
      console.log(`FAIL  ${name}\n${error instanceof Error ? error.stack : error}`);
    }
  }
  console.log(`${tests.length - failed} passed, ${failed} failed`);
  if (failed > 0) throw new Error(`${failed} failed`);
}

/** Repeats `check` until it no longer throws; after the time limit its last error is that of the test. */
export async function eventually<T>(check: () => Promise<T> | T, limit = 60_000): Promise<T> {
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

/** A file of the workspace. */
export function uri(file: string): vscode.Uri {
  const folder = vscode.workspace.workspaceFolders?.[0];
  if (!folder) throw new Error("no folder is open");
  return vscode.Uri.joinPath(folder.uri, file);
}
