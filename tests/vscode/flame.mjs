// What the page of a real VS Code draws of the flame graph: in its webview, in every kind of theme, and to the code and back.

import assert from "node:assert/strict";
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { drawn, kept, open, PATIENT, pictures, quiet, remote, runCommand, scratch, workspace } from "./browser.mjs";

const LIMIT = { timeout: 60_000 };
const THEMES = [
  ["light", "Default Light Modern"],
  ["hcDark", "Default High Contrast"],
  ["hcLight", "Default High Contrast Light"],
  ["dark", "Default Dark Modern"],
];

// Nothing that a name holds is markup.
const OWN = "self-<b>profiling.json";
copyFileSync(join(workspace, "recordings/self-profiling.json"), join(workspace, "recordings", OWN));
mkdirSync(join(workspace, ".vscode"));
settings({});

const { browser, page, strangers, go } = await open(
  [["openFile", remote(join(workspace, "generate.js"))]],
  { width: 1440, height: 760 },
  2,
);
/** What the content security policy of a document refused. */
const refused = [];
page.on("console", (message) => {
  if (/Content Security Policy/i.test(message.text())) refused.push(message.text());
});
try {
  await go();
  await page.waitForSelector(".monaco-editor .view-lines", LIMIT);
  await drawn(page, ".view-line", "570ms self");
  await page.keyboard.press("Control+B");

  await runCommand(page, "Proflens: Show flame graph");
  const graph = webview();
  const canvas = graph.locator("canvas.frames");
  await canvas.waitFor(LIMIT);
  await drawn(page, ".tab", "Flame graph: primes.cpuprofile");
  await text(graph.locator(".status"), /784 samples/);
  console.log("ok    the flame graph is drawn beside the code");

  const policy = await graph.locator("meta[http-equiv='Content-Security-Policy']").getAttribute("content");
  const scripts = /script-src ([^;]*)/.exec(policy)?.[1] ?? "";
  assert.match(scripts, /^'nonce-[\w-]{20,}'$/, "scripts run by the nonce of the document only");
  assert.match(policy, /^default-src 'none';/);
  assert.doesNotMatch(policy, /unsafe|https?:(?!\/\/)|\*(?!\.)/);
  const ran = await canvas.evaluate(() => {
    const script = document.createElement("script");
    script.textContent = "globalThis.hasRun = true";
    document.body.append(script);
    script.remove();
    return globalThis.hasRun === true;
  });
  assert(!ran, "a script without the nonce ran");
  assert.equal(refused.splice(0).length, 1, "its policy refused that script and nothing else");
  console.log("ok    its policy lets no script in that is not its own");

  const place = await find(canvas, graph, "isPrime");
  await quiet(page);
  await page.screenshot({ path: join(scratch, "vscode-flame-pinned.png") });
  await canvas.dblclick({ position: place });
  await drawn(page, ".statusbar-item", "Ln 6, Col 17 (7 selected)");
  console.log("ok    a double click on a frame goes to its definition");

  const changed = async (change) => {
    const before = await still(canvas);
    await change();
    for (let turn = 0; turn < 40; turn++) {
      if (!before.equals(await still(canvas))) return;
      await page.waitForTimeout(250);
    }
    assert.fail("the picture of the frames did not change");
  };
  await page.mouse.move(5, 5);
  await canvas.press("Escape");
  await changed(() => page.locator(".view-line span span", { hasText: /^genPrimes$/ }).first().click());
  console.log("ok    the function at the cursor is outlined");

  for (const [name, theme] of THEMES) {
    settings({ "workbench.colorTheme": theme });
    await graph.locator(`html[data-theme=${{ light: "light", dark: "dark", hcDark: "contrast-dark", hcLight: "contrast-light" }[name]}]`).waitFor(PATIENT);
    const [own, editor] = await graph.locator("body").evaluate((body) => {
      const probe = document.createElement("i");
      probe.style.background = "var(--vscode-editor-background)";
      body.append(probe);
      const colors = [body, probe].map((it) => getComputedStyle(it).backgroundColor);
      probe.remove();
      return colors;
    });
    assert.equal(own, editor, "it has the background of the theme");
    await page.waitForTimeout(1_000);
    const path = name === "dark" ? join(pictures, "vscode-flame.png") : join(scratch, `vscode-flame-${name}.png`);
    await page.screenshot({ path });
  }
  console.log("ok    it has the colors of dark, light and high contrast themes");

  await page.locator(".view-line span span", { hasText: /^isPrime$/ }).first().hover();
  await page.locator(".monaco-hover a", { hasText: "Show in flame graph" }).click();
  await text(graph.locator(".crumbs"), /Sandwich of isPrime/);
  await page.mouse.move(300, 700);
  await page.waitForFunction(() => !document.querySelector(".monaco-hover:not(.hidden)"), null, PATIENT);
  await page.locator(".view-line span span", { hasText: /^genPrimes$/ }).first().click({ button: "right" });
  const entry = page.locator(".context-view .action-item", { hasText: "Show in flame graph" });
  await entry.waitFor(PATIENT);
  await page.screenshot({ path: join(scratch, "vscode-flame-menu.png") });
  await entry.click();
  await text(graph.locator(".crumbs"), /Sandwich of genPrimes/);
  await page.waitForTimeout(500);
  await page.screenshot({ path: join(scratch, "vscode-flame-sandwich.png") });
  console.log("ok    hovers and the menu of the editor show their function in it");

  await canvas.press("e");
  await graph.locator("dialog button", { hasText: "PNG" }).first().click();
  await page.waitForSelector(".quick-input-widget:not([style*='display: none']) input", PATIENT);
  await page.waitForTimeout(500);
  const file = join(workspace, (await page.locator(".quick-input-widget input[type=text]").first().inputValue()).split("/").at(-1));
  assert.match(file, /\.png$/);
  await page.keyboard.press("Enter");
  for (let turn = 0; !existsSync(file) && turn < 40; turn++) await page.waitForTimeout(250);
  assert.deepEqual([...readFileSync(file).subarray(0, 4)], [0x89, 0x50, 0x4e, 0x47]);
  console.log("ok    a picture is saved where the user says");

  await canvas.press("5");
  await graph.locator("table.functions").waitFor(PATIENT);
  await page.locator(".tab", { hasText: "generate.js" }).click();
  await kept(page, '"view":"table"');
  // As a window that nobody told what to open.
  await page.goto(page.url().replace(/&payload=.*/, ""), { waitUntil: "domcontentloaded" });
  await webview().locator("table.functions").waitFor(LIMIT);
  await drawn(page, ".tab", "Flame graph: primes.cpuprofile");
  console.log("ok    it is there as it was after the window is loaded anew");

  await page.locator(".tab", { hasText: "Flame graph" }).click({ button: "middle" });
  await runCommand(page, "Go to File");
  await page.keyboard.type(OWN);
  await drawn(page, ".quick-input-list .monaco-list-row.focused", OWN);
  await page.keyboard.press("Enter");
  await drawn(page, ".tab.active", OWN);
  await runCommand(page, "View: Reopen Editor With...");
  await drawn(page, ".quick-input-list", "Flame graph");
  await page.screenshot({ path: join(scratch, "vscode-flame-reopen.png") });
  await page.locator(".quick-input-list .monaco-list-row", { hasText: "Flame graph" }).click();
  await drawn(page, ".statusbar-item", `${OWN} · 132 samples`);
  await text(webview().locator(".status"), /132 samples/);
  await page.screenshot({ path: join(scratch, "vscode-flame-editor.png") });
  console.log("ok    a trace is opened as a flame graph, and its costs are shown");

  await runCommand(page, "Proflens: Select trace or threads");
  await page.locator(".quick-input-list .monaco-list-row", { hasText: "primes.cpuprofile" }).first().click();
  await text(webview().locator("body"), /The costs of primes\.cpuprofile are shown now\. *Show self-<b>profiling\.json/);
  await page.screenshot({ path: join(scratch, "vscode-flame-notice.png") });
  await webview().locator("a").click();
  await text(webview().locator(".status"), /132 samples/);
  console.log("ok    it says when another trace is shown, and shows its own on a click");

  await kept(page, `${OWN}","newest":`);
  await page.goto(page.url().replace(/&payload=.*/, ""), { waitUntil: "domcontentloaded" });
  await drawn(page, ".statusbar-item", `${OWN} · 132 samples`);
  console.log("ok    the trace that is shown is shown again after the window is loaded anew");

  assert.deepEqual(refused, [], "the policy refused something");
  assert.deepEqual([...strangers], [], "the page asked hosts other than this machine");
} catch (error) {
  await page.screenshot({ path: join(scratch, "flame-failed.png") });
  console.error(`FAIL  ${error.stack}\nThe page then: ${join(scratch, "flame-failed.png")}`);
  process.exitCode = 1;
}
await browser.close();

/** Writes the settings of the workspace, which the editor follows. Lines that stick lie above those that are clicked. */
function settings(it) {
  const all = { "editor.stickyScroll.enabled": false, ...it };
  writeFileSync(join(workspace, ".vscode/settings.json"), JSON.stringify(all));
}

/** The document in the webview that is seen: VS Code has one around it. */
function webview() {
  return page.frameLocator("iframe.webview.ready").first().frameLocator("#active-frame");
}

/** Waits until an element has such a text. */
async function text(element, expected) {
  let last = "nothing";
  for (let turn = 0; turn < 120; turn++) {
    last = (await element.textContent({ timeout: 500 }).catch(() => null)) ?? last;
    if (expected.test(last.replaceAll("\u00a0", " "))) return;
    await page.waitForTimeout(250);
  }
  assert.match(last, expected);
}

/** Clicks on frames from the top down in the middle of the chart, until the tooltip is that of a function; gives the place. */
async function find(canvas, graph, name) {
  const { width, height } = await canvas.boundingBox();
  for (let y = 9; y < height; y += 18) {
    const position = { x: width / 2, y };
    await canvas.click({ position });
    const shown = await graph.locator(".tooltip h2").textContent({ timeout: 1_000 }).catch(() => "");
    if (shown === name) return position;
  }
  return assert.fail(`no frame of ${name} is in the middle`);
}

/** A picture of an element that does not move any more. */
async function still(element) {
  let last = await element.screenshot();
  for (;;) {
    await page.waitForTimeout(200);
    const now = await element.screenshot();
    if (now.equals(last)) return now;
    last = now;
  }
}
