// Builds `src` with each compiler into the folder that is named, and writes beside each build what an engine would record of it: a profile with
// one sample of each function, and for each function which calls `M(n)` are in it, by which its original is known.

import fs from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import babel from "@babel/core";
import swc from "@swc/core";
import { parse } from "acorn";
import esbuild from "esbuild";
import { transformSync } from "oxc-transform";
import ts from "typescript";
import webpack from "webpack";

const out = path.resolve(process.argv[2]);
const file = path.join(out, "src/shop.ts");
fs.cpSync(path.join(import.meta.dirname, "src"), path.join(out, "src"), { recursive: true });
const code = fs.readFileSync(file, "utf8");

function put(name, text, map) {
  const folder = path.join(out, "dist", name);
  fs.mkdirSync(folder, { recursive: true });
  const { sourceRoot: _, ...rest } = typeof map === "string" ? JSON.parse(map) : map;
  const comment = "//# sourceMappingURL=";
  fs.writeFileSync(path.join(folder, "shop.js"), `${text.replace(/\/\/# sourceMappingURL=.*\s*$/, "")}\n${comment}shop.js.map\n`);
  fs.writeFileSync(path.join(folder, "shop.js.map"), JSON.stringify({ ...rest, sources: ["../../src/shop.ts"] }));
}

const resolve = (name) => fileURLToPath(import.meta.resolve(name));
const typescript = [resolve("@babel/preset-typescript"), { allowDeclareFields: true }];
const babelOptions = (env) => ({ babelrc: false, configFile: false, presets: [[resolve("@babel/preset-env"), env], typescript] });
const babelBuilds = {
  "babel": {},
  "babel, modules": { modules: false },
  "babel, loose": { loose: true },
  "babel, Chrome 60": { targets: { chrome: "60" } },
  "babel, Node 20": { targets: { node: "20" } },
};
for (const [name, env] of Object.entries(babelBuilds)) {
  const built = babel.transformSync(code, { filename: file, sourceMaps: true, ...babelOptions(env) });
  put(name, built.code, built.map);
}

for (const target of ["ES5", "ES2015", "ES2022"]) {
  const compilerOptions = {
    target: ts.ScriptTarget[target],
    module: ts.ModuleKind.CommonJS,
    sourceMap: true,
    downlevelIteration: true,
    esModuleInterop: true,
  };
  const built = ts.transpileModule(code, { fileName: file, compilerOptions });
  put(`tsc, ${target}`, built.outputText, built.sourceMapText);
}

for (const target of ["es5", "es2015", "es2022"]) {
  const jsc = { target, parser: { syntax: "typescript" }, externalHelpers: false };
  const built = swc.transformSync(code, { filename: file, sourceMaps: true, swcrc: false, configFile: false, jsc, module: { type: "commonjs" } });
  put(`swc, ${target}`, built.code, built.map);
}

for (const target of ["es2015", "es2017", "esnext"]) {
  for (const minify of [false, true]) {
    const built = esbuild.transformSync(code, { loader: "ts", sourcefile: file, sourcemap: "external", target, minify, format: "cjs" });
    put(`esbuild, ${target}${minify ? ", minified" : ""}`, built.code, built.map);
  }
}

for (const target of ["es2015", "es2022"]) {
  const built = transformSync(file, code, { sourcemap: true, target });
  put(`oxc, ${target}`, built.code, built.map);
}

const loader = resolve("babel-loader");
for (const mode of ["development", "production"]) {
  const compiler = webpack({
    mode,
    devtool: "source-map",
    context: out,
    entry: "./src/main.ts",
    output: { path: path.join(out, "dist", `webpack and babel, ${mode}`), filename: "main.js" },
    resolve: { extensions: [".ts", ".js"] },
    target: ["web", "es5"],
    module: { rules: [{ test: /\.ts$/, use: [{ loader, options: babelOptions({}) }] }] },
    externals: { "node:path": "commonjs path" },
  });
  const stats = await new Promise((done, failed) => compiler.run((error, result) => (error ? failed(error) : done(result))));
  if (stats.hasErrors()) throw new Error(stats.toString("errors-only"));
}

/** Where the function around each `M(n)` of the sources ends, as `file:line:column`, counted from 1. */
function originals() {
  const ends = {};
  for (const name of fs.readdirSync(path.join(out, "src"))) {
    const source = ts.createSourceFile(name, fs.readFileSync(path.join(out, "src", name), "utf8"), ts.ScriptTarget.Latest, true);
    const visit = (node, around) => {
      const inner = ts.isFunctionLike(node) && node.body ? node : around;
      if (ts.isCallExpression(node) && node.expression.getText() === "M") {
        const { line, character } = source.getLineAndCharacterOfPosition(inner.end);
        ends[node.arguments[0].text] = `src/${name}:${line + 1}:${character + 1}`;
      }
      ts.forEachChild(node, (child) => visit(child, inner));
    };
    visit(source, null);
  }
  return ends;
}

/** The functions of a text: where V8 says that they are, counted from 0, and the marks that are in them, also in functions inside. */
function functionsOf(text) {
  const functions = [];
  const visit = (node, around, given) => {
    if (typeof node?.type !== "string") return;
    let own = around;
    if (/Function/.test(node.type)) {
      const name = node.id?.name ?? given ?? "";
      const at = node.type === "ArrowFunctionExpression" ? node.start : text.indexOf("(", node.id?.end ?? node.start);
      const before = text.slice(0, at).split("\n");
      own = { name, line: before.length - 1, column: before.at(-1).length, marks: [], isMarked: false, around };
      functions.push(own);
    }
    if (node.type === "CallExpression" && node.callee.name === "M") {
      own?.marks.push(String(node.arguments[0].value));
      for (let it = own; it; it = it.around) it.isMarked = true;
    }
    const name = { VariableDeclarator: node.id?.name, MethodDefinition: node.key?.name, Property: node.key?.name }[node.type];
    for (const child of Object.values(node).flat()) visit(child, own, name);
  };
  visit(parse(text, { ecmaVersion: "latest", sourceType: "module" }), null);
  return functions.map(({ around, ...rest }) => rest);
}

const ends = originals();
const builds = fs.readdirSync(path.join(out, "dist")).sort();
for (const build of builds) {
  const folder = path.join(out, "dist", build);
  const script = path.join(folder, fs.readdirSync(folder).find((it) => it.endsWith(".js")));
  const functions = functionsOf(fs.readFileSync(script, "utf8"));
  const frame = (functionName, lineNumber, columnNumber) => ({ functionName, scriptId: "7", url: `file://${script}`, lineNumber, columnNumber });
  const frames = [frame("", 0, 0), ...functions.map((it) => frame(it.name, it.line, it.column))];
  const samples = frames.map((_, index) => index + 2);
  const root = { functionName: "(root)", scriptId: "0", url: "", lineNumber: -1, columnNumber: -1 };
  const nodes = [{ id: 1, callFrame: root, children: samples }, ...frames.map((callFrame, index) => ({ id: index + 2, callFrame }))];
  const profile = { nodes, startTime: 0, endTime: 1000 * (samples.length + 1), samples, timeDeltas: samples.map(() => 1000) };
  fs.writeFileSync(path.join(folder, "one-of-each.cpuprofile"), JSON.stringify(profile));
  const rows = functions.map(({ marks, ...rest }) => ({ ...rest, originals: marks.map((mark) => ends[mark]) }));
  fs.writeFileSync(path.join(folder, "functions.json"), JSON.stringify(rows));
}
fs.writeFileSync(path.join(out, "builds.json"), JSON.stringify(builds));
