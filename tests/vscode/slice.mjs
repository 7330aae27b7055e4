// A slice of a thousand sessions, as the page of a real VS Code draws it: on the original sources, with how sessions differ.

import assert from "node:assert/strict";
import { copyFileSync, cpSync } from "node:fs";
import { join } from "node:path";
import { drawn, page, picture, pictures, scenario, step } from "./browser.mjs";
import { goToFile, hoverAt, leaveHover, openMenu } from "./keyboard.mjs";

const TESTS = join(import.meta.dirname, "..");
const SLICE = "orders-release-42.slice.gz";
const COSTS = ["normal | Time | Share | Samples", "Self | 1 min 13 s ± 8.8 s | 28 % | 7,316", "Total | 1 min 15 s ± 8.9 s | 28 % | 7,447"];
const SESSIONS = [
  "Per session | Mean | p50 | p75 | p95",
  "Self | ~100 ms | 40.4 ms | 110 ms | 382 ms",
  "Total | ~102 ms | 49.8 ms | 110 ms | 398 ms",
];
/** Where the name of a function stands. */
const NORMAL = [28, 11];

await scenario("a slice of a thousand sessions", { file: "src/catalog.ts", prepare, size: { width: 1120, height: 940 } }, async () => {
  await step("it is found in the workspace, and its costs are on the original sources", async () => {
    for (const line of [
      "constructor(items: Item[]) 2.8s · 1.5min{",
      "cheaperThan(price: number): Item[] 1.85s total{",
      "function byName(a: Item, b: Item): number 13.8s · 1.4min{",
      "function normal(name: string): string 1.2min · 1.2min{",
    ])
      await drawn(".view-line", line);
    await drawn(".codelens-decoration", "Self ~1 min 13 s (28 %) · Total ~1 min 15 s (28 %) · 7,447 samples");
    await drawn(".statusbar-item", `${SLICE} · 181,304 samples · 96 % placed`);
  });
  await step("a hover says in how many sessions a function ran, and its percentiles over them", async () => {
    await hoverAt(...NORMAL, "In 731 of 1,000 sessions");
    const rows = () =>
      [...document.querySelectorAll(".monaco-hover table")].map((table) =>
        [...table.querySelectorAll("tr")].map((row) => [...row.querySelectorAll("th, td")].map((it) => it.textContent.trim()).join(" | ")),
      );
    const [costs, sessions] = await page.evaluate(rows);
    assert.deepEqual(costs, COSTS);
    assert.deepEqual(sessions, SESSIONS);
    await drawn(".monaco-hover", `${SLICE}, release=42 and page=/orders`);
    await picture(join(pictures, "vscode-slice.png"));
    await leaveHover();
  });
  await step("its menu offers to show its costs", async () => {
    await goToFile(SLICE);
    await openMenu("Show costs in the editor (Proflens)");
  });
});

/** A copy is the newest trace of the folder, which is shown. */
function prepare(folder) {
  cpSync(join(TESTS, "workspaces/orders"), folder, { recursive: true });
  copyFileSync(join(TESTS, "traces/slice", SLICE), join(folder, SLICE));
}
