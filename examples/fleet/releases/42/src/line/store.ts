// All cart lines that the page knows.

import { removeAt } from "../util/list";
import { copyCartLine, mergeCartLine, type CartLine } from "./model";
import { compareCartLine } from "./rules";

type Listener = (changed: readonly CartLine[]) => void;

export class CartLineStore {
  private readonly byId = new Map<string, CartLine>();
  private readonly listeners: Listener[] = [];
  private sorted: CartLine[] | undefined;

  constructor(known: readonly CartLine[] = []) {
    for (const line of known) this.byId.set(line.id, line);
  }

  get size(): number {
    return this.byId.size;
  }

  findCartLine(id: string): CartLine | undefined {
    return this.byId.get(id);
  }

  putCartLine(line: CartLine): void {
    const known = this.byId.get(line.id);
    this.byId.set(line.id, known ? mergeCartLine(known, line) : line);
    this.sorted = undefined;
    this.notifyCartLines([line]);
  }

  removeCartLine(id: string): boolean {
    const known = this.byId.get(id);
    if (!known) return false;
    this.byId.delete(id);
    this.sorted = undefined;
    this.notifyCartLines([known]);
    return true;
  }

  sortedCartLines(): readonly CartLine[] {
    this.sorted ??= [...this.byId.values()].sort(compareCartLine);
    return this.sorted;
  }

  pageCartLines(number: number, size = 24): readonly CartLine[] {
    return this.sortedCartLines().slice(number * size, (number + 1) * size);
  }

  selectCartLines(wanted: (line: CartLine) => boolean): CartLine[] {
    const found: CartLine[] = [];
    for (const line of this.byId.values()) {
      if (wanted(line)) found.push(line);
    }
    return found;
  }

  watchCartLines(listener: Listener): () => void {
    this.listeners.push(listener);
    return () => removeAt(this.listeners, this.listeners.indexOf(listener));
  }

  snapshotCartLines(): CartLine[] {
    return this.sortedCartLines().map(copyCartLine);
  }

  private notifyCartLines(changed: readonly CartLine[]): void {
    for (const listener of this.listeners) listener(changed);
  }
}
