// Category: a shelf of the shop.

import { hashText } from "../util/text";

export interface Category {
  id: string;
  caption: string;
  cheapest: number;
  depth: number;
  openedAt: number;
  seasonal: boolean;
}

export function createCategory(id: string, known: Partial<Category> = {}): Category {
  return { id, caption: "", cheapest: 0, depth: 1, openedAt: 0, seasonal: false, ...known };
}

export function copyCategory(category: Category): Category {
  return { ...category };
}

export function isCategory(value: unknown): value is Category {
  const it = value as Category | null;
  return typeof it === "object" && it !== null && typeof it.id === "string" && typeof it.cheapest === "number";
}

export function parseCategory(json: string): Category | undefined {
  try {
    const value: unknown = JSON.parse(json);
    return isCategory(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

export function serializeCategory(category: Category): string {
  return JSON.stringify(category, ["id", "caption", "cheapest", "depth", "openedAt", "seasonal"]);
}

export function sameAsCategory(a: Category, b: Category): boolean {
  return a.id === b.id && a.caption === b.caption && a.cheapest === b.cheapest && a.depth === b.depth;
}

/** The newer one of two versions, with what only the other one knows. */
export function mergeCategory(a: Category, b: Category): Category {
  const [older, newer] = a.openedAt <= b.openedAt ? [a, b] : [b, a];
  return { ...older, ...newer, caption: newer.caption || older.caption };
}

export function hashCategory(category: Category): number {
  let hash = hashText(category.id);
  hash = (hash * 31 + category.cheapest) | 0;
  return (hash * 31 + category.depth) | 0;
}
