// What changed between runs of a program, as the page of a real VS Code draws it: from the list to leaving it again. Of these recordings
// it is known what changed (workspaces/shop).

import assert from "node:assert/strict";
import { copyFileSync, cpSync, readdirSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { drawn, gone, page, PATIENT, picture, pictures, scenario, scratch, settings, step, untilTrue } from "./browser.mjs";
import { chooseInMenu, goTo, goToFile, goToRow, hoverAt, leaveHover, openMenu, pick, pressOnRow, pressStatus, runCommand, unfold } from "./keyboard.mjs";

const SHOP = join(import.meta.dirname, "../workspaces/shop");
/** The colors of `package.json`, slower and faster, by kind of theme. The last one is in the documentation. */
const THEMES = {
  light: ["Default Light Modern", "#b85c00", "#1a6fc4"],
  hcDark: ["Default High Contrast", "#ffb060", "#6cb8ff"],
  hcLight: ["Default High Contrast Light", "#8a3f00", "#0f4a85"],
  dark: ["Default Dark Modern", "#e8883a", "#4d9fec"],
};
/** The overview ruler has no marks of the editor's own. */
const SETTINGS = { "proflens.heat.gutter": true, "editor.occurrencesHighlight": "off", "editor.hideCursorInOverviewRuler": true };
const ROWS = ".pane .monaco-list-row";
const HOTTEST = "Hottest functions";
const options = { file: "shop.js", prepare, settings: SETTINGS, size: { width: 1280, height: 820 } };

await scenario("what changed between two folders of runs", options, async () => {
  await step("a folder of runs is shown by its menu", async () => {
    await showAfter();
  });
  await step("it is compared with one that is chosen from the list, and the status bar says so", async () => {
    await runCommand("Proflens: Compare with");
    for (const text of ["The previous recording", "2 days ago · 4 runs", "Recordings of a commit or tag", "Files", "A folder"])
      await drawn(".quick-input-list", text);
    await picture(join(scratch, "vscode-compare-list.png"));
    await pick("4 runs", "before");
    await comparison("vs before: +13 %, unsure");
  });
  await step("hints and lenses have what changed, and nothing else", async () => {
    for (const text of ["145ms ▲×2.9", "43.4ms ▼58%", "57.2ms new"]) await drawn(".view-line", text);
    await drawn(".codelens-decoration", "50.4 ms → 145 ms (×2.9, slower, p = 0.013)");
    assert.equal(await page.locator(".codelens-decoration a").count(), 3);
  });
  await step("the hottest functions are ordered by difference, and what is not certain is below", async () => {
    await goToRow(HOTTEST, "price▲×2.9 · 50.4 ms → 145 ms");
    await drawn(".pane-header", "functions by difference");
    await drawn(ROWS, "Not enough data to tell4 functions");
    const icons = [];
    for (const name of ["price", "render", "payByCard", "payInCash"]) {
      const [row, icon] = [page.locator(ROWS, { hasText: new RegExp(`^${name}(▲|▼|new|gone)`) }), ".custom-view-tree-node-item-icon"];
      icons.push(await row.first().locator(icon).evaluate((it) => `${/codicon-([\w-]+)/.exec(it.className)?.[1]} ${getComputedStyle(it).color}`));
    }
    const rgb = (color) => `rgb(${[1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16)).join(", ")})`;
    const [, slower, faster] = THEMES.light;
    assert.deepEqual(icons.slice(0, 2), [`triangle-up ${rgb(slower)}`, `triangle-down ${rgb(faster)}`]);
    assert.deepEqual(icons.slice(2).map((it) => it.split(" ")[0]), ["add", "remove"]);
  });
  await step("a row goes to its function", async () => {
    await pressOnRow(HOTTEST, /^render▼/, "Enter", (soon) => drawn(".statusbar-item", "Ln 20, Col 7", soon));
  });
  await goTo(14, 8);
  await drawn(ROWS, "Called by~581 ms");
  for (const [name, [theme, ...colors]] of Object.entries(THEMES)) {
    await step(`what changed for certain is marked in the colors of ${theme}`, async () => {
      settings({ ...SETTINGS, "workbench.colorTheme": theme });
      await hasColors(colors);
      await picture(name === "dark" ? join(pictures, "vscode-compare.png") : join(scratch, `vscode-compare-${name}.png`));
    });
  }
  await step("the hovers have both sides and by what they are judged", async () => {
    await hoverAt(14, 8, "Interval (95 %)");
    await picture(join(scratch, "vscode-compare-hover.png"));
    await leaveHover();
  });
  await step("the item in the status bar says what it does, and leaves", async () => {
    await page.locator(".statusbar-item[id$='proflens.comparison'] [aria-label*='Stop comparing']").waitFor();
    await pressStatus("vs before", (soon) => gone(".statusbar-item[id$='proflens.comparison']", soon));
    await drawn(".view-line", "581ms · 581ms");
    await drawn(".pane-header", "functions by self");
  });
});

await scenario("a trace of the side bar is compared with by its menu", options, async () => {
  await step("a folder of runs is shown by its menu", async () => {
    await showAfter();
  });
  await step("of one run nothing is certain", async () => {
    await goToRow("Traces and threads", "before/4.cpuprofile.gz");
    await openMenu("Compare with this");
    await picture(join(scratch, "vscode-compare-menu.png"));
    await page.keyboard.press("Escape");
    await chooseInMenu("Compare with this", (soon) => comparison("4.cpuprofile.gz", soon));
    await drawn(".codelens-decoration", "maybe slower");
    await picture(join(scratch, "vscode-compare-once.png"));
  });
});

/** Recordings before and after a change. */
function prepare(folder) {
  copyFileSync(join(SHOP, "shop.js"), join(folder, "shop.js"));
  for (const [side, days] of [["before", 2], ["after", 1]]) {
    const target = join(folder, ".proflens/recordings", side);
    cpSync(join(SHOP, side), target, { recursive: true });
    const runs = readdirSync(target).sort();
    for (const [at, run] of runs.entries()) {
      const time = new Date(Date.now() - days * 86_400_000 - (runs.length - at) * 60_000);
      utimesSync(join(target, run), time, time);
    }
  }
}

/** Shows the folder of the runs after the change. */
async function showAfter() {
  await drawn(".statusbar-item", "primes.cpuprofile");
  await unfold(".proflens");
  await goToFile("after");
  await chooseInMenu("Show costs in the editor (Proflens)", (soon) => drawn(".statusbar-item", "after · ", soon));
  await drawn(".view-line", "581ms · 581ms");
}

/** Waits for the text of the comparison in the status bar. */
async function comparison(text, limit = PATIENT) {
  await page.locator(".statusbar-item[id$='proflens.comparison']", { hasText: text }).waitFor(limit);
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
  await untilTrue(find, colors);
}
