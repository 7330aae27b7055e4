// The profile viewer that comes with VS Code and Proflens, in one editor and on one profile: what each says of a function that calls
// itself, and of two functions in one line.

import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { drawn, open, PATIENT, pictures, quiet, remote, scratch, texts, workspace } from "./browser.mjs";

const EXAMPLE = join(import.meta.dirname, "../../examples/comments");
const PROFILE = "comments.cpuprofile";

// The viewer takes a path as it is and knows only the folder where the profile was recorded.
const profile = readFileSync(join(EXAMPLE, PROFILE), "utf8");
writeFileSync(join(workspace, PROFILE), profile.replaceAll("file:///srv/comments", pathToFileURL(workspace).href));

const { browser, page, go } = await open([["openFile", remote(join(workspace, "render.js"))]], { width: 1300, height: 470 }, 2);
try {
  await go();
  await drawn(page, ".codelens-decoration", "Total ~381 ms");
  const file = (name) => page.locator(".explorer-folders-view .label-name", { hasText: name }).first();
  await file(PROFILE).dblclick(); // VS Code's table, which sends its lenses to the sources
  await page.waitForSelector("iframe.webview.ready", PATIENT);
  await file("render.js").dblclick();
  await drawn(page, ".codelens-decoration", "ms Total");
  await page.keyboard.press("Control+b"); // without the side bar all of the lenses can be read
  await quiet(page);
  await page.screenshot({ path: join(pictures, "vscode-beside.png") });

  const lenses = await texts(page, ".codelens-decoration");
  assert.deepEqual(lenses, [
    "bold: Self ~67.1 ms (12 %) · Total ~93.4 ms (16 %) · 40 samples | linked: Self ~50.1 ms (8.7 %) · Total ~80.4 ms (14 %) · 24 samples" +
      " | 117.18ms Self Time, 136.90ms Total | Clear",
    "Self ~97.1 ms (17 %) · Total ~381 ms (66 %) · 130 samples | 97.08ms Self Time, 23,977.29ms Total | Clear",
    "Self ~83.8 ms (15 %) · Total ~83.8 ms (15 %) · 21 samples | 83.78ms Self Time, 83.78ms Total | Clear",
  ]);
  console.log("ok    both viewers say of one profile what the documentation shows");
} catch (error) {
  await page.screenshot({ path: join(scratch, "beside-failed.png") });
  console.error(`FAIL  ${error.stack}\nThe page then: ${join(scratch, "beside-failed.png")}`);
  process.exitCode = 1;
}
await browser.close();
