// What the page of a real VS Code draws of the side bar, heat, badges and costs of lines: as text, as colors, as pictures.

import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { drawn, drawnAfter, eventually, gone, page, picture, pictures, scenario, scratch, settings, step, texts, untilTrue } from "./browser.mjs";
import { chooseInMenu, goTo, goToRow, goToRowOfPick, hoverAt, leaveHover, openMenu, pick, pressOnRow, pressStatus, runCommand } from "./keyboard.mjs";

/** The colors of level 5 in `package.json`, by kind of theme. The last one is in the documentation. */
const THEMES = {
  light: ["Default Light Modern", "#c4162f"],
  hcDark: ["Default High Contrast", "#ff5470"],
  hcLight: ["Default High Contrast Light", "#a00020"],
  dark: ["Default Dark Modern", "#f0384f"],
};
/** Bars in the gutter and badges are off by default, and are to be in the pictures. */
const ALL = { "proflens.heat.gutter": true, "proflens.explorer.badges": true };
const ROWS = ".pane .monaco-list-row";
const HOTTEST = "Hottest functions";
const CALLS = "Callers and callees";

await scenario("the side bar, heat, badges and costs of lines", { file: "generate.js", settings: ALL }, async () => {
  await step("the explorer has a badge at the hot file", async () => {
    await drawn(".view-line", "570ms · 570ms");
    await drawnAfter(".explorer-folders-view .monaco-icon-label", "88");
    await picture(join(scratch, "vscode-badges.png"));
  });
  await step("the side bar has the hottest functions, the ledger and the traces", async () => {
    await goToRow(HOTTEST, "isPrime");
    for (const view of [HOTTEST, CALLS, "Where the time went", "Traces and threads"]) await drawn(".pane-header", view);
    await drawn(ROWS, "isPrime570 ms (87 %) · generate.js:6");
    await drawn(ROWS, "~60.8 ms  Native work outside any JavaScript9.2 %");
    await drawn(ROWS, "primes.cpuprofile784 samples · shown");
  });
  await step("a row goes to its function, and its callers follow", async () => {
    await pressOnRow(HOTTEST, "isPrime", "Enter", (soon) => drawn(".statusbar-item", "Ln 6, Col 10", soon));
    await drawn(ROWS, "Called by570 ms (87 %)");
  });
  await step("callers unfold", async () => {
    await pressOnRow(CALLS, "genPrimes570", "ArrowRight", (soon) => drawn(ROWS, "handleClick570 ms (87 %) · main.js:5", soon));
  });
  await step("lines have their costs", async () => {
    await runCommand("Proflens: Show line costs");
    await drawnAfter(".view-line span", "492 ms");
  });
  for (const [name, [theme, color]] of Object.entries(THEMES)) {
    await step(`the overview ruler has the color of the theme ${theme}`, async () => {
      settings({ ...ALL, "workbench.colorTheme": theme });
      await rulerHas(color);
      const path = name === "dark" ? join(pictures, "vscode-side-bar.png") : join(scratch, `vscode-side-bar-${name}.png`);
      await picture(path);
    });
  }
  await step("bars in the gutter cover no letter and no line number", async () => {
    const bars = await boxes(".glyph-margin-widgets .cgmr");
    assert.equal(bars.length, 5);
    for (const bar of bars) {
      for (const it of await boxes(".view-lines .view-line > span, .margin .line-numbers"))
        assert(it.right <= bar.x || it.x >= bar.right || it.bottom <= bar.y || it.y >= bar.bottom, `${JSON.stringify(bar)} covers ${JSON.stringify(it)}`);
    }
  });
  await step("a row has its menu", async () => {
    await goToRow(HOTTEST, "isPrime570 ms (87 %)");
    const entries = await openMenu("Show callers and callees in the side bar");
    for (const it of ["Show in flame graph", "Follow the hottest path", "Reveal in Explorer", "Copy name", "Copy as text"])
      assert(entries.some((entry) => entry.includes(it)), `${it} is not in the menu: ${entries}`);
    await page.keyboard.press("Escape");
  });
});

await scenario("trees, lists and lenses follow the unit", { file: "generate.js" }, async () => {
  await pressOnRow(HOTTEST, "isPrime570 ms (87 %)", "Enter", (soon) => drawn(".statusbar-item", "Ln 6, Col 10", soon));
  const units = {
    percent: ["isPrime87 % (570 ms) · generate.js:6", "Called by87 % (570 ms)", "9.2 %  Native work outside any JavaScript~60.8 ms", "Self 87 % · Total 87 % · 558 samples"],
    samples: ["isPrime558 samples (87 %) · generate.js:6", "Called by558 samples (87 %)", "49 samples  Native work outside any JavaScript9.2 %", "Self 558 samples (87 %) · Total 558 samples (87 %)"],
    time: ["isPrime570 ms (87 %) · generate.js:6", "Called by570 ms (87 %)", "~60.8 ms  Native work outside any JavaScript9.2 %", "Self 570 ms (87 %) · Total 570 ms (87 %) · 558 samples"],
  };
  for (const [unit, [hottest, calls, ledger, lens]] of Object.entries(units)) {
    await step(`the unit ${unit}`, async () => {
      await runCommand("Proflens: Cycle unit");
      for (const it of [hottest, calls, ledger]) await drawn(ROWS, it);
      await drawn(".codelens-decoration", lens);
      await runCommand("Proflens: Go to one of the hottest functions");
      await drawn(".quick-input-list", hottest.replace(/^isPrime/, "1. isPrimeSelf ").replace(/ · .*/, " · Total "));
      await picture(join(scratch, `vscode-unit-${unit}.png`));
      await page.keyboard.press("Escape");
    });
  }
});

await scenario("costs of lines are in view, however long the lines are", { file: "long.js", prepare: writeLong, size: { width: 1440, height: 600 } }, async () => {
  await step("in a window of 1440 pixels with the side bar", async () => {
    await runCommand("Proflens: Show line costs");
    await lineCostsAreInView();
    await picture(join(scratch, "vscode-long-lines-1440.png"));
  });
  await step("in one of 1000 pixels", async () => {
    await page.setViewportSize({ width: 1000, height: 600 });
    await lineCostsAreInView();
    await picture(join(scratch, "vscode-long-lines-1000.png"));
  });
  await step("rows begin with what tells them apart", async () => {
    await goToRow(HOTTEST, "short~30.0 ms (50 %) · element.js:1 · src/model/deep");
  });
});

await scenario("a part of the recording is looked at alone", { file: "generate.js", settings: { "workbench.colorTheme": "Default Light Modern" } }, async () => {
  await step("a path of callers", async () => {
    await pressOnRow(HOTTEST, "isPrime570 ms (87 %)", "Enter", (soon) => drawn(ROWS, "Called by570 ms (87 %)", soon));
    await goToRow(CALLS, "genPrimes570 ms (87 %)");
    await chooseInMenu("Focus on this path", (soon) => drawn(".statusbar-item", "callers of genPrimes › isPrime", soon));
    await drawn(".codelens-decoration", "Self 570 ms (100 %)");
  });
  await step("its hover says so", async () => {
    await hoverAt(15, 20, "Called by");
    await picture(join(scratch, "vscode-path.png"));
    await leaveHover();
  });
  await step("the item in the status bar has a cross, and leaves", async () => {
    await page.locator(".statusbar-item[id$='proflens.scope'] .codicon-close").waitFor();
    await pressStatus("callers of genPrimes › isPrime", (soon) => gone(".statusbar-item[id$='proflens.scope']", soon));
    await drawn(".codelens-decoration", "Self 570 ms (87 %)");
  });
  await step("callers that a focus cuts off are not called an entry", async () => {
    await goTo(15, 20);
    await runCommand("Proflens: Focus on the function at the cursor");
    await pick("Focus on the function");
    await drawn(".statusbar-item", "below genPrimes");
    await drawn(ROWS, "(focus)582 ms (100 %) · its callers are outside of the focus");
    assert.deepEqual((await texts(ROWS)).filter((it) => it.includes("(entry)")), []);
    await picture(join(scratch, "vscode-focus.png"));
    await runCommand("Proflens: Show the whole recording");
    await drawn(ROWS, "Called by582 ms (88 %)");
  });
});

await scenario("threads are chosen by boxes and in a list", { file: "pair.js", prepare: writeThreads }, async () => {
  await step("a lens says whose it is where several stand above a line", async () => {
    await drawn(".codelens-decoration", "one: Self 40.0 ms");
    await drawn(".codelens-decoration", "two: Self 20.0 ms");
  });
  await step("a box takes a thread away", async () => {
    await goToRow("Traces and threads", "worker30.0 ms active · 2 samples");
    const row = page.locator(ROWS, { hasText: "worker30.0 ms active" });
    await row.locator("input, [role=checkbox]").first().press("Space");
    await drawn(ROWS, "threads.json2 samples · shown");
    await picture(join(scratch, "vscode-threads.png"));
  });
  await step("the list has the same choice", async () => {
    await runCommand("Proflens: Select threads");
    await drawn(".quick-input-list", "worker");
    await goToRowOfPick("worker");
    await page.keyboard.press("Space");
    await page.keyboard.press("Enter");
    await drawn(ROWS, "threads.json4 samples · shown");
  });
});

await scenario("a path is mapped by the beginnings of those in the trace", { file: "generate.js", prepare: writeElsewhere }, async () => {
  await goToRow("Where the time went", "30.0 ms  Code that is not in the workspace");
  await runCommand("Proflens: Map a path of the trace");
  await drawn(".quick-input-list", "http://localhost:3000/");
  await drawn(".quick-input-list", "http://localhost:3000/src/");
  await picture(join(scratch, "vscode-map-a-path.png"));
  await page.keyboard.press("Escape");
});

await scenario("without a trace each view says what to do", { file: "generate.js" }, async () => {
  await goToRow(HOTTEST, "isPrime");
  await runCommand("Proflens: Unload trace");
  await drawn(".welcome-view-content", "No trace is loaded.");
  await picture(join(scratch, "vscode-no-trace.png"));
});

/** A function in lines that are longer than any window, and one in a folder whose name is long. */
function writeLong(folder) {
  const add = `  sum += ${Array.from({ length: 14 }, (_, at) => `Math.sqrt(n * ${at + 10})`).join(" + ")};`;
  writeFileSync(join(folder, "long.js"), `export function long(n) {\n  let sum = 0;\n  sum += n;\n${add}\n  return sum;\n}\n`);
  mkdirSync(join(folder, "src/model/deep"), { recursive: true });
  writeFileSync(join(folder, "src/model/deep/element.js"), "export function short() {\n}\n");
  const node = (id, functionName, file, lineNumber, ticks) => ({
    id,
    callFrame: { functionName, scriptId: String(id), url: `file://${join(folder, file)}`, lineNumber, columnNumber: functionName === "long" ? 20 : 21 },
    hitCount: 30,
    positionTicks: ticks.map(([line, count]) => ({ line, ticks: count })),
  });
  const root = { id: 1, callFrame: { functionName: "(root)", scriptId: "0", url: "", lineNumber: -1, columnNumber: -1 }, hitCount: 0, children: [2, 3] };
  const nodes = [root, node(2, "long", "long.js", 0, [[2, 5], [3, 10], [4, 15]]), node(3, "short", "src/model/deep/element.js", 0, [[1, 30]])];
  const samples = Array.from({ length: 60 }, (_, at) => (at % 2) + 2);
  writeFileSync(join(folder, "long.cpuprofile"), JSON.stringify({ nodes, startTime: 0, endTime: 60_000, samples, timeDeltas: samples.map(() => 1000) }));
}

/** Two functions in one line, and two threads that ran them. */
function writeThreads(folder) {
  const file = join(folder, "pair.js");
  writeFileSync(file, "export const one = () => two(), two = () => 2;\n");
  const frames = ["one", "two"].map((name, at) => ({ name, file: `file://${file}`, line: 1, col: [20, 39][at] }));
  const profiles = ["main", "worker"].map((name) => {
    return { type: "sampled", name, unit: "milliseconds", samples: [[0], [0, 1]], weights: [20, 10] };
  });
  const $schema = "https://www.speedscope.app/file-format-schema.json";
  writeFileSync(join(folder, "threads.json"), JSON.stringify({ $schema, shared: { frames }, profiles }));
  settings({ "proflens.traces": ["threads.json"] });
}

/** A trace of which most is in no file of the workspace. */
function writeElsewhere(folder) {
  const files = [`file://${join(folder, "generate.js")}`, "http://localhost:3000/src/other.js"];
  const frames = ["isPrime", "other"].map((name, at) => ({ name, file: files[at], line: 6, col: 17 }));
  const profiles = [{ type: "sampled", name: "main", unit: "milliseconds", samples: [[0], [1]], weights: [50, 30] }];
  const $schema = "https://www.speedscope.app/file-format-schema.json";
  writeFileSync(join(folder, "elsewhere.json"), JSON.stringify({ $schema, shared: { frames }, profiles }));
  settings({ "proflens.traces": ["elsewhere.json"] });
}

/** Where elements are on the page; those of lines that are nowhere on it are left out. */
async function boxes(selector) {
  const all = await page.locator(selector).evaluateAll((found) => found.map((it) => it.getBoundingClientRect().toJSON()));
  return all.filter((it) => it.width > 0 && it.height > 0);
}

/** Waits until all costs of lines are drawn, each where it can be seen without scrolling. */
async function lineCostsAreInView() {
  await eventually(async () => {
    const costs = await page.evaluate(() => {
      const editor = document.querySelector(".monaco-editor .overflow-guard").getBoundingClientRect();
      const spans = [...document.querySelectorAll(".view-line span")];
      return spans.flatMap((it) => {
        const part = ["::before", "::after"].find((part) => / ms"$/.test(getComputedStyle(it, part).content.replaceAll("\u00a0", " ")));
        if (!part) return [];
        const box = it.getBoundingClientRect();
        return [{ text: getComputedStyle(it, part).content, from: box.left, to: box.right, edge: editor.right }];
      });
    });
    assert.equal(costs.length, 3, JSON.stringify(costs));
    for (const it of costs) assert(it.to < it.edge, `not in view: ${JSON.stringify(it)}`);
  });
}

/** Waits until the overview ruler has a color. */
async function rulerHas(color) {
  const hasColor = (color) => {
    const wanted = [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16));
    return [...document.querySelectorAll("canvas.decorationsOverviewRuler")].some((canvas) => {
      if (canvas.width === 0 || canvas.height === 0) return false;
      const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
      for (let at = 0; at < data.length; at += 4) if (wanted.every((it, part) => data[at + part] === it)) return true;
      return false;
    });
  };
  await untilTrue(hasColor, color);
}
