// How many functions are found again after files were moved, and functions were moved and edited, in a real package:
//
//   node benches/moved.mjs PROFLENS [--files 800] [--seed 1] [--keep FOLDER] [--lost 20]
//
// The files of mathjs are committed, and a trace is made in which each of their functions has a time of its own, by which it is known in
// the report. Then files go to other folders and the imports of all files are adapted; in three further drawings they are renamed as well,
// or functions at the top level go to other files, as they are or edited.

import { execFileSync } from "node:child_process";
import { createRequire } from "node:module";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, posix, resolve } from "node:path";
import { parseArgs } from "node:util";
import { randomFrom } from "./random.mjs";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    files: { type: "string", default: "800" },
    seed: { type: "string", default: "1" },
    keep: { type: "string" },
    lost: { type: "string", default: "0" },
  },
});
const proflens = resolve(positionals[0] ?? "target/release/proflens");
const folder = values.keep ? resolve(values.keep) : mkdtempSync(join(tmpdir(), "moved-"));
if (!existsSync(join(folder, "node_modules/mathjs"))) {
  mkdirSync(folder, { recursive: true });
  execFileSync("npm", ["install", "--silent", "--no-save", "--prefix", folder, "mathjs@15.2.0", "acorn@8", "acorn-walk@8"]);
}
const require = createRequire(join(folder, "package.json"));
const { parse, tokenizer } = require("acorn");
const walk = require("acorn-walk");

const { draw } = randomFrom(Number(values.seed));

const package_ = join(folder, "node_modules/mathjs/lib/esm");
const before = new Map();
for (const path of readdirSync(package_, { recursive: true }).filter((it) => it.endsWith(".js")).sort()) {
  before.set(path, readFileSync(join(package_, path), "utf8"));
}

/** The functions of a text in order, each with its node, and where V8 says that it is: at its parameters. */
function functionsOf(text) {
  const found = [];
  const tree = parse(text, { ecmaVersion: "latest", sourceType: "module" });
  const add = (node, _, ancestors) => found.push({ node, around: ancestors.at(-2) });
  walk.fullAncestor(tree, (node, state, ancestors) => /Function/.test(node.type) && add(node, state, ancestors));
  found.sort((a, b) => a.node.start - b.node.start || b.node.end - a.node.end);
  return found.map(({ node, around }) => {
    const isMethod = ["MethodDefinition", "Property"].includes(around.type) && (around.method || around.kind !== "init");
    const name = node.id?.name ?? (isMethod || around.type === "Property" ? around.key?.name : around.type === "VariableDeclarator" ? around.id.name : around.type === "AssignmentExpression" ? around.left.name : undefined);
    const at = node.type === "ArrowFunctionExpression" ? node.start : text.indexOf("(", node.id?.end ?? node.start);
    const parent = found.map((it) => it.node).findLast((it) => it.start < node.start && it.end >= node.end);
    return { node, name: name ?? "", at, whole: around.type === "ExportNamedDeclaration" ? around : node, isTopLevel: node.type === "FunctionDeclaration" && !parent };
  });
}

/** The line and column of an offset, both from 0. */
function position(text, at) {
  const lines = text.slice(0, at).split("\n");
  return [lines.length - 1, lines.at(-1).length];
}

/** A workspace with the files committed, and the trace, whose function number `i` has 1,000 + i microseconds. */
const workspace = join(folder, "workspace");
const functions = [];
for (const [path, text] of before) {
  for (const it of functionsOf(text)) functions.push({ ...it, path, text: text.slice(it.node.start, it.node.end) });
}
function prepare() {
  rmSync(workspace, { recursive: true, force: true });
  cpSync(package_, join(workspace, "src"), { recursive: true });
  const git = (...args) => execFileSync("git", ["-c", "user.name=x", "-c", "user.email=x@x.x", ...args], { cwd: workspace, env: { ...process.env, GIT_COMMITTER_DATE: "2026-01-01T00:00:00Z", GIT_AUTHOR_DATE: "2026-01-01T00:00:00Z" } });
  writeFileSync(join(workspace, ".gitignore"), "trace.cpuprofile\n");
  git("init", "--quiet");
  git("add", "--all");
  git("commit", "--quiet", "--message", "before");
  const frame = (functionName, url, [lineNumber, columnNumber]) => ({ functionName, scriptId: url ? String([...before.keys()].indexOf(url) + 1) : "0", url: url && `file://${join(workspace, "src", url)}`, lineNumber, columnNumber });
  const nodes = [{ id: 1, callFrame: frame("(root)", "", [-1, -1]), children: functions.map((_, index) => index + 2) }];
  functions.forEach((it, index) => nodes.push({ id: index + 2, callFrame: frame(it.name, it.path, position(before.get(it.path), it.at)) }));
  const timeDeltas = [0, ...functions.slice(0, -1).map((_, index) => 1000 + index)];
  const endTime = timeDeltas.reduce((sum, it) => sum + it, 0) + 1000 + functions.length - 1;
  const trace = join(workspace, "trace.cpuprofile");
  writeFileSync(trace, JSON.stringify({ nodes, startTime: 0, endTime, samples: functions.map((_, index) => index + 2), timeDeltas }));
  const recorded = new Date("2026-01-02T00:00:00Z");
  utimesSync(trace, recorded, recorded);
}

/** Writes the files that the workspace has now, in which each import of what was at a path leads to where that is now. */
function write(texts, now) {
  rmSync(join(workspace, "src"), { recursive: true });
  for (const [path, text] of texts) {
    const to = now(path);
    const adapted = text.replace(/(from '|import ')(\.[^']*)'/g, (whole, start, name) => {
      const target = posix.join(posix.dirname(path), name);
      if (!before.has(target)) return whole;
      const relative = posix.relative(posix.dirname(to), now(target));
      return `${start}${relative.startsWith(".") ? relative : `./${relative}`}'`;
    });
    mkdirSync(dirname(join(workspace, "src", to)), { recursive: true });
    writeFileSync(join(workspace, "src", to), adapted);
  }
}

/** Where each function is said to be: by its number the file and the place, or nothing. */
function found() {
  const report = JSON.parse(execFileSync(proflens, ["report", "--format", "json", "--limit", "0", "trace.cpuprofile"], { cwd: workspace, encoding: "utf8", maxBuffer: 1 << 28, stdio: ["ignore", "pipe", "ignore"] }));
  const places = new Map();
  for (const it of report.functions.filter((it) => it.freshness !== "gone")) {
    // Functions that are taken for one another have the sum of their times; each is one of the places that were measured.
    for (const { resource, line, column } of it.measuredAt) places.set(`${resource}:${line}:${column}`, it);
  }
  return functions.map((it) => {
    const [line, column] = position(before.get(it.path), it.at);
    return places.get(`file://${join(workspace, "src", it.path)}:${line + 1}:${column + 1}`);
  });
}

/** Counts what was found of those that `truth` tells a place: a file, and where the function ends there, from 0. */
function count(title, truth) {
  const places = found();
  const rows = { all: 0, found: 0, wrong: 0 };
  const missed = [];
  functions.forEach((it, index) => {
    const right = truth(it, index);
    if (!right) return;
    rows.all++;
    const place = places[index];
    const name = `${it.path} ${it.name || it.text.slice(0, 40)}`;
    if (!place) missed.push(`lost ${name}`);
    else if (place.file === `src/${right.path}` && place.endLine === right.end[0] + 1 && place.endColumn === right.end[1] + 1) rows.found++;
    else {
      rows.wrong++;
      missed.push(`wrong ${name} at ${place.file}:${place.line}, not ${right.path}:${right.end[0] + 1}`);
    }
  });
  console.log(`${title}: ${rows.found} of ${rows.all} found (${((rows.found / rows.all) * 100).toFixed(1)} %), ${rows.wrong} on a wrong one`);
  for (const line of draw(missed, Number(values.lost))) console.log(`  ${line}`);
}

/** By their paths, where drawn files go: to folders that did not exist, with the same name or with another one. */
function moves(isRenamed) {
  // The index is what a package begins with.
  const paths = draw([...before.keys()].filter((it) => it !== "index.js"), Number(values.files));
  return new Map(paths.map((path, number) => [path, posix.join("parts", String(number % 29), posix.dirname(path), isRenamed ? `part-${number}.js` : posix.basename(path))]));
}

/** How many tokens a text has. */
const tokens = (text) => [...tokenizer(text, { ecmaVersion: "latest", sourceType: "module", allowReturnOutsideFunction: true })].length;

/** A function of which statements with about this share of its tokens are replaced by statements of others; nothing if none fit. */
function edited(it, share) {
  const own = it.node.body.body.map((node) => ({ text: it.text.slice(node.start - it.node.start, node.end - it.node.start), node }));
  const all = tokens(it.text);
  let changed = 0;
  let text = it.text;
  for (const { text: old, node } of draw(own, own.length).sort((a, b) => b.node.start - a.node.start)) {
    const size = tokens(old);
    if ((changed + size) / all > share) continue;
    const donor = draw(statements.filter((each) => Math.abs(each.size - size) <= size / 4), 1)[0];
    if (!donor) continue;
    changed += size;
    text = text.slice(0, node.start - it.node.start) + donor.text + text.slice(node.end - it.node.start);
  }
  return changed / all >= share / 2 && { text, changed: changed / all };
}

/** The files that have functions of a name. */
const namesakes = new Map();
for (const { name, path } of functions) namesakes.set(name, (namesakes.get(name) ?? new Set()).add(path));

/**
 * Moves functions of the top level to other files, with this share of their tokens replaced, and counts what is found of them. None goes to
 * where one of its name was: copies of a helper that change places cannot be told apart.
 */
function moveFunctions(title, share) {
  const outermost = functions.filter((it) => it.isTopLevel && tokens(it.text) >= 24);
  const moved = new Map();
  for (const it of draw(outermost, outermost.length)) {
    const change = share ? edited(it, share) : { text: it.text };
    if (change && moved.size < 150) moved.set(it, { text: change.text, to: draw([...before.keys()].filter((path) => !namesakes.get(it.name).has(path)), 1)[0] });
  }
  const texts = new Map(before);
  const taken = [...moved.keys()].sort((a, b) => b.node.start - a.node.start);
  for (const it of taken) texts.set(it.path, texts.get(it.path).slice(0, it.whole.start) + texts.get(it.path).slice(it.whole.end));
  const ends = new Map();
  for (const [it, { text, to }] of moved) {
    texts.set(to, `${texts.get(to)}\n\nexport ${text}`);
    ends.set(it, { path: to, end: position(texts.get(to), texts.get(to).length) });
  }
  prepare();
  write(texts, (path) => path);
  count(title, (it) => ends.get(it));
}

const statements = functions.filter((it) => it.node.body.type === "BlockStatement").flatMap((it) => it.node.body.body.map((node) => before.get(it.path).slice(node.start, node.end)))
  .map((text) => ({ text, size: tokens(text) }));
console.log(`mathjs 15.2.0: ${before.size} files, ${functions.length} functions`);
for (const [title, isRenamed] of [["files moved", false], ["files moved and renamed", true]]) {
  const moved = moves(isRenamed);
  const now = (path) => moved.get(path) ?? path;
  prepare();
  write(before, now);
  const truth = (it) => ({ path: now(it.path), end: position(before.get(it.path), it.node.end) });
  count(`${moved.size} ${title}, functions in these`, (it) => moved.has(it.path) && truth(it));
  count(`${moved.size} ${title}, all functions`, truth);
}
moveFunctions("functions moved to other files", 0);
for (const share of [0.2, 0.35, 0.5]) moveFunctions(`functions moved, and up to ${share * 100} % of their tokens replaced`, share);
