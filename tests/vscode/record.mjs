// From a command to hints, as the page of a real VS Code draws it: the list, the item in the status bar, the terminal.

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { drawn, eventually, page, PATIENT, picture, pictures, scenario, scratch, step } from "./browser.mjs";
import { pressStatus, runCommand, type } from "./keyboard.mjs";

/** How long it has been recorded. */
const CLOCK = /\d:\d\d/;

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

console.log("The median price of each region:");
const end = process.argv.includes("--endless") ? Infinity : Date.now() + 3000;
do {
  for (const [region, some] of byRegion(orders(200_000))) {
    const price = median(some.map((it) => it.price));
    if (Date.now() >= end) console.log(region, price);
  }
} while (Date.now() < end);
`;

/** Terminals that are drawn by the graphics card are blurred in pictures of twice the size. */
const SETTINGS = { "terminal.integrated.gpuAcceleration": "off", "terminal.integrated.fontSize": 11, "terminal.integrated.stickyScroll.enabled": false };
const options = { file: "report.js", prepare, settings: SETTINGS, size: { width: 1120, height: 900 } };

await scenario("a command is recorded", options, async () => {
  await step("the scripts and the active file are offered", async () => {
    await drawn(".statusbar-item", "primes.cpuprofile");
    await runCommand("Proflens: Record a command");
    for (const text of ["npm run start", "node report.js", "npm run report", "npm run serve"]) await drawn(".quick-input-list", text);
    await picture(join(scratch, "vscode-record-list.png"));
  });
  await step("the status bar has the time since it began", async () => {
    await type("npm run rep");
    await drawn(".quick-input-list .monaco-list-row.focused", "npm run report");
    await drawn(".quick-input-list", "Another command");
    await page.keyboard.press("Enter");
    await recording();
    await picture(join(scratch, "vscode-recording.png"));
  });
  await step("the hints of what was recorded are drawn", async () => {
    await isOver();
    await drawn(".statusbar-item", "npm run report");
    await drawn(".codelens-decoration", "Self ");
    await runCommand("View: Toggle Primary Side Bar Visibility");
    await picture(join(pictures, "vscode-record.png"));
  });
  await step("it has the name of its command, and when it was", async () => {
    await runCommand("Focus on Traces and threads View");
    await drawn(".pane .monaco-list-row", "npm run reportjust now · ");
    await picture(join(scratch, "vscode-record-names.png"));
  });
  await step("the recording before is one key away", async () => {
    await runCommand("Proflens: Show the previous recording");
    await drawn(".statusbar-item", "primes.cpuprofile");
    await page.keyboard.press("Control+Digit1");
    await page.keyboard.press("Shift+Alt+KeyB");
    await drawn(".statusbar-item", "npm run report");
  });
});

await scenario("what is typed is recorded until somebody ends it", options, async () => {
  await drawn(".statusbar-item", "primes.cpuprofile");
  await step("what is typed is recorded", async () => {
    await runCommand("Proflens: Record a command");
    await drawn(".quick-input-list", "npm run report");
    await type("node report.js --endless");
    await drawn(".quick-input-list .monaco-list-row.focused", "Another command");
    await page.keyboard.press("Enter");
    await recording();
    // A program that is ended before it began leaves nothing to show, and on a busy machine it begins late.
    await drawn(".xterm-rows", "The median price of each region:");
  });
  await step("the item with the time ends it", async () => {
    await pressStatus(CLOCK, isOver);
    await drawn(".statusbar-item", "node report.js --endless");
  });
});

await scenario("a debug session is recorded", options, async () => {
  await drawn(".statusbar-item", "primes.cpuprofile");
  await step("while it runs", async () => {
    await page.keyboard.press("F5");
    await page.waitForSelector(".debug-toolbar .codicon-debug-pause");
    // The session is there before its program can be asked.
    await eventually(async () => {
      await runCommand("Proflens: Record the running debug session");
      await item().waitFor({ timeout: 10_000 });
    });
    await recording();
    await picture(join(scratch, "vscode-debug.png"));
  });
  await step("it goes on when the recording ends", async () => {
    await pressStatus(CLOCK, isOver);
    await drawn(".statusbar-item", "serve.js");
    await page.waitForSelector(".debug-toolbar .codicon-debug-pause");
    await page.keyboard.press("Shift+F5");
    await page.waitForSelector(".debug-toolbar", { state: "hidden" });
  });
});

function prepare(folder) {
  writeFileSync(join(folder, "report.js"), REPORT);
  const scripts = { report: "node report.js", serve: "node report.js --serve", start: "node report.js" };
  writeFileSync(join(folder, "package.json"), JSON.stringify({ name: "shop", private: true, scripts }, null, 2));
  // F5 starts this one.
  const endless = `${REPORT.slice(0, REPORT.indexOf("console.log"))}\nsetInterval(() => byRegion(orders(20_000)), 50);\n`;
  writeFileSync(join(folder, "serve.js"), endless);
  const launch = { type: "node", request: "launch", name: "Serve", program: join(folder, "serve.js") };
  writeFileSync(join(folder, ".vscode/launch.json"), JSON.stringify({ version: "0.2.0", configurations: [launch] }));
}

function item() {
  return page.locator(".statusbar-item[id$='proflens.recording']");
}

/** Waits until something is recorded, for this long at most. */
async function recording() {
  await item().filter({ hasText: CLOCK }).waitFor();
}

/** Waits until nothing is recorded any more. */
async function isOver(limit = PATIENT) {
  await item().waitFor({ ...limit, state: "hidden" });
}
