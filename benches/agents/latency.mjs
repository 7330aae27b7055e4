// How long an agent waits for answers about a large recording, and whether a long session keeps its memory:
//
//   node benches/agents/latency.mjs PROFLENS [--megabytes 100] [--rounds 9] [--calls 10000]
//
// A `.cpuprofile` of that size is made. Each round starts `proflens report` and `proflens mcp`, whose first question is `hottest`, one after the
// other, and the median of the differences is printed. The server of the last round then answers different questions one after another, of which
// the slowest hundredth is printed, and the memory that it has after the first thousand and at the end.

import { execFileSync } from "node:child_process";
import { mkdtempSync, openSync, readFileSync, writeFileSync, writeSync, closeSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { randomFrom } from "../random.mjs";
import { connect } from "./server.mjs";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { megabytes: { type: "string", default: "100" }, rounds: { type: "string", default: "9" }, calls: { type: "string", default: "10000" } },
});
const proflens = resolve(positionals[0] ?? "target/release/proflens");
const [megabytes, rounds, calls] = [values.megabytes, values.rounds, values.calls].map(Number);
const { random } = randomFrom(1);
const workspace = mkdtempSync(join(tmpdir(), "latency-"));
const FILES = 40;
const FUNCTIONS = 50;
const NODES = 20_000;

for (let file = 0; file < FILES; file++) {
  const text = Array.from({ length: FUNCTIONS }, (_, i) => `export function work${file}_${i}(value) {\n  return value + ${i};\n}\n`).join("");
  writeFileSync(join(workspace, `file${file}.js`), text);
}
writeTrace(join(workspace, "trace.cpuprofile"));

/** Writes a trace with deep stacks of the functions of all files. */
function writeTrace(path) {
  const children = Array.from({ length: NODES + 1 }, () => []);
  for (let id = 2; id <= NODES; id++) children[Math.max(1, id - 1 - Math.floor(random() * 30))].push(id);
  const nodes = Array.from({ length: NODES }, (_, index) => {
    const [file, number] = [Math.floor(random() * FILES), Math.floor(random() * FUNCTIONS)];
    const own = { functionName: `work${file}_${number}`, scriptId: String(file + 1), url: `file://${join(workspace, `file${file}.js`)}`, lineNumber: number * 3, columnNumber: `export function work${file}_${number}`.length };
    const root = { functionName: "(root)", scriptId: "0", url: "", lineNumber: -1, columnNumber: -1 };
    return { id: index + 1, callFrame: index ? own : root, children: children[index + 1] };
  });
  const file = openSync(path, "w");
  const first = JSON.stringify({ nodes }).slice(0, -1);
  writeSync(file, first);
  const count = Math.floor((megabytes * 1e6 - first.length) / 10.3);
  writeList(file, "samples", count, () => 2 + Math.floor(random() * (NODES - 1)));
  let end = 0;
  writeList(file, "timeDeltas", count, () => {
    const delta = 100 + Math.floor(random() * 300);
    end += delta;
    return delta;
  });
  writeSync(file, `,"startTime":0,"endTime":${end}}`);
  closeSync(file);
}

function writeList(file, key, count, next) {
  writeSync(file, `,"${key}":[`);
  for (let written = 0; written < count; written += 100_000) {
    const part = Array.from({ length: Math.min(100_000, count - written) }, next).join();
    writeSync(file, `${written ? "," : ""}${part}`);
  }
  writeSync(file, "]");
}

const median = (numbers) => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)];
const [reports, firsts, differences] = [[], [], []];
let session;
for (let round = 0; round < rounds; round++) {
  session?.close();
  let before = performance.now();
  execFileSync(proflens, ["report", "trace.cpuprofile"], { cwd: workspace, stdio: "ignore" });
  reports.push(performance.now() - before);
  before = performance.now();
  session = await connect(proflens, workspace);
  await session.ask("hottest");
  firsts.push(performance.now() - before);
  differences.push(firsts.at(-1) - reports.at(-1));
}
console.log(`${(statSync(join(workspace, "trace.cpuprofile")).size / 1e6).toFixed(0)} MB: report ${median(reports).toFixed(0)} ms, first answer ${median(firsts).toFixed(0)} ms, difference ${median(differences).toFixed(0)} ms, medians of ${rounds}`);

/** The question with a number: each asks about something else than the one before. */
function question(number) {
  const name = `work${number % FILES}_${(number * 7) % FUNCTIONS}`;
  const all = [["function", { name }], ["hottest", { what: "lines" }], ["ledger", {}], ["paths", { name }], ["hottest", { by: "total", max_tokens: 300 + (number % 900) }], ["recordings", {}]];
  return all[number % all.length];
}

/** Megabytes of memory that a process has. */
const memory = ({ pid }) => Number(readFileSync(`/proc/${pid}/status`, "utf8").match(/VmRSS:\s+(\d+)/)[1]) / 1024;
const times = {};
let early;
for (let number = 0; number < calls; number++) {
  const [tool, parameters] = question(number);
  const before = performance.now();
  await session.ask(tool, parameters);
  (times[tool] ??= []).push(performance.now() - before);
  if (number === Math.min(999, calls - 1)) early = memory(session);
}
const slowest = (list) => list.toSorted((a, b) => a - b)[Math.min(list.length - 1, Math.floor(list.length * 0.99))];
for (const [tool, list] of Object.entries({ all: Object.values(times).flat(), ...times })) {
  console.log(`${tool}: median ${median(list).toFixed(2)} ms, 99 % within ${slowest(list).toFixed(2)} ms, of ${list.length}`);
}
console.log(`memory: ${early.toFixed(0)} MB after 1,000 calls, ${memory(session).toFixed(0)} MB after ${calls}`);
session.close();
