// What holds for products, and what is told to people when it does not.

import { translate } from "../i18n/translate";
import { collapseSpaces, foldCase } from "../util/text";
import type { Product } from "./model";

export function checkTitle(product: Product): string | undefined {
  if (product.title.trim() === "") return translate("product.title.missing");
  if (product.title.length > 120) return translate("product.title.long");
  return undefined;
}

export function checkPrice(product: Product): string | undefined {
  const fits = Number.isSafeInteger(product.price) && product.price >= 0;
  return fits ? undefined : translate("product.price.wrong");
}

export function checkWeight(product: Product): string | undefined {
  return product.weight >= 0 && product.weight < 10_000 ? undefined : translate("product.weight.wrong");
}

export function checkAddedAt(product: Product, now: number): string | undefined {
  return product.addedAt > now + 86_400_000 ? translate("product.addedAt.future") : undefined;
}

export function validateProduct(product: Product, now: number): string[] {
  const found: string[] = [];
  for (const problem of [checkTitle(product), checkPrice(product), checkWeight(product), checkAddedAt(product, now)]) {
    if (problem !== undefined) found.push(problem);
  }
  return found;
}

export function normalizeProduct(product: Product): Product {
  return { ...product, title: collapseSpaces(product.title), weight: Math.max(0, Math.round(product.weight)) };
}

export function compareProduct(a: Product, b: Product): number {
  return a.price - b.price || (foldCase(a.title) < foldCase(b.title) ? -1 : 1);
}

export function totalPrice(products: readonly Product[]): number {
  let total = 0;
  for (const product of products) {
    if (!product.hidden) total += product.price * product.weight;
  }
  return total;
}

export function groupProductsByTitle(products: readonly Product[]): Map<string, Product[]> {
  const groups = new Map<string, Product[]>();
  for (const product of products) {
    const key = foldCase(product.title).slice(0, 1);
    const group = groups.get(key);
    if (group) group.push(product);
    else groups.set(key, [product]);
  }
  return groups;
}
