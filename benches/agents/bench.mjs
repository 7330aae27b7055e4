// Whether an agent that asks in a fixed way sees what is slow, and how many tokens it reads for that:
//
//   node benches/agents/bench.mjs PROFLENS [--only NAME] [--keep FOLDER] [--peers]
//
// Each of `programs` has a planted cause, on the line that ends with `// planted`. It is recorded by `proflens record`, and `proflens mcp` is
// asked for `ledger`, for `hottest`, and for `function` of the first of these. The cause is found if its line stands in the answers: as the
// place of the function, or of one of its callers, or as a hot line. An answer is wrong if it names a function that is not at its place.
//
// Clients give a model either the text of an answer or its JSON, so both are counted.
//
// With `--peers`, the same programs run under Node's profiler, of which the file itself counts, and what profiler-cli of the Firefox Profiler
// says of it in as many questions; and under Bun, with its profile as Markdown. A peer finds the cause if the name of the planted function
// stands in what it says. One token is counted for four bytes.

import { execFileSync, spawn, spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, renameSync, statSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { basename, extname, join, relative, resolve } from "node:path";
import { parseArgs } from "node:util";
import { connect } from "./server.mjs";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { only: { type: "string" }, keep: { type: "string" }, peers: { type: "boolean" } },
});
const proflens = resolve(positionals[0] ?? "target/release/proflens");
const folder = values.keep ? resolve(values.keep) : mkdtempSync(join(tmpdir(), "agents-"));
const packages = ["esbuild@0.25.10", ...(values.peers ? ["@firefox-devtools/profiler-cli@0.10.0", "bun@1.4.5"] : [])];
mkdirSync(folder, { recursive: true });
execFileSync("npm", ["install", "--silent", "--no-save", "--prefix", folder, ...packages]);
const tool = (name) => join(folder, "node_modules/.bin", name);

const tokens = (text) => Math.ceil(Buffer.byteLength(text) / 4);
const median = (numbers) => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)];

/** A copy of a program in a workspace of its own, built if it is TypeScript, and what is planted in it. */
function prepare(source) {
  const name = basename(source, ".mjs");
  const workspace = join(folder, "workspaces", name);
  const isFile = statSync(source).isFile();
  cpSync(source, isFile ? join(workspace, "main.mjs") : workspace, { recursive: true });
  if (existsSync(join(workspace, "packages"))) renameSync(join(workspace, "packages"), join(workspace, "node_modules"));
  let main = "main.mjs";
  if (existsSync(join(workspace, "main.ts"))) {
    main = "dist/main.mjs";
    const map = name === "bundle-types" ? "--sourcemap=inline" : "--sourcemap";
    execFileSync(tool("esbuild"), ["main.ts", "--bundle", "--minify", "--format=esm", map, `--outfile=${main}`, "--log-level=error"], { cwd: workspace });
  }
  for (const path of readdirSync(workspace, { recursive: true })) {
    const file = join(workspace, path);
    if (!/\.m?[jt]s$/.test(path) || /dist/.test(path)) continue;
    const lines = readFileSync(file, "utf8").split("\n");
    const index = lines.findIndex((line) => line.endsWith("// planted"));
    if (index < 0) continue;
    const named = lines.slice(0, index + 1).findLast((line) => /^(export )?function \w+/.test(line));
    const planted = lines[index].match(/(\w+) = \(n: number\): number => \{/)?.[1] ?? named?.match(/function (\w+)/)[1] ?? "(top level)";
    return { name, workspace, main, file: path, line: index + 1, planted };
  }
  throw new Error(`${name}: nothing is planted`);
}

/** Records a program in its workspace, or a page of it for three seconds. */
async function record({ workspace, main }) {
  const run = (args) => {
    const recorder = spawn(proflens, ["record", ...args], { cwd: workspace, stdio: ["ignore", "ignore", "pipe"] });
    let said = "";
    recorder.stderr.on("data", (data) => (said += data));
    return new Promise((done, fail) => recorder.on("close", (code) => (code === 0 ? done() : fail(new Error(said)))));
  };
  if (!existsSync(join(workspace, "index.html"))) return run(["--", process.execPath, main]);
  const types = { ".html": "text/html", ".js": "text/javascript" };
  const server = createServer(({ url }, answer) => {
    const file = join(workspace, basename(url) || "index.html");
    if (!existsSync(file)) return answer.writeHead(404).end();
    answer.writeHead(200, { "content-type": types[extname(file)] }).end(readFileSync(file));
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  try {
    await run(["--page", `http://127.0.0.1:${server.address().port}/`, "--headless", "--duration", "3s"]);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

/** The answers to the fixed questions. */
async function ask(workspace) {
  const server = await connect(proflens, workspace);
  const ledger = await server.ask("ledger");
  const hottest = await server.ask("hottest");
  const answers = [ledger, hottest];
  const first = hottest.structuredContent?.rows?.[0];
  if (first) answers.push(await server.ask("function", { name: first.name, file: first.file, line: first.line }));
  server.close();
  return {
    answers: answers.map((answer) => answer.content.map((part) => part.text).join("")),
    json: answers.map((answer) => answer.structuredContent),
  };
}

/** Whether a line of a file stands in JSON: lines of a function have its file. */
function hasLine(json, file, line, fileAround) {
  if (Array.isArray(json)) return json.some((each) => hasLine(each, file, line, fileAround));
  if (typeof json !== "object" || json === null) return false;
  const own = typeof json.file === "string" ? json.file : fileAround;
  return (own === file && json.line === line) || Object.values(json).some((value) => hasLine(value, file, line, own));
}

/** Functions that answers name and that are not at their places. */
function wrongPlaces(text, workspace) {
  const wrong = [];
  for (const [whole, name, file, line] of text.matchAll(/`([^`]+)` `([^`:]+):(\d+)(?:-\d+)?`/g)) {
    const own = name.split(".").at(-1).replace(/^(get|set) | callback$/g, "");
    if (own.startsWith("(")) continue;
    const path = [file, `node_modules/${file}`].map((each) => join(workspace, each)).find(existsSync);
    if (!path || !readFileSync(path, "utf8").split("\n")[line - 1]?.includes(own)) wrong.push(whole);
  }
  return wrong;
}

/** What peers say of a program: by the peer a text, or nothing where it cannot run it. */
function peers({ workspace, main, planted }) {
  if (existsSync(join(workspace, "index.html"))) return {};
  const said = {};
  const run = (command, args) => spawnSync(command, args, { cwd: workspace, encoding: "utf8", timeout: 120_000, maxBuffer: 1 << 28 }).stdout ?? "";
  run(process.execPath, ["--cpu-prof", "--cpu-prof-dir=node", main]);
  const profiles = readdirSync(join(workspace, "node")).map((file) => join(workspace, "node", file));
  said["the file of node --cpu-prof"] = profiles.map((file) => readFileSync(file, "utf8")).join("\n");
  let text = "";
  // An agent does not know which file has the worker; it takes the largest.
  const largest = profiles.toSorted((a, b) => statSync(b).size - statSync(a).size)[0];
  run(tool("profiler-cli"), ["load", largest]);
  text += run(tool("profiler-cli"), ["profile", "info"]);
  const functions = run(tool("profiler-cli"), ["thread", "functions"]);
  text += functions;
  const first = functions.split("\n").find((line) => line.includes("file://") || line.includes(workspace))?.match(/f-\d+/)?.[0];
  if (first) text += run(tool("profiler-cli"), ["function", "info", first]);
  run(tool("profiler-cli"), ["stop", "--all"]);
  said["profiler-cli 0.10.0"] = text;
  run(tool("bun"), ["--cpu-prof-md", "--cpu-prof-dir=bun", main]);
  const written = existsSync(join(workspace, "bun")) ? readdirSync(join(workspace, "bun")).filter((file) => file.endsWith(".md")) : [];
  if (written.length) said["bun 1.4.5, Markdown"] = written.map((file) => readFileSync(join(workspace, "bun", file), "utf8")).join("\n");
  return Object.fromEntries(Object.entries(said).map(([peer, text]) => [peer, { tokens: tokens(text), isFound: new RegExp(`\\b${planted}\\b`).test(text) }]));
}

const rows = [];
const programs = new URL("programs/", import.meta.url).pathname;
for (const entry of readdirSync(programs).sort()) {
  if (values.only && !entry.startsWith(values.only)) continue;
  const program = prepare(join(programs, entry));
  await record(program);
  const { answers, json } = await ask(program.workspace);
  const text = answers.join("\n");
  // The lines of a function are told without its file.
  const isHotLine = answers[2]?.includes(`\`${program.file}:`) && new RegExp(`^- ${program.line}: `, "m").test(answers[2]);
  const isFound = text.includes(`\`${program.file}:${program.line}\``) || text.includes(`\`${program.file}:${program.line}-`) || isHotLine;
  const wrong = wrongPlaces(text, program.workspace);
  const inJson = { isFound: hasLine(json, program.file, program.line), tokens: tokens(json.map((each) => JSON.stringify(each)).join("")) };
  const row = { name: program.name, isFound, tokens: tokens(text), inJson, wrong, peers: values.peers ? peers(program) : {} };
  rows.push(row);
  console.log(`${row.name}: ${isFound ? "found" : `not found (${program.planted}, ${program.file}:${program.line})`}, ${row.tokens} tokens${wrong.length ? `, wrong: ${wrong.join(", ")}` : ""}`);
  if (values.only) console.log(text);
}

const all = rows.map((row) => row.tokens);
console.log(`\n${rows.filter((row) => row.isFound).length} of ${rows.length} causes in the answers; tokens: ${median(all)} in the median, ${Math.max(...all)} at most; ${rows.flatMap((row) => row.wrong).length} functions at a wrong place`);
const sizes = rows.map((row) => row.inJson.tokens);
console.log(`as JSON: ${rows.filter((row) => row.inJson.isFound).length} of ${rows.length} causes; tokens: ${median(sizes)} in the median, ${Math.max(...sizes)} at most`);
for (const peer of new Set(rows.flatMap((row) => Object.keys(row.peers)))) {
  const said = rows.map((row) => row.peers[peer]).filter(Boolean);
  const sizes = said.map((each) => each.tokens);
  console.log(`${peer}: ${said.filter((each) => each.isFound).length} of ${said.length} names of functions, tokens: ${median(sizes)} in the median, ${Math.max(...sizes)} at most`);
}
console.log(`recordings: ${relative(process.cwd(), join(folder, "workspaces"))}`);
