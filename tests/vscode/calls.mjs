// How often functions were called and their lines ran, as the page of a real VS Code tells it: in the hover, in the list of what cost most, and at
// lines when they are asked for.

import { copyFileSync, cpSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { drawn, drawnAfter, picture, pictures, scenario, step } from "./browser.mjs";
import { hoverAt, leaveHover, runCommand } from "./keyboard.mjs";

const TESTS = join(import.meta.dirname, "..");
const TRACE = "counted-node20.json.gz";
/** Where the name of a function stands. */
const NORMALIZE = [4, 10];

await scenario("how often", { file: "texts.mjs", prepare, size: { width: 1320, height: 800 } }, async () => {
  await step("lines say how often they ran", async () => {
    await drawn(".statusbar-item", TRACE);
    await runCommand("Proflens: Show line costs");
    await drawnAfter(".view-line span", "ran 489,994 times");
  });
  await step("a list says how often each function was called", async () => {
    await runCommand("Proflens: Focus on Hottest functions View");
    await drawn(".monaco-list-rows", "500,000 calls");
  });
  await step("a hover says how often a function was called, and how long a call took", async () => {
    await hoverAt(...NORMALIZE, "500,000 calls");
    await picture(join(pictures, "vscode-calls.png"));
    await leaveHover();
  });
});

/** What lies there is shown. */
function prepare(folder) {
  cpSync(join(TESTS, "workspaces/counted"), folder, { recursive: true });
  mkdirSync(join(folder, ".proflens/recordings"), { recursive: true });
  copyFileSync(join(TESTS, "traces/chrome-trace", TRACE), join(folder, ".proflens/recordings", TRACE));
}
