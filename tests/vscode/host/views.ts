// The side bar, the heat and the costs of lines, by what the installed extension shows on examples/primes.

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import * as vscode from "vscode";
import type { Api } from "../../../editors/vscode/src/extension";
import { cursorMoves, eventually, hints, open, revert, test, uri } from "./harness";

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
    await shows("hottest").as(
      "isPrime  570 ms (87 %) · generate.js:6",
      "genPrimes  ~10.3 ms (1.6 %) · generate.js:15",
      "handleClick  ~5.08 ms (0.77 %) · main.js:5",
      "(top level)  0 ms (0 %) · main.js:1",
    );
    await executeCommand("proflens.orderByTotal");
    await shows("hottest").as(
      "handleClick  587 ms (89 %) · main.js:5",
      "genPrimes  582 ms (88 %) · generate.js:15",
      "isPrime  570 ms (87 %) · generate.js:6",
      "(top level)  ~1.02 ms (0.15 %) · main.js:1",
    );
    await executeCommand("proflens.listFiles");
    await shows("hottest").as(
      "main.js  588 ms (89 %) · main.js",
      "generate.js  582 ms (88 %) · generate.js",
    );
    await executeCommand("proflens.orderBySelf");
    await executeCommand("proflens.listFolders");
    await shows("hottest").as("primes  586 ms (89 %)");
    await executeCommand("proflens.listFunctions");
  });

  test("a filter keeps what fits, and says when nothing does", async () => {
    await executeCommand("proflens.filterHottest", "PRIME");
    await shows("hottest").as("isPrime  570 ms (87 %) · generate.js:6", "genPrimes  ~10.3 ms (1.6 %) · generate.js:15");
    await executeCommand("proflens.filterHottest", "nothing");
    await shows("hottest").as('No measured function has "nothing" in its name or path.');
    await executeCommand("proflens.clearFilter");
    await eventually(async () => assert.equal((await api().viewText("hottest")).length, 4));
  });

  test("a click on a row goes to the function, and its menu copies", async () => {
    await open("main.js");
    const row = await api().viewRow("hottest", "isPrime");
    assert(row?.target?.selectionRange);
    await executeCommand("proflens.copyRow", row);
    assert.equal(await vscode.env.clipboard.readText(), "isPrime  570 ms (87 %) · generate.js:6");
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
    await shows("calls", 4).as(
      "Called by  570 ms (87 %)",
      "  genPrimes  570 ms (87 %) · generate.js:15",
      "    handleClick  570 ms (87 %) · main.js:5",
      "      (entry)  570 ms (87 %) · an event, a timer or a finished promise",
      "Calls  570 ms (87 %)",
      "  (self)  570 ms (87 %) · its own code",
    );
    await put("generate.js", "genPrimes");
    await shows("calls", 1).as(
      "Called by  582 ms (88 %)",
      "  handleClick  582 ms (88 %) · main.js:5",
      "Calls  582 ms (88 %)",
      "  isPrime  570 ms (87 %) · generate.js:6",
      "  (self)  ~10.3 ms (1.6 %) · its own code",
      "  (garbage collector)  ~889 µs (0.13 %) · is garbage collection",
    );
  });

  test("a function that is kept stays while the cursor moves", async () => {
    const ofIsPrime = [
      "Called by  570 ms (87 %)",
      "  genPrimes  570 ms (87 %) · generate.js:15",
      "Calls  570 ms (87 %)",
      "  (self)  570 ms (87 %) · its own code",
    ];
    await executeCommand("proflens.showCallTree", await api().viewRow("hottest", "isPrime"));
    await shows("calls", 1).as(...ofIsPrime);
    await put("generate.js", "genPrimes");
    // Longer than the view waits before it follows.
    await new Promise((done) => setTimeout(done, 500));
    await shows("calls", 1).as(...ofIsPrime);
    await executeCommand("proflens.unpinFunction");
    await shows("calls").as("Called by  582 ms (88 %)", "Calls  582 ms (88 %)");
  });

  test("a row of callees is looked at alone, until all of it is wanted again", async () => {
    await put("main.js", "handleClick");
    const row = await eventually(async () => {
      const found = await api().viewRow("calls", "genPrimes");
      assert.equal(found?.node?.direction, "callees");
      return found;
    });
    await executeCommand("proflens.focusOnPath", row);
    await eventually(() => assert.equal(api().scopeText(), "$(filter) below handleClick › genPrimes $(close)"));
    await put("generate.js", "genPrimes");
    await shows("calls", 1).as(
      "Called by  582 ms (100 %)",
      "  (focus)  582 ms (100 %) · its callers are outside of the focus",
      "Calls  582 ms (100 %)",
      "  isPrime  570 ms (98 %) · generate.js:6",
      "  (self)  ~10.3 ms (1.8 %) · its own code",
      "  (garbage collector)  ~889 µs (0.15 %) · is garbage collection",
    );
    await executeCommand("proflens.clearScope");
    await eventually(() => assert.equal(api().scopeText(), ""));
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
    await shows("ledger", 1).as(
      "586 ms  On functions of this workspace  89 %",
      "~60.8 ms  Native work outside any JavaScript  9.2 %",
      "~9.40 ms  Code that came from no file  1.4 %",
      "  _hasScopeClause",
      "  elementState",
      "  innerSerialize",
      "~2.12 ms  Native code of the engine or the browser  0.32 %",
      "  addEventListener",
      "  querySelector",
      "~889 µs  Garbage collection  0.13 %",
      "  (garbage collector)",
      "~176 ms  Idle",
    );
  });

  test("the next and the previous hot function of the file", async () => {
    await put("generate.js", "MAX_PRIME");
    const moves = { nextHot: [5, 14, 5], previousHot: [14, 5] };
    for (const [command, lines] of Object.entries(moves)) {
      for (const line of lines) await cursorMoves(line, () => executeCommand(`proflens.${command}`));
    }
  });

  test("the hottest path is followed from the function at the cursor, anywhere on its signature", async () => {
    const document = await open("main.js");
    const start = document.positionAt(document.getText().indexOf("async function handleClick"));
    const editor = vscode.window.activeTextEditor;
    assert(editor);
    editor.selection = new vscode.Selection(start, start);
    assert.deepEqual(await executeCommand("proflens.showHotPath"), ["handleClick", "genPrimes", "isPrime"]);
    await executeCommand("workbench.action.closeQuickOpen");
  });

  test("marks in the overview ruler, and bars where they are wanted", async () => {
    const document = await open("generate.js");
    const marks = () => {
      const { ruler, bars } = api().marks(document.uri) ?? { ruler: [], bars: [] };
      const text = (all: typeof ruler) => all.map((it) => `${it.line + 1}:${it.level}`).join(" ");
      return [text(ruler), text(bars)];
    };
    await eventually(() => assert.deepEqual(marks(), ["6:5 7:4 8:5 12:1 15:2 17:1 18:2", ""]));
    const settings = vscode.workspace.getConfiguration("proflens");
    await settings.update("heat.gutter", true, vscode.ConfigurationTarget.Workspace);
    await settings.update("heat.overviewRuler", false, vscode.ConfigurationTarget.Workspace);
    await eventually(() => assert.deepEqual(marks(), ["", "7:4 8:5 12:1 17:1 18:2"]));
    for (const key of ["heat.gutter", "heat.overviewRuler"]) await settings.update(key, undefined, vscode.ConfigurationTarget.Workspace);
    await executeCommand("proflens.toggle");
    await eventually(() => assert.deepEqual(marks(), ["", ""]));
    await executeCommand("proflens.toggle");
    await eventually(() => assert.notEqual(marks()[0], ""));
  });

  test("badges at files, where they are wanted", async () => {
    const settings = vscode.workspace.getConfiguration("proflens");
    await settings.update("explorer.badges", true, vscode.ConfigurationTarget.Workspace);
    const badges = () => ["generate.js", "main.js", "index.html"].map((it) => api().badge(uri(it)));
    await eventually(() => assert.deepEqual(badges(), [["88", "Self 581 ms (88 %)"], ["1", "Self ~5.08 ms (0.77 %)"], []]));
    await settings.update("explorer.badges", undefined, vscode.ConfigurationTarget.Workspace);
    await eventually(() => assert.deepEqual(badges(), [[], [], []]));
  });

  test("the costs of lines are shown and hidden, and follow an edit", async () => {
    const document = await open("generate.js");
    const lines = () => api().lineCosts(document.uri).map((it) => `${it.line + 1} ${it.text}`);
    assert.deepEqual(lines(), []);
    await executeCommand("proflens.showLineCosts");
    const costs = ["7 ~76.6 ms", "8 492 ms", "12 ~1.37 ms", "17 ~2.96 ms", "18 ~7.39 ms"];
    await eventually(() => assert.deepEqual(lines(), costs));
    const editor = vscode.window.activeTextEditor;
    assert(await editor?.edit((it) => it.insert(new vscode.Position(0, 0), "\n\n")));
    const moved = ["9 ~76.6 ms", "10 492 ms", "14 ~1.37 ms", "19 ~2.96 ms", "20 ~7.39 ms"];
    await eventually(() => assert.deepEqual(lines(), moved));
    await revert(document);
    await eventually(() => assert.deepEqual(lines(), costs));
    await executeCommand("proflens.hideLineCosts");
    await eventually(() => assert.deepEqual(lines(), []));
    await executeCommand("workbench.action.closeAllEditors");
    await eventually(() => assert.equal(vscode.window.activeTextEditor, undefined));
    assert.match((await executeCommand("proflens.showLineCosts")) ?? "", /^No file is shown in the editor/);
    await open("generate.js");
  });

  test("a folder has the sum of its files, and threads are chosen by boxes", async () => {
    await vscode.workspace.fs.createDirectory(uri("src/deep"));
    for (const name of ["a", "b"]) writeFileSync(uri(`src/deep/${name}.js`).fsPath, `export function ${name}() {}\n`);
    const trace = uri("three.json");
    const $schema = "https://www.speedscope.app/file-format-schema.json";
    const frames = ["a", "b"].map((name) => ({ name, file: uri(`src/deep/${name}.js`).toString(), line: 1, col: 17 }));
    const profiles = ["main", "worker", "other"].map((name, at) => {
      return { type: "sampled", name, unit: "milliseconds", samples: [[at % 2], [at % 2]], weights: [20, 10] };
    });
    writeFileSync(trace.fsPath, JSON.stringify({ $schema, shared: { frames }, profiles }));
    await executeCommand("proflens.loadTrace", trace);
    const threads = async (...boxes: string[]) => {
      const names = ["main", "worker", "other"].map((name, at) => `  [${boxes[at]}] ${name}  30.0 ms active · 2 samples`);
      const samples = 2 * boxes.filter((it) => it === "x").length;
      const expected = [`three.json  ${samples} samples · shown`, ...names];
      // Below it are other traces, also of files that VS Code has not told the server are gone.
      await eventually(async () => assert.deepEqual((await api().viewText("traces", 1)).slice(0, expected.length), expected));
    };
    const badges = async (...expected: string[]) => {
      const now = () => ["src", "src/deep", "src/deep/a.js", "src/deep/b.js"].map((it) => api().badge(uri(it)).join(" "));
      await eventually(() => assert.deepEqual(now(), expected));
    };
    await threads("x", "x", "x");
    const settings = vscode.workspace.getConfiguration("proflens");
    await settings.update("explorer.badges", true, vscode.ConfigurationTarget.Workspace);
    await badges("99 Self 100 %", "99 Self 100 %", "67 Self 60.0 ms (67 %)", "33 Self 30.0 ms (33 %)");
    await api().chooseThreads(new Map([["other", false]]));
    await threads("x", "x", " ");
    await badges("99 Self 100 %", "99 Self 100 %", "50 Self 30.0 ms (50 %)", "50 Self 30.0 ms (50 %)");
    await settings.update("explorer.badges", undefined, vscode.ConfigurationTarget.Workspace);
    await api().chooseThreads(new Map([["main", false], ["worker", false]]));
    await threads("x", "x", "x");

    await open("src/deep/a.js");
    assert.match((await executeCommand("proflens.showLineCosts")) ?? "", /^This trace has no line numbers of samples\./);
    assert.deepEqual(api().lineCosts(uri("src/deep/a.js")), []);
    await executeCommand("workbench.action.closeActiveEditor");
    await executeCommand("proflens.selectTrace", uri(DEFAULT).toString());
    await vscode.workspace.fs.delete(trace);
    await vscode.workspace.fs.delete(uri("src"), { recursive: true });
    await eventually(async () => assert.notDeepEqual(await hints(await open("generate.js")), []));
  });

  test("what is on no function has below it what repairs it; a row of a trace that is gone has nothing below", async () => {
    await put("generate.js", "isPrime");
    const old = await eventually(async () => {
      const row = await api().viewRow("calls", "genPrimes");
      assert(row);
      return row;
    });
    const trace = uri("elsewhere.json");
    const $schema = "https://www.speedscope.app/file-format-schema.json";
    const files = [uri("generate.js").toString(), "http://localhost:3000/other.js", uri("node_modules/a/a.js").toString()];
    const frames = ["isPrime", "other", "a"].map((name, at) => ({ name, file: files[at], line: 6, col: 17 }));
    const profiles = [{ type: "sampled", name: "main", unit: "milliseconds", samples: [[0], [1], [2]], weights: [50, 30, 20] }];
    writeFileSync(trace.fsPath, JSON.stringify({ $schema, shared: { frames }, profiles }));
    await executeCommand("proflens.loadTrace", trace);
    await shows("ledger", 1).as(
      "50.0 ms  On functions of this workspace  50 %",
      "30.0 ms  Code that is not in the workspace  30 %",
      "  http://localhost:3000/other.js",
      "  Map a path of the trace…",
      "20.0 ms  Code of dependencies  20 %",
      "  a",
      "  Count dependencies as code of this workspace…",
    );
    assert.deepEqual(await old.children?.(), []);
    const repair = await api().viewRow("ledger", "30.0 ms");
    const [, map] = (await repair?.children?.()) ?? [];
    assert.equal(map?.command?.command, "proflens.mapPath");
    await executeCommand("proflens.selectTrace", uri(DEFAULT).toString());
    await vscode.workspace.fs.delete(trace);
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
