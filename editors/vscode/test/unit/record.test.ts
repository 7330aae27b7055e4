// What is offered to be recorded, and the words of commands.

import assert from "node:assert/strict";
import { test } from "node:test";
import { argumentsOf, type Definition, elapsed, fileOf, textOf, wordsOf } from "../../src/record/commandLine";
import {
  isRecording,
  nodeVersion,
  type Offer,
  ofFile,
  ofLaunch,
  ofOwnPackage,
  ofPackage,
} from "../../src/record/commands";

test("a command line is split as a shell does, or left to one", () => {
  const lines: [line: string, words: string[] | undefined][] = [
    ["node app.js", ["node", "app.js"]],
    ["  npm  run build ", ["npm", "run", "build"]],
    [`node 'a b.js' "it's" --x="y z"`, ["node", "a b.js", "it's", "--x=y z"]],
    ["node ''", ["node", ""]],
    ["node größe.js --at=1", ["node", "größe.js", "--at=1"]],
    ["", undefined],
    ["node a.js | cat", undefined],
    ["node a.js && node b.js", undefined],
    ["A=1 node a.js", undefined],
    ["node $HOME/a.js", undefined],
    ['node "$HOME/a.js"', undefined],
    ["node *.test.js", undefined],
    ["node 'a", undefined],
    ["node a\\ b.js", undefined],
  ];
  for (const [line, words] of lines) assert.deepEqual(wordsOf(line), words, line);
});

test("a task becomes the arguments of proflens", () => {
  const args = (task: Partial<Definition>, platform: NodeJS.Platform = "linux") =>
    argumentsOf({ type: "proflens", ...task }, "/app", platform).slice(3);
  assert.deepEqual(args({ command: "node", args: ["a b.js"] }), ["--", "node", "a b.js"]);
  assert.deepEqual(args({ command: "node a.js" }), ["--", "node", "a.js"]);
  assert.deepEqual(args({ command: "node a.js | cat" }), ["--", "/bin/sh", "-c", "node a.js | cat"]);
  assert.deepEqual(args({ command: "a b", args: [] }), ["--", "a b"]);
  assert.deepEqual(args({ command: "npm", args: ["run", "x"] }, "win32"), ["--", "npm.cmd", "run", "x"]);
  assert.deepEqual(args({ command: "npm run x" }, "win32"), ["--", "cmd.exe", "/d", "/s", "/c", "npm run x"]);
  assert.deepEqual(args({ attach: "localhost:9229", duration: "10s" }), [
    "--duration",
    "10s",
    "--attach",
    "localhost:9229",
  ]);
  assert.deepEqual(args({ command: "node", args: [], interval: "200us", only: "*worker*", heap: true }), [
    ...["--interval", "200us", "--only", "*worker*", "--heap"],
    ...["--", "node"],
  ]);
  assert.throws(() => args({}), /needs a `command`, or `attach`/);
});

test("a task is named by its command as one would type it", () => {
  assert.equal(textOf({ type: "proflens", command: "node a.js | cat" }), "node a.js | cat");
  assert.equal(
    textOf({ type: "proflens", command: "node", args: ["a b.js", "it's", "c"] }),
    "node 'a b.js' 'it'\\''s' c",
  );
  assert.equal(textOf({ type: "proflens", attach: "1234" }), "attach to 1234");
});

test("a recording of a debug session is called by the program", () => {
  const time = new Date("2026-03-04T05:06:07.890Z");
  const names = ["app.js [123] « Launch Program", "Launch Program", "größe", "[1]", "../.."].map((it) =>
    fileOf(it, time, "json.gz"),
  );
  const expected = ["app.js", "Launch+Program", "gr-e", "1", "recorded"];
  assert.deepEqual(
    names,
    expected.map((it) => `2026-03-04T05-06-07-${it}.json.gz`),
  );
});

test("the time since a recording began", () => {
  const times = [0, 7_400, 754_000, 3_723_000].map(elapsed);
  assert.deepEqual(times, ["0:00", "0:07", "12:34", "1:02:03"]);
});

const having = (...files: string[]) => files.includes.bind(files);
const shown = (it: Offer | undefined) => it && [it.task.cwd, it.text];

test("a file is run by its kind, and by what is installed", () => {
  const tsx = having("/app/packages/a/node_modules/tsx/package.json");
  const vitest = having("/app/node_modules/vitest/package.json", "/app/node_modules/tsx/package.json");
  const node = { major: 22, minor: 6 };
  const files: [file: string, has: (path: string) => boolean, expected: ReturnType<typeof shown>][] = [
    ["/app/main.mjs", having(), [undefined, "node main.mjs"]],
    ["/app/packages/a/main.ts", having(), [undefined, "node --experimental-strip-types packages/a/main.ts"]],
    ["/app/packages/a/src/main.ts", tsx, ["/app/packages/a", "npx tsx src/main.ts"]],
    ["/app/packages/b/main.ts", tsx, [undefined, "node --experimental-strip-types packages/b/main.ts"]],
    ["/app/a.test.js", having(), [undefined, "node --test a.test.js"]],
    ["/app/packages/a/a.test.ts", vitest, [undefined, "npx vitest run packages/a/a.test.ts"]],
    ["/app/packages/a/main.ts", vitest, [undefined, "npx tsx packages/a/main.ts"]],
    ["/app/a.d.ts", having(), undefined],
    ["/app/index.html", having(), undefined],
  ];
  for (const [file, has, expected] of files) assert.deepEqual(shown(ofFile(file, "/app", has, node)), expected, file);
});

test("TypeScript is offered to a Node that runs it, with the flag that it needs", () => {
  const texts = [
    "v18.20.8",
    "v20.20.0",
    "v22.5.1",
    "v22.6.0",
    "v22.17.1",
    "v22.18.0",
    "v23.5.0",
    "v23.6.0",
    "v24.1.0",
    "none",
  ];
  const offers = texts.map((it) => ofFile("/app/a.ts", "/app", having(), nodeVersion(`${it}\n`))?.text);
  const [flag, plain] = ["node --experimental-strip-types a.ts", "node a.ts"];
  const no = undefined;
  assert.deepEqual(offers, [no, no, no, flag, flag, plain, flag, plain, plain, no]);
});

test("the main scripts of a file's own package come first", () => {
  const scripts = (...names: string[]) => JSON.stringify({ scripts: Object.fromEntries(names.map((it) => [it, ""])) });
  const all = [
    ...ofPackage("/app/package.json", scripts("lint", "start", "test"), "/app", having()),
    ...ofPackage("/app/web/package.json", scripts("build", "dev", "test"), "/app", having()),
  ];
  const offered = (file: string) => ofOwnPackage(file, "/app", all).map((it) => [it.about, it.text]);
  const ofApp = [
    ["", "npm run test"],
    ["", "npm run start"],
  ];
  assert.deepEqual(offered("/app/src/a.ts"), ofApp);
  assert.deepEqual(offered("/app/website/a.ts"), ofApp);
  assert.deepEqual(offered("/app/web/src/a.ts"), [
    ["web", "npm run test"],
    ["web", "npm run dev"],
  ]);
  assert.deepEqual(offered("/elsewhere/a.ts"), []);
});

test("scripts are run by the package manager of their package", () => {
  const scripts = '{ "scripts": { "build": "tsc", "test": "node --test" } }';
  const ofWeb = (text: string, ...files: string[]) =>
    ofPackage("/app/web/package.json", text, "/app", having(...files)).map((it) => [it.about, it.text, it.detail]);
  assert.deepEqual(ofWeb(scripts), [
    ["web", "npm run build", "tsc"],
    ["web", "npm run test", "node --test"],
  ]);
  assert.deepEqual(ofWeb(scripts, "/app/pnpm-lock.yaml")[0]?.[1], "pnpm run build");
  assert.deepEqual(ofWeb(scripts, "/app/pnpm-lock.yaml", "/app/web/yarn.lock")[0]?.[1], "yarn run build");
  assert.deepEqual(ofWeb(scripts.replace("{", '{ "packageManager": "pnpm@10.1.0",'))[0]?.[1], "pnpm run build");
  assert.deepEqual([ofWeb("{"), ofWeb("[]"), ofWeb("null"), ofWeb("{}")], [[], [], [], []]);
});

test("a launch configuration of Node is run as the debugger would, without its inspector", () => {
  const launch = { type: "node", request: "launch", name: "Server" };
  // biome-ignore-start lint/suspicious/noTemplateCurlyInString: variables that VS Code replaces
  const program = "${workspaceFolder}/server.js";
  const offer = ofLaunch({ ...launch, program, args: ["--port", 1], runtimeArgs: ["--inspect-brk", "-C=x"] }, "/app");
  assert.deepEqual(offer, {
    text: "Server",
    about: "launch.json",
    detail: "node -C=x ${workspaceFolder}/server.js --port 1",
    task: { type: "proflens", command: "node", args: ["-C=x", program, "--port", "1"] },
  });
  const npm = {
    ...launch,
    runtimeExecutable: "npm",
    runtimeArgs: ["run", "dev"],
    cwd: "${workspaceFolder}/web",
    env: { A: 1 },
  };
  assert.deepEqual(ofLaunch(npm, "/app")?.task, {
    ...{ type: "proflens", command: "npm", args: ["run", "dev"] },
    ...{ cwd: "${workspaceFolder}/web", env: { A: "1" } },
  });
  // biome-ignore-end lint/suspicious/noTemplateCurlyInString: variables that VS Code replaces
  const others = [{ ...launch, type: "chrome", program }, { ...launch, request: "attach" }, launch];
  assert.deepEqual(
    others.map((it) => ofLaunch(it, "/app")),
    [undefined, undefined, undefined],
  );
});

test("what is half written is no recording", () => {
  const names = ["a.json.gz", "a.heapprofile", "a.json", ".a.json.gz", ".gitignore", "a.txt"];
  assert.deepEqual(names.filter(isRecording), ["a.json.gz", "a.heapprofile", "a.json"]);
});
