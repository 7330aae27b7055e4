// A slice of a thousand sessions, as the page of a real VS Code draws it: on the original sources, with how sessions differ.

import assert from "node:assert/strict";
import { copyFileSync, cpSync } from "node:fs";
import { join } from "node:path";
import { drawn, open, PATIENT, pictures, quiet, remote, scratch, workspace } from "./browser.mjs";

const TESTS = join(import.meta.dirname, "..");
const SLICE = "orders-release-42.slice.gz";
const COSTS = ["normal | Time | Share | Samples", "Self | 1 min 13 s ± 8.8 s | 28 % | 7,316", "Total | 1 min 15 s ± 8.9 s | 28 % | 7,447"];
const SESSIONS = [
  "Per session | Mean | p50 | p75 | p95",
  "Self | ~100 ms | 40.4 ms | 110 ms | 382 ms",
  "Total | ~102 ms | 49.8 ms | 110 ms | 398 ms",
];
const LIMIT = { timeout: 60_000 };

cpSync(join(TESTS, "workspaces/orders"), workspace, { recursive: true });
// A copy is the newest trace of the folder, which is shown.
copyFileSync(join(TESTS, "traces/slice", SLICE), join(workspace, SLICE));

const { browser, page, strangers, go } = await open(
  [["openFile", remote(join(workspace, "src/catalog.ts"))]],
  { width: 1120, height: 940 },
  2,
);
try {
  await go();
  await page.waitForSelector(".monaco-editor .view-lines", LIMIT);
  for (const line of [
    "constructor(items: Item[])2.8s self · 1.5min total {",
    "cheaperThan(price: number)1.85s total: Item[] {",
    "function byName(a: Item, b: Item)13.8s self · 1.4min total: number {",
    "function normal(name: string)1.2min self · 1.2min total: string {",
  ])
    await drawn(page, ".view-line", line);
  await drawn(page, ".codelens-decoration", "Self ~1 min 13 s (28 %) · Total ~1 min 15 s (28 %) · 7,447 samples");
  await drawn(page, ".statusbar-item", `${SLICE} · 181,304 samples · 96 % placed`);
  console.log("ok    a slice is found in the workspace, and its costs are on the original sources");

  await page.locator(".view-line span span", { hasText: /^normal$/ }).last().hover();
  await drawn(page, ".monaco-hover", "In 731 of 1,000 sessions");
  const rows = () =>
    [...document.querySelectorAll(".monaco-hover table")].map((table) =>
      [...table.querySelectorAll("tr")].map((row) => [...row.querySelectorAll("th, td")].map((it) => it.textContent.trim()).join(" | ")),
    );
  const [costs, sessions] = await page.evaluate(rows);
  assert.deepEqual(costs, COSTS);
  assert.deepEqual(sessions, SESSIONS);
  await drawn(page, ".monaco-hover", `${SLICE}, release=42 and page=/orders`);
  console.log("ok    a hover says in how many sessions a function ran, and its percentiles over them");
  await quiet(page);
  await page.screenshot({ path: join(pictures, "vscode-slice.png") });

  await page.mouse.move(900, 620);
  await page.locator(".explorer-folders-view .label-name", { hasText: SLICE }).first().click({ button: "right" });
  await drawn(page, ".context-view", "Show costs in the editor (Proflens)");
  console.log("ok    the menu of a slice offers to show its costs");
  assert.deepEqual([...strangers], [], "the page asked hosts other than this machine");
} catch (error) {
  await page.screenshot({ path: join(scratch, "slice-failed.png") });
  console.error(`FAIL  ${error.stack}\nThe page then: ${join(scratch, "slice-failed.png")}`);
  process.exitCode = 1;
}
await browser.close();
