// How often `proflens compare` raises a false alarm, and how often it finds a planted slowdown, on real recordings:
//
//   node benches/alarms.mjs PROFLENS PROGRAM... [--comparisons 334] [--per active]
//
// PROGRAM is a workspace folder with three folders of recordings (of `proflens record --interval 200us`, taken by turns): `same` has at least
// twenty of the program as it is, `slower-10` and `slower-5` at least ten each of the program whose function `checksum` does 10 or 5 %
// more. It prints how many comparisons of ten with ten of the same say for certain that something changed, how many of one with one do,
// and in how many the planted slowdown is found. docs/compare.md has the figures.

import { execFileSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { basename, join } from "node:path";
import { parseArgs } from "node:util";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { comparisons: { type: "string", default: "334" }, per: { type: "string", default: "run" } },
});
const [proflens, ...programs] = positionals;
const comparisons = Number(values.comparisons);

/** Numbers that look random and are the same each time (mulberry32). */
let state = 7;
function random() {
  state = (state + 0x6d2b79f5) | 0;
  let bits = Math.imul(state ^ (state >>> 15), 1 | state);
  bits = (bits + Math.imul(bits ^ (bits >>> 7), 61 | bits)) ^ bits;
  return ((bits ^ (bits >>> 14)) >>> 0) / 2 ** 32;
}

/** So many of a list, in random order. */
function draw(list, number) {
  const rest = [...list];
  return Array.from({ length: number }, () => rest.splice(Math.floor(random() * rest.length), 1)[0]);
}

function compare(workspace, before, after) {
  const args = ["compare", "--format", "json", "--per", values.per, ...before, "--", ...after];
  return JSON.parse(execFileSync(proflens, args, { cwd: workspace, encoding: "utf8", maxBuffer: 1 << 28 }));
}

const isCertain = (it) => it.verdict === "regression" || it.verdict === "improvement";
const alarms = (it) => isCertain(it.active) || it.functions.some((each) => isCertain(each.self) || isCertain(each.total) || isCertain(each));
const found = (it) => it.functions.some((each) => each.name === "checksum" && each.verdict === "regression");

for (const program of programs) {
  const recordings = (folder) => readdirSync(join(program, folder)).map((it) => join(folder, it));
  const [same, ten, five] = ["same", "slower-10", "slower-5"].map(recordings);
  const times = (number, one) => `${Array.from({ length: number }, one).filter(Boolean).length} of ${number}`;
  const alike = (runs) => () => {
    const drawn = draw(same, 2 * runs);
    return alarms(compare(program, drawn.slice(0, runs), drawn.slice(runs)));
  };
  const planted = (slower) => () => found(compare(program, draw(same, 10), draw(slower, 10)));
  console.log(
    `${basename(program)}: alarms of ten runs ${times(comparisons, alike(10))}, of one run ${times(comparisons, alike(1))}; ` +
      `10 % found in ${times(100, planted(ten))}, 5 % in ${times(100, planted(five))}`,
  );
}
