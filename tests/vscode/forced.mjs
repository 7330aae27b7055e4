// What a page waited for, as a real VS Code tells it: who forced style and layout, on the sources of a bundle that is not in the workspace, and
// what ran in a slow click.

import { copyFileSync, cpSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { drawn, picture, pictures, scenario, scratch, step } from "./browser.mjs";
import { hoverAt, leaveHover, pick, runCommand } from "./keyboard.mjs";

const TESTS = join(import.meta.dirname, "..");
const LAYOUT = { sources: "layout", trace: "layout-chromium156.json.gz" };
const CLICKS = { sources: "interactions", trace: "interactions-chromium156.json.gz" };
/** Where the name of a function stands. */
const DID_UPDATE = [10, 15];

await scenario("who forced style and layout", { file: "app.ts", prepare: preparing(LAYOUT), size: { width: 1120, height: 760 } }, async () => {
  await step("a hover says how often a function forced style and layout, how long, and by what", async () => {
    await drawn(".statusbar-item", LAYOUT.trace);
    await hoverAt(...DID_UPDATE, "Forces layout 3 times, style 3 times, 2.62 ms (getBoundingClientRect, line 11)");
    await picture(join(pictures, "vscode-forced.png"));
    await leaveHover();
  });
});

await scenario("what ran in a slow click", { file: "orders.js", prepare: preparing(CLICKS), size: { width: 1120, height: 760 } }, async () => {
  await step("interactions are listed, the slowest first, with when they were and how long they took", async () => {
    await drawn(".statusbar-item", CLICKS.trace);
    await runCommand("Select a range of time");
    await drawn(".quick-input-list", "click interaction#1at 562 ms, 168 ms");
    await drawn(".quick-input-list", "keypress interaction#1at 1.24 s, 103 ms");
    await picture(join(scratch, "vscode-interactions.png"));
  });
  await step("costs are those of the one that is picked", async () => {
    await pick("click interaction#1");
    await drawn(".statusbar-item", "click interaction#1 (168 ms)");
    await drawn(".view-line", "function sortRows() 3.08ms · 126ms{");
  });
});

/** What lies in the folder is shown. */
function preparing({ sources, trace }) {
  return (folder) => {
    cpSync(join(TESTS, "workspaces", sources), folder, { recursive: true });
    mkdirSync(join(folder, ".proflens/recordings"), { recursive: true });
    copyFileSync(join(TESTS, "traces/chrome-trace", trace), join(folder, ".proflens/recordings", trace));
  };
}
