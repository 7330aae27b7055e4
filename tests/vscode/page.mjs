// What the page of a real VS Code draws: hints, lenses and a hover as text of the page, and as pictures.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { drawn, open, PATIENT, pictures, quiet, remote, scratch, texts, workspace } from "./browser.mjs";

const LIMIT = { timeout: 60_000 };

const truth = readFileSync(join(import.meta.dirname, "../workspaces/primes/expected.txt"), "utf8")
  .split("[recordings")[0]
  .split("\n");
const expected = (kind) => {
  const all = truth.flatMap((line) => {
    const found = new RegExp(`^${kind} +generate\\.js:(\\d+):\\d+ +(.+)$`).exec(line);
    return found ? [{ line: Number(found[1]), text: found[2] }] : [];
  });
  assert(all.length > 0, `expected.txt has no ${kind} of generate.js`);
  return all;
};

const { browser, page, strangers, go } = await open(
  [["openFile", remote(join(workspace, "generate.js"))]],
  { width: 1120, height: 660 },
  2,
);
try {
  const start = performance.now();
  await go();
  await page.waitForSelector(".monaco-editor .view-lines", LIMIT);

  for (const { text } of expected("hint")) await drawn(page, ".view-line", text);
  const taken = ((performance.now() - start) / 1000).toFixed(1);
  const sources = readFileSync(join(workspace, "generate.js"), "utf8").split("\n");
  for (const { line, text } of expected("hint")) {
    const whole = (await texts(page, ".view-line")).find((it) => it.includes(text));
    const [head, tail] = whole.split(text);
    assert.equal(`${head.trimEnd()} ${tail.trimStart()}`, sources[line - 1], "the hint is not in the line of its function");
  }
  console.log(`ok    the hints are drawn in the lines of their functions (${taken} s after the folder was opened)`);

  for (const { text } of expected("lens")) await drawn(page, ".codelens-decoration", text);
  console.log("ok    the lenses are drawn");

  await drawn(page, ".statusbar-item", "primes.cpuprofile · 784 samples · 89 % placed");
  console.log("ok    the status bar names the trace");

  await quiet(page);
  await page.screenshot({ path: join(pictures, "vscode.png") });

  await page.locator(".view-line span span", { hasText: /^genPrimes$/ }).first().hover();
  for (const { text } of expected("hover").filter((it) => it.line === 15)) await drawn(page, ".monaco-hover", plain(text));
  console.log("ok    the hover is drawn");
  await page.waitForTimeout(500);
  await page.screenshot({ path: join(pictures, "vscode-hover.png") });
  await leave();

  await page.locator(".view-line span", { hasText: /570ms.self/ }).last().hover();
  await drawn(page, ".monaco-hover", "87 % · 570 ms");
  console.log("ok    a hint's tooltip says what a hover says");
  await page.locator(".monaco-hover a", { hasText: "Show line costs" }).click();
  await page.waitForFunction(
    () => [...document.querySelectorAll(".view-line span")].some((it) => getComputedStyle(it, "::after").content.includes("492")),
    null,
    PATIENT,
  );
  console.log("ok    a hover offers the costs of lines");
  await leave();

  await page.locator(".codelens-decoration a", { hasText: "Self" }).first().click();
  await drawn(page, ".quick-input-widget", "genPrimes");
  console.log("ok    a click on a lens lists the callers");
  await page.waitForTimeout(300);
  await page.screenshot({ path: join(scratch, "vscode-callers.png") });
  await page.keyboard.press("Escape");

  await page.locator(".statusbar-item", { hasText: "primes.cpuprofile" }).first().click();
  for (const text of ["Go to one of the hottest functions", "Show flame graph"]) await drawn(page, ".quick-input-widget", text);
  console.log("ok    a click on the status bar opens the quick actions");
  await page.waitForTimeout(300);
  await page.screenshot({ path: join(scratch, "vscode-actions.png") });
  await page.keyboard.press("Escape");

  await page.locator(".explorer-folders-view .label-name", { hasText: "primes.cpuprofile" }).first().click({ button: "right" });
  await drawn(page, ".context-view", "Show costs in the editor (Proflens)");
  console.log("ok    the menu of a trace offers to show its costs");
  assert.deepEqual([...strangers], [], "the page asked hosts other than this machine");
  console.log("ok    nothing was asked of another host");
} catch (error) {
  await page.screenshot({ path: join(scratch, "page-failed.png") });
  console.error(`FAIL  ${error.stack}\nThe page then: ${join(scratch, "page-failed.png")}`);
  process.exitCode = 1;
}
await browser.close();

/** Takes the mouse off what it hovers over. */
async function leave() {
  await page.mouse.move(900, 620);
  await page.keyboard.press("Escape"); // One that was clicked on stays otherwise.
  await page.waitForFunction(() => !document.querySelector(".monaco-hover:not(.hidden)"), null, PATIENT);
}

/** Markdown as the page shows it. */
function plain(markdown) {
  return markdown.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1").replaceAll(/[*\\]/g, "");
}
