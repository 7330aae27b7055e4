// All stock items that the page knows.

import { removeAt } from "../util/list";
import { copyStockItem, mergeStockItem, type StockItem } from "./model";
import { compareStockItem } from "./rules";

type Listener = (changed: readonly StockItem[]) => void;

export class StockItemStore {
  private readonly byId = new Map<string, StockItem>();
  private readonly listeners: Listener[] = [];
  private sorted: StockItem[] | undefined;

  constructor(known: readonly StockItem[] = []) {
    for (const stock of known) this.byId.set(stock.id, stock);
  }

  get size(): number {
    return this.byId.size;
  }

  findStockItem(id: string): StockItem | undefined {
    return this.byId.get(id);
  }

  putStockItem(stock: StockItem): void {
    const known = this.byId.get(stock.id);
    this.byId.set(stock.id, known ? mergeStockItem(known, stock) : stock);
    this.sorted = undefined;
    this.notifyStockItems([stock]);
  }

  removeStockItem(id: string): boolean {
    const known = this.byId.get(id);
    if (!known) return false;
    this.byId.delete(id);
    this.sorted = undefined;
    this.notifyStockItems([known]);
    return true;
  }

  sortedStockItems(): readonly StockItem[] {
    this.sorted ??= [...this.byId.values()].sort(compareStockItem);
    return this.sorted;
  }

  pageStockItems(number: number, size = 24): readonly StockItem[] {
    return this.sortedStockItems().slice(number * size, (number + 1) * size);
  }

  selectStockItems(wanted: (stock: StockItem) => boolean): StockItem[] {
    const found: StockItem[] = [];
    for (const stock of this.byId.values()) {
      if (wanted(stock)) found.push(stock);
    }
    return found;
  }

  watchStockItems(listener: Listener): () => void {
    this.listeners.push(listener);
    return () => removeAt(this.listeners, this.listeners.indexOf(listener));
  }

  snapshotStockItems(): StockItem[] {
    return this.sortedStockItems().map(copyStockItem);
  }

  private notifyStockItems(changed: readonly StockItem[]): void {
    for (const listener of this.listeners) listener(changed);
  }
}
