// What becomes of files that other programs wrote: opened, refused with a sentence, or wrong.
//
//   node benches/foreign.mjs PROFLENS FOLDER...
//
// Each file below the folders is opened by `proflens report`. It is wrong if the program panics, is ended by a signal or takes a minute;
// if its ledger does not add up; or if a converted file, read again, has other times. Each folder is one line of the table, and refused
// and wrong files are listed with what was said of them.

import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join, relative, resolve } from "node:path";

const [program, ...folders] = process.argv.slice(2);
const proflens = resolve(program ?? "target/release/proflens");
const scratch = mkdtempSync(join(tmpdir(), "foreign-"));

function run(...args) {
  const { status, signal, stdout, stderr, error } = spawnSync(proflens, args, { cwd: scratch, encoding: "utf8", maxBuffer: 1 << 30, timeout: 60_000 });
  const isBroken = signal !== null || error !== undefined || status === 101 || /panicked at/.test(stderr);
  return { status, stdout, broken: isBroken ? `${signal ?? error ?? status}: ${stderr.trim().split("\n")[0]}` : undefined, said: stderr.trim().split("\n") };
}

/** The report of all threads of a file. */
function report(file) {
  const ran = run("report", file, "--thread", "all", "--all", "--format", "json");
  return { ...ran, json: ran.status === 0 && ran.stdout ? JSON.parse(ran.stdout) : undefined };
}

/** What all time adds up to, by kind, and what each function cost. */
function costsOf({ ledger, functions }) {
  const { totalNs, totalBytes, idleNs, noStackNs, unplaced } = ledger;
  // A function that an engine calls "(program)" is native there, and the program's own time where only names are left.
  const reasons = new Map();
  for (const { why, ns, bytes } of unplaced) {
    const reason = why === "program" ? "native" : why;
    reasons.set(reason, (reasons.get(reason) ?? 0) + (ns ?? bytes));
  }
  const byReason = [...reasons].filter(([, sum]) => sum > 0).map(([why, sum]) => `${why} ${sum}`).sort();
  const byFunction = functions.map((it) => `${it.name} ${it.selfNs ?? it.selfBytes} ${it.totalNs ?? it.totalBytes}`).sort();
  return JSON.stringify([totalNs ?? totalBytes, idleNs ?? 0, noStackNs ?? 0, byReason, byFunction]);
}

/** Opens a file: what became of it, and why. */
function tried(file) {
  const opened = report(file);
  if (opened.broken) return ["wrong", opened.broken];
  if (!opened.json) return ["refused", opened.said.find((it) => it.startsWith("error")) ?? opened.said[0]];
  for (const to of ["otlp", "firefox", "speedscope"]) {
    const out = join(scratch, `converted.${to}`);
    const written = run("convert", file, "--to", to, "--output", out);
    if (written.broken || written.status !== 0) return ["wrong", `convert --to ${to}: ${written.broken ?? written.said[0]}`];
    const again = report(out);
    if (again.broken || !again.json) return ["wrong", `what convert --to ${to} wrote: ${again.broken ?? again.said[0]}`];
    const [before, after] = [costsOf(opened.json), costsOf(again.json)];
    if (before !== after) return ["wrong", `what convert --to ${to} wrote: ${after.slice(0, 300)} instead of ${before.slice(0, 300)}`];
  }
  return ["opened", `${opened.json.ledger.totalNs ?? opened.json.ledger.totalBytes}`];
}

let wrong = 0;
for (const folder of folders) {
  const files = readdirSync(folder, { recursive: true }).map((it) => join(folder, it)).filter((it) => statSync(it).isFile()).sort();
  const counts = { opened: 0, refused: 0, wrong: 0 };
  for (const file of files) {
    const [became, why] = tried(resolve(file));
    counts[became]++;
    if (process.env.VERBOSE || became !== "opened") console.log(`${became} ${relative(folder, file)}: ${why}`);
  }
  wrong += counts.wrong;
  console.log(`| ${basename(folder)} | ${files.length} | ${counts.opened} | ${counts.refused} | ${counts.wrong} |`);
}
rmSync(scratch, { recursive: true });
process.exit(wrong ? 1 : 0);
