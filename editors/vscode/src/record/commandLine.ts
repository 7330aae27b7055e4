// Command lines: what a user types becomes the words that `proflens record` gets. No `vscode` here: these are plain
// functions with unit tests.
import { inFileName } from "../text";

/** A task of the type `proflens`, as `tasks.json` has it. */
export interface Definition {
  type: "proflens";
  /** A program, or without `args` a whole command line. */
  command?: string;
  args?: string[];
  /** What to attach to, instead of a command. */
  attach?: string;
  cwd?: string;
  env?: Record<string, string>;
  only?: string;
  interval?: string;
  duration?: string;
  heap?: boolean;
  /** The file of the result, if its name says more than what is attached to. */
  out?: string;
}

/** Programs that are batch files on Windows, where a program is not found without its ending. */
const BATCH_FILES = ["npm", "npx", "pnpm", "yarn"];

/** The arguments of `proflens` for a task. Throws an error for users if the task names nothing to record. */
export function argumentsOf(task: Definition, workspace: string, platform: NodeJS.Platform): string[] {
  const options = ["record", "--workspace", workspace];
  if (task.interval) options.push("--interval", task.interval);
  if (task.duration) options.push("--duration", task.duration);
  if (task.only) options.push("--only", task.only);
  if (task.heap) options.push("--heap");
  if (task.out) options.push("--out", task.out);
  if (task.attach) return [...options, "--attach", task.attach];
  if (!task.command) throw new Error("A task of the type proflens needs a `command`, or `attach`.");
  return [...options, "--", ...commandOf(task.command, task.args, platform)];
}

/** What a task is called: its command as one would type it. */
export function textOf(task: Definition): string {
  if (task.attach) return `attach to ${task.attach}`;
  return [task.command ?? "", ...(task.args ?? []).map(quoted)].join(" ");
}

function commandOf(command: string, args: string[] | undefined, platform: NodeJS.Platform): string[] {
  if (args) {
    const isBatch = platform === "win32" && BATCH_FILES.includes(command);
    return [isBatch ? `${command}.cmd` : command, ...args];
  }
  // Windows has no rules for the words of a command line: each program splits its own.
  if (platform === "win32") return ["cmd.exe", "/d", "/s", "/c", command];
  return wordsOf(command) ?? ["/bin/sh", "-c", command];
}

/** The words of a command line, as a shell splits them; undefined if only a shell can tell what it means. */
export function wordsOf(line: string): string[] | undefined {
  const words: string[] = [];
  let rest = line.trim();
  while (rest) {
    const [found] = /^(?:[^\s'"\\|&;<>()$`*?[\]{}~#!]|'[^']*'|"[^"\\$`!]*")+/.exec(rest) ?? [];
    if (!found || !/^(\s|$)/.test(rest.slice(found.length))) return undefined;
    words.push(found.replaceAll(/'([^']*)'|"([^"]*)"/g, (_, single, double) => single ?? double));
    rest = rest.slice(found.length).trimStart();
  }
  // An assignment before the command is the shell's too.
  return words.length > 0 && !words[0]?.includes("=") ? words : undefined;
}

function quoted(word: string): string {
  if (wordsOf(`x ${word}`)?.[1] === word) return word;
  return `'${word.replaceAll("'", `'\\''`)}'`;
}

/** The name of a recording as `proflens record` makes it, from its command or from what a debugger calls the program. */
export function fileOf(recorded: string, time: Date, ending: "json.gz" | "heapprofile"): string {
  const name = inFileName(recorded.replace(/ \[\d+\].*/, ""));
  const at = time.toISOString().slice(0, 19).replaceAll(":", "-");
  return `${at}-${name || "recorded"}.${ending}`;
}

/** `0:07`, `12:34`, `1:02:03`. */
export function elapsed(ms: number): string {
  const seconds = Math.floor(ms / 1000);
  const two = (it: number) => String(it).padStart(2, "0");
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  return `${hours > 0 ? `${hours}:${two(minutes)}` : minutes}:${two(seconds % 60)}`;
}
