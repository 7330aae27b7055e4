// What holds for categories, and what is told to people when it does not.

import { translate } from "../i18n/translate";
import { collapseSpaces, foldCase } from "../util/text";
import type { Category } from "./model";

export function checkCaption(category: Category): string | undefined {
  if (category.caption.trim() === "") return translate("category.caption.missing");
  if (category.caption.length > 120) return translate("category.caption.long");
  return undefined;
}

export function checkCheapest(category: Category): string | undefined {
  const fits = Number.isSafeInteger(category.cheapest) && category.cheapest >= 0;
  return fits ? undefined : translate("category.cheapest.wrong");
}

export function checkDepth(category: Category): string | undefined {
  return category.depth >= 0 && category.depth < 10_000 ? undefined : translate("category.depth.wrong");
}

export function checkOpenedAt(category: Category, now: number): string | undefined {
  return category.openedAt > now + 86_400_000 ? translate("category.openedAt.future") : undefined;
}

export function validateCategory(category: Category, now: number): string[] {
  const found: string[] = [];
  for (const problem of [checkCaption(category), checkCheapest(category), checkDepth(category), checkOpenedAt(category, now)]) {
    if (problem !== undefined) found.push(problem);
  }
  return found;
}

export function normalizeCategory(category: Category): Category {
  return { ...category, caption: collapseSpaces(category.caption), depth: Math.max(0, Math.round(category.depth)) };
}

export function compareCategory(a: Category, b: Category): number {
  return a.cheapest - b.cheapest || (foldCase(a.caption) < foldCase(b.caption) ? -1 : 1);
}

export function totalCheapest(categorys: readonly Category[]): number {
  let total = 0;
  for (const category of categorys) {
    if (!category.seasonal) total += category.cheapest * category.depth;
  }
  return total;
}

export function groupCategoriesByCaption(categorys: readonly Category[]): Map<string, Category[]> {
  const groups = new Map<string, Category[]>();
  for (const category of categorys) {
    const key = foldCase(category.caption).slice(0, 1);
    const group = groups.get(key);
    if (group) group.push(category);
    else groups.set(key, [category]);
  }
  return groups;
}
