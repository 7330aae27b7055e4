// Scenarios on the page of a real VS Code, which `cargo xtask test` started: each has a window and a folder of its own, so that it needs
// nothing that another one left. One that fails says at which step, with a picture and the log, and those after it still run.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { chromium } from "playwright-core";

export const port = required("PROFLENS_PORT");
/** The example of which each scenario has a copy. */
const example = required("PROFLENS_WORKSPACE");
/** Where VS Code keeps its logs. */
const logs = required("PROFLENS_LOGS");
/** Where the pictures of the documentation go. */
export const pictures = required("PROFLENS_PICTURES");
/** Where those go that are only looked at. */
export const scratch = join(import.meta.dirname, "out/images");
/** How long anything may take: minutes, and more of them on a machine that is slow or has other work; or what somebody says. */
const LIMIT_MS = 1000 * Number(process.env.VSCODE_SECONDS ?? 180 * slowness());
export const PATIENT = { timeout: LIMIT_MS };
/** How long VS Code may take to start its extensions before its window is opened again. */
const START = { timeout: LIMIT_MS / 3 };
/** What did not work by then is tried again, until all patience is at its end. */
export const SOON = { timeout: LIMIT_MS / 18 };
/** What is there at once, or a press went nowhere and costs nothing to repeat. */
export const AT_ONCE = { timeout: LIMIT_MS / 90 };
/** Waits that are longer are told, as something of ours may hide behind them. */
const LONG_S = 5;

/** The page and the folder of the scenario that runs. */
export let page;
export let workspace;
/** The settings of its folder. */
let shown = {};

const script = basename(process.argv[1], ".mjs");
const { UPDATE_SCREENSHOTS, VSCODE_PICTURES } = process.env;
const isForPictures = Boolean(UPDATE_SCREENSHOTS || VSCODE_PICTURES);

let count = 0;
let doing = "";
mkdirSync(scratch, { recursive: true });

/**
 * Runs a scenario. Its folder has these settings, and what `prepare` writes into it before VS Code opens it; `file` is shown at first.
 * Only pictures need the pixels of a fine screen, which no graphics card draws here.
 */
export async function scenario(name, { file, size = { width: 1280, height: 860 }, scale = isForPictures ? 2 : 1, prepare, settings: own = {} }, run) {
  count++;
  if (!name.includes(process.env.SCENARIO ?? "")) return;
  workspace = join(dirname(example), String(count), basename(example));
  cpSync(example, workspace, { recursive: true });
  settings(own);
  prepare?.(workspace);
  doing = "VS Code opens the folder";
  const browser = await chromium.launch({
    executablePath: "/usr/bin/chromium",
    args: ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync"],
  });
  page = await browser.newPage({ viewport: size, deviceScaleFactor: scale });
  page.setDefaultTimeout(LIMIT_MS);
  const strangers = new Set();
  await page.route(
    (url) => url.protocol.startsWith("http") && url.hostname !== "127.0.0.1",
    (route) => {
      strangers.add(new URL(route.request().url()).hostname);
      return route.abort();
    },
  );
  try {
    await openFolder(file);
    await run();
    doing = "all is asked of this machine";
    if (strangers.size > 0) throw new Error(`the page asked other hosts: ${[...strangers].join(", ")}`);
    console.log(`ok    ${name}`);
  } catch (error) {
    process.exitCode = 1;
    const picture = join(scratch, `failed-${script}-${count}.png`);
    await page.screenshot({ path: picture }).catch(() => undefined);
    console.log(`FAIL  ${name}: ${doing}\n${error.stack}\nThe page then: ${picture}\n${logged()}`);
  }
  // VS Code ends what it started for the window when that goes elsewhere.
  await page.goto("about:blank").catch(() => undefined);
  await browser.close();
}

/**
 * Opens the folder and shows a file of it. On a busy machine a window of VS Code was seen that never ran an extension, though its extension
 * host had started. People open such a window again, and so does this, twice at most.
 */
async function openFolder(file) {
  const payload = file ? [["openFile", remote(join(workspace, file))]] : [];
  const before = windowsWithExtensions();
  for (let left = 3; ; left--) {
    await page.goto(addressOf(payload), { waitUntil: "domcontentloaded", ...PATIENT });
    await page.waitForSelector(file ? ".monaco-editor .view-lines" : ".monaco-workbench", PATIENT);
    try {
      await eventually(() => assert(windowsWithExtensions() > before, "VS Code runs no extension in this window"), START);
      return;
    } catch (error) {
      if (left === 1) throw error;
      console.log(`        ${error.message}: it is opened again\n${logged()}`);
    }
  }
}

/** In how many windows VS Code has run an extension, by the logs of their extension hosts. */
function windowsWithExtensions() {
  const hosts = (existsSync(logs) ? readdirSync(logs, { recursive: true }) : []).filter((name) => name.endsWith("remoteexthost.log"));
  return hosts.filter((name) => readFileSync(join(logs, name), "utf8").includes("_doActivateExtension")).length;
}

/** A step of a scenario, which a failure names. */
export async function step(name, run) {
  doing = name;
  const result = await run();
  console.log(`ok      ${name}`);
  return result;
}

/** Writes the settings of the folder, which the editor follows. */
export function settings(all) {
  shown = all;
  mkdirSync(join(workspace, ".vscode"), { recursive: true });
  writeFileSync(join(workspace, ".vscode/settings.json"), JSON.stringify(all));
}

/** Reloads the window, as one that nobody told what to open. */
export async function reload() {
  await page.goto(addressOf([]), { waitUntil: "domcontentloaded", ...PATIENT });
}

/** `payload` is what VS Code's web workbench takes from its address. */
export function addressOf(payload, folder = workspace) {
  return `http://127.0.0.1:${port}/?folder=${folder}&payload=${encodeURIComponent(JSON.stringify(payload))}`;
}

/** How the workbench names a file of this machine. */
export function remote(path) {
  return `vscode-remote://127.0.0.1:${port}${path}`;
}

/** Waits until one of the elements shows this text. */
export async function drawn(selector, text, limit = PATIENT) {
  const find = ({ selector, text }) =>
    [...document.querySelectorAll(selector)].some((it) => it.textContent.replaceAll("\u00a0", " ").includes(text));
  await untilTrue(find, { selector, text }, limit).catch(async () => {
    throw new Error(`"${text}" is not drawn in ${selector}:\n${(await texts(selector)).join("\n")}`);
  });
}

/** Waits until an element has such a text before or after it, which style sheets draw. */
export async function drawnAfter(selector, text, limit = PATIENT) {
  await eventually(async () => {
    const drawn = await page.evaluate(drawnBeside, selector);
    if (!drawn.some((it) => it.includes(text))) throw new Error(`"${text}" is not drawn beside ${selector}:\n${drawn.join("\n")}`);
  }, limit);
}

/** In the page: what style sheets draw before and after elements. */
function drawnBeside(selector) {
  const contents = (it) => ["::before", "::after"].map((part) => getComputedStyle(it, part).content.replaceAll("\u00a0", " "));
  return [...document.querySelectorAll(selector)].flatMap(contents).filter((it) => it.startsWith('"') && it !== '""');
}

/** Waits until a function says so in the page. It is not asked with each frame, which would keep the page busy. */
export async function untilTrue(find, argument, limit = PATIENT) {
  await page.waitForFunction(find, argument, { ...limit, polling: 100 });
}

/** The texts of elements; the editor draws spaces as no-break spaces. */
export async function texts(selector) {
  return (await page.locator(selector).allTextContents()).map((it) => it.replaceAll("\u00a0", " "));
}

/** Repeats `check` until it no longer throws; when the time is over its last error counts. What it waited for long is told. */
export async function eventually(check, { timeout } = PATIENT) {
  const start = Date.now();
  for (let last; ; await page.waitForTimeout(50)) {
    try {
      const result = await check();
      const seconds = (Date.now() - start) / 1000;
      if (last && seconds > LONG_S) console.log(`        after ${seconds.toFixed(1)} s: ${last.message.split("\n")[0]}`);
      return result;
    } catch (error) {
      if (Date.now() > start + timeout) throw error;
      last = error;
    }
  }
}

/** Waits until none of the elements is shown. */
export async function gone(selector, limit = PATIENT) {
  await page.locator(selector).waitFor({ ...limit, state: "hidden" });
}

/** How people look: in a wide window, a narrow one, and a wide one at 150 %, in the dark and in the light. */
const WINDOWS = [[1440, 900, 1], [1000, 700, 1], [960, 600, 1.5]];
const THEMES = { dark: "Default Dark Modern", light: "Default Light Modern" };

/**
 * Takes a picture, where somebody wants to look at them; with `VSCODE_PICTURES=all` of all of the window, also one of each kind that people
 * look at.
 */
export async function picture(path, of = page) {
  if (!isForPictures) return;
  await takePicture(path, of);
  if (VSCODE_PICTURES !== "all" || of !== page) return;
  const [own, size] = [shown, page.viewportSize()];
  for (const [name, theme] of Object.entries(THEMES)) {
    settings({ ...own, "workbench.colorTheme": theme });
    await page.waitForSelector(`.monaco-workbench.vs${name === "dark" ? "-dark" : ""}`, PATIENT);
    for (const [width, height, zoom] of WINDOWS) {
      await page.setViewportSize({ width, height });
      await takePicture(join(scratch, `${basename(path, ".png")}-${name}-${width * zoom}-${zoom * 100}.png`));
    }
  }
  settings(own);
  await page.setViewportSize(size);
}

/** Takes a picture once VS Code's own start is over and nothing moves any more. */
async function takePicture(path, of = page) {
  const isBusy = () => [...document.querySelectorAll(".statusbar-item")].some((it) => /Activating|Initializing/.test(it.textContent));
  await eventually(async () => {
    if (await page.evaluate(isBusy)) throw new Error("VS Code is still starting");
  });
  let last = await of.screenshot();
  // A clock that is drawn changes forever.
  for (let turn = 0; turn < 20; turn++) {
    await page.waitForTimeout(200);
    const now = await of.screenshot();
    if (now.equals(last)) break;
    last = now;
  }
  writeFileSync(path, last);
}

/** What the server, and the extension host, logged last. */
function logged() {
  const files = readdirSync(logs, { recursive: true }).filter((it) => /Proflens Language Server\.log$|remoteexthost\.log$/.test(it));
  const texts = files.map((it) => {
    const lines = readFileSync(join(logs, it), "utf8").trimEnd().split("\n");
    return `${it}:\n${lines.slice(-15).join("\n")}`;
  });
  return texts.slice(-2).join("\n");
}

/** How many times slower this machine is at present than one with nothing else to do; 5 at most, so that each test has an end. */
function slowness() {
  const some = Buffer.alloc(1 << 20);
  const start = performance.now();
  for (let turn = 0; turn < 100; turn++) createHash("sha256").update(some).digest();
  return Math.min(Math.max((performance.now() - start) / 250, 1), 5);
}

function required(name) {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is not set: run these tests with cargo xtask test`);
  return value;
}
