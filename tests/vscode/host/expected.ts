// Reads `tests/workspaces/primes/expected.txt`, the expectations that the tests of all editors share.

import { readFileSync } from "node:fs";
import { join } from "node:path";

export interface Expected {
  kind: "hint" | "lens" | "hover";
  file: string;
  /** From 0, as in the protocol; the file counts from 1, as editors show it. */
  line: number;
  character: number;
  text: string;
}

/** Everything that is expected of `file` below the heading `[section]`, in the order of the file. */
export function expected(section: string, kind: Expected["kind"], file: string): Expected[] {
  // From where the bundle lies, out/host.js.
  const path = join(__dirname, "../../workspaces/primes/expected.txt");
  let heading = "";
  const found: Expected[] = [];
  for (const [at, line] of readFileSync(path, "utf8").split("\n").entries()) {
    if (line === "" || line.startsWith("#")) continue;
    if (line.startsWith("[")) {
      heading = line.slice(1, -1);
      continue;
    }
    const parts = /^(hint|lens|hover) +([^ :]+):(\d+):(\d+) +(.+)$/.exec(line);
    if (!parts) throw new Error(`expected.txt:${at + 1} cannot be read: ${line}`);
    const [, what, where, row, column, text] = parts as unknown as [string, Expected["kind"], string, string, string, string];
    if (heading === section && what === kind && where === file) {
      found.push({ kind: what, file: where, line: Number(row) - 1, character: Number(column) - 1, text });
    }
  }
  if (found.length === 0) throw new Error(`expected.txt has no ${kind} of ${file} below [${section}]`);
  return found;
}
