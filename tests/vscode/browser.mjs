// A browser on the VS Code that `cargo xtask test` started, with no way out of this machine.

import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { chromium } from "playwright-core";

export const port = required("PROFLENS_PORT");
export const workspace = required("PROFLENS_WORKSPACE");
/** Where the pictures of the documentation go. */
export const pictures = required("PROFLENS_PICTURES");
/** Where those go that are only looked at. */
export const scratch = join(import.meta.dirname, "out/images");

/** How long a page may take to draw what it was asked for. */
export const PATIENT = { timeout: 120_000 };

mkdirSync(scratch, { recursive: true });

/** Opens a page; `payload` is what VS Code's web workbench takes from its address. */
export async function open(payload, size = { width: 1280, height: 800 }, scale = 1) {
  const browser = await chromium.launch({
    executablePath: "/usr/bin/chromium",
    args: ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync"],
  });
  const page = await browser.newPage({ viewport: size, deviceScaleFactor: scale });
  const strangers = new Set();
  await page.route(
    (url) => url.protocol.startsWith("http") && url.hostname !== "127.0.0.1",
    (route) => {
      strangers.add(new URL(route.request().url()).hostname);
      return route.abort();
    },
  );
  const address = `http://127.0.0.1:${port}/?folder=${workspace}&payload=${encodeURIComponent(JSON.stringify(payload))}`;
  return { browser, page, strangers, go: () => page.goto(address, { waitUntil: "domcontentloaded" }) };
}

/** How the workbench names a file of this machine. */
export const remote = (path) => `vscode-remote://127.0.0.1:${port}${path}`;

/** Waits until one of the elements shows this text. */
export async function drawn(page, selector, text) {
  const find = ({ selector, text }) =>
    [...document.querySelectorAll(selector)].some((it) => it.textContent.replaceAll("\u00a0", " ").includes(text));
  await page.waitForFunction(find, { selector, text }, PATIENT).catch(async () => {
    throw new Error(`"${text}" is not drawn in ${selector}:\n${(await texts(page, selector)).join("\n")}`);
  });
}

/**
 * Runs a command of the palette. Just after the start VS Code may list its commands before it knows those of extensions, and a list
 * that is open stays as it is: then the palette is opened again, as a user would.
 */
export async function runCommand(page, title) {
  for (let attempt = 1; ; attempt++) {
    await page.keyboard.press("F1");
    await page.waitForSelector(".quick-input-widget:not([style*='display: none']) input", PATIENT);
    await page.keyboard.type(title);
    const row = page.locator(".quick-input-list .monaco-list-row.focused", { hasText: title });
    const listed = await row.waitFor({ timeout: 10_000 }).then(() => true, () => false);
    if (listed) break;
    if (attempt === 3) throw new Error(`the palette has no "${title}":\n${(await texts(page, ".quick-input-list .monaco-list-row")).join("\n")}`);
    await page.keyboard.press("Escape");
  }
  await page.keyboard.press("Enter");
}

/** The texts of elements; the editor draws spaces as no-break spaces. */
export async function texts(page, selector) {
  return (await page.locator(selector).allTextContents()).map((it) => it.replaceAll("\u00a0", " "));
}

/** The first start shows that other extensions are at work; a picture waits until that is over. */
export async function quiet(page) {
  const busy = () => [...document.querySelectorAll(".statusbar-item")].every((it) => !/Activating|Initializing/.test(it.textContent));
  await page.waitForFunction(busy, null, PATIENT).catch(() => console.log("      (the editor is still busy)"));
  await page.waitForTimeout(1_000);
}

/** Waits until VS Code has written such a text down: it does so when it finds the time. */
export async function kept(page, text) {
  for (let turn = 0; !(await page.evaluate(isKept, text)); turn++) {
    if (turn === 360) throw new Error(`VS Code did not write down ${text} within three minutes`);
    await page.waitForTimeout(500);
  }
}

/** In the page: whether VS Code has written such a text into one of its stores, where JSON is held as a text of JSON. */
async function isKept(text) {
  const done = (request) =>
    new Promise((resolve, reject) => {
      request.onsuccess = () => resolve(request.result);
      request.onerror = () => reject(request.error);
    });
  for (const { name } of await indexedDB.databases()) {
    const database = await done(indexedDB.open(name));
    try {
      for (const store of database.objectStoreNames) {
        const values = await done(database.transaction(store).objectStore(store).getAll());
        if (values.some((it) => String(it).replaceAll("\\", "").includes(text))) return true;
      }
    } finally {
      database.close();
    }
  }
  return false;
}

function required(name) {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is not set: run these tests with cargo xtask test`);
  return value;
}
