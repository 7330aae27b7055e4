// Whether the Firefox Profiler sees what Proflens sees, in files of Firefox and in what `proflens convert --to firefox` writes:
//
//   node benches/firefox_profiler.mjs PROFLENS FILE|FOLDER...
//
// The other side is the code of profiler.firefox.com itself, of `@firefox-devtools/profiler-cli`, which reads a profile of any version and
// makes it one of the newest. Of its tables the view "JavaScript" is added up here, as that view does: frames of JavaScript and those
// that are relevant for it. Self and total time of each function of each thread are compared, to the nanosecond.

import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { compileFunction } from "node:vm";
import { gunzipSync } from "node:zlib";

const [program, ...given] = process.argv.slice(2);
const proflens = resolve(program ?? "target/release/proflens");
const tools = join(tmpdir(), "firefox-profiler-0.10.0");
const bundle = join(tools, "node_modules/@firefox-devtools/profiler-cli/dist/profiler-cli.js");
if (!existsSync(bundle)) {
  mkdirSync(tools, { recursive: true });
  execFileSync("npm", ["install", "--silent", "--no-save", "--prefix", tools, "@firefox-devtools/profiler-cli@0.10.0"]);
}

/** The function of the bundle that reads a profile: it is the one that says so when that fails. */
function readerOfProfiler() {
  const text = readFileSync(bundle, "utf8");
  const name = /async function (\w+)\(\w+,\w+,\w+=\{\}\)\{try\{if\(Object\.prototype\.toString\.call\(\w+\)==="\[object ArrayBuffer\]"\)/.exec(text)[1];
  const load = compileFunction(`${text.replace(/^#!.*/, "")}\n;return ${name};`, ["require", "module", "exports", "__filename", "__dirname"]);
  process.argv.splice(2, process.argv.length, "schemas"); // what its own command does meanwhile
  const { log } = console;
  const { write } = process.stdout;
  process.stdout.write = () => true;
  console.log = console.error = () => {};
  const reader = load(createRequire(bundle), { exports: {} }, {}, bundle, tools);
  process.stdout.write = write;
  console.log = log;
  return reader;
}

const nanos = (millis) => Math.round(millis * 1e6);

/** Adds up samples: by function, self and total time. */
function sums(samples) {
  const costs = new Map();
  for (const { frames, time } of samples) {
    frames.forEach((frame, at) => {
      const cost = costs.get(frame) ?? [0, 0];
      costs.set(frame, cost);
      if (at === frames.length - 1) cost[0] += time;
      if (frames.indexOf(frame) === at) cost[1] += time;
    });
  }
  return [...costs].filter(([, [, total]]) => total > 0).map(([name, [self, total]]) => `${name} ${self} ${total}`).sort();
}

/** What a name of code says where no column does, in files of samply: `work file:///srv/app.js:3:14`. */
function namedCode(name) {
  const [, work, file, line, column] = /^'?(.*?) ((?:(?:[\w+.-]+:|[/.[]).*)?):(\d+):(\d+)$/.exec(name) ?? [];
  return line ? shown(work || "(anonymous)", file, line, column) : shown(name.replace(/ \(WASM:\d+\)$/, ""));
}

const shown = (name, file, line, column) => `${name}|${file ?? ""}|${line ?? ""}:${column ?? ""}`;

/** What the profiler shows of each thread in its view of JavaScript. */
function javascriptView(profile) {
  const { stackTable, frameTable, funcTable, sources, stringArray } = profile.shared;
  const idle = profile.meta.categories?.findIndex((it) => it.name === "Idle") ?? -1;
  const cell = (row, bit, column) => (funcTable.flags[row] & bit ? column[row] : undefined);
  const names = Array.from({ length: funcTable.length }, (_, row) => {
    const name = stringArray[funcTable.name[row]];
    if (!(funcTable.flags[row] & 1)) return shown(name);
    const source = cell(row, 8, funcTable.source);
    const file = source === undefined ? undefined : stringArray[sources.filename[source]];
    const line = cell(row, 16, funcTable.lineNumber);
    if (source === undefined && !line && profile.meta.importedFrom !== "proflens") return namedCode(name);
    const column = cell(row, 32, funcTable.columnNumber);
    // Firefox 63 called the first column 0.
    const place = line ? [line, column === undefined ? undefined : Math.max(1, column)] : [];
    return shown(name.startsWith("(root scope) ") ? "(anonymous)" : name, file, ...place);
  });
  const stacks = [];
  for (let row = 0; row < stackTable.length; row++) {
    const caller = stackTable.prefixOffset[row] ? stacks[row - stackTable.prefixOffset[row]] : { frames: [], category: undefined };
    const frame = stackTable.frame[row];
    const func = frameTable.func[frame];
    const category = frameTable.flags[frame] & 4 ? frameTable.category[frame] : caller.category;
    stacks.push({ category, frames: funcTable.flags[func] & 3 ? [...caller.frames, names[func]] : caller.frames });
  }
  return profile.threads.map(({ samples }) => {
    const worth = { samples: profile.meta.interval, "tracing-ms": 1, bytes: 1e-6 }[samples.weightType ?? "samples"];
    const rows = samples.stack.map((row, at) => {
      const time = Math.max(0, nanos((samples.weight ? samples.weight[at] : 1) * worth));
      const stack = row === null ? undefined : stacks[row];
      const nothing = stack === undefined || stack.category === idle ? "idle" : "(native)||:";
      return { time, frames: nothing === "idle" ? ["idle"] : stack.frames.length ? stack.frames : [nothing] };
    });
    return { unit: samples.weightType === "bytes" ? "bytes" : "nanoseconds", sums: sums(rows) };
  });
}

/** The same of a file of speedscope. */
function speedscopeView({ shared, profiles }) {
  // The engine's own functions, which some engines place at the start of nowhere, have no place there.
  const isNative = (it) => !it.file && it.name.startsWith("(") && it.name !== "(anonymous)";
  const names = shared.frames.map((it) => (isNative(it) ? shown(it.name) : shown(it.name, it.file, it.line, it.col)));
  return profiles.map(({ unit, samples, weights }) => {
    const rows = samples.map((frames, at) => ({ time: weights[at], frames: frames.length ? frames.map((it) => names[it]) : ["idle"] }));
    return { unit, sums: sums(rows) };
  });
}

const folder = mkdtempSync(join(tmpdir(), "firefox-"));

function converted(file, to) {
  const out = join(folder, to);
  execFileSync(proflens, ["convert", file, "--to", to, "--output", out], { stdio: ["ignore", "ignore", "pipe"] });
  return readFileSync(out);
}

/** What differs between the threads of one side and those of the other, whatever their order. */
function differences(ours, theirs) {
  const key = (it) => JSON.stringify(it.sums);
  const left = [...theirs];
  const missing = ours.filter((it) => {
    const at = left.findIndex((other) => key(other) === key(it));
    if (at >= 0) left.splice(at, 1);
    return at < 0;
  });
  const unit = ours[0]?.unit;
  return { missing, left: left.filter((it) => it.sums.length && it.unit === unit) };
}

function filesOf(path) {
  if (!statSync(path).isDirectory()) return [path];
  return readdirSync(path, { recursive: true }).map((it) => join(path, it)).filter((it) => statSync(it).isFile() && !it.endsWith(".md")).sort();
}

/** A profile whose libraries say no offset, as before 2016: this reader needs one, and costs do not depend on it. */
function withOffsets(bytes) {
  const text = Buffer.from(bytes).toString("utf8");
  return new Uint8Array(Buffer.from(text.replace(/(\\*")end(\\*") ?: ?(\d+)/g, "$1offset$2:0,$1end$2:$3")));
}

const read = readerOfProfiler();
const counts = { same: 0, different: 0, refused: 0 };
for (const file of given.flatMap(filesOf)) {
  let ours;
  try {
    ours = speedscopeView(JSON.parse(converted(file, "speedscope")));
  } catch (error) {
    counts.refused++;
    console.log(`refused    ${basename(file)}: ${String(error.stderr ?? error).trim().split("\n")[0]}`);
    continue;
  }
  const texts = { converted: converted(file, "firefox") };
  const bytes = readFileSync(file);
  const inflated = bytes[0] === 0x1f ? gunzipSync(bytes) : bytes;
  if (/"preprocessedProfileVersion"|"stackwalk"/.test(inflated.toString("latin1"))) texts.itself = bytes;
  for (const [which, text] of Object.entries(texts)) {
    const theirs = javascriptView(await read(new Uint8Array(text), file).catch(() => read(withOffsets(text), file)));
    const found = differences(ours, theirs);
    const isSame = found.missing.length === 0 && found.left.length === 0;
    counts[isSame ? "same" : "different"]++;
    console.log(`${isSame ? "same      " : "different "} ${basename(file)}, ${which}: ${ours.length} threads`);
    if (isSame) continue;
    const [one, other] = [found.missing[0]?.sums ?? [], found.left[0]?.sums ?? []];
    one.filter((it) => !other.includes(it)).slice(0, 4).forEach((it) => console.log(`  only here:  ${it}`));
    other.filter((it) => !one.includes(it)).slice(0, 4).forEach((it) => console.log(`  only there: ${it}`));
  }
}
rmSync(folder, { recursive: true });
console.log(JSON.stringify(counts));
process.exit(counts.different ? 1 : 0);
