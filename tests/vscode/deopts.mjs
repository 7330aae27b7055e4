// Why a function is slow in V8, as the page of a real VS Code tells it: in its hover, and on request as hints on its lines.

import { copyFileSync, cpSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { drawn, picture, pictures, scenario, step } from "./browser.mjs";
import { hoverAt, leaveHover } from "./keyboard.mjs";

const TESTS = join(import.meta.dirname, "..");
const TRACE = "deopts-node20.json.gz";
/** Where the name of a function stands. */
const PRICE_OF = [4, 10];

await scenario("why it is slow in V8", { file: "cart.js", prepare, size: { width: 1120, height: 760 } }, async () => {
  await step("a hover says how often the optimised code of a function was given up, why and where", async () => {
    await drawn(".statusbar-item", TRACE);
    await hoverAt(...PRICE_OF, "wrong map");
    await picture(join(pictures, "vscode-deopts.png"));
    await leaveHover();
  });
});

/** What lies there is shown. */
function prepare(folder) {
  cpSync(join(TESTS, "workspaces/deopts"), folder, { recursive: true });
  mkdirSync(join(folder, ".proflens/recordings"), { recursive: true });
  copyFileSync(join(TESTS, "traces/chrome-trace", TRACE), join(folder, ".proflens/recordings", TRACE));
}
