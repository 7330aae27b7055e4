// Invoice: what is to be paid.

import { hashText } from "../util/text";

export interface Invoice {
  id: string;
  number: string;
  due: number;
  reminders: number;
  issuedAt: number;
  paid: boolean;
}

export function createInvoice(id: string, known: Partial<Invoice> = {}): Invoice {
  return { id, number: "", due: 0, reminders: 1, issuedAt: 0, paid: false, ...known };
}

export function copyInvoice(invoice: Invoice): Invoice {
  return { ...invoice };
}

export function isInvoice(value: unknown): value is Invoice {
  const it = value as Invoice | null;
  return typeof it === "object" && it !== null && typeof it.id === "string" && typeof it.due === "number";
}

export function parseInvoice(json: string): Invoice | undefined {
  try {
    const value: unknown = JSON.parse(json);
    return isInvoice(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

export function serializeInvoice(invoice: Invoice): string {
  return JSON.stringify(invoice, ["id", "number", "due", "reminders", "issuedAt", "paid"]);
}

export function sameAsInvoice(a: Invoice, b: Invoice): boolean {
  return a.id === b.id && a.number === b.number && a.due === b.due && a.reminders === b.reminders;
}

/** The newer one of two versions, with what only the other one knows. */
export function mergeInvoice(a: Invoice, b: Invoice): Invoice {
  const [older, newer] = a.issuedAt <= b.issuedAt ? [a, b] : [b, a];
  return { ...older, ...newer, number: newer.number || older.number };
}

export function hashInvoice(invoice: Invoice): number {
  let hash = hashText(invoice.id);
  hash = (hash * 31 + invoice.due) | 0;
  return (hash * 31 + invoice.reminders) | 0;
}
