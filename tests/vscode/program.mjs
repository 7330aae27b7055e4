// The extension file without a program, in a real VS Code: it says how to get one, and takes the one that a project has in its
// `node_modules`. Its walkthrough has its picture though nothing is asked of a network.

import assert from "node:assert/strict";
import { copyFileSync, mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { drawn, eventually, page, picture, scenario, scratch, step, workspace } from "./browser.mjs";
import { focusBy, openFile, runCommand } from "./keyboard.mjs";

const PROGRAM = process.env.PROFLENS_PROGRAM;
const options = { file: "generate.js", size: { width: 1700, height: 900 }, scale: 1 };

await scenario("the extension without a program", options, async () => {
  await step("a sentence says how to get one, with a button for the setting", async () => {
    await drawn(".statusbar-item.error-kind", "Proflens");
    // VS Code pops no message up while tests drive it; its list of messages has them all.
    await runCommand("Notifications: Show Notifications");
    await drawn(".notifications-center", 'Proflens has no program to run: install it with "npm install -g proflens"');
    await picture(join(scratch, "vscode-no-program.png"));
    await focusBy("Tab", "Open settings");
    await page.keyboard.press("Enter");
    await drawn(".settings-editor .setting-item-contents", "The server to run");
  });
  await step("the program of the project's node_modules is run, and its hints are drawn", async () => {
    const installed = join(workspace, `node_modules/@proflens/${process.platform}-${process.arch}/bin/proflens`);
    mkdirSync(dirname(installed), { recursive: true });
    copyFileSync(PROGRAM, installed);
    await runCommand("View: Close All Editors");
    await openFile("generate.js");
    await runCommand("Proflens: Restart server");
    await drawn(".view-line", "570ms · 570ms");
    await drawn(".statusbar-item", "primes.cpuprofile · 784 samples · 89 % placed");
  });
});

await scenario("the walkthrough", options, async () => {
  await step("it shows its picture, which is in the file", async () => {
    await runCommand("Proflens: Open walkthrough");
    await page.locator(".getting-started-step", { hasText: "Read" }).first().focus();
    const widths = await eventually(async () => {
      // VS Code draws the page of a step whenever it has read it, even if another step was chosen since.
      await page.keyboard.press("Enter");
      const all = (await framed()).flatMap((it) => it.widths).filter((it) => it > 0);
      assert(all.length > 0, "no picture is drawn");
      return all;
    });
    await picture(join(scratch, "vscode-walkthrough.png"));
    assert.deepEqual(widths, [1120], "the picture of the walkthrough is not drawn");
  });
});

/** What stands in pages that the editor shows in its own. */
async function framed() {
  const read = () => ({ text: document.body.innerText, widths: [...document.images].map((it) => it.naturalWidth) });
  const frames = page.frames().filter((it) => it !== page.mainFrame());
  return (await Promise.all(frames.map((it) => it.evaluate(read).catch(() => undefined)))).filter(Boolean);
}
