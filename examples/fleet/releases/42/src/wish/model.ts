// Wish: a product that someone would like to have.

import { hashText } from "../util/text";

export interface Wish {
  id: string;
  note: string;
  limit: number;
  rank: number;
  wishedAt: number;
  shared: boolean;
}

export function createWish(id: string, known: Partial<Wish> = {}): Wish {
  return { id, note: "", limit: 0, rank: 1, wishedAt: 0, shared: false, ...known };
}

export function copyWish(wish: Wish): Wish {
  return { ...wish };
}

export function isWish(value: unknown): value is Wish {
  const it = value as Wish | null;
  return typeof it === "object" && it !== null && typeof it.id === "string" && typeof it.limit === "number";
}

export function parseWish(json: string): Wish | undefined {
  try {
    const value: unknown = JSON.parse(json);
    return isWish(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

export function serializeWish(wish: Wish): string {
  return JSON.stringify(wish, ["id", "note", "limit", "rank", "wishedAt", "shared"]);
}

export function sameAsWish(a: Wish, b: Wish): boolean {
  return a.id === b.id && a.note === b.note && a.limit === b.limit && a.rank === b.rank;
}

/** The newer one of two versions, with what only the other one knows. */
export function mergeWish(a: Wish, b: Wish): Wish {
  const [older, newer] = a.wishedAt <= b.wishedAt ? [a, b] : [b, a];
  return { ...older, ...newer, note: newer.note || older.note };
}

export function hashWish(wish: Wish): number {
  let hash = hashText(wish.id);
  hash = (hash * 31 + wish.limit) | 0;
  return (hash * 31 + wish.rank) | 0;
}
