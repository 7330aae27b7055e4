// The npm packages as their users install them: from a real registry on this machine, by npm, pnpm and Yarn, and nothing from elsewhere.

import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

const { PROFLENS: program, PROFLENS_FLEET: fleet, PROFLENS_PACKAGES: packages, PROFLENS_PLATFORM: platform } = process.env;
const modules = join(import.meta.dirname, "node_modules");
const root = join(import.meta.dirname, "../..");
const home = mkdtempSync(join(tmpdir(), "proflens-npm-"));
const registry = `http://127.0.0.1:${await freePort()}`;
const profile = join(root, "examples/comments/comments.cpuprofile");
const version = JSON.parse(readFileSync(join(root, "server/npm/package.json"), "utf8")).version;

/** Of this machine's own settings only the PATH: everything is new, and only this registry is asked. */
const env = {
  PATH: process.env.PATH,
  HOME: home,
  npm_config_registry: registry,
  npm_config_cache: join(home, "npm-cache"),
  npm_config_prefix: join(home, "global"),
  npm_config_userconfig: join(home, "npmrc"),
  npm_config_update_notifier: "false",
  YARN_REGISTRY: registry,
  YARN_CACHE_FOLDER: join(home, "yarn-cache"),
  YARN_ENABLE_TELEMETRY: "0",
};
/** What Yarn 4 is told besides; it leaves out what was published less than a day ago. */
const yarn = {
  YARN_NPM_REGISTRY_SERVER: registry,
  YARN_UNSAFE_HTTP_WHITELIST: "127.0.0.1",
  YARN_NPM_MINIMAL_AGE_GATE: "0",
  YARN_ENABLE_IMMUTABLE_INSTALLS: "false",
  YARN_ENABLE_GLOBAL_CACHE: "false",
};
const pnpm = join(modules, "pnpm/bin/pnpm.cjs");
const classic = join(modules, "yarn/bin/yarn.js");
const berry = join(modules, "@yarnpkg/cli-dist/bin/yarn.js");

async function freePort() {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address();
  server.close();
  await once(server, "close");
  return port;
}

/** A project of its own for each test. */
function project(name, manifest = {}) {
  const folder = join(home, name);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), JSON.stringify({ name, private: true, ...manifest }));
  return folder;
}

function run(folder, command, args, more = {}) {
  const ran = spawnSync(command, args, { cwd: folder, env: { ...env, ...more }, encoding: "utf8" });
  if (ran.error) throw ran.error;
  return ran;
}

/** Runs it and expects it to go well; gives what it printed. */
function good(folder, command, args, more) {
  const ran = run(folder, command, args, more);
  assert.equal(ran.status, 0, `${command} ${args.join(" ")}\n${ran.stdout}${ran.stderr}`);
  return ran.stdout;
}

const node = (folder, script, args, more) => good(folder, process.execPath, [script, ...args], more);

/** What is installed of our packages below a folder, wherever a package manager puts it. */
function installed(folder) {
  const names = readdirSync(folder, { recursive: true }).map(String);
  const ours = names.filter((it) => /@proflens[/+][^/]*$/.test(it)).map((it) => basename(it).replace("@proflens+", "").split("@")[0]);
  return [...new Set(ours)].sort();
}

async function test(name, body) {
  try {
    await body();
    console.log(`ok    ${name}`);
  } catch (error) {
    console.log(`FAIL  ${name}\n${error.stack}`);
    process.exitCode = 1;
  }
}

writeFileSync(
  join(home, "verdaccio.yaml"),
  `storage: ${home}/storage
auth: { htpasswd: { file: ${home}/htpasswd } }
packages: { "**": { access: $all, publish: $anonymous } }
max_body_size: 500mb
log: { type: stdout, format: pretty, level: error }
`,
);
// npm requires a user to publish, which the registry does not ask for.
writeFileSync(join(home, "npmrc"), `${registry.slice("http:".length)}/:_authToken=nobody\n`);
const verdaccio = join(modules, "verdaccio/bin/verdaccio");
const server = spawn(process.execPath, [verdaccio, "--config", join(home, "verdaccio.yaml"), "--listen", registry.slice("http://".length)], { stdio: "inherit" });
const report = good(home, program, ["report", profile, "--workspace", join(root, "examples/comments")]);
const reporting = ["report", profile, "--workspace", join(root, "examples/comments")];

try {
  for (let tries = 0; !(await fetch(`${registry}/-/ping`).catch(() => undefined))?.ok; tries++) {
    assert.ok(tries < 300 && server.exitCode === null, "the registry does not start");
    await sleep(100);
  }
  await test("all packages are published", () => {
    const files = readdirSync(packages);
    assert.equal(files.length, 18);
    for (const file of files) good(home, "npm", ["publish", "--access", "public", join(packages, file)]);
  });

  await test("npx runs it in an empty folder, and a second time without the network", () => {
    const folder = join(home, "empty");
    mkdirSync(folder);
    const start = performance.now();
    assert.equal(good(folder, "npx", ["--yes", "proflens", ...reporting]), report);
    const cold = performance.now() - start;
    assert.equal(good(folder, "npx", ["--yes", "--offline", "proflens", ...reporting]), report);
    assert.deepEqual(readdirSync(folder), []);
    console.log(`      npx took ${(cold / 1000).toFixed(1)} s, and ${((performance.now() - start - cold) / 1000).toFixed(1)} s again`);
  });

  await test("npm installs the program of this platform and no other, and nothing runs", () => {
    const folder = project("npm");
    good(folder, "npm", ["install", "--save-dev", "--foreground-scripts", "proflens"]);
    assert.deepEqual(installed(folder), [platform]);
    assert.equal(good(folder, "npx", ["proflens", ...reporting]), report);
    assert.match(good(folder, "npx", ["proflens", "--version"]), new RegExp(`^proflens ${version}`));
  });

  await test("arguments, streams and the status go through", () => {
    const folder = join(home, "npm");
    const bin = join(folder, "node_modules/.bin/proflens");
    const [through, direct] = [bin, program].map((it) => run(folder, it, ["report", "no such file"]));
    assert.deepEqual([through.status, through.stdout, through.stderr], [direct.status, direct.stdout, direct.stderr]);
    assert.equal(direct.status, 1);
    const message = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params: { capabilities: {}, processId: null, rootUri: null } });
    const input = `Content-Length: ${message.length}\r\n\r\n${message}`;
    const served = spawnSync(bin, ["lsp"], { cwd: folder, env, input, encoding: "utf8" });
    assert.match(served.stdout, /"inlayHintProvider"/);
  });

  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
    await test(`${signal} ends both as it ends the program`, async () => {
      const folder = join(home, "npm");
      const ends = [];
      for (const command of [program, join(folder, "node_modules/.bin/proflens")]) {
        const collect = spawn(command, ["collect", "--listen", "0", "--out", join(home, "collected")], { cwd: folder, env, stdio: ["ignore", "pipe", "inherit"] });
        const listening = String(await once(collect.stdout, "data"));
        collect.kill(signal);
        ends.push(await once(collect, "exit"));
        const address = listening.match(/http:\/\/\S+/)[0];
        await assert.rejects(fetch(address), "the program still listens");
      }
      assert.deepEqual(ends[1], ends[0]);
    });
  }

  await test("a program that is killed is told as killed", async () => {
    const folder = join(home, "npm");
    const fake = join(folder, "node_modules/@proflens", platform, "bin/proflens");
    const real = readFileSync(fake);
    writeFileSync(fake, "#!/bin/sh\nkill -KILL $$\n");
    assert.equal(run(folder, join(folder, "node_modules/.bin/proflens"), []).signal, "SIGKILL");
    chmodSync(fake, 0o644);
    const broken = run(folder, join(folder, "node_modules/.bin/proflens"), []);
    assert.deepEqual([broken.status, broken.stderr], [1, `${fake} cannot be started: spawn ${fake} EACCES. Install proflens again.\n`]);
    writeFileSync(fake, real);
    chmodSync(fake, 0o755);
  });

  await test("a missing program is told with what to do", () => {
    const folder = project("without");
    good(folder, "npm", ["install", "--omit=optional", "proflens"]);
    const ran = run(folder, join(folder, "node_modules/.bin/proflens"), ["--version"]);
    assert.deepEqual([ran.status, ran.stdout, ran.stderr.split(". ")[0]], [1, "", `The package @proflens/${platform}, which has the program for this machine, is not installed`]);
    good(folder, "npm", ["install", "--include=optional"]);
    assert.match(good(folder, "npx", ["proflens", "--version"]), /^proflens /);
  });

  await test("a lock file of another platform", () => {
    const folder = project("locked", { dependencies: { proflens: version } });
    good(folder, "npm", ["install", "--os=win32", "--cpu=x64"]);
    assert.deepEqual(installed(folder), ["win32-x64"]);
    rmSync(join(folder, "node_modules"), { recursive: true });
    good(folder, "npm", ["ci"]);
    assert.deepEqual(installed(folder), [platform]);
  });

  await test("proflens-fleet has its own package, which finds its own program", () => {
    const folder = project("fleet");
    good(folder, "npm", ["install", "--foreground-scripts", "proflens-fleet"]);
    assert.deepEqual(installed(folder), [`fleet-${platform}`]);
    const bin = join(folder, "node_modules/.bin/proflens-fleet");
    for (const args of [["--version"], ["slice", "no lake", "-o", "x.slice"]]) {
      const [through, direct] = [bin, fleet].map((it) => run(folder, it, args));
      assert.deepEqual([through.status, through.stdout, through.stderr], [direct.status, direct.stdout, direct.stderr]);
    }
    rmSync(join(folder, "node_modules/@proflens"), { recursive: true });
    const missing = run(folder, bin, ["--version"]);
    assert.match(missing.stderr, new RegExp(`^The package @proflens/fleet-${platform}, which .* Install proflens-fleet again`));
  });

  await test("another libc gets another program", () => {
    const folder = project("musl");
    good(folder, "npm", ["install", "--os=linux", "--cpu=arm64", "--libc=musl", "proflens"]);
    assert.deepEqual(installed(folder), ["linux-arm64-musl"]);
  });

  await test("pnpm", () => {
    const folder = project("pnpm");
    const store = { npm_config_store_dir: join(home, "pnpm-store") };
    node(folder, pnpm, ["add", "proflens"], store);
    // This registry does not tell pnpm which libc a package is for, so that it installs both.
    assert.deepEqual(installed(folder).filter((it) => it !== `${platform}-musl`), [platform]);
    assert.equal(node(folder, pnpm, ["exec", "proflens", ...reporting], store), report);
  });

  await test("Yarn 1, which knows nothing of libc", () => {
    const folder = project("yarn-classic");
    node(folder, classic, ["add", "--silent", "--no-progress", "proflens"]);
    assert.equal(node(folder, classic, ["--silent", "run", "proflens", ...reporting]), report);
  });

  for (const linker of ["node-modules", "pnp"]) {
    await test(`Yarn 4 with ${linker}`, () => {
      const folder = project(`yarn-${linker}`);
      writeFileSync(join(folder, "yarn.lock"), "");
      const more = { ...yarn, YARN_NODE_LINKER: linker };
      node(folder, berry, ["add", "proflens"], more);
      assert.equal(node(folder, berry, ["run", "proflens", ...reporting], more), report);
    });
  }

  await test("installed for all projects, run, and uninstalled without a trace", () => {
    good(home, "npm", ["install", "--global", "proflens"]);
    assert.match(good(home, join(home, "global/bin/proflens"), ["--version"]), /^proflens /);
    good(home, "npm", ["uninstall", "--global", "proflens"]);
    const left = readdirSync(join(home, "global"), { recursive: true }).map(String).filter((it) => it.includes("proflens"));
    assert.deepEqual(left, []);
  });

  await test("proflens/record records a process, and proflens reads it", () => {
    const folder = join(home, "npm");
    for (const file of ["comments.js", "render.js"]) writeFileSync(join(folder, file), readFileSync(join(root, "examples/comments", file)));
    writeFileSync(join(folder, "package.json"), JSON.stringify({ type: "module" }));
    good(folder, process.execPath, ["--require", "proflens/record", "comments.js"]);
    const [recording] = readdirSync(join(folder, ".proflens/recordings"));
    assert.match(good(folder, "npx", ["proflens", "report", `.proflens/recordings/${recording}`]), /render +render\.js:6:17/);
  });

  await test("proflens/collect has its types and does nothing outside of browsers", () => {
    const folder = join(home, "npm");
    const script = 'import { measure } from "proflens/collect"; measure({ to: "http://127.0.0.1:9/", share: 1 }); console.log(typeof measure);';
    assert.equal(good(folder, process.execPath, ["--input-type=module", "-e", script]), "function\n");
    assert.ok(existsSync(join(folder, "node_modules/proflens/collect.d.mts")));
  });

  await test("proflens/skill is a skill of at most 60 lines", () => {
    const script = 'console.log(require("fs").readFileSync(require.resolve("proflens/skill"), "utf8"))';
    const skill = good(join(home, "npm"), process.execPath, ["--input-type=commonjs", "-e", script]).trimEnd().split("\n");
    assert.deepEqual([skill[0], skill[1], skill.length <= 60], ["---", "name: proflens", true]);
  });
} finally {
  if (server.kill()) await once(server, "exit");
  rmSync(home, { recursive: true });
}
