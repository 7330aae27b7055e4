// The profile viewer that comes with VS Code and Proflens, in one editor and on one profile: what each says of a function that calls
// itself, and of two functions in one line.

import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { drawn, page, picture, pictures, scenario, step, texts } from "./browser.mjs";
import { openFile, runCommand } from "./keyboard.mjs";

const PROFILE = "comments.cpuprofile";
const options = { file: "render.js", prepare, size: { width: 1300, height: 470 } };

await scenario("the viewer that comes with VS Code, and Proflens", options, async () => {
  await step("both show one profile", async () => {
    await drawn(".codelens-decoration", "Total ~381 ms");
    await openFile(PROFILE); // VS Code's table, which sends its lenses to the sources
    await page.waitForSelector("iframe.webview.ready");
    await openFile("render.js");
    await drawn(".codelens-decoration", "ms Total");
    await runCommand("View: Toggle Primary Side Bar Visibility"); // without it all of the lenses can be read
    await picture(join(pictures, "vscode-beside.png"));
  });
  await step("they say what the documentation shows", async () => {
    assert.deepEqual(await texts(".codelens-decoration"), [
      "bold: Self ~67.1 ms (12 %) · Total ~93.4 ms (16 %) · 40 samples | linked: Self ~50.1 ms (8.7 %) · Total ~80.4 ms (14 %) · 24 samples" +
        " | 117.18ms Self Time, 136.90ms Total | Clear",
      "Self ~97.1 ms (17 %) · Total ~381 ms (66 %) · 130 samples | 97.08ms Self Time, 23,977.29ms Total | Clear",
      "Self ~83.8 ms (15 %) · Total ~83.8 ms (15 %) · 21 samples | 83.78ms Self Time, 83.78ms Total | Clear",
    ]);
  });
});

/** The viewer takes a path as it is and knows only the folder where the profile was recorded. */
function prepare(folder) {
  const profile = readFileSync(join(folder, PROFILE), "utf8");
  writeFileSync(join(folder, PROFILE), profile.replaceAll("file:///srv/comments", pathToFileURL(folder).href));
}
