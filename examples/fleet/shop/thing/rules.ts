// What holds for %words%, and what is told to people when it does not.

import { translate } from "../i18n/translate";
import { collapseSpaces, foldCase } from "../util/text";
import type { %Thing% } from "./model";

export function check%Label%(%thing%: %Thing%): string | undefined {
  if (%thing%.%label%.trim() === "") return translate("%thing%.%label%.missing");
  if (%thing%.%label%.length > 120) return translate("%thing%.%label%.long");
  return undefined;
}

export function check%Price%(%thing%: %Thing%): string | undefined {
  const fits = Number.isSafeInteger(%thing%.%price%) && %thing%.%price% >= 0;
  return fits ? undefined : translate("%thing%.%price%.wrong");
}

export function check%Count%(%thing%: %Thing%): string | undefined {
  return %thing%.%count% >= 0 && %thing%.%count% < 10_000 ? undefined : translate("%thing%.%count%.wrong");
}

export function check%Time%(%thing%: %Thing%, now: number): string | undefined {
  return %thing%.%time% > now + 86_400_000 ? translate("%thing%.%time%.future") : undefined;
}

export function validate%Thing%(%thing%: %Thing%, now: number): string[] {
  const found: string[] = [];
  for (const problem of [check%Label%(%thing%), check%Price%(%thing%), check%Count%(%thing%), check%Time%(%thing%, now)]) {
    if (problem !== undefined) found.push(problem);
  }
  return found;
}

export function normalize%Thing%(%thing%: %Thing%): %Thing% {
  return { ...%thing%, %label%: collapseSpaces(%thing%.%label%), %count%: Math.max(0, Math.round(%thing%.%count%)) };
}

export function compare%Thing%(a: %Thing%, b: %Thing%): number {
  return a.%price% - b.%price% || (foldCase(a.%label%) < foldCase(b.%label%) ? -1 : 1);
}

export function total%Price%(%things%: readonly %Thing%[]): number {
  let total = 0;
  for (const %thing% of %things%) {
    if (!%thing%.%flag%) total += %thing%.%price% * %thing%.%count%;
  }
  return total;
}

export function group%Things%By%Label%(%things%: readonly %Thing%[]): Map<string, %Thing%[]> {
  const groups = new Map<string, %Thing%[]>();
  for (const %thing% of %things%) {
    const key = foldCase(%thing%.%label%).slice(0, 1);
    const group = groups.get(key);
    if (group) group.push(%thing%);
    else groups.set(key, [%thing%]);
  }
  return groups;
}
