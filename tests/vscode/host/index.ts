// Proflens as VS Code's own features see it: the installed `.vsix` in a real extension host, on examples/primes.

import assert from "node:assert/strict";
import { copyFileSync, existsSync, writeFileSync } from "node:fs";
import * as vscode from "vscode";
import type { Api } from "../../../editors/vscode/src/extension";
import type * as protocol from "../../../editors/vscode/src/protocol";
import { countOf } from "../../../editors/vscode/src/text";
import { compareTests } from "./compare";
import { expected } from "./expected";
import { flameTests } from "./flame";
import { beforeEach, eventually, hints, hover, lenses, open, revert, runAll, scenario, type Shown, test, uri } from "./harness";
import { recordingTests } from "./recording";
import { fromScratch } from "./scratch";
import { viewTests } from "./views";

export const run = runAll;

const DEFAULT = "primes.cpuprofile";
const OTHER = "recordings/self-profiling.json";

const { executeCommand } = vscode.commands;
let api: Api | undefined;
const started = (): Api => {
  assert(api, "the extension has not started");
  return api;
};

beforeEach(() => fromScratch(api));

test("the packed extension is installed and starts by itself", async () => {
  const extension = vscode.extensions.getExtension<Api>("proflens.proflens");
  assert(extension, "it is not installed");
  assert(!extension.extensionPath.includes("editors/vscode"), "this is the source folder, not the packed extension");
  assert(existsSync(vscode.Uri.joinPath(extension.extensionUri, "server", "proflens").fsPath), "it has no server");
  const icons: { icon: string }[] = extension.packageJSON.contributes.viewsContainers.activitybar;
  for (const { icon } of icons) assert(existsSync(vscode.Uri.joinPath(extension.extensionUri, icon).fsPath), `it has no ${icon}`);
  await open("generate.js");
  api = await extension.activate();
});

test("every command of package.json is registered", async () => {
  const extension = vscode.extensions.getExtension("proflens.proflens");
  const declared: string[] = extension?.packageJSON.contributes.commands.map((it: vscode.Command) => it.command);
  const registered = new Set(await vscode.commands.getCommands(true));
  assert.deepEqual(declared.filter((it) => !registered.has(it)), []);
});

for (const file of ["generate.js", "main.js"]) {
  test(`the hints of ${file}`, () => showsHints(file, DEFAULT));

  test(`the lenses of ${file}`, async () => {
    const document = await open(file);
    await eventually(async () => assert.deepEqual(places(await lenses(document)), places(expected(DEFAULT, "lens", file))));
  });

  test(`the hovers of ${file}`, async () => {
    const document = await open(file);
    for (const { line, character, text } of expected(DEFAULT, "hover", file)) {
      const shown = await hover(document, line, character);
      assert(shown.includes(text), `${file}:${line + 1}:${character + 1} does not say "${text}" but:\n${shown}`);
    }
  });
}

test("the status bar names the trace and the share that is placed", async () => {
  await eventually(() => assert.match(started().statusText(), /^\$\(flame\) primes\.cpuprofile · 784 samples · 89 % placed$/));
});

test("documentCosts has the costs of each function and line", async () => {
  const document = await open("generate.js");
  const costs = await documentCosts(document);
  assert.deepEqual(
    costs.functions.map((it) => [it.name, it.selectionRange.start.line + 1, it.confidence, it.freshness]),
    [
      ["isPrime", 6, "exact", "fresh"],
      ["genPrimes", 15, "exact", "fresh"],
    ],
  );
  for (const it of costs.functions) assert(countOf(it.self) <= countOf(it.total) && it.selfShare <= it.totalShare && it.totalShare <= 1);
});

test("hints stay on their functions while the text is edited, unsaved", async () => {
  const document = await open("generate.js");
  const before = await hints(document);
  await edit((it) => it.insert(new vscode.Position(0, 0), "// one\n// two\n// three\n"));
  const moved = before.map((it) => ({ ...it, line: it.line + 3 }));
  await eventually(async () => assert.deepEqual(await hints(document), moved));

  const body = document.positionAt(document.getText().indexOf("return n > 1"));
  await edit((it) => it.insert(body, "n += 0; "));
  await eventually(async () => {
    const [isPrime, genPrimes] = await hints(document);
    assert.match(isPrime?.text ?? "none", /^~/, "isPrime was edited");
    assert.deepEqual(genPrimes, moved[1]);
  });
  await revert(document);
  await eventually(async () => assert.deepEqual(await hints(document), before));
});

test("the unit goes from time to percent to samples and back", async () => {
  const document = await open("generate.js");
  const time = (await hints(document)).map((it) => it.text);
  const seen = [];
  for (let step = 0; step < 3; step += 1) {
    const before = (await hints(document)).map((it) => it.text).join();
    await executeCommand("proflens.cycleUnit");
    seen.push(
      await eventually(async () => {
        const now = (await hints(document)).map((it) => it.text);
        assert.notEqual(now.join(), before);
        return now;
      }),
    );
  }
  assert.match(seen[0]?.[0] ?? "", /%/);
  assert.match(seen[1]?.[0] ?? "", /^558\b/);
  assert.deepEqual(seen[2], time);
});

test("a focus holds until all of the recording is looked at again", async () => {
  const document = await open("generate.js");
  const texts = async () => (await hints(document)).map((it) => it.text);
  const whole = await texts();
  const position = { line: 5, character: 10 };
  const here = { textDocument: { uri: document.uri.toString() }, position };
  await executeCommand("proflens.focus", { how: "callers", function: here });
  await eventually(async () => assert.deepEqual(await texts(), ["570ms · 570ms", "570ms total"]));
  await executeCommand("proflens.clearScope");
  await eventually(async () => assert.deepEqual(await texts(), whole));
});

test("costs can be hidden and shown again", async () => {
  const document = await open("generate.js");
  const before = await hints(document);
  await executeCommand("proflens.toggle");
  await eventually(async () => assert.deepEqual([await hints(document), await lenses(document)], [[], []]));
  await eventually(() => assert.match(started().statusText(), /hidden/));
  await executeCommand("proflens.toggle");
  await eventually(async () => assert.deepEqual(await hints(document), before));
});

test("a setting is followed", async () => {
  const document = await open("generate.js");
  const before = await hints(document);
  const settings = vscode.workspace.getConfiguration("proflens");
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the placeholders of the setting
  await settings.update("hints.format", "${samples} of them", vscode.ConfigurationTarget.Workspace);
  await eventually(async () => assert.match((await hints(document))[0]?.text ?? "none", /^558 .*of them$/));
  await settings.update("hints.format", undefined, vscode.ConfigurationTarget.Workspace);
  await eventually(async () => assert.deepEqual(await hints(document), before));
});

test("a lens lists the callers", async () => {
  const document = await open("generate.js");
  const isPrime = (await lenses(document)).find((it) => it.line === 5);
  assert.equal(isPrime?.command.command, "proflens.showCallers");
  const callers = await executeCommand<protocol.Callers>("proflens.showCallers", ...(isPrime.command.arguments ?? []));
  assert.deepEqual(
    callers.callers.map((it) => it.name),
    ["genPrimes"],
  );
  await executeCommand("workbench.action.closeQuickOpen");
});

test("the callers of the function at the cursor", async () => {
  await open("generate.js");
  const editor = vscode.window.activeTextEditor;
  assert(editor);
  editor.selection = new vscode.Selection(14, 20, 14, 20);
  const callers = await executeCommand<protocol.Callers>("proflens.showCallers");
  assert.deepEqual([callers.name, ...callers.callers.map((it) => it.name)], ["genPrimes", "handleClick"]);
  await executeCommand("workbench.action.closeQuickOpen");
});

test("the hottest functions, hottest first", async () => {
  const hottest = await executeCommand<protocol.HotItem[]>("proflens.showHottest");
  assert.deepEqual(
    hottest.slice(0, 3).map((it) => it.name),
    ["isPrime", "genPrimes", "handleClick"],
  );
  await executeCommand("workbench.action.closeQuickOpen");
});

test("the ledger adds up", async () => {
  const { total, rows } = await executeCommand<protocol.Ledger>("proflens.showLedger");
  assert.equal(rows.reduce((sum, it) => sum + countOf(it.amount), 0), countOf(total));
  await executeCommand("workbench.action.closeQuickOpen");
});

test("another trace is loaded by its file, chosen, and unloaded", async () => {
  await open("generate.js");
  await executeCommand("proflens.loadThisTrace", uri(OTHER));
  await showsHints("generate.js", OTHER);
  await eventually(() => assert.match(started().statusText(), /^\$\(flame\) self-profiling\.json · 132 samples/));

  await executeCommand("proflens.selectTrace", uri(DEFAULT).toString());
  await showsHints("generate.js", DEFAULT);

  await executeCommand("proflens.selectTrace", uri(OTHER).toString());
  await showsHints("generate.js", OTHER);
  await executeCommand("proflens.unloadTrace", uri(OTHER).toString());
  const document = await open("generate.js");
  await eventually(async () => assert.deepEqual(await hints(document), []));
  await eventually(() => assert.equal(started().statusText(), "$(flame) No trace"));
  await executeCommand("proflens.selectTrace", uri(DEFAULT).toString());
  await showsHints("generate.js", DEFAULT);
});

test("a trace that is newly recorded is shown", async () => {
  const fresh = uri("latest.jsprofile.json");
  copyFileSync(uri(OTHER).fsPath, fresh.fsPath);
  await showsHints("generate.js", OTHER);
  await vscode.workspace.fs.delete(fresh);
  await executeCommand("proflens.selectTrace", uri(DEFAULT).toString());
  await showsHints("generate.js", DEFAULT);
});

test("of a trace with threads those of the page are shown together, and one can be chosen", async () => {
  const file = uri("generate.js").toString();
  const trace = writeTrace("threads.json", { main: { name: "isPrime", file, line: 6, col: 17 }, worker: { name: "genPrimes", file, line: 15, col: 26 } });
  await executeCommand("proflens.loadTrace", trace);
  await eventually(() => assert.match(started().statusText(), /^\$\(flame\) threads\.json · 4 samples/));
  await executeCommand("proflens.selectTrace", trace.toString(), "worker");
  await eventually(() => assert.match(started().statusText(), /^\$\(flame\) threads\.json · worker · 2 samples/));
  const { functions } = await documentCosts(await open("generate.js"));
  assert.deepEqual(functions.map((it) => it.name), ["genPrimes"]);
  await executeCommand("proflens.selectTrace", uri(DEFAULT).toString());
  await showsHints("generate.js", DEFAULT);
  await vscode.workspace.fs.delete(trace);
});

test("a file of Vue has its costs where no extension knows its language", async () => {
  writeFileSync(uri("App.vue").fsPath, "<script setup>\nfunction total() {\n  return 1;\n}\n</script>\n");
  const document = await open("App.vue");
  assert.equal(document.languageId, "plaintext");
  await executeCommand("proflens.loadTrace", writeTrace("vue.json", { main: { name: "total", file: document.uri.toString(), line: 2, col: 15 } }));
  await eventually(async () => assert.deepEqual((await hints(document)).map((it) => it.text), ["40ms · 40ms"]));
  await executeCommand("proflens.selectTrace", uri(DEFAULT).toString());
});

viewTests(started);

scenario(() => flameTests(started));

test("the server restarts and shows the same", async () => {
  await executeCommand("proflens.restart");
  await showsHints("generate.js", DEFAULT);
  await eventually(() => assert.match(started().statusText(), /primes\.cpuprofile/));
});

scenario(() => compareTests(started));

test("a server that does not exist is reported, and the right one is used again", async () => {
  const settings = vscode.workspace.getConfiguration("proflens");
  await settings.update("server.path", "/nowhere/proflens", vscode.ConfigurationTarget.Workspace);
  await eventually(() => assert.equal(started().statusText(), "$(flame) Proflens"));
  await assert.rejects(started().request("proflens/status", {}), /not running/);
  await settings.update("server.path", undefined, vscode.ConfigurationTarget.Workspace);
  await showsHints("generate.js", DEFAULT);
});

test("a file that is no trace is refused in one sentence, and the rest stays", async () => {
  void executeCommand("proflens.loadTrace", uri("index.html"));
  await eventually(async () => {
    const status = (await started().request("proflens/status", {})) as protocol.Status;
    assert(JSON.stringify(status).includes("index.html"), "the status does not mention it");
  });
  await showsHints("generate.js", DEFAULT);
});

scenario(() => recordingTests(started));

async function showsHints(file: string, section: string): Promise<void> {
  const document = await open(file);
  await eventually(async () => assert.deepEqual(await hints(document), places(expected(section, "hint", file))));
}

/** Only place and text, from top to bottom; editors ask for lenses in no order. */
function places(all: Shown[]): Shown[] {
  const plain = all.map(({ line, character, text }) => ({ line, character, text }));
  return plain.sort((a, b) => a.line - b.line || a.character - b.character);
}

async function edit(change: (builder: vscode.TextEditorEdit) => void): Promise<void> {
  const editor = vscode.window.activeTextEditor;
  assert(editor && (await editor.edit(change)), "the text could not be edited");
}

function documentCosts(document: vscode.TextDocument): Promise<protocol.DocumentCosts> {
  const params = { textDocument: { uri: document.uri.toString() } };
  return started().request("proflens/documentCosts", params) as Promise<protocol.DocumentCosts>;
}

/** Writes a trace in which each of these threads was in one function for 40 ms. */
function writeTrace(name: string, frameOfThread: Record<string, { name: string; file: string; line: number; col: number }>): vscode.Uri {
  const profiles = Object.keys(frameOfThread).map((thread, frame) => {
    return { type: "sampled", name: thread, unit: "milliseconds", samples: [[frame], [frame]], weights: [20, 20] };
  });
  const $schema = "https://www.speedscope.app/file-format-schema.json";
  writeFileSync(uri(name).fsPath, JSON.stringify({ $schema, shared: { frames: Object.values(frameOfThread) }, profiles }));
  return uri(name);
}
