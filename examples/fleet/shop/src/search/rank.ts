// Which products come first.

import type { Product } from "../product/model";
import { takeBest } from "../util/list";
import { editDistance } from "../util/text";
import type { SearchIndex } from "./index";
import { tokenize } from "./tokenize";

export function searchProducts(index: SearchIndex, text: string, most = 20): Product[] {
  const tokens = tokenize(text);
  const candidates = collectCandidates(index, tokens);
  return takeBest([...candidates], most, (product) => scoreProduct(product, tokens));
}

export function collectCandidates(index: SearchIndex, tokens: readonly string[]): Set<Product> {
  const found = new Set<Product>();
  for (const token of tokens) {
    for (const alike of correctSpelling(index, token)) {
      for (const product of index.withToken(alike)) found.add(product);
    }
  }
  return found;
}

export function correctSpelling(index: SearchIndex, token: string): string[] {
  if (index.withToken(token).size > 0) return [token];
  const near = index.similarTokens(token).slice(0, 8);
  return near.filter((other) => editDistance(token, other) <= 2);
}

export function scoreProduct(product: Product, tokens: readonly string[]): number {
  let score = freshness(product) + popularity(product);
  const words = tokenize(product.title);
  for (const token of tokens) {
    for (const word of words) score += matchScore(word, token);
  }
  return score;
}

export function matchScore(word: string, token: string): number {
  if (word === token) return 10;
  if (word.startsWith(token)) return 6;
  return word.includes(token) ? 2 : 0;
}

function freshness(product: Product): number {
  return product.addedAt / 2 ** 31;
}

function popularity(product: Product): number {
  return Math.log2(1 + product.weight);
}
