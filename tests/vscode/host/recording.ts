// Recording, by what the installed extension does with real programs in the folder of the example.

import assert from "node:assert/strict";
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import * as vscode from "vscode";
import type { Api } from "../../../editors/vscode/src/extension";
import type { Status } from "../../../editors/vscode/src/protocol";
import { eventually, hints, open, test, uri } from "./harness";

const { executeCommand } = vscode.commands;

/**
 * Is at work for a while, keeps enough memory to be sampled, and then goes on if it is told to. It begins in a timer: what V8
 * inlined before it was profiled, on a slow machine the first call, would count as code outside of functions.
 */
const PROGRAM = `
globalThis.kept = [];
function burn(turns) {
  let sum = 0;
  for (let turn = 0; turn < turns; turn += 1) {
    sum += Math.sqrt(sum + 1);
    if (kept.length < 20000) kept.push([sum]);
  }
  return sum;
}
setTimeout(burn, 0, 3e7);
if (process.argv[2]) setInterval(burn, 100, 8e6);
`;

/** Works on and on. A breakpoint in it is reached when the debugger wants it. */
const ENDLESS = `
globalThis.rounds = 0;
globalThis.isWanted = false;
function burn(ms) {
  const end = Date.now() + ms;
  let sum = 0;
  while (Date.now() < end) sum += Math.sqrt(sum + 1);
  return sum;
}
function turn() {
  burn(40);
  rounds++;
  if (isWanted) {
    isWanted = false;
  }
}
setInterval(turn, 50);
`;

/** The same in TypeScript that Node compiles as it loads it: an \`enum\` moves the lines below it. */
const TYPED = `
enum Kind {
  Short,

  Long,
}
interface Work { kind: Kind; ms: number }
${ENDLESS.replace("burn(ms)", "burn({ ms, kind }: Work): number").replace("burn(40)", "burn({ kind: Kind.Short, ms: 40 })")}`;

/** The extension host's own Node, which reads TypeScript. */
const WITH_TYPES = { runtimeExecutable: process.execPath, runtimeArgs: ["--experimental-transform-types"] };
const DEBUGGED = [
  { file: "endless.js", source: ENDLESS, options: {}, hint: /^3: [\d.]+m?s · / },
  { file: "endless.ts", source: TYPED, options: WITH_TYPES, hint: /^10: [\d.]+m?s · / },
];

/** All tests of this file; `api` is asked when they run. They leave the folder as it was. */
export function recordingTests(api: () => Api): void {
  test("what can be recorded is offered", async () => {
    write("burn.js", PROGRAM);
    write("package.json", JSON.stringify({ scripts: { burn: "node burn.js", test: "node burn.js --test" } }));
    write("web/package.json", JSON.stringify({ scripts: { dev: "node ../burn.js" } }));
    const launch = { type: "node", request: "launch", name: "Burn", program: uri("burn.js").fsPath };
    write(".vscode/launch.json", JSON.stringify({ version: "0.2.0", configurations: [launch] }));
    await open("burn.js");
    await eventually(async () =>
      assert.deepEqual(await api().recordingOffers(), [
        "this package | npm run test | node burn.js --test",
        "active file | node burn.js",
        "npm scripts | npm run burn | node burn.js",
        "npm scripts | npm run dev | web | node ../burn.js",
        `launch configurations | Burn | launch.json | node ${uri("burn.js").fsPath}`,
      ]),
    );
  });

  test("a command is recorded, and what it cost is shown", async () => {
    await record("node burn.js");
    await showsNewest("node burn.js", "node+burn.js.json.gz");
    await showsBurn();
    const [first] = await api().recordingOffers();
    assert.equal(first, "recorded before | node burn.js");
  });

  test("a script is recorded in the folder of its package", async () => {
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a variable that VS Code replaces
    await record({ command: "npm", args: ["run", "dev"], cwd: "${workspaceFolder}/web" });
    await showsNewest("npm run dev", "npm+run+dev.json.gz");
    await showsBurn();
  });

  test("the recording before is shown, and then the present one again", async () => {
    await executeCommand("proflens.showPrevious");
    await eventually(() => assert.match(api().statusText(), / node burn\.js · /));
    await executeCommand("proflens.showPrevious");
    await showsNewest("npm run dev", "npm+run+dev.json.gz");
  });

  test("a recording can be renamed, and deleted", async () => {
    const before = recordings();
    const row = await api().viewRow("traces", "npm run dev");
    assert.match(row?.description ?? "", /^just now · [\d,]+ samples · shown$/);
    await executeCommand("proflens.renameRecording", row, "With a cache");
    const renamed = before.map((it) => it.replace("npm+run+dev", "With+a+cache"));
    await eventually(() => assert.deepEqual(recordings(), renamed));
    const shown = await eventually(async () => {
      const found = await api().viewRow("traces", "With a cache");
      assert.match(found?.description ?? "", / shown$/);
      return found;
    });
    await executeCommand("proflens.deleteRecording", shown, true);
    await eventually(() => assert.deepEqual(recordings(), renamed.filter((it) => !it.includes("With+a+cache"))));
    await eventually(async () => assert.equal(await api().viewRow("traces", "With a cache"), undefined));
  });

  test("a program without an end is stopped, and its recording is kept", async () => {
    await record({ command: "node", args: ["burn.js", "forever"] });
    await eventually(() => assert.match(api().recordingText(), /^\$\(record\) 0:0[2-9]/));
    await executeCommand("proflens.stopRecording");
    assert.match(api().recordingText(), /Stopping/);
    await showsNewest("node burn.js forever", "node+burn.js+forever.json.gz");
  });

  test("a recording is shown also where traces are not loaded by themselves", async () => {
    const settings = vscode.workspace.getConfiguration("proflens");
    await settings.update("autoLoad", false, vscode.ConfigurationTarget.Workspace);
    await executeCommand("proflens.selectTrace", uri("primes.cpuprofile").toString());
    await eventually(() => assert.match(api().statusText(), /primes\.cpuprofile/));
    await record("node burn.js | cat");
    await showsNewest("node burn.js - cat", "node+burn.js+-+cat.json.gz");
    await settings.update("autoLoad", undefined, vscode.ConfigurationTarget.Workspace);
  });

  test("a task of tasks.json records, with its options", async () => {
    const label = "allocations";
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a variable that VS Code replaces
    const cwd = "${workspaceFolder}/web";
    const task = { label, type: "proflens", command: "node", args: ["../burn.js"], cwd, heap: true };
    write(".vscode/tasks.json", JSON.stringify({ version: "2.0.0", tasks: [task] }));
    const found = await eventually(async () => {
      const all = await vscode.tasks.fetchTasks({ type: "proflens" });
      assert.deepEqual(all.map((it) => it.name).sort(), [label, "npm run burn", "npm run dev", "npm run test"]);
      return all.find((it) => it.name === label);
    });
    assert(found);
    await vscode.tasks.executeTask(found);
    await eventually(() => assert.match(api().recordingText(), /record/));
    await showsNewest("burn.js", "burn.js.heapprofile");
    await isOver();
  });

  test("a recording of limited time is shown while its command runs on", async () => {
    const endless = { command: "node", args: ["burn.js", "forever"], duration: "3s" };
    await record(endless);
    await showsNewest("node burn.js forever", "node+burn.js+forever.json.gz");
    const [execution] = vscode.tasks.taskExecutions;
    assert(execution, "the command runs on");
    execution.terminate();
    await isOver();
  });

  test("of a command that cannot be started nothing is shown", async () => {
    const before = [api().statusText(), recordings().length];
    await record({ command: "no-such-program", args: [] });
    await eventually(() => assert.equal(api().recordingText(), ""));
    await isOver();
    assert.deepEqual([api().statusText(), recordings().length], before);
  });

  for (const { file, source, options, hint } of DEBUGGED) {
    test(`the debug session of ${file} is recorded, and goes on`, async () => {
      write(file, source);
      const line = source.split("\n").findIndex((it) => it.startsWith("    isWanted"));
      const breakpoint = new vscode.SourceBreakpoint(new vscode.Location(uri(file), new vscode.Position(line, 0)));
      vscode.debug.addBreakpoints([breakpoint]);
      await debug({ name: file, program: uri(file).fsPath, ...options }, async (session) => {
        await eventually(async () => assert(Number(await value(session, "rounds")) > 0));
        // V8 leaves out of stacks what it compiled for a breakpoint before it was asked to record, until it compiles that again.
        await eventually(async () => {
          await executeCommand("proflens.recordDebugSession");
          await eventually(() => assert.match(api().recordingText(), /^\$\(record\) 0:0[2-9]/));
          await pauses(session, line);
          await executeCommand("proflens.stopRecording");
          await showsNewest(file, `${file}.json.gz`);
          await isOver();
          await shows(file, hint, 20_000);
        });
        await pauses(session, line);
      });
      vscode.debug.removeBreakpoints([breakpoint]);
    });
  }

  test("a recording ends with the program that is debugged", async () => {
    await debug({ name: "Burn", program: uri("burn.js").fsPath, args: ["forever"] }, async (session) => {
      await executeCommand("proflens.recordDebugSession");
      await eventually(() => assert.match(api().recordingText(), /^\$\(record\) 0:0[3-9]/));
      await value(session, "setTimeout(() => process.exit())");
      await showsNewest("burn.js", "burn.js.json.gz");
      await isOver();
      await showsBurn();
    });
  });

  test("the folder is as it was", async () => {
    await executeCommand("workbench.action.closeAllEditors");
    await executeCommand("proflens.selectTrace", uri("primes.cpuprofile").toString());
    for (const it of ["burn.js", "package.json", "web", ".vscode", ".proflens", ...DEBUGGED.map(({ file }) => file)]) {
      rmSync(uri(it).fsPath, { recursive: true });
    }
    await eventually(() => assert.match(api().statusText(), /primes\.cpuprofile/));
  });

  /** Begins to record. */
  async function record(given: unknown): Promise<void> {
    await executeCommand("proflens.recordCommand", given);
    await eventually(() => assert.match(api().recordingText(), /^\$\(record\) 0:\d\d/));
  }

  /** Waits until nothing is recorded any more, and the newest recording is shown, which has this name and this file. */
  async function showsNewest(name: string, file: string): Promise<void> {
    await eventually(() => assert.equal(api().recordingText(), ""));
    const newest = recordings().at(-1) ?? "none";
    assert(newest.endsWith(`-${file}`), newest);
    await eventually(async () => {
      const { traces } = (await api().request("proflens/status", {})) as Status;
      const shown = traces.find((it) => it.shown);
      assert.equal(shown?.name, newest);
      assert(api().statusText().includes(` ${name} · `), `${api().statusText()} does not name ${name}`);
    });
  }
}

async function isOver(): Promise<void> {
  await eventually(() => assert.equal(vscode.tasks.taskExecutions.length, 0));
}

/** The hint of the only function of the program that takes time. */
function showsBurn(): Promise<void> {
  return shows("burn.js", /2: [\d.]+m?s · /);
}

/** All hints of a file, by their lines. */
async function shows(file: string, expected: RegExp, limit?: number): Promise<void> {
  const document = await open(file);
  const texts = async () => (await hints(document)).map((it) => `${it.line}: ${it.text}`).join();
  await eventually(async () => assert.match(await texts(), expected), limit);
}

/** What the debugger says that an expression is. */
async function value(session: vscode.DebugSession, expression: string): Promise<string> {
  return (await session.customRequest("evaluate", { expression, context: "repl" })).result;
}

/** Runs a program in VS Code's debugger, meanwhile something else, and ends the program. */
async function debug(launch: object, run: (session: vscode.DebugSession) => Promise<void>): Promise<void> {
  const configuration = { type: "node", request: "launch", name: "", ...launch };
  assert(await vscode.debug.startDebugging(vscode.workspace.workspaceFolders?.[0], configuration));
  // What VS Code calls the active session may be one that has ended: their ends are told in another order than their changes.
  const ended = new Set<string>();
  const listener = vscode.debug.onDidTerminateDebugSession(({ id }) => ended.add(id));
  const session = await eventually(() => {
    const active = vscode.debug.activeDebugSession;
    assert(active?.parentSession && !ended.has(active.id), "no program is being debugged");
    return active;
  });
  try {
    await run(session);
  } catch (error) {
    await end(session, ended).catch((second) => console.log(`${session.name} does not end either: ${second}`));
    throw error;
  }
  await end(session, ended);
  listener.dispose();
}

async function end(session: vscode.DebugSession, ended: Set<string>): Promise<void> {
  // VS Code may not hear the first time, while the program goes on from a breakpoint.
  await eventually(async () => {
    await vscode.debug.stopDebugging();
    assert(ended.has(session.parentSession?.id ?? session.id), "it is still being debugged");
  });
}

/** The program runs, pauses at its breakpoint when that is wanted, and runs on. */
async function pauses(session: vscode.DebugSession, line: number): Promise<void> {
  const rounds = Number(await value(session, "rounds"));
  await value(session, "isWanted = true");
  const frame = await eventually(() => {
    const item = vscode.debug.activeStackItem;
    assert(item instanceof vscode.DebugStackFrame, "the program does not pause");
    return item;
  });
  const { stackFrames } = await session.customRequest("stackTrace", { threadId: frame.threadId, levels: 1 });
  assert.equal(stackFrames[0].line, line + 1);
  await executeCommand("workbench.action.debug.continue");
  await eventually(async () => assert(Number(await value(session, "rounds")) > rounds + 1, "the program stands still"));
}

function write(file: string, text: string): void {
  const path = uri(file).fsPath;
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

/** Their names, the oldest first: names begin with the time. */
function recordings(): string[] {
  const folder = uri(".proflens/recordings").fsPath;
  return existsSync(folder) ? readdirSync(folder).sort() : [];
}
