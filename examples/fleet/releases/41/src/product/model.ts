// Product: what the shop sells.

import { hashText } from "../util/text";

export interface Product {
  id: string;
  title: string;
  price: number;
  weight: number;
  addedAt: number;
  hidden: boolean;
}

export function createProduct(id: string, known: Partial<Product> = {}): Product {
  return { id, title: "", price: 0, weight: 1, addedAt: 0, hidden: false, ...known };
}

export function copyProduct(product: Product): Product {
  return { ...product };
}

export function isProduct(value: unknown): value is Product {
  const it = value as Product | null;
  return typeof it === "object" && it !== null && typeof it.id === "string" && typeof it.price === "number";
}

export function parseProduct(json: string): Product | undefined {
  try {
    const value: unknown = JSON.parse(json);
    return isProduct(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

export function serializeProduct(product: Product): string {
  return JSON.stringify(product, ["id", "title", "price", "weight", "addedAt", "hidden"]);
}

export function sameAsProduct(a: Product, b: Product): boolean {
  return a.id === b.id && a.title === b.title && a.price === b.price && a.weight === b.weight;
}

/** The newer one of two versions, with what only the other one knows. */
export function mergeProduct(a: Product, b: Product): Product {
  const [older, newer] = a.addedAt <= b.addedAt ? [a, b] : [b, a];
  return { ...older, ...newer, title: newer.title || older.title };
}

export function hashProduct(product: Product): number {
  let hash = hashText(product.id);
  hash = (hash * 31 + product.price) | 0;
  return (hash * 31 + product.weight) | 0;
}
