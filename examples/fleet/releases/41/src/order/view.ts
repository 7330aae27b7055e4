// Orders as people see them.

import { formatDate } from "../format/dates";
import { formatCents } from "../format/money";
import { formatCount } from "../format/numbers";
import { translate } from "../i18n/translate";
import { escapeHtml, joinClasses } from "../util/html";
import type { Order } from "./model";
import { totalAmount, validateOrder } from "./rules";

export function orderTitle(order: Order): string {
  return escapeHtml(order.reference || translate("order.untitled"));
}

export function orderAmountCell(order: Order): string {
  return `<td class="money">${formatCents(order.amount)}</td>`;
}

export function orderParcelsCell(order: Order): string {
  return `<td class="count">${formatCount(order.parcels)}</td>`;
}

export function orderClasses(order: Order): string {
  return joinClasses(["order", order.cancelled && "cancelled", order.parcels === 0 && "none"]);
}

export function renderOrderRow(order: Order): string {
  const cells = orderAmountCell(order) + orderParcelsCell(order);
  return `<tr class="${orderClasses(order)}"><th>${orderTitle(order)}</th>${cells}<td>${formatDate(order.placedAt)}</td></tr>`;
}

export function renderOrderProblems(order: Order, now: number): string {
  const problems = validateOrder(order, now);
  return problems.map((it) => `<li>${escapeHtml(it)}</li>`).join("");
}

export function renderOrders(orders: readonly Order[]): string {
  if (orders.length === 0) return renderOrdersEmpty();
  let rows = "";
  for (const order of orders) rows += renderOrderRow(order);
  return `<table>${rows}</table>${renderOrdersFooter(orders)}`;
}

export function renderOrdersFooter(orders: readonly Order[]): string {
  const count = translate("order.count", { count: orders.length });
  return `<footer>${count} · ${formatCents(totalAmount(orders))}</footer>`;
}

function renderOrdersEmpty(): string {
  return `<p class="empty">${translate("order.empty")}</p>`;
}
