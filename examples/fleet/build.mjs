// Builds both releases of the shop, and lists their functions with their places in the bundle, where V8 sees them, and in the
// sources: what generate.mjs makes sessions of.
//
//     node build.mjs [--out releases]

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";

import { originalPositionFor, TraceMap } from "@jridgewell/trace-mapping";
import { parse } from "acorn";
import { ancestor } from "acorn-walk";
import { buildSync } from "esbuild";

import { writeSources } from "./shop.mjs";

const { values: options } = parseArgs({ options: { out: { type: "string", default: join(import.meta.dirname, "releases") } } });
for (const release of ["41", "42"]) {
  const folder = join(options.out, release);
  writeSources(release, folder);
  const outfile = join(folder, "dist/assets/app.js");
  buildSync({ entryPoints: [join(folder, "src/main.ts")], bundle: true, minify: true, sourcemap: true, target: "es2022", outfile });
  const code = readFileSync(outfile, "utf8");
  const functions = functionsOf(code, new TraceMap(readFileSync(`${outfile}.map`, "utf8")));
  writeFileSync(join(folder, "functions.json"), `[\n${functions.map((it) => JSON.stringify(it)).join(",\n")}\n]\n`);
  console.log(`${release}: ${functions.length} functions, ${functions.filter((it) => it.name).length} with a name, ${code.length} bytes`);
}

function functionsOf(code, map) {
  const functions = [];
  const classNames = new Map();

  /** V8 places a function at the `(` of its parameters, and an arrow function at its first character. */
  function add(node, ancestors) {
    const parent = ancestors.at(-2);
    const isArrow = node.type === "ArrowFunctionExpression";
    if (isArrow && parent.type === "Property" && node.body.type === "Identifier") return; // esbuild's way to export a name
    const open = isArrow ? node.start : code.indexOf("(", node.id?.end ?? node.start);
    const original = originalPositionFor(map, locate(node.start));
    if (original.source === null) return; // esbuild's own
    const named = nameOf(node, parent);
    const start = locate(open);
    const name = named ? (originalPositionFor(map, locate(named.start)).name ?? named.name) : "";
    const source = original.source.replace(/^(\.\.\/)+/, "");
    // As they stand in a trace: lines and columns count from 1.
    functions.push({ source, name, sourceLine: original.line, minified: v8Name(named, parent), line: start.line, column: start.column + 1 });
  }

  /** The identifier by which a function is known: its own, its variable's or its method's. */
  function nameOf(node, parent) {
    if (node.id) return node.id;
    if (parent.type === "VariableDeclarator") return parent.id;
    if (parent.type === "MethodDefinition" && parent.kind !== "constructor") return parent.key;
    if (parent.type === "MethodDefinition") return classNames.get(parent);
    return undefined;
  }

  function locate(offset) {
    const before = code.slice(0, offset);
    const start = before.lastIndexOf("\n") + 1;
    return { line: before.split("\n").length, column: offset - start };
  }

  const tree = parse(code, { ecmaVersion: "latest" });
  const note = (node, ancestors) => {
    const id = node.id ?? ancestors.at(-2).id;
    for (const method of node.body.body) if (method.kind === "constructor") classNames.set(method, id);
  };
  ancestor(tree, { ClassDeclaration: (node, _, up) => note(node, up), ClassExpression: (node, _, up) => note(node, up) });
  const visit = (node, _, ancestors) => add(node, ancestors);
  ancestor(tree, { FunctionDeclaration: visit, FunctionExpression: visit, ArrowFunctionExpression: visit });
  return functions.sort((a, b) => a.line - b.line || a.column - b.column);
}

function v8Name(named, parent) {
  return parent.kind === "get" ? `get ${named.name}` : (named?.name ?? "");
}
