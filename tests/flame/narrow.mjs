// The page in half a window and at 150 %: one row of buttons, of which none is lost, a table whose names can be read, and the
// sandwich of the function at the editor's cursor.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { drawn, finish, many, open, press, root, rows, said, test, written } from "./harness.mjs";

const BUNDLE = ["tests/traces/chrome-trace/orders-enhanced-chromium156.json.gz", undefined, "--workspace", join(root, "tests/workspaces/orders"), "--thread", "all"];
const orders = written(...BUNDLE);
const primes = written("examples/primes/primes.cpuprofile");

/** What can be done by the toolbar: by buttons that are seen, and by entries of its menu. */
async function offered(page) {
  const texts = (all) => all.filter((it) => it.checkVisibility()).map((it) => it.textContent);
  const seen = await page.locator(".bar .group button").evaluateAll(texts);
  const [list] = await page.locator(".bar select").evaluateAll((all) => all.map((it) => it.checkVisibility() && [...it.options].filter((it) => !it.disabled).map((it) => it.textContent)));
  if (!seen.includes("…")) return { seen, list, menu: [] };
  await page.locator(".bar button", { hasText: "…" }).last().click();
  const menu = await page.locator(".more button").evaluateAll(texts);
  await press(page, "Escape");
  return { seen: seen.filter((it) => it !== "…"), list, menu };
}

const VIEWS = ["Call tree", "Bottom-up", "Time order", "Sandwich", "Table"];
const REST = ["Threads: 2 of 2", "Focus", "Collapse recursion", "Zoom out", "Zoom in", "Reset zoom", "Go to function…", "Save image…", "Help"];
const SIGNS = { "−": "Zoom out", "+": "Zoom in", "?": "Help" };

for (const [width, zoom] of [[1440, 1], [1000, 1], [720, 1], [600, 1], [500, 1], [480, 1], [1440, 1.5], [1000, 1.5], [720, 1.5]]) {
  await test(`the toolbar is one row at ${width} pixels and ${zoom * 100} %, and offers all`, async () => {
    const page = await open(orders, { viewport: { width: Math.round(width / zoom), height: 400 }, deviceScaleFactor: zoom });
    await page.locator("input[type=search]").fill("sieve");
    await drawn(page);
    const tops = await page.locator(".bar > :not([popover]):not([hidden])").evaluateAll((all) =>
      all.filter((it) => it.offsetHeight > 0).map((it) => {
        const { top, bottom, left, right } = it.getBoundingClientRect();
        return { middle: Math.round((top + bottom) / 2), isIn: left >= 0 && right <= innerWidth };
      }));
    assert.deepEqual([...new Set(tops.map((it) => `${it.isIn} ${it.middle}`))].length, 1, JSON.stringify(tops));
    const { seen, list, menu } = await offered(page);
    assert.deepEqual([...(list || []), ...seen, ...menu].map((it) => SIGNS[it] ?? it).sort(), [...VIEWS, ...REST].sort());
    assert.equal(await page.locator(".found").textContent(), "41 % of the time matches");
    await page.locator("input[type=search]").fill("/sie(/");
    await drawn(page);
    const isWhole = await page.locator(".found").evaluate((it) => it.getBoundingClientRect().right <= innerWidth && it.scrollWidth <= it.clientWidth);
    assert(isWhole, "a problem of the search is read to its end");
    assert.deepEqual(page.seen.complaints, []);
    await page.close();
  });
}

await test("the name of the recording is cut before anything else has to go", async () => {
  const page = await open(primes, { viewport: { width: 1600, height: 400 } });
  const seen = [];
  for (let width = 1600; width >= 480; width -= 70) {
    await page.setViewportSize({ width, height: 400 });
    await drawn(page);
    const isCut = await page.locator("h1").evaluate((it) => it.hidden || it.scrollWidth > it.clientWidth);
    const isAway = await page.locator("[aria-haspopup=menu]").isVisible();
    seen.push(isAway ? "away" : isCut ? "cut" : "whole");
  }
  assert.deepEqual([...new Set(seen)], ["whole", "cut", "away"], `${seen}`);
  await page.close();
});

await test("views and menu by keyboard alone, in 480 pixels", async () => {
  const page = await open(orders, { viewport: { width: 480, height: 400 } });
  const focused = () => page.evaluate(() => document.activeElement.ariaLabel ?? document.activeElement.tagName);
  const outlined = () => page.evaluate(() => getComputedStyle(document.activeElement).outlineStyle);
  const stops = [];
  for (let turn = 0; turn < 6; turn++) {
    await press(page, "Tab");
    assert.equal(await outlined(), "solid", await focused());
    stops.push(await focused());
  }
  assert.deepEqual(stops.map((it) => it.split(":")[0]), ["View", "Search names and files", "Help", "… More actions", "All", "Frames"]);
  await page.locator("select").focus();
  await press(page, "ArrowDown");
  assert.deepEqual([await said(page), await focused()], ["Bottom-up", "View"]);
  await page.locator("[aria-haspopup=menu]").focus();
  await press(page, "Enter");
  await drawn(page);
  const chosen = () => page.evaluate(() => document.activeElement.textContent);
  assert.deepEqual([await chosen(), await focused()], ["Threads: 2 of 2", "Threads: 2 of 2. Threads: choose those that are shown (p)"]);
  await press(page, "ArrowDown", "ArrowDown");
  assert.deepEqual([await chosen(), await outlined()], ["Collapse recursion", "solid"]);
  await press(page, "Enter");
  await page.waitForFunction(() => document.querySelector(".status").textContent.includes("recursion collapsed"));
  assert.equal(await focused(), "… More actions");
  await press(page, "Enter");
  await drawn(page);
  assert.equal(await page.locator("[role=menuitemcheckbox][aria-checked=true]").textContent(), "Collapse recursion");
  await press(page, "Escape");
  assert.equal(await focused(), "… More actions");
  assert.match(await page.locator(".status").textContent(), /recursion collapsed/);
  await page.close();
});

const LONG = "renderTheWholePageWithAllOfItsComponentsAndFooters";
const times = { "main parse": 600, [`main ${LONG} layout`]: 12_345, "main tiny": 1, "main small": 20 };
const table = written("table.cpuprofile", many(times));

for (const [width, heads, second] of [
  [1000, ["Function", "Self", "Self %", "Total", "Total %", "Samples", "Location"], false],
  [760, ["Function", "Self", "Self %", "Total", "Total %", "Location"], false],
  [700, ["Function", "Self", "Self %", "Total", "Total %"], true],
  [500, ["Function", "Self", "Self %", "Total"], true],
  [360, ["Function", "Self"], true],
]) {
  await test(`the table in ${width} pixels: the name first, numbers give way, the location is in reach`, async () => {
    const page = await open(table, { viewport: { width, height: 400 } });
    await press(page, "5");
    await drawn(page);
    assert.deepEqual(await page.locator("th:not([hidden])").allTextContents(), heads);
    const names = await page.locator("tbody td.name").evaluateAll((all) => all.map((it) => it.clientWidth));
    assert(names.every((it) => it >= 160), `${names}`);
    const cells = (await rows(page)).find((it) => it[0]?.startsWith("parse"));
    assert.equal(cells[0], second ? "parsefile:///app/a.js:6" : "parse");
    assert.equal(cells[1], "600 ms");
    const widest = await page.locator(".table").evaluate((it) => it.scrollWidth <= it.clientWidth);
    assert(widest, "it is no wider than its room");
    await page.close();
  });
}

await test("decimal points and units stand below each other", async () => {
  for (const [name, text] of [["points.cpuprofile", times], ["minutes.cpuprofile", { ...times, "main long": 130_000 }]]) {
    const page = await open(written(name, many(text)), { viewport: { width: 1000, height: 400 } });
    await press(page, "5");
    await drawn(page);
    for (const column of ["self", "share", "total", "totalShare"]) {
      const at = await page.locator(`td.${column} .tail`).evaluateAll((all) =>
        all.map((it) => [it.getBoundingClientRect().left, it.firstChild.getBoundingClientRect().right, it.scrollWidth - it.clientWidth].map(Math.round).join(" ")));
      assert.deepEqual([...new Set(at)].length, 1, `${name} ${column}: ${at}`);
      assert.match(at[0], / 0$/, `${name} ${column} fits: ${at[0]}`);
    }
    await page.close();
  }
});

await test("what the table is sorted by stays where it is narrow", async () => {
  const page = await open(table, { viewport: { width: 1000, height: 400 } });
  await press(page, "5");
  await page.locator("th button", { hasText: "Samples" }).click();
  await page.setViewportSize({ width: 500, height: 400 });
  await page.waitForFunction(() => document.querySelector("table.high"));
  assert.deepEqual(await page.locator("th:not([hidden])").allTextContents(), ["Function", "Self", "Self %", "Samples"]);
  await page.close();
});

/** The page as in a webview: the data come in a message, and so does the cursor. */
async function inEditor(file) {
  const [, data] = /id="proflens-data">([^<]*)</.exec(readFileSync(file, "utf8"));
  const page = await open(file);
  await page.addInitScript(() => {
    globalThis.acquireVsCodeApi = () => ({ postMessage() {}, getState: () => null, setState() {} });
  });
  await page.reload();
  await page.evaluate(async (text) => {
    const { buffer } = Uint8Array.from(atob(text), (it) => it.charCodeAt(0));
    window.postMessage({ type: "data", bytes: buffer, keep: false }, "*");
  }, data);
  await page.waitForSelector(".page");
  const cursor = async (file, path) => {
    await page.evaluate((message) => window.postMessage(message, "*"), { type: "cursor", file, path });
    await page.waitForTimeout(50);
  };
  return Object.assign(page, { cursor });
}

await test("a sandwich starts at the function of the editor's cursor, unless one was selected since", async () => {
  const page = await inEditor(primes);
  const of = () => page.locator(".crumbs").textContent();
  await page.cursor("generate.js", "genPrimes");
  await press(page, "4");
  await drawn(page);
  assert.match(await of(), /Sandwich of genPrimes/);
  assert.match(await said(page), /^Sandwich: callers and callees of genPrimes/);
  await page.cursor("generate.js", "isPrime");
  await press(page, "1", "4");
  await drawn(page);
  assert.match(await of(), /Sandwich of isPrime/);
  await press(page, "1", "ArrowDown", "4");
  await drawn(page);
  assert.match(await of(), /Sandwich of handleClick/);
  await page.cursor(null, null);
  await press(page, "5");
  await page.cursor("generate.js", "genPrimes");
  await press(page, "4");
  await drawn(page);
  assert.match(await of(), /Sandwich of genPrimes/);
  await page.close();
});

await test("where the cursor's function did not run, a sandwich starts at the hottest one, not at an empty page", async () => {
  const page = await inEditor(primes);
  await page.cursor("generate.js", "nothing of this name");
  await press(page, "4");
  await drawn(page);
  assert.match(await page.locator(".crumbs").textContent(), /Sandwich of isPrime/);
  assert.equal(await page.locator(".notice:not([hidden])").count(), 0);
  await page.close();
});

await test("a focus is ended where it is seen, in the table too", async () => {
  const page = await open(primes);
  await press(page, "ArrowDown", "ArrowDown", "f", "5");
  await drawn(page);
  assert.match(await page.locator(".status").textContent(), /focus on genPrimes, without its callers/);
  await page.locator(".crumbs button", { hasText: "Focus: genPrimes ×" }).click();
  await page.waitForFunction(() => !document.querySelector(".status").textContent.includes("focus"));
  assert.equal(await page.locator(".crumbs").isVisible(), false);
  await page.close();
});

await finish();
