// Which program is started: the order of the places, and what each package manager leaves in them.

import assert from "node:assert/strict";
import { test } from "node:test";
import { type Files, find, type Machine, NoProgram, type Places, upward } from "../../src/serverProgram";

const LINUX: Machine = { platform: "linux", arch: "x64", isGlibc: () => true };
const WINDOWS: Machine = { platform: "win32", arch: "arm64", isGlibc: () => false };

const SET = "/opt/proflens";
const BUNDLED = "/extension/server/proflens";
const INNER = "/app/packages/web/node_modules/@proflens/linux-x64/bin/proflens";
const OUTER = "/app/node_modules/@proflens/linux-x64/bin/proflens";
const ON_PATH = "/usr/bin/proflens";

const PLACES: Places = {
  setting: undefined,
  extension: "/extension",
  folders: ["/app/packages/web", "/app"],
  path: "/usr/local/bin:/usr/bin",
};

/** Files that exist, and links by the file or folder that they lead to. */
function disk(present: string[], links: Record<string, string> = {}): Files {
  return {
    isFile: (file) => present.includes(file) || file in links,
    real: (file) => links[file] ?? (present.some((it) => it.startsWith(file)) ? file : undefined),
  };
}

test("the setting, the extension, the workspace from the file upward, the PATH", () => {
  const all = [SET, BUNDLED, INNER, OUTER, ON_PATH];
  const origins = ["setting", "extension", "workspace", "workspace", "path"];
  all.forEach((file, index) => {
    // All that come later are there too.
    const places = index === 0 ? { ...PLACES, setting: SET } : PLACES;
    assert.deepEqual(find(places, LINUX, disk(all.slice(index))), { file, origin: origins[index] });
  });
});

test("a setting that names nothing is an error, whatever else there is", () => {
  const wrong = () => find({ ...PLACES, setting: "/gone" }, LINUX, disk([BUNDLED, ON_PATH]));
  assert.throws(wrong, /The Proflens server \/gone does not exist\. Correct the setting proflens\.server\.path/);
});

test("without any, a sentence says how to get one", () => {
  const none = () => find(PLACES, LINUX, disk([]));
  assert.throws(none, NoProgram);
  assert.throws(none, /"npm install -g proflens".*"Proflens: Restart server".*linux-x64/);
});

test("no folder, no program of the folder", () => {
  const files = disk([INNER, OUTER, ON_PATH]);
  assert.deepEqual(find({ ...PLACES, folders: [] }, LINUX, files), { file: ON_PATH, origin: "path" });
});

test("packages of pnpm lie beside the real folder of the main one", () => {
  const store = "/app/node_modules/.pnpm/proflens@0.1.0/node_modules";
  const program = `${store}/@proflens/linux-x64/bin/proflens`;
  const files = disk([program], { "/app/node_modules/proflens": `${store}/proflens` });
  assert.deepEqual(find(PLACES, LINUX, files), { file: program, origin: "workspace" });
});

test("the launcher of node_modules/.bin comes after the program of the platform, and before the PATH", () => {
  const launcher = "/app/node_modules/.bin/proflens";
  assert.deepEqual(find(PLACES, LINUX, disk([launcher, ON_PATH])), { file: launcher, origin: "workspace" });
  assert.equal(find(PLACES, LINUX, disk([launcher, OUTER, ON_PATH])).file, OUTER);
  // On Windows it is a script for shells, which cannot be started.
  const windows = { ...PLACES, folders: ["C:\\app"], path: "" };
  const inModules = disk(["C:\\app\\node_modules\\.bin\\proflens", "C:\\app\\node_modules\\.bin\\proflens.cmd"]);
  assert.throws(() => find(windows, WINDOWS, inModules), NoProgram);
});

test("the package for musl, where it is the only one or the one that runs", () => {
  const program = "/app/node_modules/@proflens/linux-x64-musl/bin/proflens";
  assert.equal(find(PLACES, LINUX, disk([program])).file, program);
  assert.equal(find(PLACES, LINUX, disk([program, OUTER])).file, OUTER);
  assert.equal(find(PLACES, { ...LINUX, isGlibc: () => false }, disk([program, OUTER])).file, program);
});

test("a package of another platform is no program", () => {
  const other = "/app/node_modules/@proflens/darwin-arm64/bin/proflens";
  assert.throws(() => find(PLACES, LINUX, disk([other])), NoProgram);
});

test("npm's link on the PATH stands for the program of its platform", () => {
  const launcher = "/usr/local/lib/node_modules/proflens/bin/proflens.js";
  const program = "/usr/local/lib/node_modules/proflens/node_modules/@proflens/linux-x64/bin/proflens";
  const links = { "/usr/local/bin/proflens": launcher };
  assert.deepEqual(find(PLACES, LINUX, disk([launcher, program], links)), { file: program, origin: "path" });
  // What a version manager has there starts the right one by itself.
  assert.equal(find(PLACES, LINUX, disk([launcher], links)).file, "/usr/local/bin/proflens");
});

test("on Windows neither npm's script for shells nor its batch file is started", () => {
  const places = { ...PLACES, folders: ["C:\\app"], path: ".;C:\\npm;C:\\tools" };
  const inside = "C:\\app\\node_modules\\@proflens\\win32-arm64\\bin\\proflens.exe";
  assert.equal(find(places, WINDOWS, disk([inside])).file, inside);

  const scripts = ["C:\\npm\\proflens", "C:\\npm\\proflens.cmd"];
  const global = "C:\\npm\\node_modules\\proflens\\node_modules\\@proflens\\win32-arm64\\bin\\proflens.exe";
  assert.equal(find(places, WINDOWS, disk([...scripts, global])).file, global);
  assert.equal(find(places, WINDOWS, disk([...scripts, "C:\\tools\\proflens.exe"])).file, "C:\\tools\\proflens.exe");
  assert.throws(() => find(places, WINDOWS, disk([...scripts, ".\\proflens.exe", "proflens.exe"])), NoProgram);
});

test("the folders from a file up to its workspace, never above", () => {
  assert.deepEqual(upward("/app", "/app/a/b/c.js", LINUX), ["/app/a/b", "/app/a", "/app"]);
  assert.deepEqual(upward("/app", "/app/c.js", LINUX), ["/app"]);
  assert.deepEqual(upward("/app", "/other/c.js", LINUX), ["/app"]);
  assert.deepEqual(upward("/app", "/app2/c.js", LINUX), ["/app"]);
  assert.deepEqual(upward("/app", undefined, LINUX), ["/app"]);
  assert.deepEqual(upward("C:\\app", "D:\\a\\c.js", WINDOWS), ["C:\\app"]);
  assert.deepEqual(upward("C:\\app", "C:\\app\\a\\c.js", WINDOWS), ["C:\\app\\a", "C:\\app"]);
});
