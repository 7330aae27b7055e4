// All brands that the page knows.

import { removeAt } from "../util/list";
import { copyBrand, mergeBrand, type Brand } from "./model";
import { compareBrand } from "./rules";

type Listener = (changed: readonly Brand[]) => void;

export class BrandStore {
  private readonly byId = new Map<string, Brand>();
  private readonly listeners: Listener[] = [];
  private sorted: Brand[] | undefined;

  constructor(known: readonly Brand[] = []) {
    for (const brand of known) this.byId.set(brand.id, brand);
  }

  get size(): number {
    return this.byId.size;
  }

  findBrand(id: string): Brand | undefined {
    return this.byId.get(id);
  }

  putBrand(brand: Brand): void {
    const known = this.byId.get(brand.id);
    this.byId.set(brand.id, known ? mergeBrand(known, brand) : brand);
    this.sorted = undefined;
    this.notifyBrands([brand]);
  }

  removeBrand(id: string): boolean {
    const known = this.byId.get(id);
    if (!known) return false;
    this.byId.delete(id);
    this.sorted = undefined;
    this.notifyBrands([known]);
    return true;
  }

  sortedBrands(): readonly Brand[] {
    this.sorted ??= [...this.byId.values()].sort(compareBrand);
    return this.sorted;
  }

  pageBrands(number: number, size = 24): readonly Brand[] {
    return this.sortedBrands().slice(number * size, (number + 1) * size);
  }

  selectBrands(wanted: (brand: Brand) => boolean): Brand[] {
    const found: Brand[] = [];
    for (const brand of this.byId.values()) {
      if (wanted(brand)) found.push(brand);
    }
    return found;
  }

  watchBrands(listener: Listener): () => void {
    this.listeners.push(listener);
    return () => removeAt(this.listeners, this.listeners.indexOf(listener));
  }

  snapshotBrands(): Brand[] {
    return this.sortedBrands().map(copyBrand);
  }

  private notifyBrands(changed: readonly Brand[]): void {
    for (const listener of this.listeners) listener(changed);
  }
}
