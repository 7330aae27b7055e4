// The example page in a real Chromium: what it measured of itself is sent when it is hidden, kept, and opened by `report`.

import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

import { Chromium } from "./chromium.mjs";

const root = join(import.meta.dirname, "../..");
const proflens = process.env.PROFLENS;
if (!proflens) throw new Error("PROFLENS is not set: run this with cargo xtask test collect");
const workspace = mkdtempSync(join(tmpdir(), "proflens-collect-"));
const kept = join(workspace, ".proflens/collected");

/** The page as a web server has it; `/quiet/` comes without the header that allows to measure. */
const web = createServer((request, response) => {
  const path = new URL(request.url, "http://localhost").pathname.replace("/quiet/", "/");
  const file = path === "/" ? "index.html" : path.slice(1);
  const types = { html: "text/html", js: "text/javascript", map: "application/json" };
  const policy = request.url.startsWith("/quiet/") ? {} : { "Document-Policy": "js-profiling" };
  try {
    const text = readFileSync(join(workspace, file === "index.html" ? file : join("dist", file)));
    response.writeHead(200, { "Content-Type": types[file.split(".").pop()] ?? "text/plain", ...policy }).end(text);
  } catch {
    response.writeHead(404).end();
  }
});

let failed = 0;
async function test(name, body) {
  try {
    await body();
    console.log(`ok   ${name}`);
  } catch (error) {
    failed++;
    console.log(`FAIL ${name}\n${error.stack}`);
  }
}

/** What was kept so far. */
function lines() {
  const files = readdirSync(kept).filter((it) => it.endsWith(".ndjson"));
  return files.flatMap((it) => readFileSync(join(kept, it), "utf8").split("\n").filter(Boolean).map((line) => JSON.parse(line)));
}

async function until(what, holds) {
  for (let left = 100; !(await holds()); left--) {
    if (left === 0) throw new Error(`${what} did not happen`);
    await sleep(100);
  }
}

/** A session: the page is opened, works, and another tab comes to the front. Gives what the page had to complain about. */
async function visit(address) {
  const page = await browser.open(address);
  await page.evaluate("document.querySelector('button').click()");
  await until("work", () => page.evaluate("document.title.endsWith('primes')"));
  await (await browser.open("about:blank", page)).show();
  await until("hiding", () => page.evaluate("document.visibilityState === 'hidden'"));
  return page;
}

cpSync(join(root, "examples/collect"), workspace, { recursive: true });
const tsc = join(import.meta.dirname, "node_modules/typescript/bin/tsc");
const compiled = spawnSync(process.execPath, [tsc, "-p", workspace], { encoding: "utf8" });
await test("the example compiles", () => assert.equal(compiled.stdout, ""));

web.listen(0, "127.0.0.1");
await once(web, "listening");
const port = web.address().port;
const page = `http://localhost:${port}`;
const collector = spawn(proflens, ["collect", "--listen", "0", "--origin", page, "--out", kept], { stdio: ["ignore", "pipe", "inherit"] });
const said = String((await once(collector.stdout, "data"))[0]);
const to = encodeURIComponent(said.match(/http:\S+/)[0]);
const browser = new Chromium();

try {
  await test("three sessions are sent when they are hidden", async () => {
    for (let count = 1; count <= 3; count++) {
      const { complaints } = await visit(`${page}/?to=${to}`);
      await until("a trace", () => lines().length === count);
      assert.deepEqual(complaints, []);
    }
    assert.deepEqual(lines().map((it) => it.dimensions), Array(3).fill({ page: "/", release: "1.0.0" }));
  });

  await test("a page without the header measures nothing", async () => {
    const { complaints } = await visit(`${page}/quiet/?to=${to}`);
    await sleep(500);
    assert.deepEqual([lines().length, complaints], [3, []]);
  });

  await test("a page of another origin is not kept", async () => {
    await visit(`http://127.0.0.1:${port}/?to=${to}`);
    await sleep(500);
    assert.equal(lines().length, 3);
  });

  await test("what was kept opens with its sessions, on the sources", async () => {
    const ended = once(collector, "exit");
    collector.kill("SIGINT");
    assert.deepEqual(await ended, [0, null]);
    const args = ["report", kept, "--workspace", workspace, "--format", "json"];
    const report = JSON.parse(spawnSync(proflens, args, { encoding: "utf8" }).stdout);
    assert.deepEqual(report.traces.map((it) => it.sessions), [3]);
    const prime = report.functions.find((it) => it.name === "isPrime");
    assert.deepEqual([prime.file, prime.line, prime.sessions, prime.selfShare > 0.5], ["main.ts", 11, 3, true]);
    const find = report.functions.find((it) => it.name === "findPrimes");
    assert.deepEqual([find.file, find.line, find.totalShare > 0.9], ["main.ts", 18, true]);
    assert.deepEqual(report.problems, []);
  });
} finally {
  await browser.close();
  collector.kill();
  web.close();
  rmSync(workspace, { recursive: true });
}
process.exit(failed === 0 ? 0 : 1);
