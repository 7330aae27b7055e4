// What can be recorded in a folder: the active file, the scripts of packages, what `launch.json` starts. No `vscode`
// here: what is found on the disk and in settings comes in as values.

import { basename, dirname, extname, join, relative } from "node:path";
import type { Definition } from "./commandLine";

/** Something to record, as the list shows it. */
export interface Offer {
  text: string;
  /** Where it is run, or what it is. */
  about: string;
  /** More, in a line of its own. */
  detail?: string;
  task: Definition;
}

/** Which files there are. */
export type Exists = (path: string) => boolean;

const TYPESCRIPT = [".ts", ".mts", ".cts", ".tsx"];
const JAVASCRIPT = [".js", ".mjs", ".cjs", ".jsx"];
/** Test runners by the package that is installed; the first one that is there is meant. */
const RUNNERS: [string, string[]][] = [
  ["vitest", ["vitest", "run"]],
  ["jest", ["jest"]],
  ["mocha", ["mocha"]],
];
/** Package managers by the file that they leave. */
const LOCK_FILES: [string, string][] = [
  ["pnpm-lock.yaml", "pnpm"],
  ["yarn.lock", "yarn"],
  ["bun.lock", "bun"],
  ["bun.lockb", "bun"],
];

/** The version of the Node that runs programs, such as 22.6. */
export type NodeVersion = { major: number; minor: number };

/** Reads what `node --version` prints; undefined if that is not a version. */
export function nodeVersion(text: string): NodeVersion | undefined {
  const [, major, minor] = /^v(\d+)\.(\d+)\./.exec(text) ?? [];
  return major && minor ? { major: Number(major), minor: Number(minor) } : undefined;
}

/** The flags with which Node runs TypeScript, as its documentation has them ("Modules: TypeScript"); undefined if it cannot. */
function stripTypes(node: NodeVersion | undefined): string[] | undefined {
  if (!node) return undefined;
  const isFrom = (major: number, minor: number) => node.major === major && node.minor >= minor;
  if (node.major > 23 || isFrom(23, 6) || isFrom(22, 18)) return [];
  return node.major === 23 || isFrom(22, 6) ? ["--experimental-strip-types"] : undefined;
}

/** How a file is run, by its kind and by what is installed; undefined if it is not a program, or nothing that runs it is installed. */
export function ofFile(file: string, folder: string, exists: Exists, node?: NodeVersion): Offer | undefined {
  const ending = extname(file);
  const isTypeScript = TYPESCRIPT.includes(ending) && !/\.d\.[cm]?ts$/.test(file);
  if (!isTypeScript && !JAVASCRIPT.includes(ending)) return undefined;
  const offer = (cwd: string, [command, ...args]: [string, ...string[]]): Offer => {
    const words = [...args, relative(cwd, file)];
    return { text: [command, ...words].join(" "), about: "", task: taskOf(folder, cwd, command, words) };
  };
  const isTest = /[.-](test|spec)\.\w+$/.test(file) || /[\\/]__tests__[\\/]/.test(file);
  if (isTest) {
    for (const [name, words] of RUNNERS) {
      const home = homeOf(name, file, folder, exists);
      if (home) return offer(home, ["npx", ...words]);
    }
  }
  const withTsx = isTypeScript ? homeOf("tsx", file, folder, exists) : undefined;
  if (withTsx) return offer(withTsx, ["npx", "tsx"]);
  const flags = isTypeScript ? stripTypes(node) : [];
  return flags && offer(folder, ["node", ...flags, ...(isTest ? ["--test"] : [])]);
}

/** The scripts of a `package.json`; none if it cannot be read as one. */
export function ofPackage(path: string, text: string, folder: string, exists: Exists): Offer[] {
  const home = dirname(path);
  const read = parsed(text);
  const manager = /^[a-z]+/.exec(String(read?.packageManager ?? ""))?.[0] ?? managerOf(home, folder, exists);
  const about = relative(folder, home).replaceAll("\\", "/");
  return Object.entries(read?.scripts ?? {}).map(([name, script]) => ({
    text: `${manager} run ${name}`,
    about,
    detail: String(script),
    task: taskOf(folder, home, manager, ["run", name]),
  }));
}

/** The scripts that a package is known by, in the order in which they are offered. */
const MAIN_SCRIPTS = ["test", "start", "bench", "dev"];

/** The main scripts of the package in which a file is, of those of all packages of its folder. */
export function ofOwnPackage<T extends Offer>(file: string, folder: string, all: T[]): T[] {
  const homeOf = (it: Offer) => it.task.cwd ?? folder;
  const around = all.map(homeOf).filter((it) => !relative(it, file).startsWith(".."));
  const own = around.reduce((best, it) => (it.length > best.length ? it : best), "");
  const rank = (it: Offer) => MAIN_SCRIPTS.indexOf(it.task.args?.[1] ?? "");
  const main = all.filter((it) => own !== "" && homeOf(it) === own && rank(it) >= 0);
  return main.sort((a, b) => rank(a) - rank(b));
}

/** A configuration of `launch.json`, if it starts Node. What VS Code replaces in it is replaced in a task too. */
export function ofLaunch(configuration: Record<string, unknown>, folder: string): Offer | undefined {
  const { type, request, name, program, cwd, env } = configuration;
  if (request !== "launch" || !["node", "pwa-node"].includes(String(type))) return undefined;
  const started = configuration.runtimeExecutable;
  const args = [...wordsIn(configuration.runtimeArgs), ...wordsIn(program), ...wordsIn(configuration.args)];
  if (args.length === 0) return undefined;
  // The debugger starts Node's inspector itself. Recording needs none, and two of them would want one port.
  const words = args.filter((it) => !/^--inspect(-brk)?(=|$)/.test(it));
  const task = taskOf(folder, typeof cwd === "string" ? cwd : folder, String(started ?? "node"), words);
  if (env && typeof env === "object") task.env = textsOf(env);
  return {
    text: String(name ?? words.join(" ")),
    about: "launch.json",
    detail: [task.command, ...words].join(" "),
    task,
  };
}

/** Without a `cwd` that is the folder itself, so that `tasks.json` stays as short as it can be. */
function taskOf(folder: string, cwd: string, command: string, args: string[]): Definition {
  return { type: "proflens", command, args, ...(cwd !== folder && { cwd }) };
}

/** The folder from which a package is found: the file's own, or the nearest above it in the workspace folder. */
function homeOf(name: string, file: string, folder: string, exists: Exists): string | undefined {
  for (let home = dirname(file); ; home = dirname(home)) {
    if (exists(join(home, "node_modules", name, "package.json"))) return home;
    if (home === folder || home === dirname(home)) return undefined;
  }
}

function managerOf(home: string, folder: string, exists: Exists): string {
  for (const place of [home, folder]) {
    const found = LOCK_FILES.find(([file]) => exists(join(place, file)));
    if (found) return found[1];
  }
  return "npm";
}

function parsed(text: string): { packageManager?: unknown; scripts?: Record<string, unknown> } | undefined {
  try {
    const value = JSON.parse(text);
    return value && typeof value === "object" ? value : undefined;
  } catch {
    return undefined; // somebody is writing it
  }
}

/** The words of a value that may be one, several or none. */
function wordsIn(value: unknown): string[] {
  if (typeof value === "string") return [value];
  return Array.isArray(value) ? value.map(String) : [];
}

function textsOf(env: object): Record<string, string> {
  const texts = Object.entries(env).filter(([, it]) => it !== null && it !== undefined);
  return Object.fromEntries(texts.map(([name, it]) => [name, String(it)]));
}

/** Whether a name in the folder of recordings is one that is whole. */
export function isRecording(path: string): boolean {
  return /^[^.].*\.(json\.gz|json|heapprofile)$/.test(basename(path));
}
