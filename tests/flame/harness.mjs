// What the tests of the page share: it is written by `proflens flame` and opened in a real Chromium.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

export const root = join(import.meta.dirname, "../..");
export const proflens = process.env.PROFLENS;
if (!proflens) throw new Error("PROFLENS is not set: run this with cargo xtask test flame");
export const folder = mkdtempSync(join(tmpdir(), "proflens-flame-"));
export const pictures = join(import.meta.dirname, "out");
mkdirSync(pictures, { recursive: true });
const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox"] });

let failed = 0;
export async function test(name, body) {
  try {
    await body();
    console.log(`ok   ${name}`);
  } catch (error) {
    failed++;
    console.log(`FAIL ${name}\n${error.stack}`);
  }
}

/** Writes the page of a trace; the trace is a file of the repository or a text. */
export function written(name, text, ...flags) {
  const trace = text === undefined ? join(root, name) : join(folder, name);
  if (text !== undefined) writeFileSync(trace, text);
  const page = join(folder, `${name.replaceAll("/", "-")}.html`);
  const workspace = flags.includes("--workspace") ? [] : ["--workspace", join(root, "examples/primes")];
  const made = spawnSync(proflens, ["flame", trace, "-o", page, ...workspace, ...flags], { encoding: "utf8" });
  assert.equal(made.status, 0, made.stderr);
  return page;
}

/** Opens a page, and keeps what it asks for and complains of. */
export async function open(file, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1200, height: 700 }, ...options });
  const page = await context.newPage();
  const seen = { requests: [], complaints: [] };
  page.on("request", (it) => seen.requests.push(it.url()));
  page.on("pageerror", (it) => seen.complaints.push(String(it)));
  page.on("console", (it) => seen.complaints.push(it.text()));
  page.on("dialog", (it) => seen.complaints.push(it.message()));
  await page.goto(pathToFileURL(file).href);
  await page.waitForSelector(".page, .notice");
  return Object.assign(page, { seen });
}

/** What the page says to those who hear it. */
export const said = (page) => page.locator(".live").textContent();
export const press = async (page, ...keys) => {
  for (const it of keys) await page.keyboard.press(it);
};
/** Two frames later everything is drawn. */
export const drawn = (page) => page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
/** Rests the mouse on a frame. One that moves before the frames are drawn finds nothing, so it moves until it does. */
export async function hover(page, x, y) {
  for (let turn = 0; turn < 100 && (await page.locator(".tooltip:not([hidden])").count()) === 0; turn++) {
    await page.mouse.move(x, y + (turn % 2));
    await drawn(page);
  }
  await page.waitForSelector(".tooltip:not([hidden])");
}
/** Each row of the table that is shown, as text. */
export const rows = (page) => page.locator("tbody tr").evaluateAll((all) => all.map((row) => [...row.cells].map((it) => it.textContent.trim())));

export const frame = (functionName, lineNumber = 0) => ({ functionName, scriptId: "1", url: "file:///app/a.js", lineNumber, columnNumber: 0 });
export const profile = (stacks) => {
  const nodes = [{ id: 1, callFrame: { ...frame("(root)"), scriptId: "0", url: "" }, children: [] }];
  const samples = stacks.map((stack) => {
    let at = nodes[0];
    for (const name of stack) {
      const node = { id: nodes.length + 1, callFrame: frame(name, nodes.length), children: [] };
      at.children.push(node.id);
      nodes.push(node);
      at = node;
    }
    return at.id;
  });
  return JSON.stringify({ nodes, startTime: 0, endTime: samples.length * 1000, samples, timeDeltas: samples.map(() => 1000) });
};

/** The last sample of a profile lasts no time. */
export const twice = (stack) => [stack, stack];

/** So many samples of each stack, named by its functions, each of which is where it is called so: more than chance. */
export function many(stacks) {
  const nodes = [{ id: 1, callFrame: { ...frame("(root)"), scriptId: "0", url: "" }, children: [] }];
  const nodeOf = (names) => names.reduce((at, name) => {
    const known = nodes.find((it) => at.children.includes(it.id) && it.callFrame.functionName === name);
    if (known) return known;
    const node = { id: nodes.length + 1, callFrame: frame(name, name.length), children: [] };
    at.children.push(node.id);
    nodes.push(node);
    return node;
  }, nodes[0]);
  const samples = Object.entries(stacks).flatMap(([names, count]) => Array(count).fill(nodeOf(names.split(" ")).id));
  return JSON.stringify({ nodes, startTime: 0, endTime: samples.length * 1000, samples, timeDeltas: samples.map(() => 1000) });
}

/** Ends the browser, and the process with whether all was well. */
export async function finish() {
  await browser.close();
  rmSync(folder, { recursive: true });
  process.exit(failed > 0 ? 1 : 0);
}
