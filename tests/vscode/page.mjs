// What the page of a real VS Code draws: hints, lenses and a hover as text of the page, and as pictures.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { drawn, drawnAfter, eventually, page, picture, pictures, scenario, scratch, step, texts, workspace } from "./browser.mjs";
import { followInHover, goToFile, hoverAt, leaveHover, openMenu, pressLens, pressStatus } from "./keyboard.mjs";

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

await scenario("hints, lenses and hovers", { file: "generate.js", size: { width: 1120, height: 660 } }, async () => {
  await step("the hints are drawn in the lines of their functions", async () => {
    for (const { text } of expected("hint")) await drawn(".view-line", text);
    const sources = readFileSync(join(workspace, "generate.js"), "utf8").split("\n");
    for (const { line, text } of expected("hint")) {
      await eventually(async () => {
        const whole = (await texts(".view-line")).find((it) => it.includes(text));
        const [head, tail] = whole.split(text);
        assert.equal(`${head.trimEnd()} ${tail.trimStart()}`, sources[line - 1], "the hint is not in the line of its function");
      });
    }
  });
  await step("the lenses are drawn", async () => {
    for (const { text } of expected("lens")) await drawn(".codelens-decoration", text);
  });
  await step("the status bar names the trace", async () => {
    await drawn(".statusbar-item", "primes.cpuprofile · 784 samples · 89 % placed");
    await picture(join(pictures, "vscode.png"));
  });
  await step("the hover is drawn", async () => {
    await hoverAt(15, 17, "Called by");
    for (const { text } of expected("hover").filter((it) => it.line === 15)) await drawn(".monaco-hover", plain(text));
    await picture(join(pictures, "vscode-hover.png"));
    await leaveHover();
  });
  await step("a lens lists the callers", async () => {
    await pressLens(6, 10, "Self 570 ms", (soon) => drawn(".quick-input-widget", "genPrimes", soon));
    await picture(join(scratch, "vscode-callers.png"));
    await page.keyboard.press("Escape");
  });
  await step("the status bar opens the quick actions", async () => {
    const [first, second] = ["Go to one of the hottest functions", "Show flame graph"];
    await pressStatus("primes.cpuprofile", (soon) => drawn(".quick-input-widget", first, soon));
    await drawn(".quick-input-widget", second);
    await picture(join(scratch, "vscode-actions.png"));
    await page.keyboard.press("Escape");
  });
  await step("the menu of a trace offers to show its costs, and that of no other file", async () => {
    const offer = "Show costs in the editor (Proflens)";
    await goToFile("primes.cpuprofile");
    await openMenu(offer);
    await page.keyboard.press("Escape");
    for (const file of ["index.html", "main.js"]) {
      await goToFile(file);
      const entries = await openMenu("Rename");
      assert(!entries.some((it) => it.includes("Proflens")), `the menu of ${file} has ${entries}`);
      await page.keyboard.press("Escape");
    }
  });
});

await scenario("a hover offers the costs of lines", { file: "generate.js" }, async () => {
  await drawn(".view-line", "570ms · 570ms");
  await followInHover(6, 10, "Show line costs", (soon) => drawnAfter(".view-line span", "492 ms", soon));
});

/** Markdown as the page shows it. */
function plain(markdown) {
  return markdown.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1").replaceAll(/[*\\]/g, "");
}
