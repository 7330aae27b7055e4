// Which functions a search means, and exactly how much of the time is on stacks with any of them.

import type { Header } from "./data";
import type { Stacks } from "./stacks";

/** Whether a text is looked for as it is or `/as a regular expression/`; an error is a sentence. */
export function matcher(query: string): { test: (text: string) => boolean } | { problem: string } | null {
  if (query === "") return null;
  const pattern = /^\/(.+)\/([imsu]*)$/.exec(query);
  if (!pattern) {
    const plain = query.toLowerCase();
    return { test: (text) => text.toLowerCase().includes(plain) };
  }
  try {
    const regular = new RegExp(pattern[1], pattern[2]);
    return { test: (text) => regular.test(text) };
  } catch {
    return { problem: "Not a regular expression: close its brackets, or leave out the slashes." };
  }
}

/** A regular expression may take very long on a very long name. */
const SEARCHED = 2000;

/** The functions whose name, path in the file, file or package matches: 1 each. */
export function matchingFunctions(
  { functions, names, files, packages }: Header,
  test: (text: string) => boolean,
): Uint8Array {
  const answers = (texts: string[]) => {
    const known = new Map<number, boolean>();
    return (at: number) => {
      if (at < 0) return false;
      let answer = known.get(at);
      if (answer === undefined) {
        answer = test(texts[at].slice(0, SEARCHED));
        known.set(at, answer);
      }
      return answer;
    };
  };
  const [inNames, inFiles, inPackages] = [answers(names), answers(files), answers(packages)];
  return Uint8Array.from(functions.name, (name, fn) =>
    Number(
      inNames(name) || inNames(functions.path[fn]) || inFiles(functions.file[fn]) || inPackages(functions.package[fn]),
    ),
  );
}

/** The time of all stacks with a matching function, each counted once; idle time does not count. */
export function matchedTime(
  stacks: Stacks,
  self: Float64Array,
  matches: Uint8Array,
  isIdle: (fn: number) => boolean,
): number {
  const on = new Uint8Array(stacks.count);
  let sum = 0;
  for (let i = 0; i < stacks.count; i++) {
    const caller = stacks.caller[i];
    on[i] = matches[stacks.fn[i]] || (caller >= 0 && on[caller]) ? 1 : 0;
    if (on[i] && !isIdle(stacks.fn[i])) sum += self[i];
  }
  return sum;
}
