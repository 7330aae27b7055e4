// What changed between three runs of a program and three before, as the page of a real VS Code draws it: from the list to leaving it again.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { drawn, open, PATIENT, pictures, quiet, remote, runCommand, scratch, workspace } from "./browser.mjs";

/** The price in the middle becomes several times slower, and what is of a region several times faster. */
const MEDIAN = ["Float64Array.from(prices).sort()", "prices.toSorted((a, b) => String(a).localeCompare(String(b)))"];
const IS_OF = ["new RegExp(`^${region}`).test(it.region)", "it.region === region"];
const report = (version) => `const regions = ["north", "south", "east", "west"];

function orders(count) {
  const all = [];
  for (let id = 0; id < count; id++) {
    all.push({ id, region: regions[id % 4], price: ((id * 7919) % 1000) / 10 });
  }
  return all;
}

function median(prices) {
  const sorted = ${MEDIAN[version]};
  return sorted[sorted.length >> 1];
}

function ofRegion(all, region) {
  const some = [];
  for (const it of all) if (${IS_OF[version]}) some.push(it.price);
  return some;
}

for (let day = 0; day < 40; day++) {
  const all = orders(20_000);
  for (const it of regions) median(ofRegion(all, it));
}
`;
const FILE = join(workspace, "report.js");
/** The colors of `package.json`, slower and faster, by kind of theme. */
const COLORS = {
  light: ["#b85c00", "#1a6fc4"],
  hcDark: ["#ffb060", "#6cb8ff"],
  hcLight: ["#8a3f00", "#0f4a85"],
  dark: ["#e8883a", "#4d9fec"],
};
const THEMES = [
  ["light", "Default Light Modern"],
  ["hcDark", "Default High Contrast"],
  ["hcLight", "Default High Contrast Light"],
  ["dark", "Default Dark Modern"],
];
const LIMIT = { timeout: 60_000 };

mkdirSync(join(workspace, ".vscode"));
settings({});
for (const [version, side] of ["before", "after"].entries()) {
  writeFileSync(FILE, report(version));
  for (const run of [1, 2, 3]) {
    const folder = join(workspace, ".proflens/recordings", side);
    execFileSync("node", ["--cpu-prof", `--cpu-prof-dir=${folder}`, `--cpu-prof-name=${run}.cpuprofile`, FILE]);
  }
}

const { browser, page, strangers, go } = await open([["openFile", remote(FILE)]], { width: 1280, height: 720 }, 2);
const comparison = page.locator(".statusbar-item[id$='proflens.comparison']");
try {
  await go();
  await page.waitForSelector(".monaco-editor .view-lines", LIMIT);
  await drawn(page, ".statusbar-item", "3.cpuprofile");
  await drawn(page, ".view-line", " self · ");
  await quiet(page);

  await runCommand(page, "Proflens: Compare with");
  for (const text of ["The recording before", "before", " · 3 runs", "Recordings of a commit or tag", "Files", "A folder"])
    await drawn(page, ".quick-input-list", text);
  await page.screenshot({ path: join(scratch, "vscode-compare-list.png") });
  await page.keyboard.press("Enter");
  await comparison.filter({ hasText: "3.cpuprofile" }).waitFor(PATIENT);
  await drawn(page, ".codelens-decoration", "maybe slower");
  await page.screenshot({ path: join(scratch, "vscode-compare-once.png") });
  console.log("ok    the recording before is the first that is offered, and nothing is certain of one run a side");

  const explorer = (name) => page.locator(".explorer-folders-view .monaco-list-row", { hasText: name }).first();
  await explorer(".proflens").click();
  await explorer("after").click({ button: "right" });
  await page.locator(".context-view .action-item", { hasText: "Show costs in the editor (Proflens)" }).click();
  await drawn(page, ".statusbar-item", "after · ");
  await runCommand(page, "Proflens: Compare with");
  await drawn(page, ".quick-input-list", " · 3 runs");
  await page.keyboard.type("before 3 runs");
  await page.keyboard.press("Enter");
  await comparison.filter({ hasText: "before" }).waitFor(PATIENT);
  console.log("ok    the runs of a folder are compared with those of another, and the status bar says with which");

  await drawn(page, ".view-line", "▲×");
  await drawn(page, ".view-line", "▼×");
  await drawn(page, ".codelens-decoration", "slower");
  await drawn(page, ".codelens-decoration", "faster");
  console.log("ok    hints and lenses have what changed");

  await page.locator(".activitybar .action-item:has(.action-label[aria-label^='Proflens'])").click();
  await drawn(page, ".pane-header", "functions by difference");
  const changed = page.locator(".pane .monaco-list-row", { hasText: " → " });
  await changed.filter({ hasText: /^median/ }).waitFor(PATIENT);
  await changed.filter({ hasText: /^ofRegion/ }).waitFor(PATIENT);
  await drawn(page, ".pane .monaco-list-row", "Not enough data to tell");
  const icons = await changed.evaluateAll((rows) =>
    rows.map((row) => [row.textContent.match(/^\w+/)?.[0] ?? row.textContent, ...row.querySelector(".codicon").classList].join(" ")),
  );
  assert(icons.some((it) => /^median .*triangle-up/.test(it)), icons.join("\n"));
  assert(icons.some((it) => /^ofRegion .*triangle-down/.test(it)), icons.join("\n"));
  console.log("ok    the hottest functions are ordered by difference, with what is not certain below");

  for (const [name, theme] of THEMES) {
    settings({ "workbench.colorTheme": theme });
    await hasColors(COLORS[name]);
    await quiet(page);
    const path = name === "dark" ? join(pictures, "vscode-compare.png") : join(scratch, `vscode-compare-${name}.png`);
    await page.screenshot({ path });
  }
  console.log("ok    only what changed for certain is marked, in the colors of dark, light and high contrast themes");

  await page.locator(".view-line span span", { hasText: /^median$/ }).first().hover();
  await drawn(page, ".monaco-hover", "before");
  await page.waitForTimeout(500);
  await page.screenshot({ path: join(scratch, "vscode-compare-hover.png") });
  await page.mouse.move(900, 680);
  await comparison.hover();
  await drawn(page, ".monaco-hover", "A click stops comparing.");
  await page.screenshot({ path: join(scratch, "vscode-compare-status.png") });
  console.log("ok    the hovers have both sides and how they are judged");

  await comparison.click();
  await comparison.waitFor({ state: "hidden", ...PATIENT });
  await drawn(page, ".view-line", " self · ");
  await drawn(page, ".pane-header", "functions by self");
  console.log("ok    one click leaves");

  await page.locator(".pane .monaco-list-row", { hasText: "primes.cpuprofile" }).click({ button: "right" });
  const entry = page.locator(".context-view .action-item", { hasText: "Compare with this" });
  await entry.waitFor(PATIENT);
  await page.screenshot({ path: join(scratch, "vscode-compare-menu.png") });
  await entry.click();
  await comparison.filter({ hasText: "primes.cpuprofile" }).waitFor(PATIENT);
  console.log("ok    a recording of the list is compared with by its menu");
  assert.deepEqual([...strangers], [], "the page asked hosts other than this machine");
} catch (error) {
  await page.screenshot({ path: join(scratch, "compare-failed.png") });
  console.error(`FAIL  ${error.stack}\nThe page then: ${join(scratch, "compare-failed.png")}`);
  process.exitCode = 1;
}
await browser.close();

/** Writes the settings of the workspace, which the editor follows. */
function settings(more) {
  const all = { "proflens.heat.gutter": true, ...more };
  writeFileSync(join(workspace, ".vscode/settings.json"), JSON.stringify(all));
}

/** Waits until the overview ruler has these colors. */
async function hasColors(colors) {
  const find = (colors) => {
    const wanted = colors.map((color) => [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16)));
    const has = ([r, g, b], data) => {
      for (let at = 0; at < data.length; at += 4) if (data[at] === r && data[at + 1] === g && data[at + 2] === b) return true;
      return false;
    };
    return [...document.querySelectorAll("canvas.decorationsOverviewRuler")].some((canvas) => {
      if (canvas.width === 0 || canvas.height === 0) return false;
      const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
      return wanted.every((it) => has(it, data));
    });
  };
  await page.waitForFunction(find, colors, PATIENT);
}
