// What V8 inlined, as the page of a real VS Code tells it: in the hover of the function that it was inlined into, and at the lines where it was
// written.

import { copyFileSync, cpSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { drawn, picture, pictures, scenario, step } from "./browser.mjs";
import { hoverAt, leaveHover } from "./keyboard.mjs";

const TESTS = join(import.meta.dirname, "..");
const TRACE = "inlined-node20.cpuprofile.gz";
/** Where the name of a function stands. */
const OUTER = [9, 10];

await scenario("what was inlined", { file: "main.mjs", prepare, size: { width: 1120, height: 760 } }, async () => {
  await step("a hover says how much of the self time of a function was inlined, and from where", async () => {
    await drawn(".statusbar-item", TRACE);
    await hoverAt(...OUTER, "Of its self time, inlined: ~569 ms from tiny (line 6)");
    await picture(join(pictures, "vscode-inlined.png"));
    await leaveHover();
  });
});

/** What lies there is shown. */
function prepare(folder) {
  cpSync(join(TESTS, "workspaces/inlined"), folder, { recursive: true });
  mkdirSync(join(folder, ".proflens/recordings"), { recursive: true });
  copyFileSync(join(TESTS, "traces/cpuprofile", TRACE), join(folder, ".proflens/recordings", TRACE));
}
