// The flame graph, by what the installed extension sends to its pages and does when they ask for something.

import assert from "node:assert/strict";
import { copyFileSync, existsSync, writeFileSync } from "node:fs";
import { inflateRawSync } from "node:zlib";
import * as vscode from "vscode";
import type { Api } from "../../../editors/vscode/src/extension";
import type { FlamePage } from "../../../editors/vscode/src/flame/page";
import { eventually, hover, open, revert, test, uri } from "./harness";

const { executeCommand } = vscode.commands;
const DEFAULT = "primes.cpuprofile";
const OTHER = "recordings/self-profiling.json";

/** All tests of this file; `api` is asked when they run. */
export function flameTests(api: () => Api): void {
  const page = (at: number): FlamePage => {
    const it = api().flamePages().at(at);
    assert(it, "there is no flame graph");
    return it;
  };
  const toFront = async (at: number) => {
    page(at).front();
    await eventually(() => assert(page(at).active));
  };
  /** Waits until a page has data of this title, and gives their header. */
  const hasData = (at: number, title: RegExp) =>
    eventually(() => {
      const { data } = page(at).sent;
      assert(data, "no data were sent");
      const header = headerOf(data.bytes);
      assert.match(header.title, title);
      return { header, keep: data.keep };
    });

  test("the flame graph has the files of its page, and opens beside the code with what is shown", async () => {
    const extension = vscode.extensions.getExtension("proflens.proflens");
    assert(extension);
    for (const file of ["flame.js", "flame.css"])
      assert(existsSync(vscode.Uri.joinPath(extension.extensionUri, "dist/flame", file).fsPath), `it has no ${file}`);
    await executeCommand("workbench.action.closeAllEditors");
    await open("generate.js");
    await executeCommand("proflens.showFlameGraph");
    const { header, keep } = await hasData(0, /^primes\.cpuprofile/);
    assert.equal(keep, true);
    assert.equal(page(0).title, "Flame graph: primes.cpuprofile");
    const names = new Set(header.functions.name.map((it) => header.names[it]));
    for (const it of ["isPrime", "genPrimes", "handleClick"]) assert(names.has(it), `${it} is not in it`);
    assert.deepEqual(columns(), [["generate.js"], ["Flame graph: primes.cpuprofile"]]);
  });

  test("the function at the cursor is outlined", async () => {
    const { fsPath } = uri("generate.js");
    const cursor = (file: string | null, path: string | null) =>
      eventually(() => assert.deepEqual(page(0).sent.cursor, { type: "cursor", file, path }));
    await put("isPrime");
    await cursor(fsPath, "isPrime");
    await put("genPrimes");
    await cursor(fsPath, "genPrimes");
    await put("// ", 0);
    await cursor(null, null);
  });

  test("a frame opens its definition in the other column, where it is now", async () => {
    const document = await put("genPrimes");
    await vscode.window.activeTextEditor?.edit((it) => it.insert(new vscode.Position(0, 0), "\n\n\n"));
    await toFront(0);
    const ask = (file: string | null, path: string | null, line = 0, column = 0) =>
      page(0).receive({ type: "open", function: { file, path, line, column } });
    const shown = (file: string, line: number, character: number, text: string) => {
      const editor = vscode.window.activeTextEditor;
      assert.equal(editor?.document.uri.toString(), uri(file).toString());
      assert.equal(editor.viewColumn, vscode.ViewColumn.One);
      const { active, start } = editor.selection;
      assert.deepEqual([start.line + 1, start.character + 1, editor.document.getText(editor.selection)], [line, character, text]);
      assert(editor.visibleRanges.some((it) => it.contains(active)), "it is not in view");
    };
    // Fetched with what was typed since: three lines further down.
    await eventually(async () => {
      assert.equal(await ask("generate.js", "isPrime", 6, 10), undefined);
      shown("generate.js", 9, 10, "isPrime");
    });
    assert(document.isDirty);
    await revert(document);

    assert.equal(await ask(uri("main.js").fsPath, "handleClick", 5, 1), undefined);
    await eventually(() => shown("main.js", 5, 16, "handleClick"));
    // What has no definition is shown where the trace says that it is.
    assert.equal(await ask("generate.js", null, 17, 3), undefined);
    await eventually(() => shown("generate.js", 17, 3, ""));
    assert.equal(await ask("generate.js", "gone", 12, 1), undefined);
    await eventually(() => shown("generate.js", 12, 1, ""));
    // And what is nowhere is a sentence.
    assert.equal(await ask("https://example.org/app.js", null, 3, 1), "https://example.org/app.js is not on this machine.");
    assert.equal(await ask("node_modules/left/pad.js", null, 3, 1), "node_modules/left/pad.js is not on this machine.");
    assert.equal(await ask("file://elsewhere/share/a.js", null, 3, 1), "file://elsewhere/share/a.js is not on this machine.");
    assert.equal(await ask("//elsewhere/share/a.js", null, 3, 1), "//elsewhere/share/a.js is not on this machine.");
    assert.equal(await ask("node:internal/timers", null, 3, 1), "node:internal/timers is not on this machine.");
    assert.equal(await ask(null, null), "The trace does not say where this function is.");
    await eventually(() => shown("generate.js", 12, 1, ""));
  });

  test("rows, hovers and the cursor show their function in the flame graph", async () => {
    const revealed = (path: string) =>
      eventually(() => assert.deepEqual(page(0).sent.reveal, { type: "reveal", file: uri("generate.js").fsPath, path }));
    await executeCommand("proflens.showInFlameGraph", await api().viewRow("hottest", "isPrime"));
    await revealed("isPrime");
    const document = await put("genPrimes");
    await executeCommand("proflens.showInFlameGraph", document.uri);
    await revealed("genPrimes");
    const text = await hover(document, 5, 10);
    const link = /\[Show line costs\]\(command:[^)]*\) · \[Show in flame graph\]\(command:proflens\.showInFlameGraph\?([^)]*)\)/.exec(text);
    assert(link, `the hover does not offer it:\n${text}`);
    await executeCommand("proflens.showInFlameGraph", ...JSON.parse(decodeURIComponent(link[1] ?? "")));
    await revealed("isPrime");
    assert.equal(api().flamePages().length, 1);
  });

  test("a graph that was hidden is drawn again, and keeps its place", async () => {
    const before = page(0).sent.data;
    await vscode.window.showTextDocument(uri("main.js"), { viewColumn: vscode.ViewColumn.Two });
    await eventually(() => assert.equal(page(0).visible, false));
    await toFront(0);
    await eventually(() => assert.notEqual(page(0).sent.data, before));
    assert.equal((await hasData(0, /^primes/)).keep, true);
    await vscode.window.showTextDocument(uri("main.js"), { viewColumn: vscode.ViewColumn.Two });
    await executeCommand("workbench.action.closeActiveEditor");
  });

  test("there may be two, and both follow what is looked at", async () => {
    await put("genPrimes");
    await toFront(0);
    await executeCommand("proflens.showFlameGraph");
    assert.equal(api().flamePages().length, 2);
    for (const at of [0, 1]) assert.equal((await hasData(at, /^primes/)).header.scope, null);

    const position = { line: 5, character: 10 };
    const here = { textDocument: { uri: uri("generate.js").toString() }, position };
    await executeCommand("proflens.focus", { how: "callers", function: here });
    for (const at of [0, 1]) {
      await eventually(async () => assert.match((await hasData(at, /^primes/)).header.scope ?? "none", /callers of isPrime/));
      assert.equal(page(at).sent.data?.keep, true);
    }
    await executeCommand("proflens.clearScope");
    for (const at of [0, 1]) await eventually(async () => assert.equal((await hasData(at, /^primes/)).header.scope, null));

    // What does not change the recording is not sent again.
    const before = page(1).sent.data;
    await executeCommand("proflens.cycleUnit", "percent");
    await executeCommand("proflens.cycleUnit", "time");
    await new Promise((done) => setTimeout(done, 500));
    assert.equal(page(1).sent.data, before);
    await toFront(1);
    await executeCommand("workbench.action.closeActiveEditor");
    await eventually(() => assert.equal(api().flamePages().length, 1));
  });

  test("a trace that is newly recorded is drawn where the view is", async () => {
    const fresh = uri("latest.jsprofile.json");
    copyFileSync(uri(OTHER).fsPath, fresh.fsPath);
    assert.equal((await hasData(0, /^latest\.jsprofile\.json/)).keep, true);
    assert.equal(page(0).title, "Flame graph: latest.jsprofile.json");
    await vscode.workspace.fs.delete(fresh);
    await executeCommand("proflens.selectTrace", uri(DEFAULT).toString());
    await hasData(0, /^primes/);
  });

  test("a trace opens as a flame graph, and says so when another one is shown", async () => {
    await executeCommand("vscode.openWith", uri(OTHER), "proflens.flameGraph", vscode.ViewColumn.One);
    await hasData(-1, /^self-profiling\.json/);
    await hasData(0, /^self-profiling\.json/);
    assert.equal(api().flamePages().length, 2);
    await executeCommand("proflens.selectTrace", uri(DEFAULT).toString());
    await eventually(() => assert.equal(page(-1).noticed, DEFAULT));
    await hasData(0, /^primes/);
    // A second one of another trace.
    await executeCommand("vscode.openWith", uri(DEFAULT), "proflens.flameGraph", vscode.ViewColumn.One);
    await hasData(-1, /^primes/);
    assert.equal(page(-2).noticed, DEFAULT);
    await executeCommand("workbench.action.closeActiveEditor");
    // What its button does.
    await executeCommand("proflens.loadThisTrace", uri(OTHER).toString());
    await eventually(() => assert.equal(page(-1).noticed, undefined));
    await eventually(() => assert.match(headerOf(page(-1).sent.data?.bytes).title, /^self-profiling/));
    await executeCommand("proflens.unloadTrace", uri(OTHER).toString());
    await eventually(() => assert.equal(page(-1).noticed, null));
    await executeCommand("workbench.action.closeActiveEditor");
    await eventually(() => assert.equal(api().flamePages().length, 1));
  });

  test("without samples, without a trace and for what is no trace there is a sentence", async () => {
    const problem = (at: number, text: RegExp) => eventually(() => assert.match(page(at).sent.problem?.text ?? "none", text));
    const empty = uri("empty.cpuprofile");
    const root = { id: 1, callFrame: { functionName: "(root)", scriptId: "0", url: "", lineNumber: -1, columnNumber: -1 } };
    writeFileSync(empty.fsPath, JSON.stringify({ nodes: [root], startTime: 0, endTime: 1000, samples: [], timeDeltas: [] }));
    await executeCommand("vscode.openWith", empty, "proflens.flameGraph", vscode.ViewColumn.One);
    await problem(-1, /sample/);
    await executeCommand("workbench.action.closeActiveEditor");
    await vscode.workspace.fs.delete(empty);

    await executeCommand("vscode.openWith", uri("index.html"), "proflens.flameGraph", vscode.ViewColumn.One);
    await problem(-1, /index\.html/);
    await executeCommand("workbench.action.closeActiveEditor");

    await executeCommand("proflens.selectTrace", uri(DEFAULT).toString());
    await hasData(0, /^primes/);
    await executeCommand("proflens.unloadTrace", uri(DEFAULT).toString());
    await eventually(() => assert.equal(page(0).title, "Flame graph"));
    await problem(0, /^No trace is loaded\./);
    await executeCommand("proflens.selectTrace", uri(DEFAULT).toString());
    await eventually(() => assert.equal(page(0).title, "Flame graph: primes.cpuprofile"));
    await executeCommand("workbench.action.closeAllEditors");
    await eventually(() => assert.deepEqual(api().flamePages(), []));
  });
}

interface Header {
  title: string;
  scope: string | null;
  names: string[];
  functions: { name: number[] };
}

function headerOf(bytes: ArrayBuffer | undefined): Header {
  assert(bytes, "no data were sent");
  const inflated = inflateRawSync(new Uint8Array(bytes));
  const length = inflated.readUInt32LE(0);
  return JSON.parse(inflated.toString("utf8", 4, 4 + length));
}

/** The titles of the tabs, by column. */
function columns(): string[][] {
  return vscode.window.tabGroups.all.map((it) => it.tabs.map((tab) => tab.label));
}

/** Puts the cursor on the first place of a text in generate.js. */
async function put(text: string, character?: number): Promise<vscode.TextDocument> {
  const document = await vscode.workspace.openTextDocument(uri("generate.js"));
  const editor = await vscode.window.showTextDocument(document, { viewColumn: vscode.ViewColumn.One });
  const at = document.positionAt(document.getText().indexOf(text) + (character ?? 1));
  editor.selection = new vscode.Selection(at, at);
  return document;
}
