// Comparisons, by what the installed extension shows for recordings of a program whose changes are known (workspaces/shop).

import assert from "node:assert/strict";
import { copyFileSync, cpSync, readdirSync, rmSync, utimesSync } from "node:fs";
import { join } from "node:path";
import * as vscode from "vscode";
import type { Api } from "../../../editors/vscode/src/extension";
import { eventually, hints, hover, lenses, open, test, uri } from "./harness";

const { executeCommand } = vscode.commands;
// From where the bundle lies, out/host.js.
const SHOP = join(__dirname, "../../workspaces/shop");
const FOLDER = ".proflens/recordings";
const COSTS = ["0: 5.1ms · 1.89s", "3: 856ms · 856ms"];
const CHANGES = ["13: 145ms ▲×2.9", "19: 43.4ms ▼58%", "25: 57.2ms new"];

/** All tests of this file; `api` is asked when they run. They leave the folder as it was. */
export function compareTests(api: () => Api): void {
  const shows = (...[view, depth]: Parameters<Api["viewText"]>) => ({
    async as(...expected: string[]) {
      await eventually(async () => assert.deepEqual(await api().viewText(view, depth), expected));
    },
  });

  test("a folder of runs is shown, and what it can be compared with is offered", async () => {
    copyFileSync(join(SHOP, "shop.js"), uri("shop.js").fsPath);
    for (const [side, hours] of [["before", 49], ["after", 25]] as const) {
      const folder = uri(`${FOLDER}/${side}`).fsPath;
      cpSync(join(SHOP, side), folder, { recursive: true });
      const time = new Date(Date.now() - hours * 3_600_000);
      for (const it of readdirSync(folder)) utimesSync(join(folder, it), time, time);
    }
    // VS Code does not hear of files that a new folder has before it looks at that folder; a server that starts finds them.
    await executeCommand("proflens.restart");
    await eventually(() => assert.match(api().statusText(), /primes\.cpuprofile · 784 samples/));
    await executeCommand("proflens.loadTrace", uri(`${FOLDER}/after`));
    await eventually(() => assert.match(api().statusText(), /^\$\(flame\) after · /));
    await eventually(async () =>
      assert.deepEqual(
        (await api().comparisonOffers()).filter((it) => !it.includes("primes.cpuprofile")),
        [
          "$(history) The previous recording | the newest one of the same program that is older",
          "recordings of this workspace",
          "$(folder) before | 2 days ago · 4 runs",
          "",
          "$(git-commit) Recordings of a commit or tag…",
          "$(file) Files… | each is a run",
          "$(folder) A folder… | each file in it is a run",
        ],
      ),
    );
  });

  test("what changed for certain is in hints, lenses, marks, badges and the list", async () => {
    const document = await open("shop.js");
    await eventually(async () => assert.deepEqual((await texts(document)).slice(0, 2), COSTS));
    await executeCommand("proflens.compareWith", { before: [uri(`${FOLDER}/before`).fsPath] });
    await eventually(() => assert.equal(api().comparisonText(), "$(git-compare) vs before: +13 %, unsure $(close)"));
    await eventually(async () => assert.deepEqual(await texts(document), CHANGES));
    const titles = (await lenses(document)).sort((a, b) => a.line - b.line).map((it) => it.text);
    assert.deepEqual(titles, [
      "50.4 ms → 145 ms (×2.9, slower, p = 0.013)",
      "104 ms → 43.4 ms (−58 %, faster, p = 0.037)",
      "0 ms → 57.2 ms (new, p = 0.032)",
    ]);
    assert.match(await hover(document, 13, 10), /\*\*Slower\*\*/);
    assert.match(await hover(document, 3, 10), /\*\*not enough data\*\*/);
    const marks = () => (api().marks(document.uri)?.ruler ?? []).map((it) => `${it.line}:${it.level}`);
    await eventually(() => assert.deepEqual(marks(), ["13:slower", "19:faster"]));
    await settings().update("explorer.badges", true, vscode.ConfigurationTarget.Workspace);
    await eventually(() => assert.deepEqual(api().badge(document.uri), ["▲▼", "1 function slower, 1 faster"]));
    assert.deepEqual(api().badge(uri("generate.js")), []);
  });

  test("the list is in the order of the difference, and can be ordered by cost", async () => {
    await executeCommand("proflens.orderByDifference");
    const changed = [
      "price  ▲×2.9 · 50.4 ms → 145 ms · shop.js:14",
      "render  ▼58 % · 104 ms → 43.4 ms · shop.js:20",
      "payByCard  new · 0 ms → 57.2 ms · shop.js:26",
      "payInCash  gone · 42.1 ms → 0 ms · shop.js:32",
    ];
    await shows("hottest").as(...changed, "Not enough data to tell  4 functions");
    await executeCommand("proflens.filterHottest", "SP");
    await shows("hottest", 1).as(
      "No function changed by more than noise.",
      "Not enough data to tell  1 function",
      "  spin  +5.4 % · 203 ms → 214 ms · shop.js:4",
    );
    await executeCommand("proflens.clearFilter");
    await executeCommand("proflens.orderByTotal");
    await eventually(async () => assert.match((await api().viewText("hottest")).join("\n"), /^sell {2}/m));
    await executeCommand("proflens.orderBySelf");
    await eventually(async () => assert.match((await api().viewText("hottest"))[0] ?? "", /^spin {2}856 ms/));
    await executeCommand("proflens.orderByDifference");
    await shows("hottest").as(...changed, "Not enough data to tell  4 functions");
  });

  test("another trace is compared with the same one, and one run tells too little", async () => {
    const one = uri(`${FOLDER}/after/3.cpuprofile.gz`).toString();
    const document = await open("shop.js");
    await executeCommand("proflens.selectTrace", one);
    await eventually(() => assert.match(api().statusText(), /3\.cpuprofile\.gz · /));
    await eventually(() => assert.equal(api().comparisonText(), "$(git-compare) vs before: +4.7 %, unsure $(close)"));
    await eventually(async () => assert.deepEqual(await texts(document), []));
    assert.deepEqual(api().marks(document.uri), { ruler: [], bars: [] });
    await eventually(() => assert.deepEqual(api().badge(document.uri), []));
    await executeCommand("proflens.selectTrace", uri(`${FOLDER}/after`).toString());
    await eventually(async () => assert.deepEqual(await texts(document), CHANGES));
    await eventually(() => assert.equal(api().comparisonText(), "$(git-compare) vs before: +13 %, unsure $(close)"));
  });

  test("what cannot be compared leaves all as it is", async () => {
    const row = await api().viewRow("traces", "after");
    assert(row);
    await executeCommand("proflens.compareWithThis", row);
    const page = uri("index.html");
    await executeCommand("proflens.compareWithThisFile", page, [page]);
    await executeCommand("notifications.clearAll");
    await eventually(() => assert.equal(api().comparisonText(), "$(git-compare) vs before: +13 %, unsure $(close)"));
  });

  test("one command leaves, and all is as it was", async () => {
    const document = await open("shop.js");
    await executeCommand("proflens.stopComparing");
    await eventually(() => assert.equal(api().comparisonText(), ""));
    await eventually(async () => assert.deepEqual((await texts(document)).slice(0, 2), COSTS));
    await eventually(async () => assert.match((await api().viewText("hottest"))[0] ?? "", /^spin {2}856 ms/));
    await eventually(() => assert.match(api().badge(document.uri)[0] ?? "", /^\d+$/));
    await settings().update("explorer.badges", undefined, vscode.ConfigurationTarget.Workspace);
    await eventually(() => assert.match(JSON.stringify(api().marks(document.uri)?.ruler), /"level":5/));
  });

  test("a trace of the side bar is compared with by its menu", async () => {
    const row = await eventually(async () => {
      const found = await api().viewRow("traces", "before/4.cpuprofile.gz");
      assert(found);
      return found;
    });
    await executeCommand("proflens.compareWithThis", row);
    await eventually(() => assert.match(api().comparisonText(), /^\$\(git-compare\) vs 4\.cpuprofile\.gz: /));
    const document = await open("shop.js");
    await eventually(async () => assert.match((await texts(document)).join(), /13: 145ms ▲×[\d.]+\?/));
    await executeCommand("proflens.stopComparing");
    await executeCommand("proflens.selectTrace", uri("primes.cpuprofile").toString());
    await executeCommand("workbench.action.closeActiveEditor");
    for (const it of ["shop.js", ".proflens"]) rmSync(uri(it).fsPath, { recursive: true });
    await eventually(() => assert.match(api().statusText(), /primes\.cpuprofile · 784 samples/));
  });
}

function settings(): vscode.WorkspaceConfiguration {
  return vscode.workspace.getConfiguration("proflens");
}

/** The hints of a document by their lines. */
async function texts(document: vscode.TextDocument): Promise<string[]> {
  return (await hints(document)).map((it) => `${it.line}: ${it.text}`);
}
