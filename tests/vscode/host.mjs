// Runs out/host.js inside the extension host, by the protocol of VS Code's own remote tests:
// the page hands over where the tests lie, and gets their output and exit code by two functions.

import { join } from "node:path";
import { addressOf, page, scenario, scratch, remote } from "./browser.mjs";

const LIMIT_MS = 1_800_000;
/** The lines of harness.ts, without the editor's own output. */
const OURS = /^(ok {4}|FAIL |\d+ passed)/;

await scenario("the tests in the extension host", { scale: 1 }, async () => {
  let failed = 0;
  const ended = new Promise((done) => {
    void page.exposeFunction("codeAutomationLog", async (_kind, [text]) => {
      if (typeof text !== "string" || !OURS.test(text)) return;
      console.log(text);
      if (!text.startsWith("FAIL ") || text.includes(": not run, ")) return;
      failed++;
      const path = join(scratch, `failed-host-${failed}.png`);
      await page.screenshot({ path });
      console.log(`The page then: ${path}`);
    });
    void page.exposeFunction("codeAutomationExit", done);
    setTimeout(() => done(`no end within ${LIMIT_MS / 60_000} minutes`), LIMIT_MS).unref();
  });
  const payload = [
    ["extensionDevelopmentPath", remote(join(import.meta.dirname, "empty-extension"))],
    ["extensionTestsPath", remote(join(import.meta.dirname, "out/host.js"))],
    ["skipWelcome", "true"],
    ["skipReleaseNotes", "true"],
  ];
  await page.goto(addressOf(payload), { waitUntil: "domcontentloaded" });
  const code = await ended;
  if (code !== 0) throw new Error(`${failed} of them failed (${code})`);
});
