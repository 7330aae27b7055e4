// The extension file without a program, in a real VS Code: it says how to get one, and takes the one that a project has in its
// `node_modules`. Its walkthrough has its picture though nothing is asked of a network.

import assert from "node:assert/strict";
import { copyFileSync, mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { drawn, open, PATIENT, remote, runCommand, scratch, workspace } from "./browser.mjs";

const LIMIT = { timeout: 60_000 };
const PROGRAM = process.env.PROFLENS_PROGRAM;
const INSTALLED = join(workspace, `node_modules/@proflens/${process.platform}-${process.arch}/bin/proflens`);

const { browser, page, strangers, go } = await open(
  [["openFile", remote(join(workspace, "generate.js"))]],
  { width: 1700, height: 900 },
);
try {
  await go();
  await page.waitForSelector(".monaco-editor .view-lines", LIMIT);

  await drawn(page, ".statusbar-item.error-kind", "Proflens");
  // VS Code pops no message up while tests drive it; its list of messages has them all.
  await runCommand(page, "Notifications: Show Notifications");
  await drawn(page, ".notifications-center", 'Proflens has no program to run: install it with "npm install -g proflens"');
  await page.screenshot({ path: join(scratch, "vscode-no-program.png") });
  await page.locator(".notifications-center a", { hasText: "Open settings" }).click();
  await drawn(page, ".settings-editor .setting-item-contents", "The server to run");
  console.log("ok    without a program a sentence says how to get one, with a button for the setting");

  mkdirSync(dirname(INSTALLED), { recursive: true });
  copyFileSync(PROGRAM, INSTALLED);
  await page.locator(".tabs-container .tab", { hasText: "generate.js" }).click();
  await runCommand(page, "Proflens: Restart server");
  await drawn(page, ".view-line", "570ms self · 570ms total");
  await drawn(page, ".statusbar-item", "primes.cpuprofile · 784 samples · 89 % placed");
  console.log("ok    the program of the project's node_modules is run, and its hints are drawn");

  await runCommand(page, "Proflens: Open walkthrough");
  // VS Code draws the page of a step whenever it has read it, even if another step was chosen since.
  await untilFrames((frames) => frames.some((it) => it.text.includes("Take Performance Profile")));
  await page.locator(".getting-started-step", { hasText: "Read" }).first().click();
  const shown = await untilFrames((frames) => frames.some((it) => it.widths.some((width) => width > 0)));
  const pictures = shown.flatMap((it) => it.widths).filter((it) => it > 0);
  await page.screenshot({ path: join(scratch, "vscode-walkthrough.png") });
  assert.deepEqual(pictures, [1120], "the picture of the walkthrough is not drawn");
  console.log("ok    the walkthrough shows its picture, which is in the file");
  assert.deepEqual([...strangers], [], "the page asked hosts other than this machine");
} catch (error) {
  await page.screenshot({ path: join(scratch, "program-failed.png") });
  console.error(`FAIL  ${error.stack}\nThe page then: ${join(scratch, "program-failed.png")}`);
  process.exitCode = 1;
}
await browser.close();

/** What stands in pages that the editor shows in its own, once they are as wished, or else at last. */
async function untilFrames(wished) {
  const read = () => ({ text: document.body.innerText, widths: [...document.images].map((it) => it.naturalWidth) });
  for (const end = Date.now() + PATIENT.timeout; ; await page.waitForTimeout(100)) {
    const frames = page.frames().filter((it) => it !== page.mainFrame());
    const all = (await Promise.all(frames.map((it) => it.evaluate(read).catch(() => undefined)))).filter(Boolean);
    if (wished(all) || Date.now() > end) return all;
  }
}
