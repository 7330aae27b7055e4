// Stock items as people see them.

import { formatDate } from "../format/dates";
import { formatCents } from "../format/money";
import { formatCount } from "../format/numbers";
import { translate } from "../i18n/translate";
import { escapeHtml, joinClasses } from "../util/html";
import type { StockItem } from "./model";
import { totalCost, validateStockItem } from "./rules";

export function stockTitle(stock: StockItem): string {
  return escapeHtml(stock.shelf || translate("stock.untitled"));
}

export function stockCostCell(stock: StockItem): string {
  return `<td class="money">${formatCents(stock.cost)}</td>`;
}

export function stockPiecesCell(stock: StockItem): string {
  return `<td class="count">${formatCount(stock.pieces)}</td>`;
}

export function stockClasses(stock: StockItem): string {
  return joinClasses(["stock", stock.reserved && "reserved", stock.pieces === 0 && "none"]);
}

export function renderStockItemRow(stock: StockItem): string {
  const cells = stockCostCell(stock) + stockPiecesCell(stock);
  return `<tr class="${stockClasses(stock)}"><th>${stockTitle(stock)}</th>${cells}<td>${formatDate(stock.countedAt)}</td></tr>`;
}

export function renderStockItemProblems(stock: StockItem, now: number): string {
  const problems = validateStockItem(stock, now);
  return problems.map((it) => `<li>${escapeHtml(it)}</li>`).join("");
}

export function renderStockItems(stocks: readonly StockItem[]): string {
  if (stocks.length === 0) return renderStockItemsEmpty();
  let rows = "";
  for (const stock of stocks) rows += renderStockItemRow(stock);
  return `<table>${rows}</table>${renderStockItemsFooter(stocks)}`;
}

export function renderStockItemsFooter(stocks: readonly StockItem[]): string {
  const count = translate("stock.count", { count: stocks.length });
  return `<footer>${count} · ${formatCents(totalCost(stocks))}</footer>`;
}

function renderStockItemsEmpty(): string {
  return `<p class="empty">${translate("stock.empty")}</p>`;
}
