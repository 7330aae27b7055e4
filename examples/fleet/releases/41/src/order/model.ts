// Order: what was bought at once.

import { hashText } from "../util/text";

export interface Order {
  id: string;
  reference: string;
  amount: number;
  parcels: number;
  placedAt: number;
  cancelled: boolean;
}

export function createOrder(id: string, known: Partial<Order> = {}): Order {
  return { id, reference: "", amount: 0, parcels: 1, placedAt: 0, cancelled: false, ...known };
}

export function copyOrder(order: Order): Order {
  return { ...order };
}

export function isOrder(value: unknown): value is Order {
  const it = value as Order | null;
  return typeof it === "object" && it !== null && typeof it.id === "string" && typeof it.amount === "number";
}

export function parseOrder(json: string): Order | undefined {
  try {
    const value: unknown = JSON.parse(json);
    return isOrder(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

export function serializeOrder(order: Order): string {
  return JSON.stringify(order, ["id", "reference", "amount", "parcels", "placedAt", "cancelled"]);
}

export function sameAsOrder(a: Order, b: Order): boolean {
  return a.id === b.id && a.reference === b.reference && a.amount === b.amount && a.parcels === b.parcels;
}

/** The newer one of two versions, with what only the other one knows. */
export function mergeOrder(a: Order, b: Order): Order {
  const [older, newer] = a.placedAt <= b.placedAt ? [a, b] : [b, a];
  return { ...older, ...newer, reference: newer.reference || older.reference };
}

export function hashOrder(order: Order): number {
  let hash = hashText(order.id);
  hash = (hash * 31 + order.amount) | 0;
  return (hash * 31 + order.parcels) | 0;
}
