// Customer: who buys.

import { hashText } from "../util/text";

export interface Customer {
  id: string;
  fullName: string;
  credit: number;
  visits: number;
  joinedAt: number;
  blocked: boolean;
}

export function createCustomer(id: string, known: Partial<Customer> = {}): Customer {
  return { id, fullName: "", credit: 0, visits: 1, joinedAt: 0, blocked: false, ...known };
}

export function copyCustomer(customer: Customer): Customer {
  return { ...customer };
}

export function isCustomer(value: unknown): value is Customer {
  const it = value as Customer | null;
  return typeof it === "object" && it !== null && typeof it.id === "string" && typeof it.credit === "number";
}

export function parseCustomer(json: string): Customer | undefined {
  try {
    const value: unknown = JSON.parse(json);
    return isCustomer(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

export function serializeCustomer(customer: Customer): string {
  return JSON.stringify(customer, ["id", "fullName", "credit", "visits", "joinedAt", "blocked"]);
}

export function sameAsCustomer(a: Customer, b: Customer): boolean {
  return a.id === b.id && a.fullName === b.fullName && a.credit === b.credit && a.visits === b.visits;
}

/** The newer one of two versions, with what only the other one knows. */
export function mergeCustomer(a: Customer, b: Customer): Customer {
  const [older, newer] = a.joinedAt <= b.joinedAt ? [a, b] : [b, a];
  return { ...older, ...newer, fullName: newer.fullName || older.fullName };
}

export function hashCustomer(customer: Customer): number {
  let hash = hashText(customer.id);
  hash = (hash * 31 + customer.credit) | 0;
  return (hash * 31 + customer.visits) | 0;
}
