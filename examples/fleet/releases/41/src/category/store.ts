// All categories that the page knows.

import { removeAt } from "../util/list";
import { copyCategory, mergeCategory, type Category } from "./model";
import { compareCategory } from "./rules";

type Listener = (changed: readonly Category[]) => void;

export class CategoryStore {
  private readonly byId = new Map<string, Category>();
  private readonly listeners: Listener[] = [];
  private sorted: Category[] | undefined;

  constructor(known: readonly Category[] = []) {
    for (const category of known) this.byId.set(category.id, category);
  }

  get size(): number {
    return this.byId.size;
  }

  findCategory(id: string): Category | undefined {
    return this.byId.get(id);
  }

  putCategory(category: Category): void {
    const known = this.byId.get(category.id);
    this.byId.set(category.id, known ? mergeCategory(known, category) : category);
    this.sorted = undefined;
    this.notifyCategories([category]);
  }

  removeCategory(id: string): boolean {
    const known = this.byId.get(id);
    if (!known) return false;
    this.byId.delete(id);
    this.sorted = undefined;
    this.notifyCategories([known]);
    return true;
  }

  sortedCategories(): readonly Category[] {
    this.sorted ??= [...this.byId.values()].sort(compareCategory);
    return this.sorted;
  }

  pageCategories(number: number, size = 24): readonly Category[] {
    return this.sortedCategories().slice(number * size, (number + 1) * size);
  }

  selectCategories(wanted: (category: Category) => boolean): Category[] {
    const found: Category[] = [];
    for (const category of this.byId.values()) {
      if (wanted(category)) found.push(category);
    }
    return found;
  }

  watchCategories(listener: Listener): () => void {
    this.listeners.push(listener);
    return () => removeAt(this.listeners, this.listeners.indexOf(listener));
  }

  snapshotCategories(): Category[] {
    return this.sortedCategories().map(copyCategory);
  }

  private notifyCategories(changed: readonly Category[]): void {
    for (const listener of this.listeners) listener(changed);
  }
}
