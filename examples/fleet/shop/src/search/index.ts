// Which products have a word.

import type { Product } from "../product/model";
import { tokenize, trigrams } from "./tokenize";

export class SearchIndex {
  private readonly byToken = new Map<string, Set<Product>>();
  private readonly byTrigram = new Map<string, Set<string>>();

  constructor(products: readonly Product[]) {
    for (const product of products) this.indexProduct(product);
  }

  indexProduct(product: Product): void {
    for (const token of tokenize(product.title)) {
      addTo(this.byToken, token, product);
      for (const gram of trigrams(token)) addTo(this.byTrigram, gram, token);
    }
  }

  withToken(token: string): ReadonlySet<Product> {
    return this.byToken.get(token) ?? new Set();
  }

  /** Words that look alike, those that share most first. */
  similarTokens(token: string): string[] {
    const shared = new Map<string, number>();
    for (const gram of trigrams(token)) {
      for (const other of this.byTrigram.get(gram) ?? []) shared.set(other, (shared.get(other) ?? 0) + 1);
    }
    return [...shared.keys()].sort((a, b) => shared.get(b)! - shared.get(a)!);
  }
}

function addTo<K, V>(sets: Map<K, Set<V>>, key: K, value: V): void {
  const set = sets.get(key);
  if (set) set.add(value);
  else sets.set(key, new Set([value]));
}
