// StockItem: how much of a product is where.

import { hashText } from "../util/text";

export interface StockItem {
  id: string;
  shelf: string;
  cost: number;
  pieces: number;
  countedAt: number;
  reserved: boolean;
}

export function createStockItem(id: string, known: Partial<StockItem> = {}): StockItem {
  return { id, shelf: "", cost: 0, pieces: 1, countedAt: 0, reserved: false, ...known };
}

export function copyStockItem(stock: StockItem): StockItem {
  return { ...stock };
}

export function isStockItem(value: unknown): value is StockItem {
  const it = value as StockItem | null;
  return typeof it === "object" && it !== null && typeof it.id === "string" && typeof it.cost === "number";
}

export function parseStockItem(json: string): StockItem | undefined {
  try {
    const value: unknown = JSON.parse(json);
    return isStockItem(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

export function serializeStockItem(stock: StockItem): string {
  return JSON.stringify(stock, ["id", "shelf", "cost", "pieces", "countedAt", "reserved"]);
}

export function sameAsStockItem(a: StockItem, b: StockItem): boolean {
  return a.id === b.id && a.shelf === b.shelf && a.cost === b.cost && a.pieces === b.pieces;
}

/** The newer one of two versions, with what only the other one knows. */
export function mergeStockItem(a: StockItem, b: StockItem): StockItem {
  const [older, newer] = a.countedAt <= b.countedAt ? [a, b] : [b, a];
  return { ...older, ...newer, shelf: newer.shelf || older.shelf };
}

export function hashStockItem(stock: StockItem): number {
  let hash = hashText(stock.id);
  hash = (hash * 31 + stock.cost) | 0;
  return (hash * 31 + stock.pieces) | 0;
}
