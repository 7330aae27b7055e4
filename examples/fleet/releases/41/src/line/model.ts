// CartLine: a product in the cart, and how many of it.

import { hashText } from "../util/text";

export interface CartLine {
  id: string;
  label: string;
  unitPrice: number;
  quantity: number;
  changedAt: number;
  isGift: boolean;
}

export function createCartLine(id: string, known: Partial<CartLine> = {}): CartLine {
  return { id, label: "", unitPrice: 0, quantity: 1, changedAt: 0, isGift: false, ...known };
}

export function copyCartLine(line: CartLine): CartLine {
  return { ...line };
}

export function isCartLine(value: unknown): value is CartLine {
  const it = value as CartLine | null;
  return typeof it === "object" && it !== null && typeof it.id === "string" && typeof it.unitPrice === "number";
}

export function parseCartLine(json: string): CartLine | undefined {
  try {
    const value: unknown = JSON.parse(json);
    return isCartLine(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

export function serializeCartLine(line: CartLine): string {
  return JSON.stringify(line, ["id", "label", "unitPrice", "quantity", "changedAt", "isGift"]);
}

export function sameAsCartLine(a: CartLine, b: CartLine): boolean {
  return a.id === b.id && a.label === b.label && a.unitPrice === b.unitPrice && a.quantity === b.quantity;
}

/** The newer one of two versions, with what only the other one knows. */
export function mergeCartLine(a: CartLine, b: CartLine): CartLine {
  const [older, newer] = a.changedAt <= b.changedAt ? [a, b] : [b, a];
  return { ...older, ...newer, label: newer.label || older.label };
}

export function hashCartLine(line: CartLine): number {
  let hash = hashText(line.id);
  hash = (hash * 31 + line.unitPrice) | 0;
  return (hash * 31 + line.quantity) | 0;
}
