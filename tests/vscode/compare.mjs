// What changed between runs of a program, as the page of a real VS Code draws it: from the list to leaving it again. Of these recordings
// it is known what changed (workspaces/shop).

import assert from "node:assert/strict";
import { copyFileSync, cpSync, mkdirSync, readdirSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { drawn, open, PATIENT, pictures, quiet, remote, runCommand, scratch, workspace } from "./browser.mjs";

const SHOP = join(import.meta.dirname, "../workspaces/shop");
const FILE = join(workspace, "shop.js");
const RECORDINGS = join(workspace, ".proflens/recordings");
/** The colors of `package.json`, slower and faster, by kind of theme. The last one is in the documentation. */
const THEMES = {
  light: ["Default Light Modern", "#b85c00", "#1a6fc4"],
  hcDark: ["Default High Contrast", "#ffb060", "#6cb8ff"],
  hcLight: ["Default High Contrast Light", "#8a3f00", "#0f4a85"],
  dark: ["Default Dark Modern", "#e8883a", "#4d9fec"],
};
const LIMIT = { timeout: 60_000 };

mkdirSync(join(workspace, ".vscode"));
settings({});
copyFileSync(join(SHOP, "shop.js"), FILE);
for (const [side, days] of [["before", 2], ["after", 1]]) {
  const folder = join(RECORDINGS, side);
  cpSync(join(SHOP, side), folder, { recursive: true });
  const runs = readdirSync(folder).sort();
  for (const [at, run] of runs.entries()) {
    const time = new Date(Date.now() - days * 86_400_000 - (runs.length - at) * 60_000);
    utimesSync(join(folder, run), time, time);
  }
}

const { browser, page, strangers, go } = await open([["openFile", remote(FILE)]], { width: 1280, height: 820 }, 2);
const comparison = page.locator(".statusbar-item[id$='proflens.comparison']");
try {
  await go();
  await page.waitForSelector(".monaco-editor .view-lines", LIMIT);
  await drawn(page, ".statusbar-item", "primes.cpuprofile");
  await quiet(page);

  await explorer(".proflens").click();
  await explorer("after").click({ button: "right" });
  const show = page.locator(".context-view .action-item", { hasText: "Show costs in the editor (Proflens)" });
  await show.waitFor(PATIENT);
  // A menu takes no click just after it opened.
  await page.waitForTimeout(500);
  await show.click();
  await drawn(page, ".statusbar-item", "after · ");
  await drawn(page, ".view-line", "581ms self");
  console.log("ok    a folder of runs is shown by its menu");

  await runCommand(page, "Proflens: Compare with");
  for (const text of ["The previous recording", "2 days ago · 4 runs", "Recordings of a commit or tag", "Files", "A folder"])
    await drawn(page, ".quick-input-list", text);
  await page.waitForTimeout(300);
  await page.screenshot({ path: join(scratch, "vscode-compare-list.png") });
  await page.locator(".quick-input-list .monaco-list-row", { hasText: "4 runs" }).click();
  await comparison.filter({ hasText: "vs before: +13 %, unsure" }).waitFor(PATIENT);
  console.log("ok    it is compared with one that is chosen from the list, and the status bar says so");

  for (const text of ["145ms ▲×2.9", "43.4ms ▼58%", "57.2ms new"]) await drawn(page, ".view-line", text);
  await drawn(page, ".codelens-decoration", "50.4 ms → 145 ms (×2.9, slower, p = 0.013)");
  assert.equal(await page.locator(".codelens-decoration a").count(), 3);
  console.log("ok    hints and lenses have what changed, and nothing else");

  await page.locator(".activitybar .action-item:has(.action-label[aria-label^='Proflens'])").click();
  await drawn(page, ".pane-header", "functions by difference");
  await drawn(page, ".pane .monaco-list-row", "price▲×2.9 · 50.4 ms → 145 ms");
  await drawn(page, ".pane .monaco-list-row", "Not enough data to tell4 functions");
  const icons = [];
  for (const name of ["price", "render", "payByCard", "payInCash"]) {
    const [row, icon] = [page.locator(".pane .monaco-list-row", { hasText: new RegExp(`^${name}(▲|▼|new|gone)`) }), ".custom-view-tree-node-item-icon"];
    icons.push(await row.first().locator(icon).evaluate((it) => `${/codicon-([\w-]+)/.exec(it.className)?.[1]} ${getComputedStyle(it).color}`));
  }
  const rgb = (color) => `rgb(${[1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16)).join(", ")})`;
  const [, slower, faster] = THEMES.light;
  assert.deepEqual(icons.slice(0, 2), [`triangle-up ${rgb(slower)}`, `triangle-down ${rgb(faster)}`]);
  assert.deepEqual(icons.slice(2).map((it) => it.split(" ")[0]), ["add", "remove"]);
  console.log("ok    the hottest functions are ordered by difference, and what is not certain is below");

  await page.locator(".view-line span span", { hasText: /^price$/ }).first().click();
  await drawn(page, ".pane .monaco-list-row", "Called by~581 ms");
  for (const [name, [theme, ...colors]] of Object.entries(THEMES)) {
    settings({ "workbench.colorTheme": theme });
    await hasColors(colors);
    await quiet(page);
    const path = name === "dark" ? join(pictures, "vscode-compare.png") : join(scratch, `vscode-compare-${name}.png`);
    await page.screenshot({ path });
  }
  console.log("ok    what changed for certain is marked in the colors of dark, light and high contrast themes");

  await page.locator(".pane .monaco-list-row", { hasText: /^render▼/ }).click();
  await drawn(page, ".statusbar-item", "Ln 20, Col 7");
  console.log("ok    a click on a row goes to the function");

  await page.locator(".view-line span span", { hasText: /^price$/ }).first().hover();
  await drawn(page, ".monaco-hover", "Interval (95 %)");
  await page.waitForTimeout(500);
  await page.screenshot({ path: join(scratch, "vscode-compare-hover.png") });
  await page.mouse.move(900, 780);
  await page.waitForFunction(() => !document.querySelector(".monaco-hover:not(.hidden)"), null, PATIENT);
  await comparison.hover();
  await drawn(page, ".monaco-hover", "A click stops comparing.");
  await page.waitForTimeout(500);
  await page.screenshot({ path: join(scratch, "vscode-compare-status.png") });
  console.log("ok    the hovers have both sides and by what they are judged");

  await comparison.click();
  await comparison.waitFor({ state: "hidden", ...PATIENT });
  await drawn(page, ".view-line", "581ms self");
  await drawn(page, ".pane-header", "functions by self");
  console.log("ok    one click leaves");

  await page.locator(".pane .monaco-list-row", { hasText: /^before\/4\.cpuprofile\.gz/ }).click({ button: "right" });
  const entry = page.locator(".context-view .action-item", { hasText: "Compare with this" });
  await entry.waitFor(PATIENT);
  await page.screenshot({ path: join(scratch, "vscode-compare-menu.png") });
  await entry.click();
  await comparison.filter({ hasText: "4.cpuprofile.gz" }).waitFor(PATIENT);
  await drawn(page, ".codelens-decoration", "maybe slower");
  await quiet(page);
  await page.screenshot({ path: join(scratch, "vscode-compare-once.png") });
  console.log("ok    a trace of the side bar is compared with by its menu, and of one run nothing is certain");
  assert.deepEqual([...strangers], [], "the page asked hosts other than this machine");
} catch (error) {
  await page.screenshot({ path: join(scratch, "compare-failed.png") });
  console.error(`FAIL  ${error.stack}\nThe page then: ${join(scratch, "compare-failed.png")}`);
  process.exitCode = 1;
}
await browser.close();

/** A file or folder of the explorer. */
function explorer(name) {
  return page.locator(".explorer-folders-view .monaco-list-row", { hasText: name }).first();
}

/** Writes the settings of the workspace, which the editor follows. The overview ruler has no marks of the editor's own. */
function settings(more) {
  const ruler = { "editor.occurrencesHighlight": "off", "editor.hideCursorInOverviewRuler": true };
  const all = { "proflens.heat.gutter": true, "editor.stickyScroll.enabled": false, ...ruler, ...more };
  writeFileSync(join(workspace, ".vscode/settings.json"), JSON.stringify(all));
}

/** Waits until the overview ruler has all of these colors. */
async function hasColors(colors) {
  const find = (colors) => {
    const wanted = colors.map((color) => [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16)));
    return [...document.querySelectorAll("canvas.decorationsOverviewRuler")].some((canvas) => {
      if (canvas.width === 0 || canvas.height === 0) return false;
      const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
      const seen = new Set();
      for (let at = 0; at < data.length; at += 4) seen.add(data.slice(at, at + 3).join());
      return wanted.every((it) => seen.has(it.join()));
    });
  };
  await page.waitForFunction(find, colors, PATIENT);
}
