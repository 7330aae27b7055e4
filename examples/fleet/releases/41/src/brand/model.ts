// Brand: who makes products.

import { hashText } from "../util/text";

export interface Brand {
  id: string;
  mark: string;
  floorPrice: number;
  models: number;
  foundedAt: number;
  premium: boolean;
}

export function createBrand(id: string, known: Partial<Brand> = {}): Brand {
  return { id, mark: "", floorPrice: 0, models: 1, foundedAt: 0, premium: false, ...known };
}

export function copyBrand(brand: Brand): Brand {
  return { ...brand };
}

export function isBrand(value: unknown): value is Brand {
  const it = value as Brand | null;
  return typeof it === "object" && it !== null && typeof it.id === "string" && typeof it.floorPrice === "number";
}

export function parseBrand(json: string): Brand | undefined {
  try {
    const value: unknown = JSON.parse(json);
    return isBrand(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

export function serializeBrand(brand: Brand): string {
  return JSON.stringify(brand, ["id", "mark", "floorPrice", "models", "foundedAt", "premium"]);
}

export function sameAsBrand(a: Brand, b: Brand): boolean {
  return a.id === b.id && a.mark === b.mark && a.floorPrice === b.floorPrice && a.models === b.models;
}

/** The newer one of two versions, with what only the other one knows. */
export function mergeBrand(a: Brand, b: Brand): Brand {
  const [older, newer] = a.foundedAt <= b.foundedAt ? [a, b] : [b, a];
  return { ...older, ...newer, mark: newer.mark || older.mark };
}

export function hashBrand(brand: Brand): number {
  let hash = hashText(brand.id);
  hash = (hash * 31 + brand.floorPrice) | 0;
  return (hash * 31 + brand.models) | 0;
}
