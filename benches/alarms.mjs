// How often `proflens compare` raises a false alarm, and how often it finds a planted slowdown, on real recordings:
//
//   node benches/alarms.mjs PROFLENS [PROGRAM…] [--runs 24] [--busy 0] [--pairs 10] [--comparisons 100]
//     [--per machine] [--keep FOLDER]
//
// It records by itself: each program as it is and with planted slowdowns, by turns, while `--busy` programs that do nothing but run are
// beside it. From these recordings it draws `--pairs` pairs of runs again and again, each of neighbours as `record --against` takes them, and
// counts in how many comparisons something is said to have changed of which nothing did, and in how many what was planted is found. It ends
// with a table; docs/compare.md has the figures. With `--keep` what was recorded there before is not recorded again.

import { execFileSync, spawn, spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { randomFrom } from "./random.mjs";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    runs: { type: "string", default: "24" },
    busy: { type: "string", default: "0" },
    pairs: { type: "string", default: "10" },
    comparisons: { type: "string", default: "100" },
    per: { type: "string", default: "machine" },
    keep: { type: "string" },
  },
});
const [proflens = "target/release/proflens", ...wanted] = positionals;
const [runs, busy, pairs, comparisons] = [values.runs, values.busy, values.pairs, values.comparisons].map(Number);
if (!(pairs >= 3 && runs > pairs)) throw new Error("--runs must be more than --pairs, and these at least 3");
const folder = values.keep ? resolve(values.keep) : mkdtempSync(join(tmpdir(), "alarms-"));

/** What a planted function does, whose work is `SLOW` percent more: it has 5 to 8 % of the time. */
const PLANTED = `
const slow = 1 + Number(process.env.SLOW ?? 0) / 100;
export function checksum(bytes, rounds) {
  let sum = 0;
  // By bits, so that one call has as many turns as are asked for, to the percent.
  const end = Math.round(rounds * slow * bytes.length) | 0;
  for (let at = 0; at < end; at++) sum = (Math.imul(sum, 31) + bytes[at & 0xffff]) | 0;
  return sum;
}
`;
/**
 * A package that works on a text: what is copied of it, what is imported, and a turn. A run takes about four seconds: in one of a second a
 * function with 6 % of the time has 200 samples, whose error alone is 7 %.
 */
const ofPackage = (packages, copied, imported, turn, turns, rounds) => ({
  packages,
  copied,
  main: `import { readFileSync } from "node:fs";
import * as it from "${imported}";
import { checksum } from "./planted.mjs";
const text = readFileSync(new URL("./text", import.meta.url), "utf8");
const bytes = new Uint8Array(0x10000).map((_, at) => text.charCodeAt(at % text.length));
function turn() { return ${turn}; }
for (let at = 0; at < ${turns}; at++) { turn(); checksum(bytes, ${rounds}); }
`,
});
/** Six functions of which each has about as much time; of those that PLANTED names, each does `SLOW` percent more. */
const SIX = `
const slow = 1 + Number(process.env.SLOW ?? 0) / 100;
const planted = (process.env.PLANTED ?? "one").split(",");
const times = (name, rounds) => Math.round(rounds * (planted.includes(name) ? slow : 1));
function one(n) { let a = 1; for (let i = 1; i < n; i++) a = (a * 16807) % 2147483647; return a; }
function two(n) { let a = 0; for (let i = 0; i < n; i++) a += Math.sqrt(i ^ a); return a; }
function three(n) { const a = []; for (let i = 0; i < n; i++) a[i & 1023] = i * 0.5; return a.length; }
function four(n) { let a = ""; for (let i = 0; i < n; i++) a = (a + i).slice(-9); return a; }
function five(n) { const a = new Map(); for (let i = 0; i < n; i++) a.set(i & 511, i); return a.size; }
function six(n) { let a = 7; for (let i = 0; i < n; i++) a = a ^ (a << 13) ^ (a >>> 17) ^ (a << 5); return a; }
for (let turn = 0; turn < 24; turn++) {
  one(times("one", 9e5)); two(times("two", 14e6)); three(times("three", 14e6)); four(times("four", 4e5)); five(times("five", 27e5)); six(times("six", 18e6));
}
`;
const PROGRAMS = {
  acorn: ofPackage(
    ["acorn"],
    { "lib.mjs": "acorn/dist/acorn.mjs", text: "acorn/dist/acorn.mjs" },
    "./lib.mjs",
    "it.parse(text, { ecmaVersion: 2022, sourceType: 'module' })",
    120,
    16,
  ),
  marked: ofPackage(
    ["marked"],
    { "lib.mjs": "marked/lib/marked.esm.js", text: "marked/lib/marked.esm.js" },
    "./lib.mjs",
    "it.marked.parse(text)",
    400,
    6,
  ),
  postcss: ofPackage(
    ["postcss", "bootstrap"],
    { lib: "postcss/lib", node_modules: "", text: "bootstrap/dist/css/bootstrap.css" },
    "./lib/postcss.mjs",
    "it.parse(text).toString()",
    90,
    30,
  ),
  six: { main: SIX },
};
/** What is planted in them: the environment, and whether the answer names it. */
const isSlower = (name) => (it) => it.functions.some((each) => each.name === name && each.verdict === "regression");
const PLANTED_IN = {
  package: {
    "10 %": [{ SLOW: "10" }, isSlower("checksum")],
    "5 %": [{ SLOW: "5" }, isSlower("checksum")],
  },
  six: {
    "30 % in one of six": [{ SLOW: "30" }, isSlower("one")],
    "20 % in three of six": [{ SLOW: "20", PLANTED: "one,two,three" }, (it) => ["one", "two", "three"].some((name) => isSlower(name)(it))],
    "20 % in all": [{ SLOW: "20", PLANTED: "one,two,three,four,five,six" }, (it) => it.machine?.p <= 0.05 && it.machine.ratio > 1 || it.active.verdict === "regression"],
  },
};

const { random, draw } = randomFrom(7);

/** Makes the folder of a program, and records it by turns. */
function record(name, program, variants) {
  const home = join(folder, name);
  mkdirSync(home, { recursive: true });
  writeFileSync(join(home, "main.mjs"), program.main);
  if (program.packages && !existsSync(join(home, "planted.mjs"))) {
    execFileSync("npm", ["install", "--silent", "--no-save", "--prefix", join(folder, "packages"), ...program.packages]);
    const installed = join(folder, "packages/node_modules");
    for (const [to, from] of Object.entries(program.copied)) cpSync(join(installed, from), join(home, to), { recursive: true });
    writeFileSync(join(home, "planted.mjs"), PLANTED);
  }
  const beside = Array.from({ length: busy }, () => spawn(process.execPath, ["-e", "for (;;);"], { stdio: "ignore" }));
  try {
    takeTurns(name, home, variants);
  } finally {
    for (const program of beside) program.kill();
  }
  return home;
}

/** Where a run is recorded to: the number is that of its turn. */
const recording = (variant, turn) => join(variant, `${turn}.json.gz`);

/** Records a program as it is, and with each change, by turns: of each turn two runs as it is, and one with each change. */
function takeTurns(name, home, variants) {
  for (let turn = 0; turn < runs; turn++) {
    const all = [["same", {}], ["again", {}], ...Object.entries(variants).map(([variant, [env]]) => [variant, env])];
    for (const [variant, env] of draw(all, all.length)) {
      const out = join(home, recording(variant, turn));
      if (existsSync(out)) continue;
      const args = ["record", "--interval", "200us", "--out", out, "--", "node", "main.mjs"];
      const { status, stderr } = spawnSync(resolve(proflens), args, { cwd: home, env: { ...process.env, ...env }, stdio: ["ignore", "ignore", "pipe"] });
      if (status !== 0) {
        rmSync(out, { force: true });
        throw new Error(`${name} cannot be recorded: ${stderr}`);
      }
    }
    process.stderr.write(`\r${name}: ${turn + 1} of ${runs} turns`);
  }
  process.stderr.write("\n");
}

function compare(workspace, before, after) {
  const args = ["compare", "--format", "json", "--per", values.per, ...before, "--", ...after];
  return JSON.parse(execFileSync(resolve(proflens), args, { cwd: workspace, encoding: "utf8", maxBuffer: 1 << 28, stdio: ["ignore", "pipe", "ignore"] }));
}

const isCertain = (it) => it.verdict === "regression" || it.verdict === "improvement";
const alarms = (it) => isCertain(it.active) || it.functions.some((each) => isCertain(each.self) || isCertain(each.total) || isCertain(each));
const turns = Array.from({ length: runs }, (_, turn) => turn);

/** How many of the comparisons of one program's runs as it is with a variant end in what is asked for. */
function count(home, variant, isAsked) {
  const one = () => {
    const drawn = draw(turns, pairs);
    // Of the same, which is before and which after is drawn for each pair.
    const sides = drawn.map((turn) => (variant === "again" && random() < 0.5 ? ["again", "same"] : ["same", variant]).map((it) => recording(it, turn)));
    return isAsked(compare(home, sides.map((it) => it[0]), sides.map((it) => it[1])));
  };
  return Array.from({ length: comparisons }, one).filter(Boolean).length;
}

const chosen = Object.entries(PROGRAMS).filter(([name]) => !wanted.length || wanted.includes(name));
const rows = [];
for (const [name, program] of chosen) {
  const variants = PLANTED_IN[program.packages ? "package" : "six"];
  const home = record(name, program, variants);
  rows.push([name, "nothing changed, an alarm", count(home, "again", alarms)]);
  for (const [variant, [, isFound]] of Object.entries(variants)) rows.push([name, `${variant}, found`, count(home, variant, isFound)]);
}
console.log(`| program | ${pairs} pairs of runs, --per ${values.per}, ${busy} busy programs beside | of ${comparisons} |\n| --- | --- | ---: |`);
for (const row of rows) console.log(`| ${row.join(" | ")} |`);
