// Hints and lenses beside those of a TypeScript server, which VS Code brings along: ours are short, and behind the whole signature.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { drawn, page, picture, scenario, scratch, settings, step } from "./browser.mjs";
import { goTo, runCommand } from "./keyboard.mjs";

const SOURCE = `export class Cart {
  items: number[] = [];
  add(price: number, count = 1): this {
    for (let at = 0; at < count; at++) this.items.push(price);
    return this;
  }
  total(rate = 0.2) {
    return withTax(this.items.reduce((sum, it) => sum + it, 0), rate);
  }
}

const app = { handle: (_price: number) => "" };
app.handle = function (price: number): string {
  return new Cart().add(price, 3).total().toFixed(2);
};

export function withTax(net: number, rate: number) {
  return net * (1 + rate);
}
`;
/** Name, line and column, from 0, and milliseconds of the functions, each called by the one before. */
const FUNCTIONS = [["app.handle", 12, 22, 8], ["add", 2, 2, 30], ["total", 6, 2, 9], ["withTax", 16, 23, 53]];
/** All hints of TypeScript. */
const TYPES = Object.fromEntries(
  ["functionLikeReturnTypes", "parameterTypes", "variableTypes"].map((it) => [`typescript.inlayHints.${it}.enabled`, true]),
);
const SETTINGS = { ...TYPES, "typescript.inlayHints.parameterNames.enabled": "all" };

await scenario("hints and lenses beside those of TypeScript", { file: "cart.ts", prepare, settings: SETTINGS }, async () => {
  await step("hints are short, behind the whole signature, and lenses have the words", async () => {
    for (const line of [
      "add(price: number, count = 1): this 30ms · 92ms{",
      "total(rate = 0.2): number 9ms · 62ms{",
      "app.handle = function (price: number): string 9ms · 101ms{",
      "export function withTax(net: number, rate: number): number 53ms · 53ms{",
    ])
      await drawn(".view-line", line);
    await drawn(".codelens-decoration", "Self 53.0 ms (52 %) · Total 53.0 ms (52 %) · 53 samples");
  });
  await step("without lenses the hint has the words", async () => {
    settings({ ...SETTINGS, "proflens.lens.enable": false });
    await drawn(".view-line", "53ms self · 53ms total");
    settings(SETTINGS);
    await drawn(".view-line", "53ms · 53ms");
  });
  await step("a cursor anywhere on a signature counts", async () => {
    // The view follows the cursor.
    await runCommand("Focus on Callers and callees View");
    await page.keyboard.press("Control+Digit1");
    for (const [line, column, name] of [[13, 2, "handle"], [17, 2, "withTax"], [13, 6, "handle"], [3, 30, "add"], [13, 40, "handle"], [17, 48, "withTax"]]) {
      await goTo(line, column);
      await drawn(".pane-header .description", name);
    }
  });
  await picture(join(scratch, "vscode-typescript.png"));
});

function prepare(folder) {
  writeFileSync(join(folder, "cart.ts"), SOURCE);
  const url = `file://${join(folder, "cart.ts")}`;
  const root = { id: 1, callFrame: { functionName: "(root)", scriptId: "0", url: "", lineNumber: -1, columnNumber: -1 }, children: [2] };
  const nodes = FUNCTIONS.map(([functionName, lineNumber, columnNumber], at) => ({
    id: at + 2,
    callFrame: { functionName, scriptId: "1", url, lineNumber, columnNumber },
    children: at < FUNCTIONS.length - 1 ? [at + 3] : [],
  }));
  const samples = FUNCTIONS.flatMap(([, , , count], at) => Array(count).fill(at + 2));
  const profile = { nodes: [root, ...nodes], startTime: 0, endTime: samples.length * 1000, samples: [...samples, 2], timeDeltas: [0, ...samples.map(() => 1000)] };
  writeFileSync(join(folder, "cart.cpuprofile"), JSON.stringify(profile));
}
