// A trace that takes long to read, as the page of a real VS Code draws it: one item, how much of it is read, and a press that ends it.

import assert from "node:assert/strict";
import { closeSync, ftruncateSync, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import { drawn, eventually, page, picture, scenario, scratch, step, texts, workspace } from "./browser.mjs";
import { chooseInMenu, goToFile, pressStatus } from "./keyboard.mjs";

await scenario("a trace that takes long to read", { file: "generate.js" }, async () => {
  await step("the one that is there is shown", async () => {
    await drawn(".statusbar-item", "primes.cpuprofile · 784 samples");
    writeEndless(join(workspace, "endless.cpuprofile"));
  });
  await step("one item says how much of it is read", async () => {
    await goToFile("endless.cpuprofile");
    const reading = (soon) => drawn(".statusbar-item", "Reading endless.cpuprofile", soon);
    await chooseInMenu("Show costs in the editor (Proflens)", reading);
    const items = (await texts(".statusbar-item")).filter((it) => /endless|Loading|Proflens/.test(it));
    assert.equal(items.length, 1, items.join("\n"));
    const first = await percentage();
    await eventually(async () => assert((await percentage()) > first, `it stays at ${first} %`));
    assert((await percentage()) < 50, "it is not half read after so short a time");
    await picture(join(scratch, "vscode-loading.png"));
  });
  await step("a press on it ends that, and what was shown is shown", async () => {
    const before = (soon) => drawn(".statusbar-item", "primes.cpuprofile · 784 samples", soon);
    await pressStatus("Reading endless.cpuprofile", before);
    const ended = async () => assert(!(await texts(".statusbar-item")).some((it) => it.includes("endless")));
    await eventually(ended);
    await drawn(".view-line", "570ms · 570ms");
  });
});

/** A trace whose last string has 100 gigabytes, in a sparse file: no load of it ends within the test. */
function writeEndless(path) {
  const file = openSync(path, "w");
  writeSync(file, '{"nodes":[],"other":"');
  ftruncateSync(file, 100 * 2 ** 30);
  closeSync(file);
}

/** How much of it is read, by the status bar. */
async function percentage() {
  const [item] = await page.locator(".statusbar-item[id$='proflens.status']").allTextContents();
  return Number(/(\d+)\s%/.exec(item)?.[1] ?? Number.NaN);
}
