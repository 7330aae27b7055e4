// The side bar, the heat and the costs of lines, by what the installed extension shows on examples/primes.

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import * as vscode from "vscode";
import type { Api } from "../../../editors/vscode/src/extension";
import { eventually, hints, open, test, uri } from "./harness";

const { executeCommand } = vscode.commands;
const DEFAULT = "primes.cpuprofile";

/** All tests of this file; `api` is asked when they run. */
export function viewTests(api: () => Api): void {
  const shows = (...[view, depth]: Parameters<Api["viewText"]>) => ({
    async as(...expected: string[]) {
      await eventually(async () => assert.deepEqual(await api().viewText(view, depth), expected));
    },
  });

  test("the hottest functions, files and folders in the side bar, by self or total", async () => {
    await executeCommand("proflens.hottest.focus");
    await shows("hottest").as("TODO");
    await executeCommand("proflens.orderByTotal");
    await shows("hottest").as("TODO");
    await executeCommand("proflens.listFiles");
    await shows("hottest").as("TODO");
    await executeCommand("proflens.orderBySelf");
    await executeCommand("proflens.listFolders");
    await shows("hottest").as("TODO");
    await executeCommand("proflens.listFunctions");
  });

  test("a filter keeps what fits, and says when nothing does", async () => {
    await executeCommand("proflens.filterHottest", "PRIME");
    await shows("hottest").as("TODO");
    await executeCommand("proflens.filterHottest", "nothing");
    await shows("hottest").as('No measured function has "nothing" in its name or path.');
    await executeCommand("proflens.clearFilter");
    await shows("hottest").as("TODO");
  });

  test("a click on a row goes to the function, and its menu copies", async () => {
    await open("main.js");
    const row = await api().viewRow("hottest", "isPrime");
    assert(row?.target?.selectionRange);
    await executeCommand("proflens.copyRow", row);
    assert.equal(await vscode.env.clipboard.readText(), "TODO");
    await executeCommand("proflens.copyName", row);
    assert.equal(await vscode.env.clipboard.readText(), "isPrime");
    const { start } = row.target.selectionRange;
    const selection = new vscode.Range(start.line, start.character, start.line, start.character);
    await executeCommand("vscode.open", vscode.Uri.parse(row.target.uri), { selection });
    const editor = vscode.window.activeTextEditor;
    assert.equal(editor?.document.getText(editor.document.getWordRangeAtPosition(editor.selection.active)), "isPrime");
  });

  test("callers and callees unfold to any depth, and follow the cursor", async () => {
    await executeCommand("proflens.calls.focus");
    await put("generate.js", "isPrime");
    await shows("calls", 4).as("TODO");
    await put("generate.js", "genPrimes");
    await shows("calls", 1).as("TODO");
  });

  test("a function that is kept stays while the cursor moves", async () => {
    await executeCommand("proflens.showCallTree", await api().viewRow("hottest", "isPrime"));
    await shows("calls", 1).as("TODO");
    await put("generate.js", "genPrimes");
    await new Promise((done) => setTimeout(done, 500));
    await shows("calls", 1).as("TODO");
    await executeCommand("proflens.unpinFunction");
    await shows("calls", 1).as("TODO");
  });

  test("a place without a measured function is a sentence, not an empty view", async () => {
    const document = await vscode.workspace.openTextDocument({ language: "javascript", content: "function never() {}" });
    await vscode.window.showTextDocument(document);
    const plain = uri("plain.js");
    writeFileSync(plain.fsPath, "function never() {}\n");
    await put("plain.js", "never");
    await shows("calls").as("No measured function at the cursor.");
    await vscode.workspace.fs.delete(plain);
  });

  test("where the time went, with what is behind each line", async () => {
    await executeCommand("proflens.ledger.focus");
    await shows("ledger", 1).as("TODO");
  });

  test("marks in the overview ruler, and bars where they are wanted", async () => {
    const document = await open("generate.js");
    const marks = () => api().marks(document.uri);
    await eventually(() => assert.deepEqual(marks(), "TODO"));
    const settings = vscode.workspace.getConfiguration("proflens");
    await settings.update("heat.gutter", true, vscode.ConfigurationTarget.Workspace);
    await settings.update("heat.overviewRuler", false, vscode.ConfigurationTarget.Workspace);
    await eventually(() => assert.deepEqual(marks(), "TODO"));
    for (const key of ["heat.gutter", "heat.overviewRuler"]) await settings.update(key, undefined, vscode.ConfigurationTarget.Workspace);
    await executeCommand("proflens.toggle");
    await eventually(() => assert.deepEqual(marks(), { ruler: [], bars: [] }));
    await executeCommand("proflens.toggle");
    await eventually(() => assert.notDeepEqual(marks()?.ruler, []));
  });

  test("badges at files, which can be switched off", async () => {
    const badges = () => ["generate.js", "main.js", "index.html"].map((it) => api().badge(uri(it)));
    await eventually(() => assert.deepEqual(badges(), "TODO"));
    const settings = vscode.workspace.getConfiguration("proflens");
    await settings.update("explorer.badges", false, vscode.ConfigurationTarget.Workspace);
    await eventually(() => assert.deepEqual(badges(), [[], [], []]));
    await settings.update("explorer.badges", undefined, vscode.ConfigurationTarget.Workspace);
  });

  test("the costs of lines are shown and hidden, and follow an edit", async () => {
    const document = await open("generate.js");
    const lines = () => api().lineCosts(document.uri).map((it) => `${it.line + 1} ${it.text}`);
    assert.deepEqual(lines(), []);
    await executeCommand("proflens.showLineCosts");
    await eventually(() => assert.deepEqual(lines(), "TODO"));
    await executeCommand("proflens.hideLineCosts");
    await eventually(() => assert.deepEqual(lines(), []));
  });

  test("a folder has the sum of its files, and threads are chosen by boxes and in a list", async () => {
    await vscode.workspace.fs.createDirectory(uri("src/deep"));
    for (const name of ["a", "b"]) writeFileSync(uri(`src/deep/${name}.js`).fsPath, `export function ${name}() {}\n`);
    const trace = uri("threads.json");
    const $schema = "https://www.speedscope.app/file-format-schema.json";
    const frames = ["a", "b"].map((name) => ({ name, file: uri(`src/deep/${name}.js`).toString(), line: 1, col: 17 }));
    const profiles = ["main", "worker", "other"].map((name, at) => {
      return { type: "sampled", name, unit: "milliseconds", samples: [[at % 2], [at % 2]], weights: [20, 10] };
    });
    writeFileSync(trace.fsPath, JSON.stringify({ $schema, shared: { frames }, profiles }));
    await executeCommand("proflens.loadTrace", trace);
    const threads = shows("traces", 1);
    await threads.as("TODO");
    await eventually(() => assert.deepEqual(api().badge(uri("src")), ["TODO"]));
    await api().chooseThreads(new Map([["worker", true]]));
    await threads.as("TODO");
    await eventually(() => assert.deepEqual(["src", "src/deep", "src/deep/a.js"].map((it) => api().badge(uri(it))), ["TODO"]));

    const picked = executeCommand("proflens.selectThreads");
    await new Promise((done) => setTimeout(done, 500));
    await executeCommand("workbench.action.quickOpenSelectNext");
    await executeCommand("workbench.action.quickPickManyToggle");
    await executeCommand("workbench.action.acceptSelectedQuickOpenItem");
    await picked;
    await threads.as("TODO");

    await executeCommand("proflens.showLineCosts");
    assert.deepEqual(api().lineCosts(uri("src/deep/a.js")), []);
    await executeCommand("proflens.selectTrace", uri(DEFAULT).toString());
    await vscode.workspace.fs.delete(trace);
    await vscode.workspace.fs.delete(uri("src"), { recursive: true });
    await eventually(async () => assert.notDeepEqual(await hints(await open("generate.js")), []));
  });
}

/** Puts the cursor on the first place of a text in a file. */
async function put(file: string, text: string): Promise<void> {
  const document = await open(file);
  const editor = vscode.window.activeTextEditor;
  assert(editor);
  const at = document.positionAt(document.getText().indexOf(text) + 1);
  editor.selection = new vscode.Selection(at, at);
}
