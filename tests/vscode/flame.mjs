// What the page of a real VS Code draws of the flame graph: in its webview, in every kind of theme, and to the code and back.

import assert from "node:assert/strict";
import { copyFileSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { drawn, eventually, page, PATIENT, picture, pictures, reload, scenario, scratch, settings, step, workspace } from "./browser.mjs";
import { followInHover, goTo, openFile, openMenu, pickOf, runCommand } from "./keyboard.mjs";
import { kept } from "./stores.mjs";

/** The last one is in the documentation. */
const THEMES = {
  light: ["Default Light Modern", "light"],
  hcDark: ["Default High Contrast", "contrast-dark"],
  hcLight: ["Default High Contrast Light", "contrast-light"],
  dark: ["Default Dark Modern", "dark"],
};
/** Nothing that a name holds is markup. */
const OWN = "self-<b>profiling.json";
const size = { width: 1440, height: 760 };

await scenario("the flame graph beside the code", { file: "generate.js", size }, async () => {
  const refused = refusals();
  const graph = webview();
  const canvas = graph.locator("canvas.frames");
  await step("it is drawn", async () => {
    await openGraph();
    await text(graph.locator(".status"), /784 samples/);
  });
  await step("its policy lets no script in that is not its own", async () => {
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
    await eventually(() => assert.equal(refused.length, 1, `its policy refused that script and nothing else: ${refused}`));
    refused.length = 0;
  });
  await step("a frame leads to its definition", async () => {
    await canvas.press("ArrowDown");
    await text(graph.locator(".live"), /^handleClick/);
    await canvas.press("ArrowDown");
    await canvas.press("ArrowDown");
    await text(graph.locator(".live"), /^isPrime/);
    await canvas.press("Space");
    await picture(join(scratch, "vscode-flame-pinned.png"));
    await canvas.press("Escape");
    await canvas.press("Enter");
    await drawn(".statusbar-item", "Ln 6, Col 17 (7 selected)");
  });
  await step("the function at the cursor is outlined", async () => {
    await canvas.press("Escape");
    const before = await canvas.screenshot();
    await page.keyboard.press("Control+Digit1");
    await goTo(15, 18);
    await eventually(async () => assert(!before.equals(await canvas.screenshot()), "the picture of the frames does not change"));
  });
  for (const [name, [theme, kind]] of Object.entries(THEMES)) {
    await step(`it has the colors of ${theme}`, async () => {
      settings({ "workbench.colorTheme": theme });
      await graph.locator(`html[data-theme=${kind}]`).waitFor();
      await eventually(async () => {
        const [own, editor] = await graph.locator("body").evaluate((body) => {
          const probe = document.createElement("i");
          probe.style.background = "var(--vscode-editor-background)";
          body.append(probe);
          const colors = [body, probe].map((it) => getComputedStyle(it).backgroundColor);
          probe.remove();
          return colors;
        });
        assert.equal(own, editor, "it has the background of the theme");
      });
      await picture(name === "dark" ? join(pictures, "vscode-flame.png") : join(scratch, `vscode-flame-${name}.png`));
    });
  }
  await step("hovers show their function in it", async () => {
    const crumbs = graph.locator(".crumbs", { hasText: "Sandwich of isPrime" });
    await followInHover(6, 20, "Show in flame graph", (soon) => crumbs.waitFor(soon));
  });
  await step("the menu of the editor does, too", async () => {
    await page.keyboard.press("Control+Digit1");
    await goTo(15, 18);
    await openMenu("Show in flame graph");
    await picture(join(scratch, "vscode-flame-menu.png"));
    await page.keyboard.press("Escape");
    await runCommand("Proflens: Show in flame graph");
    await text(graph.locator(".crumbs"), /Sandwich of genPrimes/);
    await picture(join(scratch, "vscode-flame-sandwich.png"));
  });
  await step("a picture is saved where the user says", async () => {
    await canvas.press("e");
    await graph.locator("dialog button", { hasText: "PNG" }).first().press("Enter");
    const input = page.locator(".quick-input-widget:not([style*='display: none']) input[type=text]").first();
    const file = await eventually(async () => {
      const name = (await input.inputValue()).split("/").at(-1);
      assert.match(name, /\.png$/);
      return join(workspace, name);
    });
    await page.keyboard.press("Enter");
    await eventually(() => {
      assert(existsSync(file), `there is no ${file}`);
      assert.deepEqual([...readFileSync(file).subarray(0, 4)], [0x89, 0x50, 0x4e, 0x47]);
    });
  });
  assert.deepEqual(refused, [], "the policy refused something");
});

await scenario("in half a window all of it can be reached", { file: "generate.js", size }, async () => {
  const graph = webview();
  await openGraph();
  for (const width of [1440, 1000]) {
    await step(`the toolbar is one row in a window of ${width} pixels`, async () => {
      await page.setViewportSize({ width, height: 760 });
      await eventually(async () => {
        const { height, tops } = await graph.locator(".bar").evaluate((bar) => ({
          height: bar.getBoundingClientRect().height,
          tops: [...bar.querySelectorAll("button, select, input")].map((it) => it.getBoundingClientRect()).filter((it) => it.width > 0).map((it) => Math.round((it.top + it.bottom) / 2)),
        }));
        assert(height < 48 && Math.max(...tops) - Math.min(...tops) < 4, `it is ${height} pixels high, with buttons at ${tops}`);
      });
    });
    await step(`the table has the functions first, and numbers give way, in ${width} pixels`, async () => {
      await graph.locator("canvas.frames").press("5");
      const first = graph.locator("table.functions tbody td.name").first();
      await text(first, /isPrime/);
      const [cell, table] = await Promise.all([first, graph.locator("table.functions")].map((it) => it.boundingBox()));
      assert(cell.width >= 120 && cell.x >= table.x - 1, `the function has ${cell.width} pixels`);
      assert((await graph.locator("thead th").count()) >= 2, "a number is beside it");
      await picture(join(scratch, `vscode-flame-table-${width}.png`));
      await graph.locator("table.functions").press("1");
      await graph.locator("canvas.frames").waitFor();
      await picture(join(scratch, `vscode-flame-half-${width}.png`));
    });
  }
  await step("a sandwich starts at the function of the cursor", async () => {
    await page.keyboard.press("Control+Digit1");
    await goTo(15, 18);
    // The page hears of the cursor a moment later.
    await eventually(async () => {
      await graph.locator("canvas.frames").press("1");
      await graph.locator("canvas.frames").press("4");
      assert.match((await graph.locator(".crumbs").textContent()) ?? "", /Sandwich of genPrimes/);
    });
  });
});

await scenario("a window that is loaded anew shows what it showed", { file: "generate.js", size, prepare: addOwn }, async () => {
  await step("the flame graph is there as it was", async () => {
    await openGraph();
    await webview().locator("canvas.frames").press("5");
    await webview().locator("table.functions").waitFor();
    await kept('"view":"table"');
    await reload();
    await webview().locator("table.functions").waitFor();
    await drawn(".tab", "Flame graph: primes.cpuprofile");
  });
  await step("a trace is opened as a flame graph, and its costs are shown", async () => {
    await runCommand("View: Close All Editors");
    await openFile(OWN);
    await pickOf("View: Reopen Editor With...", "Flame graph", (soon) => drawn(".statusbar-item", `${OWN} · 132 samples`, soon));
    await text(webview().locator(".status"), /132 samples/);
    await picture(join(scratch, "vscode-flame-editor.png"));
  });
  await step("it says when another trace is shown, and shows its own when that is wanted", async () => {
    await pickOf("Proflens: Select trace or threads", "primes.cpuprofile", (soon) => drawn(".statusbar-item", "primes.cpuprofile · ", soon));
    await text(webview().locator("body"), /The costs of primes\.cpuprofile are shown now\. *Show self-<b>profiling\.json/);
    await picture(join(scratch, "vscode-flame-notice.png"));
    await webview().locator("a").press("Enter");
    await text(webview().locator(".status"), /132 samples/);
  });
  await step("the trace that is shown is shown again", async () => {
    await kept(`${OWN}","newest":`);
    await reload();
    await drawn(".statusbar-item", `${OWN} · 132 samples`);
  });
});

function addOwn(folder) {
  copyFileSync(join(folder, "recordings/self-profiling.json"), join(folder, "recordings", OWN));
}

async function openGraph() {
  await drawn(".view-line", "570ms · 570ms");
  await runCommand("View: Toggle Primary Side Bar Visibility");
  await runCommand("Proflens: Show flame graph");
  await webview().locator("canvas.frames").waitFor();
  await drawn(".tab", "Flame graph: primes.cpuprofile");
}

/** The document in the webview that is seen: VS Code has one around it. */
function webview() {
  return page.frameLocator("iframe.webview.ready").first().frameLocator("#active-frame");
}

/** What the content security policy of a document refuses from now on. */
function refusals() {
  const all = [];
  page.on("console", (message) => {
    if (/Content Security Policy/i.test(message.text())) all.push(message.text());
  });
  return all;
}

/** Waits until an element has such a text. */
async function text(element, expected) {
  await eventually(async () => {
    const now = (await element.textContent({ timeout: PATIENT.timeout })) ?? "";
    assert.match(now.replaceAll("\u00a0", " "), expected);
  });
}
