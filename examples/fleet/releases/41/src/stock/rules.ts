// What holds for stock items, and what is told to people when it does not.

import { translate } from "../i18n/translate";
import { collapseSpaces, foldCase } from "../util/text";
import type { StockItem } from "./model";

export function checkShelf(stock: StockItem): string | undefined {
  if (stock.shelf.trim() === "") return translate("stock.shelf.missing");
  if (stock.shelf.length > 120) return translate("stock.shelf.long");
  return undefined;
}

export function checkCost(stock: StockItem): string | undefined {
  const fits = Number.isSafeInteger(stock.cost) && stock.cost >= 0;
  return fits ? undefined : translate("stock.cost.wrong");
}

export function checkPieces(stock: StockItem): string | undefined {
  return stock.pieces >= 0 && stock.pieces < 10_000 ? undefined : translate("stock.pieces.wrong");
}

export function checkCountedAt(stock: StockItem, now: number): string | undefined {
  return stock.countedAt > now + 86_400_000 ? translate("stock.countedAt.future") : undefined;
}

export function validateStockItem(stock: StockItem, now: number): string[] {
  const found: string[] = [];
  for (const problem of [checkShelf(stock), checkCost(stock), checkPieces(stock), checkCountedAt(stock, now)]) {
    if (problem !== undefined) found.push(problem);
  }
  return found;
}

export function normalizeStockItem(stock: StockItem): StockItem {
  return { ...stock, shelf: collapseSpaces(stock.shelf), pieces: Math.max(0, Math.round(stock.pieces)) };
}

export function compareStockItem(a: StockItem, b: StockItem): number {
  return a.cost - b.cost || (foldCase(a.shelf) < foldCase(b.shelf) ? -1 : 1);
}

export function totalCost(stocks: readonly StockItem[]): number {
  let total = 0;
  for (const stock of stocks) {
    if (!stock.reserved) total += stock.cost * stock.pieces;
  }
  return total;
}

export function groupStockItemsByShelf(stocks: readonly StockItem[]): Map<string, StockItem[]> {
  const groups = new Map<string, StockItem[]>();
  for (const stock of stocks) {
    const key = foldCase(stock.shelf).slice(0, 1);
    const group = groups.get(key);
    if (group) group.push(stock);
    else groups.set(key, [stock]);
  }
  return groups;
}
