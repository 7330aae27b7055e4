// What holds for brands, and what is told to people when it does not.

import { translate } from "../i18n/translate";
import { collapseSpaces, foldCase } from "../util/text";
import type { Brand } from "./model";

export function checkMark(brand: Brand): string | undefined {
  if (brand.mark.trim() === "") return translate("brand.mark.missing");
  if (brand.mark.length > 120) return translate("brand.mark.long");
  return undefined;
}

export function checkFloorPrice(brand: Brand): string | undefined {
  const fits = Number.isSafeInteger(brand.floorPrice) && brand.floorPrice >= 0;
  return fits ? undefined : translate("brand.floorPrice.wrong");
}

export function checkModels(brand: Brand): string | undefined {
  return brand.models >= 0 && brand.models < 10_000 ? undefined : translate("brand.models.wrong");
}

export function checkFoundedAt(brand: Brand, now: number): string | undefined {
  return brand.foundedAt > now + 86_400_000 ? translate("brand.foundedAt.future") : undefined;
}

export function validateBrand(brand: Brand, now: number): string[] {
  const found: string[] = [];
  for (const problem of [checkMark(brand), checkFloorPrice(brand), checkModels(brand), checkFoundedAt(brand, now)]) {
    if (problem !== undefined) found.push(problem);
  }
  return found;
}

export function normalizeBrand(brand: Brand): Brand {
  return { ...brand, mark: collapseSpaces(brand.mark), models: Math.max(0, Math.round(brand.models)) };
}

export function compareBrand(a: Brand, b: Brand): number {
  return a.floorPrice - b.floorPrice || (foldCase(a.mark) < foldCase(b.mark) ? -1 : 1);
}

export function totalFloorPrice(brands: readonly Brand[]): number {
  let total = 0;
  for (const brand of brands) {
    if (!brand.premium) total += brand.floorPrice * brand.models;
  }
  return total;
}

export function groupBrandsByMark(brands: readonly Brand[]): Map<string, Brand[]> {
  const groups = new Map<string, Brand[]>();
  for (const brand of brands) {
    const key = foldCase(brand.mark).slice(0, 1);
    const group = groups.get(key);
    if (group) group.push(brand);
    else groups.set(key, [brand]);
  }
  return groups;
}
