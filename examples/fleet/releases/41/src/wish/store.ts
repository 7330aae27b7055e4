// All wishes that the page knows.

import { removeAt } from "../util/list";
import { copyWish, mergeWish, type Wish } from "./model";
import { compareWish } from "./rules";

type Listener = (changed: readonly Wish[]) => void;

export class WishStore {
  private readonly byId = new Map<string, Wish>();
  private readonly listeners: Listener[] = [];
  private sorted: Wish[] | undefined;

  constructor(known: readonly Wish[] = []) {
    for (const wish of known) this.byId.set(wish.id, wish);
  }

  get size(): number {
    return this.byId.size;
  }

  findWish(id: string): Wish | undefined {
    return this.byId.get(id);
  }

  putWish(wish: Wish): void {
    const known = this.byId.get(wish.id);
    this.byId.set(wish.id, known ? mergeWish(known, wish) : wish);
    this.sorted = undefined;
    this.notifyWishes([wish]);
  }

  removeWish(id: string): boolean {
    const known = this.byId.get(id);
    if (!known) return false;
    this.byId.delete(id);
    this.sorted = undefined;
    this.notifyWishes([known]);
    return true;
  }

  sortedWishes(): readonly Wish[] {
    this.sorted ??= [...this.byId.values()].sort(compareWish);
    return this.sorted;
  }

  pageWishes(number: number, size = 24): readonly Wish[] {
    return this.sortedWishes().slice(number * size, (number + 1) * size);
  }

  selectWishes(wanted: (wish: Wish) => boolean): Wish[] {
    const found: Wish[] = [];
    for (const wish of this.byId.values()) {
      if (wanted(wish)) found.push(wish);
    }
    return found;
  }

  watchWishes(listener: Listener): () => void {
    this.listeners.push(listener);
    return () => removeAt(this.listeners, this.listeners.indexOf(listener));
  }

  snapshotWishes(): Wish[] {
    return this.sortedWishes().map(copyWish);
  }

  private notifyWishes(changed: readonly Wish[]): void {
    for (const listener of this.listeners) listener(changed);
  }
}
