// A flame graph of Neovim in a real Chromium: `node flame_browser.mjs ADDRESS NAME` double clicks on the frame of that
// name, and prints the title and the status line of the page, what the page then asked for with the status of the answer,
// and what went wrong in the page.

import { setTimeout as sleep } from "node:timers/promises";

import { Chromium } from "../collect/chromium.mjs";

const [, , address, name] = process.argv;
const HOVERED = "document.querySelector('.tooltip:not([hidden]) h2')?.textContent";
const ASKED = `JSON.stringify(performance.getEntriesByType("resource").map((it) => [new URL(it.name).pathname, it.responseStatus]))`;

/** Moves the mouse down the middle of the page until a frame says its name. */
async function find(page) {
  const [width, height] = JSON.parse(await page.evaluate("JSON.stringify([innerWidth, innerHeight])"));
  for (let tries = 0; tries < 20; tries++) {
    for (let y = 0; y < height; y += 8) {
      const at = { x: width / 2, y };
      await page.send("Input.dispatchMouseEvent", { type: "mouseMoved", ...at });
      if ((await page.evaluate(HOVERED)) === name) return at;
    }
    await sleep(200);
  }
  throw new Error(`there is no frame ${name}`);
}

async function doubleClick(page, at) {
  for (const clickCount of [1, 2]) {
    for (const type of ["mousePressed", "mouseReleased"]) {
      await page.send("Input.dispatchMouseEvent", { type, ...at, button: "left", clickCount });
    }
  }
}

const browser = new Chromium();
try {
  const page = await browser.open(address);
  await page.show();
  await doubleClick(page, await find(page));
  let asked = [];
  for (let tries = 0; tries < 100 && asked.length === 0; tries++) {
    await sleep(50);
    asked = JSON.parse(await page.evaluate(ASKED));
  }
  const title = await page.evaluate("document.title");
  const status = await page.evaluate("document.querySelector('.status').textContent");
  console.log(JSON.stringify({ title, status, asked, complaints: page.complaints }));
} finally {
  await browser.close();
}
