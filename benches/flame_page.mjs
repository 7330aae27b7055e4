// Frames of a flame graph in Chromium: node flame_page.mjs ours|speedscope FILE NODE_MODULES
// Opens the file, waits for the first frame with data, and zooms and pans for three seconds in order of time, without a limit on
// frames a second. Prints JSON; `{ "crashed": true }` if the page crashes.
import { readFileSync, readdirSync } from "node:fs";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { dirname, extname, join } from "node:path";
import { pathToFileURL } from "node:url";

const [which, file, modules] = process.argv.slice(2);
const require = createRequire(`${modules}/`);
const { chromium } = require("playwright-core");
const SIZE = { width: 1600, height: 1000 };
const MOVE_MS = 3000;
const TYPES = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".woff2": "font/woff2", ".wasm": "application/wasm" };

/** In the page: calls back once a canvas has more than one colour. */
function awaitFirstFrame() {
  const seen = () => {
    for (const canvas of document.querySelectorAll("canvas")) {
      if (canvas.width < 1000 || canvas.height < 300) continue;
      const small = document.createElement("canvas");
      [small.width, small.height] = [64, 64];
      const g = small.getContext("2d");
      g.drawImage(canvas, 0, 0, 64, 64);
      if (new Set(new Uint32Array(g.getImageData(0, 0, 64, 64).data.buffer)).size > 3) return true;
    }
    return false;
  };
  const look = () => {
    if (seen()) window.firstFrame = performance.now();
    else requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
}

/** In the page: zooms in to a thousandth, out to a half, and pans there and back; the times between frames. */
function move([which, duration]) {
  const canvases = [...document.querySelectorAll("canvas")].filter((it) => it.width >= 1000);
  const canvas = canvases.sort((a, b) => a.height - b.height).at(-1);
  const place = { clientX: 640, clientY: 500, bubbles: true, cancelable: true };
  const fire = (deltaX, deltaY) => canvas.dispatchEvent(new WheelEvent("wheel", { deltaX, deltaY, ctrlKey: deltaX === 0, ...place }));
  const wheel = which === "speedscope" ? (factor) => 40 * (factor - 1) : (factor) => 80 * Math.log(factor);
  const wanted = (part) => (part < 1 / 3 ? 1000 ** (-3 * part) : 1000 ** (-1 + (3 * part - 1) * 0.9));
  return new Promise((done) => {
    const [start, frames] = [performance.now(), []];
    let [last, span, at] = [start, 1, 0];
    const tick = () => {
      const now = performance.now();
      frames.push(now - last);
      last = now;
      const part = (now - start) / duration;
      if (part >= 1) return done(frames.slice(1));
      if (part < 2 / 3) {
        fire(0, wheel(wanted(part) / span));
        span = wanted(part);
      } else {
        const to = 1280 * Math.sin(Math.PI * (3 * part - 2));
        fire(to - at, 0);
        at = to;
      }
      requestAnimationFrame(tick);
    };
    requestAnimationFrame(tick);
  });
}

/** The memory of the renderer with the most, in MB: what it has alone and its part of what is shared. */
function memory(root) {
  const all = readdirSync("/proc").filter((it) => /^\d+$/.test(it));
  const about = (pid) => {
    try {
      const parent = /PPid:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))[1];
      return { pid, parent, line: readFileSync(`/proc/${pid}/cmdline`, "utf8") };
    } catch {
      return { pid, parent: "", line: "" }; // it has ended
    }
  };
  const processes = all.map(about);
  const ours = new Set([String(root)]);
  for (let depth = 0; depth < 5; depth++) for (const it of processes) if (ours.has(it.parent)) ours.add(it.pid);
  const renderers = processes.filter((it) => ours.has(it.pid) && it.line.includes("--type=renderer"));
  const kilobytes = (pid) => Number(/^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, "utf8"))[1]);
  return Math.round(Math.max(...renderers.map((it) => kilobytes(it.pid))) / 1024);
}

/** speedscope asks for its profile by HTTP. */
async function serveSpeedscope() {
  const folder = join(dirname(require.resolve("speedscope/package.json")), "dist/release");
  const server = createServer((request, response) => {
    const path = new URL(request.url, "http://x").pathname;
    response.writeHead(200, { "content-type": TYPES[extname(path)] ?? "application/octet-stream" });
    response.end(readFileSync(path === "/profile" ? file : join(folder, path)));
  }).listen(0, "127.0.0.1");
  await new Promise((listening) => server.once("listening", listening));
  const base = `http://127.0.0.1:${server.address().port}`;
  return { address: `${base}/index.html#profileURL=${encodeURIComponent(`${base}/profile`)}`, close: () => server.close() };
}

const served = which === "speedscope" ? await serveSpeedscope() : { address: pathToFileURL(file).href, close() {} };
const server = await chromium.launchServer({
  executablePath: "/usr/bin/chromium",
  args: ["--no-sandbox", "--headless=new", "--enable-unsafe-swiftshader", "--disable-frame-rate-limit", "--disable-gpu-vsync"],
});
const browser = await chromium.connect(server.wsEndpoint());
const page = await (await browser.newContext({ viewport: SIZE })).newPage();
await page.addInitScript(awaitFirstFrame);
page.once("crash", () => {
  console.log(JSON.stringify({ crashed: true }));
  process.exit();
});
await page.goto(served.address);
await page.waitForFunction(() => window.firstFrame, null, { timeout: 180_000 });
const first = await page.evaluate(() => window.firstFrame);
if (which === "ours") await page.keyboard.press("3");
await page.waitForTimeout(1000);
const frames = (await page.evaluate(move, [which, MOVE_MS])).sort((a, b) => a - b);
const within = (part) => frames[Math.min(frames.length - 1, Math.floor(part * frames.length))];
const result = { first, p50: within(0.5), p95: within(0.95), frames: frames.length, memory: memory(server.process().pid) };
console.log(JSON.stringify(result));
await browser.close();
await server.close();
served.close();
