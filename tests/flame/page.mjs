// The page that `proflens flame` writes, in a real Chromium: by mouse, by keyboard alone, with odd traces, and what it asks for.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { drawn, finish, folder, frame, hover, many, open, pictures, press, profile, proflens, root, rows, said, test, twice, written } from "./harness.mjs";

const primes = written("examples/primes/primes.cpuprofile");

await test("a page makes no request, and runs no script but its own", async () => {
  const page = await open(primes);
  await press(page, ..."12345");
  await drawn(page);
  assert.deepEqual([page.seen.requests, page.seen.complaints], [[pathToFileURL(primes).href], []]);
  const policy = /http-equiv="Content-Security-Policy" content="([^"]+)"/.exec(readFileSync(primes, "utf8"))[1];
  assert.match(policy, /default-src 'none'/);
  assert.match(policy, /script-src 'sha256-[^']+'/);
  assert.match(policy, /connect-src 'none'/);
  assert.doesNotMatch(policy, /unsafe/);
  await page.close();
});

await test("the table has what report says", async () => {
  const report = spawnSync(proflens, ["report", "primes.cpuprofile", "--format", "json", "--limit", "0", "--all"], { cwd: join(root, "examples/primes"), encoding: "utf8" });
  const { functions, unplacedFunctions } = JSON.parse(report.stdout);
  const page = await open(primes);
  await press(page, "5");
  await drawn(page);
  const shown = await rows(page);
  const named = (name) => shown.find((it) => it.some((cell) => cell === name));
  for (const it of functions) {
    const row = named(it.name).join(" ");
    for (const ns of [it.selfNs, it.totalNs].filter((ns) => ns >= 100e6)) {
      assert(row.includes(`${Math.round(ns / 1e6)} ms`), `${it.name}: ${row}`);
    }
    assert(row.includes(`${it.file}:${it.line}`), row);
  }
  const all = functions.length + new Set(unplacedFunctions.map((it) => `${it.name}${it.line}`)).size;
  assert(shown.length >= Math.min(all, 20), `${shown.length} rows of ${all}`);
  await page.close();
});

await test("a frame is reached, told, zoomed to, turned over, sandwiched and left by keyboard alone", async () => {
  const page = await open(primes, { permissions: ["clipboard-read", "clipboard-write"] });
  await press(page, "Tab");
  await press(page, "1", "ArrowDown");
  assert.match(await said(page), /^handleClick/);
  await press(page, "ArrowDown", "ArrowDown");
  assert.match(await said(page), /^isPrime.*570 ms/s);
  await press(page, "z");
  await page.waitForFunction(() => document.querySelector(".crumbs").textContent.includes("genPrimes"));
  await press(page, "c");
  await page.waitForFunction(() => document.querySelector(".live").textContent === "Name copied");
  assert.equal(await page.evaluate(() => navigator.clipboard.readText()), "isPrime");
  await press(page, "C");
  await page.waitForFunction(() => document.querySelector(".live").textContent === "Stack copied");
  const stack = await page.evaluate(() => navigator.clipboard.readText());
  assert.deepEqual(stack.split("\n").map((it) => it.trim().split(" ")[0]), ["handleClick", "genPrimes", "isPrime"]);
  await press(page, "4");
  await drawn(page);
  assert.match(await page.locator(".crumbs").textContent(), /Sandwich of isPrime/);
  await press(page, "f");
  await page.waitForFunction(() => document.querySelector(".status").textContent.includes("focus on isPrime"));
  await press(page, "f", "2", "3");
  await drawn(page);
  assert.match(await said(page), /Time order/);
  await press(page, "Space");
  await press(page, "ArrowDown", "t");
  assert.equal(await page.locator(".tooltip.pinned button").first().evaluate((it) => it === document.activeElement), true);
  await press(page, "Escape", "?");
  const help = await page.locator("dialog, [role=dialog]").last().textContent();
  assert.match(help, /Zoom in/);
  await press(page, "Escape", "/");
  await page.keyboard.type("/Prime/");
  await page.waitForFunction(() => document.querySelector(".found").textContent !== "");
  assert.equal(await page.locator(".found").textContent(), "88 % of the time matches");
  assert.deepEqual(page.seen.complaints, []);
  await page.close();
});

await test("every button has a name, and every key of the help a sentence", async () => {
  const page = await open(primes);
  const nameless = await page.locator("button, canvas, input, select").evaluateAll((all) =>
    all.filter((it) => !it.hidden && it.ariaHidden !== "true" && !(it.getAttribute("aria-label") || it.title || it.textContent.trim())).map((it) => it.outerHTML));
  assert.deepEqual(nameless, []);
  await page.close();
});

await test("the mouse: a tooltip, pinned by a click; the wheel zooms; a double click says where the definition is", async () => {
  const page = await open(primes);
  const box = await page.locator("canvas.frames").boundingBox();
  const at = [box.x + 300, box.y + 45];
  await hover(page, ...at);
  assert.match(await page.locator(".tooltip").textContent(), /isPrime.*570 ms.*generate\.js:6/s);
  await page.mouse.click(...at);
  await page.waitForSelector(".tooltip.pinned");
  await press(page, "Escape");
  await page.mouse.move(...at);
  await page.mouse.wheel(0, -600);
  await page.waitForFunction(() => document.querySelector(".crumbs").textContent.includes("isPrime"));
  await page.mouse.dblclick(...at);
  await page.waitForFunction(() => !document.querySelector(".message").hidden);
  assert.match(await page.locator(".message").textContent(), /isPrime is at generate\.js:6/);
  await page.close();
});

await test("what was looked at is there again after a reload", async () => {
  const page = await open(primes);
  await press(page, "ArrowDown", "ArrowDown", "z", "2");
  await page.waitForFunction(() => location.hash.length > 1);
  await page.waitForTimeout(500);
  await page.reload();
  await page.waitForSelector(".page");
  await page.waitForFunction(() => document.querySelector("[aria-pressed=true]").textContent === "Bottom-up");
  await page.close();
});

const ODD = [
  ["one-sample.cpuprofile", profile(twice(["main"])), /main/],
  ["deep.cpuprofile", profile(twice(Array.from({ length: 10_000 }, (_, i) => `f${i}`))), /f0/],
  ["long.cpuprofile", profile(twice(["x".repeat(1 << 20)])), /xxxx/],
  ["markup.cpuprofile", profile(twice(["</script><script>alert(1)</script>", "<img src=x onerror=alert(2)>"])), /<\/script>/],
];
for (const [name, text, expected] of ODD) {
  await test(`${name} is drawn in every view`, async () => {
    const page = await open(written(name, text));
    await press(page, "1", "ArrowDown");
    assert.match(await said(page), expected);
    for (const key of "2345") {
      await press(page, key);
      await drawn(page);
    }
    assert.deepEqual([page.seen.requests.length, page.seen.complaints], [1, []]);
    assert.equal(await page.locator("img, script[src]").count(), 0);
    await page.close();
  });
}

await test("samples that span no time are a sentence", async () => {
  const page = await open(written("no-time.cpuprofile", profile([["main"]])));
  assert.match(await page.locator(".notice:not([hidden])").textContent(), /span no time/);
  await page.close();
});

await test("300 threads can be chosen from", async () => {
  const thread = (tid) => ({ ph: "M", name: "thread_name", cat: "__metadata", pid: 7, tid, ts: 0, args: { name: `Worker ${tid}` } });
  const events = [];
  for (let tid = 1; tid <= 300; tid++) {
    const event = (name, args) => ({ ph: "P", name, cat: "disabled-by-default-v8.cpu_profiler", pid: 7, tid, id: `0x${tid.toString(16)}`, ts: 5000, args });
    const nodes = [{ id: 1, callFrame: frame("(root)") }, { id: 2, parent: 1, callFrame: frame(`work${tid}`, tid) }];
    events.push(thread(tid), event("Profile", { data: { startTime: 1000 } }));
    events.push(event("ProfileChunk", { data: { cpuProfile: { nodes, samples: [2, 2, 2] }, timeDeltas: [1000, 1000, 1000] } }));
  }
  const page = await open(written("threads.json", JSON.stringify({ traceEvents: events }), "--thread", "all"));
  assert.match(await page.locator(".bar").textContent(), /Threads: 300 of 300/);
  await press(page, "p");
  await page.keyboard.type("Worker 299");
  await drawn(page);
  assert.match(await page.locator("dialog, [role=dialog]").last().textContent(), /Worker 299/);
  await press(page, "Escape");
  await page.close();
});

await test("a page whose data are damaged says so", async () => {
  const damaged = join(folder, "damaged.html");
  writeFileSync(damaged, readFileSync(primes, "utf8").replace(/(id="proflens-data">.{100}).*?</s, "$1<"));
  const page = await open(damaged);
  assert.match(await page.locator(".notice").textContent(), /\w+.*\./);
  await page.close();
});

const BEFORE = { "main parse": 600, "main render layout": 300, "main render old": 150, "main same": 400 };
const AFTER = { "main parse": 300, "main render layout": 420, "main render fresh": 90, "main same": 404, "main render old2": 2 };

function compared() {
  const before = join(folder, "before.cpuprofile");
  writeFileSync(before, many(BEFORE));
  return written("after.cpuprofile", many(AFTER), "--before", before);
}

await test("a comparison: widths of either side, frames that say what changed, and a table sorted by difference", async () => {
  const page = await open(compared());
  assert.match(await page.locator(".status").textContent(), /^1\.45 s active before, 1\.22 s after \(−16 %\) · frames show after/);
  assert.match(await page.locator(".legend").textContent(), /▼ gone.*same.*▲ new/);
  assert.equal(await page.locator(".bar button", { hasText: "Time order" }).isVisible(), false);
  await press(page, "1", "ArrowDown", "ArrowDown");
  assert.match(await said(page), /^render, total 450 ms before, 512 ms after, \+62\.0 ms \(\+14 %\)/);
  await press(page, "ArrowDown", "ArrowRight");
  assert.match(await said(page), /^fresh.*0 ms before, 90\.0 ms after.*new: not seen before/);
  await press(page, "ArrowRight");
  assert.match(await said(page), /^old2.*no more than the chance in sampling/);
  await press(page, "w");
  assert.match(await said(page), /Frames show before/);
  assert.equal(await page.locator("button", { hasText: "Show before" }).getAttribute("aria-pressed"), "true");
  await press(page, "ArrowDown", "ArrowDown");
  assert.match(await said(page), /^parse, total 600 ms before, 300 ms after, −300 ms \(−50 %\)/);
  await press(page, "ArrowRight", "ArrowDown", "ArrowRight");
  assert.match(await said(page), /^old,.*gone: not seen after/);
  await press(page, "4");
  await drawn(page);
  assert.match(await page.locator(".crumbs").textContent(), /Sandwich of old/);
  await press(page, "w");
  assert.match(await page.locator(".notice:not([hidden])").textContent(), /None of this ran after: show before/);
  await press(page, "5");
  await drawn(page);
  const names = async () => (await rows(page)).filter((it) => it.length > 1).map((it) => it[0]);
  assert.deepEqual(await names(), ["layout", "fresh", "same", "old2", "main", "render", "old", "parse"]);
  const cells = (await rows(page)).find((it) => it[0] === "layout");
  assert.deepEqual(cells.slice(1, 4), ["300 ms", "420 ms", "+120 ms, +40 %"]);
  await page.locator("th button", { hasText: "Total difference" }).click();
  await page.locator("th button", { hasText: "Total difference" }).click();
  assert.deepEqual((await names()).slice(0, 2), ["parse", "main"]);
  await press(page, "/");
  await page.keyboard.type("render");
  await page.waitForFunction(() => document.querySelector(".found").textContent !== "");
  assert.equal(await page.locator(".found").textContent(), "31 % before, 42 % after of the time matches");
  assert.deepEqual([page.seen.requests.length, page.seen.complaints], [1, []]);
  await page.close();
});

await test("the side that frames show is there again after a reload", async () => {
  const page = await open(compared());
  await press(page, "w");
  await page.waitForFunction(() => decodeURIComponent(location.hash).includes('"side":"before"'));
  await page.reload();
  await page.waitForSelector(".page");
  await page.waitForFunction(() => document.querySelector(".status").textContent.includes("frames show before"));
  await page.close();
});

for (const [name, options, blue, orange] of [
  ["light", { colorScheme: "light" }, [49, 130, 189], [250, 170, 90]],
  ["dark", { colorScheme: "dark" }, [94, 170, 232], [166, 104, 32]],
  ["contrast", { colorScheme: "dark", forcedColors: "active" }, [94, 170, 232], [166, 104, 32]],
]) {
  await test(`the colours of a comparison: ${name}`, async () => {
    const page = await open(compared(), options);
    await drawn(page);
    await page.screenshot({ path: join(pictures, `compare-${name}.png`) });
    // The right ends of render, which is second, and of parse below main: main, then render 512, same 404, parse 300 of 1,216 ms.
    const colors = await page.evaluate(() => {
      const canvas = document.querySelector("canvas.frames");
      const row = canvas.height / canvas.clientHeight * 18;
      const at = (part, depth) => [...canvas.getContext("2d").getImageData(Math.round(canvas.width * part), Math.round(row * (depth + 0.2)), 1, 1).data].slice(0, 3);
      return [at(1100 / 1216, 1), at(200 / 1216, 2)];
    });
    assert.deepEqual(colors, [blue, orange]);
    await page.close();
  });
}

for (const [name, options] of [
  ["light", { colorScheme: "light" }],
  ["dark", { colorScheme: "dark" }],
  ["contrast", { colorScheme: "dark", forcedColors: "active", reducedMotion: "reduce" }],
]) {
  await test(`a picture: ${name}`, async () => {
    const page = await open(primes, options);
    await press(page, "3", "ArrowDown", "ArrowDown");
    await drawn(page);
    await page.screenshot({ path: join(pictures, `${name}.png`) });
    const background = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    const [lightness] = background.match(/\d+/g).map(Number);
    assert.equal(lightness > 127, name === "light", background);
    await page.close();
  });
}

await test("the picture of the documentation: a bundle under the names of its sources", async () => {
  const workspace = ["--workspace", join(root, "tests/workspaces/orders")];
  const page = await open(written("tests/traces/chrome-trace/orders-enhanced-chromium156.json.gz", undefined, ...workspace), {
    viewport: { width: 1200, height: 440 },
    colorScheme: "dark",
  });
  await press(page, "3");
  await hover(page, 455, 203);
  assert.match(await page.locator(".tooltip").textContent(), /\.ts:\d+/);
  const images = process.env.UPDATE_SCREENSHOTS ? join(root, "docs/images") : pictures;
  await page.screenshot({ path: join(images, "flame.png") });
  await page.close();
});

/** A program in two versions: in the second one prices that are not high are formatted once, orders are grouped by a map, and lines are escaped. */
const version = (isNew) => `
const orders = Array.from({ length: 3000 }, (_, i) => ({ id: i, customer: "customer " + (i * 7919) % 500, cents: (i * 104729) % 100000 }));
${isNew ? "const formatted = new Map();" : ""}
function formatPrice(cents) {
  ${isNew ? "if (cents < 60000 && formatted.has(cents)) return formatted.get(cents);" : ""}
  const digits = (cents / 100).toFixed(2).split("").reverse().join("");
  const text = digits.replace(/(\\d{3})(?=\\d)/g, "$1,").split("").reverse().join("") + " EUR";
  ${isNew ? "formatted.set(cents, text);" : ""}
  return text;
}
function readOrders(text) {
  return JSON.parse(text);
}
${isNew ? `
function groupByCustomer(all) {
  const groups = new Map();
  for (const it of all) groups.set(it.customer, [...(groups.get(it.customer) ?? []), it]);
  return [...groups];
}
function escapeHtml(text) {
  return text.replace(/[&<>"]/g, (it) => "&#" + it.charCodeAt(0) + ";");
}` : `
function sortByCustomer(all) {
  return all.sort((a, b) => a.customer.localeCompare(b.customer));
}`}
function renderLine(order) {
  const line = "<li>" + order.customer + ": " + formatPrice(order.cents) + "</li>";
  return ${isNew ? "escapeHtml(line)" : "line"};
}
function renderPage(all) {
  return all.map(renderLine).join("\\n");
}
function handleRequest(text) {
  const all = readOrders(text);
  const listed = ${isNew ? "groupByCustomer(all).flatMap((it) => it[1])" : "sortByCustomer(all)"};
  return renderPage(listed).length;
}
const text = JSON.stringify(orders);
let length = 0;
for (let i = 0; i < 80; i++) length += handleRequest(text);
`;

await test("the picture of the documentation: three real runs of a program before a change, and three after it", async () => {
  const shop = join(folder, "shop");
  mkdirSync(shop);
  for (const side of ["before", "after"]) {
    writeFileSync(join(shop, "orders.cjs"), version(side === "after"));
    for (let run = 0; run < 3; run++) {
      const recorded = spawnSync(process.execPath, ["--cpu-prof", "--cpu-prof-dir", side, "orders.cjs"], { cwd: shop, encoding: "utf8" });
      assert.equal(recorded.status, 0, recorded.stderr);
    }
  }
  const made = spawnSync(proflens, ["flame", "after", "--before", "before", "--focus", "handleRequest", "-o", "a.html"], { cwd: shop, encoding: "utf8" });
  assert.equal(made.status, 0, made.stderr);
  const page = await open(join(shop, "a.html"), { viewport: { width: 1200, height: 460 } });
  assert.match(await page.locator(".status").textContent(), /means of 3 runs before, 3 after/);
  await press(page, "5");
  await drawn(page);
  const difference = async () => new Map((await rows(page)).map((it) => [it[0], it.slice(1, 7).join(" ")]));
  assert.match((await difference()).get("escapeHtml"), /^0 ms .* \+.*new/);
  await page.locator("th button", { hasText: "Self difference" }).click();
  await drawn(page);
  assert.match((await difference()).get("sortByCustomer"), /gone$/);
  await press(page, "1");
  await hover(page, 420, 170);
  assert.match(await page.locator(".tooltip").textContent(), /before.*after/);
  const images = process.env.UPDATE_SCREENSHOTS ? join(root, "docs/images") : pictures;
  await page.screenshot({ path: join(images, "flame-compare.png") });
  await page.close();
});

await finish();
