// From a command to hints, as the page of a real VS Code draws it: the list, the item in the status bar, the terminal.

import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { drawn, open, PATIENT, pictures, quiet, remote, runCommand, scratch, workspace } from "./browser.mjs";

const REPORT = `const regions = ["north", "south", "east", "west"];

function orders(count) {
  const all = [];
  for (let id = 0; id < count; id++) {
    all.push({ id, region: regions[id % 4], price: ((id * 7919) % 1000) / 10 });
  }
  return all;
}

function median(prices) {
  const sorted = [...prices].sort((a, b) => a - b);
  return sorted[sorted.length >> 1];
}

function byRegion(all) {
  const groups = new Map(regions.map((it) => [it, []]));
  for (const it of all) groups.get(it.region).push(it);
  return groups;
}

const end = Date.now() + 3000;
do {
  for (const [region, some] of byRegion(orders(200_000))) {
    const price = median(some.map((it) => it.price));
    if (Date.now() >= end) console.log(region, price);
  }
} while (Date.now() < end);
`;
const LIMIT = { timeout: 60_000 };

writeFileSync(join(workspace, "report.js"), REPORT);
const scripts = { report: "node report.js", serve: "node report.js --serve" };
writeFileSync(join(workspace, "package.json"), JSON.stringify({ name: "shop", private: true, scripts }, null, 2));

// F5 starts this one.
writeFileSync(join(workspace, "serve.js"), `${REPORT.slice(0, REPORT.indexOf("const end"))}
setInterval(() => byRegion(orders(20_000)), 50);
`);
const launch = { type: "node", request: "launch", name: "Serve", program: join(workspace, "serve.js") };

// Terminals that are drawn by the graphics card are blurred in pictures of twice the size.
const TERMINAL = { gpuAcceleration: "off", fontSize: 11, "stickyScroll.enabled": false };
mkdirSync(join(workspace, ".vscode"));
const settings = Object.entries(TERMINAL).map(([name, value]) => [`terminal.integrated.${name}`, value]);
writeFileSync(join(workspace, ".vscode/settings.json"), JSON.stringify(Object.fromEntries(settings)));

writeFileSync(join(workspace, ".vscode/launch.json"), JSON.stringify({ version: "0.2.0", configurations: [launch] }));

const { browser, page, strangers, go } = await open(
  [["openFile", remote(join(workspace, "report.js"))]],
  { width: 1120, height: 900 },
  2,
);
try {
  await go();
  await page.waitForSelector(".monaco-editor .view-lines", LIMIT);
  await drawn(page, ".statusbar-item", "primes.cpuprofile");
  await quiet(page);

  await runCommand(page, "Proflens: Record a command");
  for (const text of ["node report.js", "npm run report", "npm run serve"]) await drawn(page, ".quick-input-list", text);
  console.log("ok    the active file and the scripts are offered");
  await page.screenshot({ path: join(scratch, "vscode-record-list.png") });

  await page.keyboard.type("npm run rep");
  await drawn(page, ".quick-input-list .monaco-list-row.focused", "npm run report");
  await drawn(page, ".quick-input-list", "Another command");
  await page.keyboard.press("Enter");
  const item = page.locator(".statusbar-item[id$='proflens.recording']");
  await item.filter({ hasText: /0:0[1-9]/ }).waitFor(PATIENT);
  console.log("ok    the status bar has the time since it began");
  await page.screenshot({ path: join(scratch, "vscode-recording.png") });

  await drawn(page, ".view-line", " self · ");
  await drawn(page, ".statusbar-item", "npm run report");
  await item.waitFor({ state: "hidden", ...PATIENT });
  console.log("ok    the hints of what was recorded are drawn");
  await quiet(page);
  await page.keyboard.press("Control+B");
  await drawn(page, ".codelens-decoration", "Self ");
  await page.waitForTimeout(1_000);
  await page.screenshot({ path: join(pictures, "vscode-record.png") });

  await runCommand(page, "Proflens: Show the previous recording");
  await drawn(page, ".statusbar-item", "primes.cpuprofile");
  await page.locator(".monaco-editor .view-line").first().click();
  await page.keyboard.press("Shift+Alt+B");
  await drawn(page, ".statusbar-item", "npm run report");
  console.log("ok    the recording before is one key away");

  await runCommand(page, "Proflens: Record a command");
  await drawn(page, ".quick-input-list", "npm run report");
  await page.keyboard.type("node report.js --typed");
  await drawn(page, ".quick-input-list .monaco-list-row.focused", "Another command");
  await page.keyboard.press("Enter");
  await item.filter({ hasText: /0:0[1-9]/ }).waitFor(PATIENT);
  await item.click();
  await drawn(page, ".statusbar-item", "node report.js typed");
  await item.waitFor({ state: "hidden", ...PATIENT });
  console.log("ok    what is typed is recorded, and a click on the time ends it");
  await page.keyboard.press("F5");
  await page.waitForSelector(".debug-toolbar", PATIENT);
  await runCommand(page, "Proflens: Record the running debug session");
  await item.filter({ hasText: /0:0[2-9]/ }).waitFor(PATIENT);
  await page.screenshot({ path: join(scratch, "vscode-debug.png") });
  await item.click();
  await drawn(page, ".statusbar-item", "serve.js");
  await item.waitFor({ state: "hidden", ...PATIENT });
  await page.waitForSelector(".debug-toolbar .codicon-debug-pause", PATIENT);
  await page.keyboard.press("Shift+F5");
  await page.waitForSelector(".debug-toolbar", { state: "hidden", ...PATIENT });
  console.log("ok    a debug session is recorded, and goes on after a click on the time");
  assert.deepEqual([...strangers], [], "the page asked hosts other than this machine");
} catch (error) {
  await page.screenshot({ path: join(scratch, "record-failed.png") });
  console.error(`FAIL  ${error.stack}\nThe page then: ${join(scratch, "record-failed.png")}`);
  process.exitCode = 1;
}
await browser.close();
