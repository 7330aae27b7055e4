// Where the server's program is: the order in which places are looked at, apart from VS Code.

import { realpathSync, statSync } from "node:fs";
import { posix, win32 } from "node:path";

/** Which place a program was found in. */
export type Origin = "setting" | "extension" | "workspace" | "path";

/** A program that can be started without a shell. */
export type Program = { file: string; origin: Origin };

/** What this machine is, as Node names it, and whether programs of Linux find glibc on it. */
export type Machine = { platform: NodeJS.Platform; arch: string; isGlibc(): boolean };

export const THIS: Machine = {
  platform: process.platform,
  arch: process.arch,
  isGlibc: () => {
    Object.assign(process.report, { excludeNetwork: true }); // a report would look up the names of all connections
    const report = process.report.getReport() as { header?: { glibcVersionRuntime?: string } };
    return report.header?.glibcVersionRuntime !== undefined;
  },
};

/** Where to look, in this order. */
export type Places = {
  /** What the setting `proflens.server.path` names. */
  setting: string | undefined;
  /** The folder of this extension. */
  extension: string;
  /** Folders whose `node_modules` count, the nearest first; none of a workspace that is not trusted. */
  folders: readonly string[];
  /** The variable `PATH`. */
  path: string;
};

/** The part of a file system that is asked. */
export type Files = {
  isFile(file: string): boolean;
  /** The file that a link leads to; `undefined` if there is none. */
  real(file: string): string | undefined;
};

export const DISK: Files = {
  isFile: (file) => statSync(file, { throwIfNoEntry: false })?.isFile() === true,
  real: (file) => {
    try {
      return realpathSync(file);
    } catch {
      return undefined;
    }
  },
};

/** What a user reads who has no program. */
export const INSTALL = "npm install -g proflens";

/** The program to start. Throws a sentence for users if there is none. */
export function find(places: Places, machine: Machine, files: Files = DISK): Program {
  if (places.setting) {
    if (files.isFile(places.setting)) return { file: places.setting, origin: "setting" };
    throw new Error(
      `The Proflens server ${places.setting} does not exist. Correct the setting proflens.server.path, or remove it.`,
    );
  }
  const { join } = paths(machine);
  const bundled = join(places.extension, "server", nameOf(machine));
  if (files.isFile(bundled)) return { file: bundled, origin: "extension" };
  for (const folder of places.folders) {
    const file = inModules(folder, machine, files);
    if (file) return { file, origin: "workspace" };
  }
  const file = onPath(places.path, machine, files);
  if (file) return { file, origin: "path" };
  throw new NoProgram(machine);
}

/** There is no program on this machine yet. */
export class NoProgram extends Error {
  constructor({ platform, arch }: Machine) {
    super(
      `Proflens has no program to run: install it with "${INSTALL}" and run "Proflens: Restart server", ` +
        `or install the extension file for ${platform}-${arch}, which has it inside.`,
    );
  }
}

/** The folders from a file's up to that of its workspace; only the latter for a file outside, or without one. */
export function upward(root: string, file: string | undefined, machine: Machine): string[] {
  const { dirname, relative, isAbsolute } = paths(machine);
  const folders = [root];
  if (file === undefined) return folders;
  const inner = relative(root, dirname(file));
  if (inner === "" || inner.startsWith("..") || isAbsolute(inner)) return folders;
  const between: string[] = [];
  for (let folder = dirname(file); folder !== root && folder !== dirname(folder); folder = dirname(folder)) {
    between.push(folder);
  }
  return [...between, ...folders];
}

/**
 * The program that npm, pnpm or yarn installed below a folder. That of the platform's own package comes before the
 * launcher in `node_modules/.bin`, which needs Node on the PATH and, on Windows, a shell.
 */
function inModules(folder: string, machine: Machine, files: Files): string | undefined {
  const { join } = paths(machine);
  const modules = join(folder, "node_modules");
  const main = join(modules, "proflens");
  const program = inScope(modules, machine, files) ?? inPackage(files.real(main) ?? main, machine, files);
  const launcher = join(modules, ".bin", "proflens");
  return program ?? (machine.platform !== "win32" && files.isFile(launcher) ? launcher : undefined);
}

/** Beside or below the package `proflens` itself: pnpm has only the packages that were asked for in `node_modules`. */
function inPackage(main: string, machine: Machine, files: Files): string | undefined {
  const { join, dirname } = paths(machine);
  return inScope(join(main, "node_modules"), machine, files) ?? inScope(dirname(main), machine, files);
}

function inScope(modules: string, machine: Machine, files: Files): string | undefined {
  const { join } = paths(machine);
  const all = packages(machine).map((name) => join(modules, "@proflens", name, "bin", nameOf(machine)));
  const installed = all.filter((file) => files.isFile(file));
  // Package managers that know nothing of C libraries install both programs for Linux.
  return installed.length > 1 && !machine.isGlibc() ? installed[1] : installed[0];
}

function onPath(path: string, machine: Machine, files: Files): string | undefined {
  const { join, dirname, delimiter, isAbsolute } = paths(machine);
  for (const folder of path.split(delimiter)) {
    // What is relative would be looked for in the current folder, which may be anybody's.
    if (!isAbsolute(folder)) continue;
    const file = join(folder, nameOf(machine));
    if (files.isFile(file)) {
      // npm's link leads to a script, beside or below which the program of the platform is.
      const real = files.real(file) ?? file;
      const installed = real.endsWith(".js") ? inPackage(dirname(dirname(real)), machine, files) : undefined;
      return installed ?? file;
    }
    if (machine.platform === "win32" && files.isFile(join(folder, "proflens.cmd"))) {
      const installed = inModules(folder, machine, files);
      if (installed) return installed;
    }
  }
  return undefined;
}

/** The packages that may have the program; of those for Linux the one for glibc comes first. */
function packages({ platform, arch }: Machine): string[] {
  const name = `${platform}-${arch}`;
  return platform === "linux" ? [name, `${name}-musl`] : [name];
}

function nameOf({ platform }: Machine): string {
  return platform === "win32" ? "proflens.exe" : "proflens";
}

function paths({ platform }: Machine): typeof posix {
  return platform === "win32" ? win32 : posix;
}
