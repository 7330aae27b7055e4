// What VS Code's agents get: the server that the extension brings stands in their list and has its tools, and a question about a function
// goes into the chat.

import { join } from "node:path";
import { drawn, eventually, page, picture, pictures, SOON, scenario, scratch, step } from "./browser.mjs";
import { goTo, pick, runCommand } from "./keyboard.mjs";

/** The tests of everything else run without chat. */
const SETTINGS = { "chat.disableAIFeatures": false };
const TOOLS = ["compare", "function", "hottest", "ledger", "paths", "recordings"];
const options = { file: "generate.js", settings: SETTINGS, size: { width: 1280, height: 720 } };

await scenario("agents find Proflens", options, async () => {
  await step("it stands in the list of servers, and starts", async () => {
    await drawn(".view-line", "570ms");
    await runCommand("MCP: List Servers");
    await drawn(".quick-input-list", "ProflensStopped");
    await pick("Proflens");
    await pick("Start Server");
    await eventually(async () => {
      await runCommand("MCP: List Servers");
      await drawn(".quick-input-list", "ProflensRunning", SOON);
    });
    await picture(join(scratch, "vscode-mcp.png"));
    await page.keyboard.press("Escape");
  });
  await step("a question about the function at the cursor goes into the chat, and is not sent", async () => {
    await goTo(6, 12);
    await runCommand("Proflens: Explain to the agent");
    await drawn(".interactive-input-editor .view-lines", "what the function at `generate.js:6`");
    await picture(join(scratch, "vscode-explain.png"));
  });
  await step("its tools are there to choose from", async () => {
    const configure = page.locator(".interactive-session [aria-label^='Configure Tools']").first();
    await configure.focus();
    await page.keyboard.press("Enter");
    await drawn(".quick-input-widget", "proflens");
    await page.keyboard.type("proflens");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowRight");
    for (const tool of TOOLS) await drawn(".quick-input-widget .monaco-list-row", tool);
    await picture(join(pictures, "vscode-agents.png"));
  });
});
