// All products that the page knows.

import { removeAt } from "../util/list";
import { copyProduct, mergeProduct, type Product } from "./model";
import { compareProduct } from "./rules";

type Listener = (changed: readonly Product[]) => void;

export class ProductStore {
  private readonly byId = new Map<string, Product>();
  private readonly listeners: Listener[] = [];
  private sorted: Product[] | undefined;

  constructor(known: readonly Product[] = []) {
    for (const product of known) this.byId.set(product.id, product);
  }

  get size(): number {
    return this.byId.size;
  }

  findProduct(id: string): Product | undefined {
    return this.byId.get(id);
  }

  putProduct(product: Product): void {
    const known = this.byId.get(product.id);
    this.byId.set(product.id, known ? mergeProduct(known, product) : product);
    this.sorted = undefined;
    this.notifyProducts([product]);
  }

  removeProduct(id: string): boolean {
    const known = this.byId.get(id);
    if (!known) return false;
    this.byId.delete(id);
    this.sorted = undefined;
    this.notifyProducts([known]);
    return true;
  }

  sortedProducts(): readonly Product[] {
    this.sorted ??= [...this.byId.values()].sort(compareProduct);
    return this.sorted;
  }

  pageProducts(number: number, size = 24): readonly Product[] {
    return this.sortedProducts().slice(number * size, (number + 1) * size);
  }

  selectProducts(wanted: (product: Product) => boolean): Product[] {
    const found: Product[] = [];
    for (const product of this.byId.values()) {
      if (wanted(product)) found.push(product);
    }
    return found;
  }

  watchProducts(listener: Listener): () => void {
    this.listeners.push(listener);
    return () => removeAt(this.listeners, this.listeners.indexOf(listener));
  }

  snapshotProducts(): Product[] {
    return this.sortedProducts().map(copyProduct);
  }

  private notifyProducts(changed: readonly Product[]): void {
    for (const listener of this.listeners) listener(changed);
  }
}
