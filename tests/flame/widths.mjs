// How wide every function is drawn in every view, beside what `report` says, to the nanosecond: of recorded traces, with their
// changes of the stacks. The page's own code lays the frames out.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const root = join(import.meta.dirname, "../..");
const proflens = process.env.PROFLENS;
const scratch = join(tmpdir(), `proflens-widths-${process.pid}`);

/** The page's code, apart from what draws. */
async function pageCode() {
  const { build } = createRequire(join(root, "editors/flame/package.json"))("esbuild");
  const outfile = `${scratch}.mjs`;
  const contents = `export * from "./data"; export * from "./model"; export * from "./stacks";`;
  const stdin = { contents, resolveDir: join(root, "editors/flame/src"), loader: "ts" };
  await build({ stdin, bundle: true, format: "esm", platform: "node", outfile });
  return import(pathToFileURL(outfile).href);
}

const { readProfile, Model, outermostOccurrences } = await pageCode();

function run(...given) {
  const { status, stdout, stderr } = spawnSync(proflens, given, { cwd: root, encoding: "utf8", maxBuffer: 1 << 28 });
  assert.equal(status, 0, stderr);
  return stdout;
}

/** A function by all that report and page know of it. */
const keyOf = (name, file, line, column) => `${name || "(anonymous)"} ${file ?? "-"}:${line ?? 0}:${column ?? 0}`;

function reported(scope) {
  const report = JSON.parse(run("report", ...scope, "--format", "json", "--all", "--limit", "0"));
  const costs = new Map();
  for (const it of [...report.functions, ...report.unplacedFunctions]) {
    const key = keyOf(it.name.slice(0, 500), it.file ?? it.resource, it.line, it.column);
    const [self, total] = costs.get(key) ?? [0, 0];
    costs.set(key, [self + it.selfNs, total + it.totalNs]);
  }
  return costs;
}

async function drawnBy(scope) {
  const page = `${scratch}.html`;
  run("flame", ...scope, "--output", page);
  const [, data] = /id="proflens-data">([^<]*)</.exec(readFileSync(page, "utf8"));
  return readProfile(Buffer.from(data, "base64"));
}

/** Self and total time of each function as report knows it, of what `each` hands over. */
function byKey(profile, each) {
  const { functions, names, files, tick } = profile.header;
  const sums = new Map();
  each((fn, self, total) => {
    const file = functions.file[fn] < 0 ? null : files[functions.file[fn]];
    const name = names[functions.name[fn]];
    if (name.startsWith("(") && !file && name !== "(anonymous)") return; // time on no stack is in the ledger of the report
    const key = keyOf(name, file, functions.line[fn], functions.column[fn]);
    const sum = sums.get(key) ?? [0, 0];
    sums.set(key, [sum[0] + self * tick, sum[1] + total * tick]);
  });
  return sums;
}

/** Each rectangle of a layout: its row, its frame and how wide it is. */
function rectangles({ rows, at }, each) {
  rows.forEach((row, depth) => {
    for (let i = 0; i < row.count; i++) each(depth, row.frame[i], at[row.end[i]] - at[row.start[i]]);
  });
}

const sorted = (sums) => [...sums].filter(([, [self, total]]) => self > 0 || total > 0).sort(([a], [b]) => (a < b ? -1 : 1));
const halves = (sums, half) => sorted(sums).flatMap(([key, it]) => (it[half] > 0 ? [[key, it[half]]] : []));

/** What all views show of a profile, as the costs that it means. */
function check(profile, costs, what) {
  const threads = profile.header.threads.map((_, i) => i);
  const choice = { threads, span: null, isFolded: false, focus: null };
  const model = new Model(profile, choice);
  const { self, total } = model.functionCosts();
  const table = byKey(profile, (add) => total.forEach((it, fn) => add(fn, self[fn], it)));
  const known = new Map([...costs].filter(([key]) => !/^\(.*\) -:0:0$/.test(key)));
  assert.deepEqual(sorted(table), sorted(known), `${what}: the table`);

  const count = profile.header.functions.name.length;
  const first = outermostOccurrences(model.stacks, count);
  const merged = byKey(profile, (add) =>
    rectangles(model.layout("callTree", null, 0), (_, frame, width) => {
      if (first[frame]) add(model.stacks.fn[frame], 0, width);
    }),
  );
  assert.deepEqual(halves(merged, 1), halves(known, 1), `${what}: merged`);

  const inverted = model.layout("inverted", null, 0);
  const turned = byKey(profile, (add) =>
    rectangles(inverted, (row, frame, width) => {
      if (row === 0) add(inverted.frames.fn[frame], width, 0);
    }),
  );
  assert.deepEqual(halves(turned, 0), halves(known, 0), `${what}: bottom-up`);

  for (let fn = 0; fn < count; fn++) {
    const layout = total[fn] > 0 && model.layout("sandwich", fn, 0);
    if (!layout) continue;
    assert.equal(layout.length, total[fn], `${what}: the sandwich of ${profile.header.names[fn]}`);
    // The callers of a function are what it is called from: as wide as it is, but for what nothing called.
    const above = layout.anchor > 0 ? layout.rows[layout.anchor - 1] : { count: 0 };
    let callers = 0;
    for (let i = 0; i < above.count; i++) callers += layout.at[above.end[i]] - layout.at[above.start[i]];
    assert(callers <= total[fn], `${what}: callers of ${profile.header.names[fn]}`);
  }

  const inTime = byKey(profile, (add) => {
    for (const thread of threads) {
      if (profile.header.threads[thread].runs[2] === 0) continue;
      rectangles(model.layout("time", null, thread), (_, frame, width) => {
        if (first[frame]) add(model.stacks.fn[frame], 0, width);
      });
    }
  });
  if (threads.every((it) => profile.header.threads[it].runs[2] > 0)) {
    assert.deepEqual(halves(inTime, 1), halves(known, 1), `${what}: in order of time`);
    return "and in order of time";
  }
  return "without an order of time";
}

const PRIMES = ["--workspace", "examples/primes"];
const CASES = [
  ["examples/primes/primes.cpuprofile", ...PRIMES],
  ["tests/traces/cpuprofile/zoo-node20.cpuprofile"],
  ["tests/traces/chrome-trace/orders-enhanced-chromium156.json.gz", "--workspace", "tests/workspaces/orders", "--thread", "all"],
  ["tests/traces/chrome-trace/primes-chromium156.json.gz", ...PRIMES],
  ["tests/traces/self-profiling/zoo-chromium156.json"],
  ["tests/traces/cpuprofile/kinds-node24.cpuprofile.gz", "--workspace", "tests/workspaces/kinds"],
];
for (const change of [["--focus", "genPrimes"], ["--callers-of", "isPrime"], ["--drop", "genPrimes"], ["--merge", "genPrimes"], ["--between", "0.3s", "0.5s"]]) {
  CASES.push(["examples/primes/primes.cpuprofile", ...PRIMES, ...change]);
}

let failed = 0;
for (const scope of CASES) {
  const what = scope.join(" ");
  try {
    const order = check(await drawnBy(scope), reported(scope), what);
    console.log(`ok   every frame is as wide as its function cost, ${order}: ${what}`);
  } catch (error) {
    failed++;
    console.log(`FAIL ${what}\n${error.stack}`);
  }
}
for (const it of [`${scratch}.mjs`, `${scratch}.html`]) rmSync(it, { force: true });
process.exit(failed > 0 ? 1 : 0);
