// What holds for wishes, and what is told to people when it does not.

import { translate } from "../i18n/translate";
import { collapseSpaces, foldCase } from "../util/text";
import type { Wish } from "./model";

export function checkNote(wish: Wish): string | undefined {
  if (wish.note.trim() === "") return translate("wish.note.missing");
  if (wish.note.length > 120) return translate("wish.note.long");
  return undefined;
}

export function checkLimit(wish: Wish): string | undefined {
  const fits = Number.isSafeInteger(wish.limit) && wish.limit >= 0;
  return fits ? undefined : translate("wish.limit.wrong");
}

export function checkRank(wish: Wish): string | undefined {
  return wish.rank >= 0 && wish.rank < 10_000 ? undefined : translate("wish.rank.wrong");
}

export function checkWishedAt(wish: Wish, now: number): string | undefined {
  return wish.wishedAt > now + 86_400_000 ? translate("wish.wishedAt.future") : undefined;
}

export function validateWish(wish: Wish, now: number): string[] {
  const found: string[] = [];
  for (const problem of [checkNote(wish), checkLimit(wish), checkRank(wish), checkWishedAt(wish, now)]) {
    if (problem !== undefined) found.push(problem);
  }
  return found;
}

export function normalizeWish(wish: Wish): Wish {
  return { ...wish, note: collapseSpaces(wish.note), rank: Math.max(0, Math.round(wish.rank)) };
}

export function compareWish(a: Wish, b: Wish): number {
  return a.limit - b.limit || (foldCase(a.note) < foldCase(b.note) ? -1 : 1);
}

export function totalLimit(wishs: readonly Wish[]): number {
  let total = 0;
  for (const wish of wishs) {
    if (!wish.shared) total += wish.limit * wish.rank;
  }
  return total;
}

export function groupWishesByNote(wishs: readonly Wish[]): Map<string, Wish[]> {
  const groups = new Map<string, Wish[]>();
  for (const wish of wishs) {
    const key = foldCase(wish.note).slice(0, 1);
    const group = groups.get(key);
    if (group) group.push(wish);
    else groups.set(key, [wish]);
  }
  return groups;
}
