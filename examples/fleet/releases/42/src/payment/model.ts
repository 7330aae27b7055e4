// Payment: money that came in.

import { hashText } from "../util/text";

export interface Payment {
  id: string;
  purpose: string;
  received: number;
  attempts: number;
  bookedAt: number;
  disputed: boolean;
}

export function createPayment(id: string, known: Partial<Payment> = {}): Payment {
  return { id, purpose: "", received: 0, attempts: 1, bookedAt: 0, disputed: false, ...known };
}

export function copyPayment(payment: Payment): Payment {
  return { ...payment };
}

export function isPayment(value: unknown): value is Payment {
  const it = value as Payment | null;
  return typeof it === "object" && it !== null && typeof it.id === "string" && typeof it.received === "number";
}

export function parsePayment(json: string): Payment | undefined {
  try {
    const value: unknown = JSON.parse(json);
    return isPayment(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

export function serializePayment(payment: Payment): string {
  return JSON.stringify(payment, ["id", "purpose", "received", "attempts", "bookedAt", "disputed"]);
}

export function sameAsPayment(a: Payment, b: Payment): boolean {
  return a.id === b.id && a.purpose === b.purpose && a.received === b.received && a.attempts === b.attempts;
}

/** The newer one of two versions, with what only the other one knows. */
export function mergePayment(a: Payment, b: Payment): Payment {
  const [older, newer] = a.bookedAt <= b.bookedAt ? [a, b] : [b, a];
  return { ...older, ...newer, purpose: newer.purpose || older.purpose };
}

export function hashPayment(payment: Payment): number {
  let hash = hashText(payment.id);
  hash = (hash * 31 + payment.received) | 0;
  return (hash * 31 + payment.attempts) | 0;
}
