// What the page of a real VS Code draws of the side bar, heat, badges and costs of lines: as text, as colors, as pictures.

import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { drawn, open, PATIENT, pictures, quiet, remote, runCommand, scratch, workspace } from "./browser.mjs";

// Bars in the gutter and badges are off by default, and are to be in the pictures.
mkdirSync(join(workspace, ".vscode"));
settings({});

/** The colors of level 5 in `package.json`, by kind of theme. */
const HOTTEST = { dark: "#f0384f", light: "#c4162f", hcDark: "#ff5470", hcLight: "#a00020" };
const THEMES = [
  ["light", "Default Light Modern"],
  ["dark", "Default Dark Modern"],
  ["hcDark", "Default High Contrast"],
  ["hcLight", "Default High Contrast Light"],
];
const LIMIT = { timeout: 60_000 };

const { browser, page, strangers, go } = await open(
  [["openFile", remote(join(workspace, "generate.js"))]],
  { width: 1280, height: 860 },
  2,
);
try {
  await go();
  await page.waitForSelector(".monaco-editor .view-lines", LIMIT);
  await drawn(page, ".view-line", "570ms self");

  await pseudo(".explorer-folders-view .monaco-icon-label", "88");
  console.log("ok    the explorer has a badge at the hot file");
  await quiet(page);
  await page.screenshot({ path: join(scratch, "vscode-badges.png") });

  await page.locator(".activitybar .action-item:has(.action-label[aria-label^='Proflens'])").click();
  for (const view of ["Hottest functions", "Callers and callees", "Where the time went", "Traces and threads"])
    await drawn(page, ".pane-header", view);
  await drawn(page, ".pane .monaco-list-row", "isPrime570 ms (87 %)");
  await drawn(page, ".pane .monaco-list-row", "~60.8 ms  Native work outside any JavaScript9.2 %");
  await drawn(page, ".pane .monaco-list-row", "primes.cpuprofile784 samples · shown");
  console.log("ok    the side bar has the hottest functions, the ledger and the traces");

  await row("isPrime").click();
  await drawn(page, ".statusbar-item", "Ln 6, Col 10");
  await drawn(page, ".pane .monaco-list-row", "Called by570 ms (87 %)");
  console.log("ok    a click on a row goes to the function, and its callers follow");

  await row("genPrimes570").locator(".monaco-tl-twistie").click();
  await drawn(page, ".pane .monaco-list-row", "handleClick570 ms (87 %) · main.js:5");
  console.log("ok    callers unfold");

  await runCommand(page, "Proflens: Show line costs");
  await pseudo(".view-line span", "492 ms");
  console.log("ok    lines have their costs at their ends");

  for (const [name, theme] of THEMES) {
    settings({ "workbench.colorTheme": theme });
    await shot(name);
  }
  console.log("ok    the overview ruler has the colors of dark, light and high contrast themes");

  await row("isPrime570 ms (87 %)").click({ button: "right" });
  for (const text of ["Show callers and callees in the side bar", "Show in flame graph", "Reveal in Explorer", "Copy name", "Copy as text"])
    await drawn(page, ".context-view", text);
  await page.keyboard.press("Escape");
  console.log("ok    a row has its menu");

  settings({ "workbench.colorTheme": "Default Light Modern" });
  await row("genPrimes570 ms (87 %)").click({ button: "right" });
  await drawn(page, ".context-view", "Focus on this path");
  await quiet(page);
  await page.screenshot({ path: join(scratch, "vscode-path-menu.png") });
  await page.locator(".context-view .action-item", { hasText: "Focus on this path" }).click();
  await drawn(page, ".statusbar-item", "callers of genPrimes › isPrime");
  await drawn(page, ".codelens-decoration", "Self 570 ms (100 %)");
  await page.locator(".view-line span span", { hasText: /^genPrimes$/ }).first().hover();
  await drawn(page, ".monaco-hover", "Called by");
  await quiet(page);
  await page.screenshot({ path: join(scratch, "vscode-path.png") });
  await runCommand(page, "Proflens: Show the whole recording");
  await drawn(page, ".statusbar-item", "primes.cpuprofile · 784 samples");
  console.log("ok    a path is looked at alone, and all of it again");
  const file = join(workspace, "pair.js");
  writeFileSync(file, "export const one = () => two(), two = () => 2;\n");
  const frames = ["one", "two"].map((name, at) => ({ name, file: `file://${file}`, line: 1, col: [20, 39][at] }));
  const profiles = ["main", "worker"].map((name) => {
    return { type: "sampled", name, unit: "milliseconds", samples: [[0], [0, 1]], weights: [20, 10] };
  });
  const $schema = "https://www.speedscope.app/file-format-schema.json";
  writeFileSync(join(workspace, "threads.json"), JSON.stringify({ $schema, shared: { frames }, profiles }));
  settings({ "proflens.traces": ["threads.json"] });
  await drawn(page, ".pane .monaco-list-row", "worker30.0 ms active · 2 samples");
  await row("one40").click();
  await drawn(page, ".codelens-decoration", "one: Self 40.0 ms");
  await drawn(page, ".codelens-decoration", "two: Self 20.0 ms");
  console.log("ok    a lens says whose it is where several stand above a line");
  await runCommand(page, "Proflens: Select threads");
  await drawn(page, ".quick-input-widget", "worker");
  await page.screenshot({ path: join(scratch, "vscode-threads.png") });
  await page.keyboard.press("Escape");
  await row("worker").locator("input, .monaco-checkbox, .custom-view-tree-node-item-checkbox").first().click();
  await drawn(page, ".pane .monaco-list-row", "threads.json2 samples · shown");
  console.log("ok    threads are chosen by their boxes");

  await runCommand(page, "Proflens: Unload trace");
  await drawn(page, ".welcome-view-content", "No trace is loaded.");
  await quiet(page);
  await page.screenshot({ path: join(scratch, "vscode-no-trace.png") });
  console.log("ok    without a trace each view says what to do");
  assert.deepEqual([...strangers], [], "the page asked hosts other than this machine");
} catch (error) {
  await page.screenshot({ path: join(scratch, "views-failed.png") });
  console.error(`FAIL  ${error.stack}\nThe page then: ${join(scratch, "views-failed.png")}`);
  process.exitCode = 1;
}
await browser.close();

/** Writes the settings of the workspace, which the editor follows. */
function settings(more) {
  writeFileSync(join(workspace, ".vscode/settings.json"), JSON.stringify({ "proflens.heat.gutter": true, "proflens.explorer.badges": true, ...more }));
}

/** A row of the side bar by the beginning of its text. */
function row(text) {
  return page.locator(".pane .monaco-list-row", { hasText: new RegExp(`^${text.replaceAll(/[().]/g, "\\$&")}`) }).first();
}

/** Waits until an element has this text after it, which style sheets draw. */
async function pseudo(selector, text) {
  const find = ({ selector, text }) =>
    [...document.querySelectorAll(selector)].some((it) => getComputedStyle(it, "::after").content.replaceAll("\u00a0", " ").includes(text));
  await page.waitForFunction(find, { selector, text }, PATIENT);
}

/** Checks that the ruler has the hottest color of the theme, and takes a picture. */
async function shot(theme) {
  const hasColor = (color) => {
    const wanted = [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16));
    return [...document.querySelectorAll("canvas.decorationsOverviewRuler")].some((canvas) => {
      if (canvas.width === 0 || canvas.height === 0) return false;
      const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
      for (let at = 0; at < data.length; at += 4) if (wanted.every((it, part) => data[at + part] === it)) return true;
      return false;
    });
  };
  await page.waitForFunction(hasColor, HOTTEST[theme], PATIENT);
  await quiet(page);
  // The dark one is in the documentation.
  const path = theme === "dark" ? join(pictures, "vscode-side-bar.png") : join(scratch, `vscode-side-bar-${theme}.png`);
  await page.screenshot({ path });
}
