// Runs out/host.js inside the extension host, by the protocol of VS Code's own remote tests:
// the page hands over where the tests lie, and gets their output and exit code by two functions.

import { join } from "node:path";
import { open, scratch, remote } from "./browser.mjs";

const LIMIT_MS = 900_000;
/** The lines of harness.ts, without the editor's own output. */
const OURS = /^(ok {4}|FAIL |\d+ passed)/;

const { browser, page, go } = await open([
  ["extensionDevelopmentPath", remote(join(import.meta.dirname, "empty-extension"))],
  ["extensionTestsPath", remote(join(import.meta.dirname, "out/host.js"))],
  ["skipWelcome", "true"],
  ["skipReleaseNotes", "true"],
]);
const ended = new Promise((done) => {
  void page.exposeFunction("codeAutomationLog", (_kind, [text]) => {
    if (typeof text === "string" && OURS.test(text)) console.log(text);
  });
  void page.exposeFunction("codeAutomationExit", done);
  setTimeout(() => done(`no end within ${LIMIT_MS / 1000} s`), LIMIT_MS).unref();
});
await go();
const code = await ended;
if (code !== 0) {
  console.error(`The tests in the extension host failed (${code}); the page then: ${scratch}/host-failed.png`);
  await page.screenshot({ path: join(scratch, "host-failed.png") });
}
await browser.close();
process.exit(code === 0 ? 0 : 1);
