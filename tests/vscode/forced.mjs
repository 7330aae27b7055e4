// Who forced style and layout, as the page of a real VS Code tells it: on the sources of a bundle that is not in the workspace.

import { copyFileSync, cpSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { drawn, picture, pictures, scenario, step } from "./browser.mjs";
import { hoverAt, leaveHover } from "./keyboard.mjs";

const TESTS = join(import.meta.dirname, "..");
const TRACE = "layout-chromium156.json.gz";
/** Where the name of a function stands. */
const DID_UPDATE = [10, 15];

await scenario("who forced style and layout", { file: "app.ts", prepare, size: { width: 1120, height: 760 } }, async () => {
  await step("a hover says how often a function forced style and layout, how long, and by what", async () => {
    await drawn(".statusbar-item", TRACE);
    await hoverAt(...DID_UPDATE, "Forces layout 3 times, style 3 times, 2.62 ms (getBoundingClientRect, line 11)");
    await picture(join(pictures, "vscode-forced.png"));
    await leaveHover();
  });
});

/** What lies there is shown. */
function prepare(folder) {
  cpSync(join(TESTS, "workspaces/layout"), folder, { recursive: true });
  mkdirSync(join(folder, ".proflens/recordings"), { recursive: true });
  copyFileSync(join(TESTS, "traces/chrome-trace", TRACE), join(folder, ".proflens/recordings", TRACE));
}
