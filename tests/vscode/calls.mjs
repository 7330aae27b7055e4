// How often functions were called and their lines ran, as the page of a real VS Code tells it: in the hover, in the list of what cost most, and at
// lines when they are asked for; and how coverage of V8 joins the trace that is shown.

import { copyFileSync, cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { drawn, drawnAfter, page, picture, pictures, scenario, scratch, step, workspace } from "./browser.mjs";
import { chooseInMenu, goToFile, hoverAt, leaveHover, openInDialog, runCommand } from "./keyboard.mjs";

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

/** As `NODE_V8_COVERAGE` calls its files. */
const COVERAGE = "coverage-7-1700000000000-0.json";
const AGAIN = "coverage-8-1700000000000-0.json";

await scenario("coverage of another run", { file: "texts.mjs", prepare, size: { width: 1320, height: 800 } }, async () => {
  await step("the calls are those of the recording", async () => {
    await drawn(".statusbar-item", TRACE);
    writeCoverage(COVERAGE, 77);
    writeCoverage(AGAIN, 88);
    await runCommand("Proflens: Focus on Hottest");
    await drawn(".monaco-list-rows", "500,000 calls");
  });
  await step("a file that is opened as traces are joins the trace that is shown", async () => {
    await goToFile(COVERAGE);
    const said = async (soon) => {
      await runCommand("Notifications: Show Notifications");
      await drawn(".notifications-center", `${COVERAGE} has the calls of 1 function`, soon);
    };
    await chooseInMenu("Show costs in the editor (Proflens)", said);
    await runCommand("Notifications: Hide");
    await runCommand("Proflens: Focus on Hottest");
    await drawn(".monaco-list-rows", "77 calls");
    await drawn(".statusbar-item", TRACE);
    await hoverAt(...NORMALIZE, "77 calls");
    await picture(join(scratch, "vscode-coverage.png"));
    await leaveHover();
  });
  await step("and so does one that a command loads", async () => {
    const isShown = (soon) => drawn(".monaco-list-rows", "88 calls", soon);
    await openInDialog("Proflens: Load trace", join(workspace, AGAIN), isShown);
    await hoverAt(...NORMALIZE, "88 calls");
    await leaveHover();
  });
});

/** Writes coverage of a run in which `normalize` was called so many times. */
function writeCoverage(name, count) {
  const file = join(workspace, "texts.mjs");
  const text = readFileSync(file, "utf8");
  const startOffset = text.indexOf("function normalize");
  const range = { startOffset, endOffset: text.indexOf("\n}", startOffset) + 2, count };
  const functions = [{ functionName: "normalize", isBlockCoverage: true, ranges: [range] }];
  writeFileSync(join(workspace, name), JSON.stringify({ result: [{ scriptId: "1", url: pathToFileURL(file).href, functions }] }));
}

/** What lies there is shown. */
function prepare(folder) {
  cpSync(join(TESTS, "workspaces/counted"), folder, { recursive: true });
  mkdirSync(join(folder, ".proflens/recordings"), { recursive: true });
  copyFileSync(join(TESTS, "traces/chrome-trace", TRACE), join(folder, ".proflens/recordings", TRACE));
}
