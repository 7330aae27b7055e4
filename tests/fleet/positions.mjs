// The built releases of examples/fleet, in the folder that is named, in a real Chromium that measures itself: each function of the bundle that it saw stands in
// functions.json, at the same place and by the same name. Code of a class that nobody wrote as a function is seen by
// chance alone and has no cost in the made sessions: its field initialisers, which V8 calls as an unnamed function at the first
// field, and its constructor, which V8 makes at the word `class` where none is written.

import assert from "node:assert/strict";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";

import { Chromium } from "../collect/chromium.mjs";

const releases = process.argv[2];
const PAGE = `<!doctype html><meta charset="utf-8"><link rel="icon" href="data:,"><script src="/assets/app.js"></script>`;

let failed = 0;
for (const release of ["41", "42"]) {
  const bundle = readFileSync(join(releases, release, "dist/assets/app.js"));
  const web = createServer((request, response) => {
    const [type, body] = request.url === "/" ? ["text/html", PAGE] : ["text/javascript", bundle];
    response.writeHead(200, { "Content-Type": type, "Document-Policy": "js-profiling" }).end(body);
  });
  web.listen(0, "127.0.0.1");
  await once(web, "listening");
  const browser = new Chromium();
  try {
    const page = await browser.open(`http://127.0.0.1:${web.address().port}/`);
    await page.evaluate("globalThis.profiler = new Profiler({ sampleInterval: 10, maxBufferSize: 100000 })");
    await page.evaluate("shop.browse(3000)");
    const taken = await page.send("Runtime.evaluate", { expression: "profiler.stop().then(JSON.stringify)", awaitPromise: true });
    const trace = JSON.parse(taken.result.value);
    const known = JSON.parse(readFileSync(join(releases, release, "functions.json"), "utf8"));
    const place = (it, name) => `${it.line}:${it.column} ${name}`;
    const places = new Set(known.map((it) => place(it, it.minified)));
    const lines = bundle.toString().split("\n");
    const isMade = ({ name, line, column }) => {
      const [before, after] = [lines[line - 1].slice(0, column - 1), lines[line - 1].slice(column - 1)];
      return /^class\b/.test(after) || (name === "" && /\bclass\b[^{}]*\{$/.test(before));
    };
    const ofBundle = trace.frames.filter((it) => trace.resources[it.resourceId]?.endsWith("/assets/app.js") && it.line);
    const seen = ofBundle.filter((it) => !isMade(it));
    assert.deepEqual(seen.map((it) => place(it, it.name)).filter((it) => !places.has(it)), []);
    assert.ok(seen.length > 40, `only ${seen.length} functions were seen`);
    console.log(`ok   ${seen.length} functions of release ${release} are where Chromium sees them`);
  } catch (error) {
    failed++;
    console.log(`FAIL functions of release ${release} are where Chromium sees them\n${error.stack}`);
  } finally {
    await browser.close();
    web.close();
  }
}
process.exit(failed === 0 ? 0 : 1);
