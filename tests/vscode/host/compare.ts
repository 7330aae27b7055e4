// Comparisons, by what the installed extension shows of two profiles of examples/primes of which the difference is known.

import assert from "node:assert/strict";
import { mkdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import * as vscode from "vscode";
import type { Api } from "../../../editors/vscode/src/extension";
import { eventually, hints, hover, lenses, open, test, uri } from "./harness";

const { executeCommand } = vscode.commands;
const DEFAULT = "primes.cpuprofile";
const FOLDER = ".proflens/recordings";
/** The names of `proflens record`, and of its repetitions. */
const BEFORE = "2026-01-01T10-00-00-primes.cpuprofile";
const AFTER = "2026-01-02T10-00-00-primes.cpuprofile";

/** The functions of the example: file, line and column from 0. */
const FUNCTIONS = {
  isPrime: ["generate.js", 5, 16],
  genPrimes: ["generate.js", 14, 25],
  handleClick: ["main.js", 4, 15],
} as const;

/** All tests of this file; `api` is asked when they run. They leave the folder as it was. */
export function compareTests(api: () => Api): void {
  const shows = (...[view, depth]: Parameters<Api["viewText"]>) => ({
    async as(...expected: string[]) {
      await eventually(async () => assert.deepEqual(await api().viewText(view, depth), expected), 8000);
    },
  });

  test("what can be compared with is offered", async () => {
    write(BEFORE, 2, { isPrime: 200, genPrimes: 900, handleClick: 300 });
    for (const run of ["1", "2", "3"]) write(`ten/${run}.cpuprofile`, 26, { isPrime: 200 });
    write(AFTER, 1, { isPrime: 1600, genPrimes: 100, handleClick: 300 });
    await eventually(() => assert(api().statusText().includes(AFTER), api().statusText()));
    await eventually(async () =>
      assert.deepEqual(
        (await api().comparisonOffers()).filter((it) => !it.includes(DEFAULT)),
        [
          "$(history) The recording before | the newest one of the same program that is older",
          "recordings of this workspace",
          `$(file) ${BEFORE} | 2 hours ago`,
          "$(folder) ten | 1 day ago · 3 runs",
          "",
          "$(git-commit) Recordings of a commit or tag…",
          "$(file) Files… | each is a run",
          "$(folder) A folder… | each file in it is a run",
        ],
      ),
    );
  });

  test("what changed is in hints, lenses, hovers, marks, badges and the list", async () => {
    await executeCommand("proflens.compareWith", { before: "previous" });
    await eventually(() => assert.equal(api().comparisonText(), `$(git-compare) ${BEFORE}: +43 %, unsure $(close)`));
    const document = await open("generate.js");
    await eventually(async () => assert.deepEqual(await texts(document), ["5: 1.60s ▲×8.0", "14: 100ms ▼89%"]));
    await eventually(async () => assert.match((await lenses(document)).map((it) => it.text).join("; "), /x/));
    const main = await open("main.js");
    await eventually(async () => assert.deepEqual(await texts(main), []));
    assert.match(await hover(main, 4, 20), /not enough data/);
    await executeCommand("proflens.hottest.focus");
    await shows("hottest", 1).as("");
  });

  test("a trace that says nothing new is refused in a sentence, and what is compared stays", async () => {
  });

  test("the list can be ordered by cost too, and all is as it was after the comparison", async () => {
    await executeCommand("proflens.stopComparing");
    await eventually(() => assert.equal(api().comparisonText(), ""));
  });

  test("the folder is as it was before the comparison", async () => {
    await executeCommand("proflens.selectTrace", uri(DEFAULT).toString());
    rmSync(uri(".proflens").fsPath, { recursive: true });
    await eventually(() => assert.match(api().statusText(), /primes\.cpuprofile · 784 samples/));
  });
}

/** The hints of a document by their lines. */
async function texts(document: vscode.TextDocument): Promise<string[]> {
  return (await hints(document)).map((it) => `${it.line}: ${it.text}`);
}

/** Writes a recording of some hours ago in which each of these functions ran by itself for so many milliseconds, in short turns. */
function write(name: string, hoursAgo: number, milliseconds: Partial<Record<keyof typeof FUNCTIONS, number>>): void {
  const root = { functionName: "(root)", scriptId: "0", url: "", lineNumber: -1, columnNumber: -1 };
  const names = Object.keys(milliseconds) as (keyof typeof FUNCTIONS)[];
  const callFrame = (functionName: keyof typeof FUNCTIONS) => {
    const [name, lineNumber, columnNumber] = FUNCTIONS[functionName];
    return { functionName, scriptId: "1", url: uri(name).toString(), lineNumber, columnNumber };
  };
  const nodes = [
    { id: 1, callFrame: root, hitCount: 0, children: names.map((_, at) => at + 2) },
    ...names.map((it, at) => ({ id: at + 2, callFrame: callFrame(it), hitCount: milliseconds[it] ?? 0, children: [] })),
  ];
  const samples = names.flatMap((it, at) => Array.from({ length: milliseconds[it] ?? 0 }, () => at + 2));
  const timeDeltas = samples.map(() => 1000);
  const path = uri(`${FOLDER}/${name}`).fsPath;
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, JSON.stringify({ nodes, startTime: 0, endTime: samples.length * 1000, samples, timeDeltas }));
  const time = new Date(Date.now() - hoursAgo * 3_600_000 - 60_000);
  utimesSync(path, time, time);
}
