// Writes sessions of the shop as `proflens collect` keeps them: the same bytes for the same options.
//
//     node generate.mjs --sessions 2000 --release 42 --out shards [--seed 1] [--days 4] [--shard-size 1000]
//                       [--slow editDistance --by 1.15] [--releases DIR]

import { closeSync, mkdirSync, openSync, readdirSync, readFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";

import { chance, keyOf, PAGES, RESOURCES, stacksOfPages } from "./model.mjs";

const FIRST_DAY = Date.UTC(2026, 10, 17);
const DAY = 86_400_000;
/** Devices with their share of sessions, and how much slower they are than a desktop. */
const DEVICES = [["phone", 0.55, 1.9], ["tablet", 0.1, 1.4], ["desktop", 0.35, 1]];
const COUNTRIES = [["DE", 0.4], ["FR", 0.2], ["AT", 0.12], ["IT", 0.1], ["JP", 0.08], ["US", 0.1]];
/** Of a session on a desktop, in samples of 10 ms: the time in which functions ran, and the time without a stack. */
const ACTIVE = 175;
const QUIET = 345;

const { values: options } = parseArgs({
  options: {
    sessions: { type: "string" },
    release: { type: "string" },
    seed: { type: "string", default: "1" },
    days: { type: "string", default: "4" },
    out: { type: "string" },
    "shard-size": { type: "string", default: "1000" },
    slow: { type: "string" },
    by: { type: "string", default: "1.15" },
    releases: { type: "string", default: join(import.meta.dirname, "releases") },
  },
});
const { release, releases, out } = options;
const [count, days, shardSize, by] = ["sessions", "days", "shard-size", "by"].map((it) => Number(options[it]));
if (!(count > 0 && days > 0 && shardSize > 0 && by > 0) || !release || !out) {
  console.error("name --sessions N, --release 41 or 42, and --out DIR: the other options are at the top of generate.mjs");
  process.exit(2);
}

const functionsOf = (release) => JSON.parse(readFileSync(join(releases, release, "functions.json"), "utf8"));
// Only what all releases have runs, so that they differ by --slow alone.
const [first, ...others] = readdirSync(releases).map((it) => new Set(functionsOf(it).map(keyOf)));
const functions = functionsOf(release).filter((it) => first.has(keyOf(it)) && others.every((other) => other.has(keyOf(it))));
if (options.slow && !functions.some((it) => it.name === options.slow)) {
  console.error(`no function that all releases have is named ${options.slow}: functions.json lists them`);
  process.exit(2);
}
const pages = stacksOfPages(functions).map(withTables);

/** The stacks of a page with numbers instead of frames: each stack is a node of one tree, whose parents come first. */
function withTables(stacks) {
  const frames = [];
  const nodes = []; // { frame, parent }
  const byText = new Map();
  const byPath = new Map();
  const numbered = stacks.map(({ frames: texts, top, share }) => {
    let node = -1;
    for (const text of texts) {
      if (!byText.has(text)) byText.set(text, frames.push(text) - 1);
      const path = `${node} ${byText.get(text)}`;
      if (!byPath.has(path)) byPath.set(path, nodes.push({ frame: byText.get(text), parent: node }) - 1);
      node = byPath.get(path);
    }
    return { node, mean: ACTIVE * share * (top !== "" && top === options.slow ? by : 1), top };
  });
  const tops = [...new Set(numbered.map((it) => it.top))];
  for (const it of numbered) it.top = tops.indexOf(it.top);
  return {
    frames,
    stacks: numbered,
    tops: tops.length,
    parent: Int32Array.from(nodes, (it) => it.parent),
    frame: Int32Array.from(nodes, (it) => it.frame),
    nodeAt: new Int32Array(nodes.length), // where a node is in the session that is written, or -1
    frameAt: new Int32Array(frames.length),
  };
}

// Random numbers by sfc32, started again for each session, so that no session depends on the ones before it.
let a, b, c, d;
function startRandom(session) {
  const text = `${options.seed} ${release} ${session}`;
  [a, b, c, d] = ["a", "b", "c"].map((it) => chance(text + it) * 2 ** 32 | 0).concat(1);
  for (let at = 0; at < 8; at++) random();
}
function random() {
  const sum = (((a + b) | 0) + d) | 0;
  d = (d + 1) | 0;
  a = b ^ (b >>> 9);
  b = (c + (c << 3)) | 0;
  c = ((c << 21) | (c >>> 11)) + sum | 0;
  return (sum >>> 0) / 2 ** 32;
}
function below(limit) {
  return Math.floor(random() * limit);
}
function normal() {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}
/** Log-normal with a mean of 1. */
function spread(sigma) {
  return Math.exp(sigma * normal() - (sigma * sigma) / 2);
}
function poisson(mean) {
  if (mean > 30) return Math.max(0, Math.round(mean + Math.sqrt(mean) * normal()));
  const limit = Math.exp(-mean);
  let count = 0;
  for (let product = random(); product > limit; product *= random()) count++;
  return count;
}
function pick(list, share, at = random()) {
  let left = at * list.reduce((sum, it) => sum + share(it), 0);
  return list.findIndex((it) => (left -= share(it)) < 0);
}

/** What is known of a session, and how slow it is. Of two sessions one has a user, and a user has two or three of them. */
function visitor(session) {
  const user = random() < 0.5 ? `u${below(Math.ceil(count / 5))}` : undefined;
  const known = user ?? `${session}`;
  const device = DEVICES[pick(DEVICES, (it) => it[1], chance(`${known} device`))];
  const country = COUNTRIES[pick(COUNTRIES, (it) => it[1], chance(`${known} country`))][0];
  const own = user ? Math.exp(0.4 * (chance(`${user} own`) - 0.5)) : 1;
  return { user, country, device: device[0], slow: device[2] * own * spread(0.55) };
}

const drawn = new Int32Array(20_000);
const EMPTY = -1;

/** The node of each sample, in order, in `drawn`: runs of a stack, and pauses between them. Gives their number. */
function draw(page, slow) {
  const factors = Float64Array.from({ length: page.tops }, () => spread(0.45));
  let number = 0;
  for (const { node, mean, top } of page.stacks) {
    for (let left = poisson(mean * slow * factors[top]); left > 0 && number < 15_000; left--) drawn[number++] = node;
  }
  const quiet = Math.round(QUIET * spread(0.15));
  // Stacks that are alike stay together as in a real trace: blocks of eight samples are shuffled, not samples.
  const blocks = Array.from({ length: Math.ceil(number / 8) }, (_, at) => at);
  for (let at = blocks.length - 1; at > 0; at--) {
    const other = below(at + 1);
    [blocks[at], blocks[other]] = [blocks[other], blocks[at]];
  }
  const active = drawn.slice(0, number);
  const pause = Math.ceil(quiet / (blocks.length + 1));
  let at = 0;
  for (let left = 0; left < pause; left++) drawn[at++] = EMPTY;
  for (const block of blocks) {
    for (let of = block * 8; of < Math.min(number, block * 8 + 8); of++) drawn[at++] = active[of];
    for (let left = 0; left < pause && at - number < quiet; left++) drawn[at++] = EMPTY;
  }
  return at;
}

/** The number of a node in the session that is written; what the session has not had yet is added to its tables. */
function place(page, node, tables) {
  if (page.nodeAt[node] >= 0) return page.nodeAt[node];
  const parent = page.parent[node];
  const parentAt = parent < 0 ? -1 : place(page, parent, tables);
  const frame = page.frame[node];
  if (page.frameAt[frame] < 0) {
    page.frameAt[frame] = tables.frameCount++;
    tables.frames += (tables.frames && ",") + page.frames[frame];
  }
  const parentText = parentAt < 0 ? "" : `,"parentId":${parentAt}`;
  tables.stacks += `${tables.stacks && ","}{"frameId":${page.frameAt[frame]}${parentText}}`;
  return (page.nodeAt[node] = tables.stackCount++);
}

function line(session) {
  startRandom(session);
  const at = pick(PAGES, (it) => it.share);
  const page = pages[at];
  const { user, country, device, slow } = visitor(session);
  const number = draw(page, slow);
  page.nodeAt.fill(-1);
  page.frameAt.fill(-1);
  // The first sample of Chromium is the profiler itself.
  const tables = { frames: '{"name":"Profiler"}', stacks: '{"frameId":0}', frameCount: 1, stackCount: 1 };
  let time = 80 + random() * 900;
  let samples = `{"stackId":0,"timestamp":${time}}`;
  const gap = random() < 0.03 ? below(number) : -1;
  for (let sample = 0; sample < number; sample++) {
    // Chromium's clock has steps of 0.1 ms.
    time = Math.round((time + 10 + (random() - 0.5) * 1.2) * 10) / 10 + 5.59e-10;
    if (sample === gap) time += 1_100 + below(1_500);
    const node = drawn[sample];
    const stack = node === EMPTY ? "" : `"stackId":${place(page, node, tables)},`;
    const marker = node !== EMPTY && random() < 0.012 ? `"marker":"gc",` : "";
    samples += `,{${marker}${stack}"timestamp":${time}}`;
  }
  const receivedAt = new Date(FIRST_DAY + Math.floor(((session + random()) / count) * days * DAY)).toISOString();
  const dimensions = { page: PAGES[at].path, device, country, release, ...(user && { user }) };
  const resources = JSON.stringify(RESOURCES);
  return `{"receivedAt":"${receivedAt}","dimensions":${JSON.stringify(dimensions)},"trace":{"frames":[${tables.frames}],"resources":${resources},"samples":[${samples}],"stacks":[${tables.stacks}]}}\n`;
}

mkdirSync(out, { recursive: true });
for (let start = 0; start < count; start += shardSize) {
  const name = `${release}-${String(start / shardSize).padStart(4, "0")}.ndjson`;
  const file = openSync(join(out, name), "w");
  let waiting = "";
  for (let session = start; session < Math.min(count, start + shardSize); session++) {
    waiting += line(session);
    if (waiting.length > 1 << 20) {
      writeSync(file, waiting, null, "latin1");
      waiting = "";
    }
  }
  writeSync(file, waiting, null, "latin1");
  closeSync(file);
}
