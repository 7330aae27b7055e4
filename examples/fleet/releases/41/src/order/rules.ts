// What holds for orders, and what is told to people when it does not.

import { translate } from "../i18n/translate";
import { collapseSpaces, foldCase } from "../util/text";
import type { Order } from "./model";

export function checkReference(order: Order): string | undefined {
  if (order.reference.trim() === "") return translate("order.reference.missing");
  if (order.reference.length > 120) return translate("order.reference.long");
  return undefined;
}

export function checkAmount(order: Order): string | undefined {
  const fits = Number.isSafeInteger(order.amount) && order.amount >= 0;
  return fits ? undefined : translate("order.amount.wrong");
}

export function checkParcels(order: Order): string | undefined {
  return order.parcels >= 0 && order.parcels < 10_000 ? undefined : translate("order.parcels.wrong");
}

export function checkPlacedAt(order: Order, now: number): string | undefined {
  return order.placedAt > now + 86_400_000 ? translate("order.placedAt.future") : undefined;
}

export function validateOrder(order: Order, now: number): string[] {
  const found: string[] = [];
  for (const problem of [checkReference(order), checkAmount(order), checkParcels(order), checkPlacedAt(order, now)]) {
    if (problem !== undefined) found.push(problem);
  }
  return found;
}

export function normalizeOrder(order: Order): Order {
  return { ...order, reference: collapseSpaces(order.reference), parcels: Math.max(0, Math.round(order.parcels)) };
}

export function compareOrder(a: Order, b: Order): number {
  return a.amount - b.amount || (foldCase(a.reference) < foldCase(b.reference) ? -1 : 1);
}

export function totalAmount(orders: readonly Order[]): number {
  let total = 0;
  for (const order of orders) {
    if (!order.cancelled) total += order.amount * order.parcels;
  }
  return total;
}

export function groupOrdersByReference(orders: readonly Order[]): Map<string, Order[]> {
  const groups = new Map<string, Order[]>();
  for (const order of orders) {
    const key = foldCase(order.reference).slice(0, 1);
    const group = groups.get(key);
    if (group) group.push(order);
    else groups.set(key, [order]);
  }
  return groups;
}
