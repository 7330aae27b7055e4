// What recording costs a program: `node benches/overhead.mjs PROFLENS`, with a release build.
//
// The same work, about ten seconds of one core, is run without a profiler, with `node --cpu-prof` and with `proflens record` at the same
// interval. Each round runs all three, in another order than the round before. A ratio is made within a round, whose runs met the same load
// of the machine, and the median of the ratios is printed. "whole" is the process as a user starts it, with writing what was recorded and, of
// `proflens record`, the table of hottest functions; "work" is what the program measures of itself, which is without all that.

import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: "string", default: "9" },
    interval: { type: "string", default: "1000" }, // microseconds
    work: { type: "string", default: "220" }, // turns; each takes about 45 ms
  },
});
const proflens = resolve(positionals[0] ?? "target/release/proflens");

// Calls of many functions to some depth, allocation, texts, sorting and JSON: what profiles are made of. It ends with what it took.
const PROGRAM = `
const tree = (depth) => (depth === 0 ? { value: 1 } : { left: tree(depth - 1), right: tree(depth - 1), value: depth });
const sum = (node) => (node ? node.value + sum(node.left) + sum(node.right) : 0);
const functions = Array.from({ length: 200 }, (_, i) => new Function("all", "depth", "seed",
  "let s = " + i + "; for (let i = 0; i < 40; i++) s = (s * 31 + i * depth) | 0; return depth > 0 ? (s + all[(depth * 13 + seed) % 200](all, depth - 1, seed)) | 0 : s;"));
let state = 12345;
const random = () => (state = (state * 1103515245 + 12345) & 0x7fffffff);
function calls() { let s = 0; for (let i = 0; i < 2600; i++) s ^= functions[i % 200](functions, 40, i % 20); return s; }
function texts() { const found = new Map(); for (let i = 0; i < 40000; i++) { const word = "w" + (random() % 997); found.set(word, (found.get(word) ?? 0) + 1); } return found.size; }
function sorts() { return Array.from({ length: 20000 }, random).sort((a, b) => a - b)[0] & 1; }
function json() { return JSON.parse(JSON.stringify(Array.from({ length: 4000 }, (_, i) => ({ id: i, name: "n" + i, tags: ["a", "b"] })))).length; }
const [wall, cpu] = [process.hrtime.bigint(), process.cpuUsage()];
let result = 0;
for (let turn = 0; turn < Number(process.argv[2]); turn++) result = (result + sum(tree(14)) + calls() + texts() + sorts() + json()) | 0;
const used = process.cpuUsage(cpu);
console.log(JSON.stringify({ result, wall: Number(process.hrtime.bigint() - wall) / 1e9, cpu: (used.user + used.system) / 1e6 }));
`;

const folder = mkdtempSync(join(tmpdir(), "proflens-overhead-"));
writeFileSync(join(folder, "work.js"), PROGRAM);
const program = [join(folder, "work.js"), values.work];
const interval = values.interval;
const CASES = {
  "without": [process.execPath, ...program],
  "node --cpu-prof": [process.execPath, "--cpu-prof", `--cpu-prof-interval=${interval}`, "--cpu-prof-dir=profiles", ...program],
  "proflens record": [proflens, "record", "--interval", `${interval}us`, "--", process.execPath, ...program],
};

/** Seconds of a run; bash knows those of the CPU, also of the programs that a program started. */
function run(name) {
  const timed = 'TIMEFORMAT="%R %U %S"; time "$@"';
  const { status, stdout, stderr } = spawnSync("bash", ["-c", timed, "-", ...CASES[name]], { cwd: folder, encoding: "utf8", env: { ...process.env, LC_ALL: "C" } });
  if (status !== 0) throw new Error(`${name} ended with ${status}: ${stderr}`);
  const [wall, user, system] = stderr.trim().split("\n").at(-1).split(" ").map(Number);
  const work = JSON.parse(stdout);
  return { result: work.result, "whole, wall": wall, "whole, CPU": user + system, "work, wall": work.wall, "work, CPU": work.cpu };
}

const median = (numbers) => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)];

const names = Object.keys(CASES);
const rounds = [];
for (let round = 0; round < Number(values.rounds); round++) {
  const order = names.map((_, i) => names[(i + round) % names.length]);
  const runs = Object.fromEntries(order.map((name) => [name, run(name)]));
  if (new Set(names.map((name) => runs[name].result)).size !== 1) throw new Error("the programs did not do the same work");
  rounds.push(runs);
  console.error(`round ${round + 1}: ${names.map((name) => `${name} ${runs[name]["whole, wall"].toFixed(2)} s`).join(", ")}`);
}
rmSync(folder, { recursive: true });

console.log(`| | ${names.join(" | ")} | proflens record to node --cpu-prof, median (smallest to largest) |\n| --- | ---: | ---: | ---: | ---: |`);
for (const measure of Object.keys(rounds[0].without).filter((it) => it !== "result")) {
  const seconds = names.map((name) => `${median(rounds.map((runs) => runs[name][measure])).toFixed(2)} s`);
  const ratios = rounds.map((runs) => runs["proflens record"][measure] / runs["node --cpu-prof"][measure]);
  const spread = [Math.min(...ratios), Math.max(...ratios)].map((ratio) => `×${ratio.toFixed(3)}`).join(" to ");
  console.log(`| ${measure} | ${seconds.join(" | ")} | ×${median(ratios).toFixed(3)} (${spread}) |`);
}
