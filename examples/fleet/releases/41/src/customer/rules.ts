// What holds for customers, and what is told to people when it does not.

import { translate } from "../i18n/translate";
import { collapseSpaces, foldCase } from "../util/text";
import type { Customer } from "./model";

export function checkFullName(customer: Customer): string | undefined {
  if (customer.fullName.trim() === "") return translate("customer.fullName.missing");
  if (customer.fullName.length > 120) return translate("customer.fullName.long");
  return undefined;
}

export function checkCredit(customer: Customer): string | undefined {
  const fits = Number.isSafeInteger(customer.credit) && customer.credit >= 0;
  return fits ? undefined : translate("customer.credit.wrong");
}

export function checkVisits(customer: Customer): string | undefined {
  return customer.visits >= 0 && customer.visits < 10_000 ? undefined : translate("customer.visits.wrong");
}

export function checkJoinedAt(customer: Customer, now: number): string | undefined {
  return customer.joinedAt > now + 86_400_000 ? translate("customer.joinedAt.future") : undefined;
}

export function validateCustomer(customer: Customer, now: number): string[] {
  const found: string[] = [];
  for (const problem of [checkFullName(customer), checkCredit(customer), checkVisits(customer), checkJoinedAt(customer, now)]) {
    if (problem !== undefined) found.push(problem);
  }
  return found;
}

export function normalizeCustomer(customer: Customer): Customer {
  return { ...customer, fullName: collapseSpaces(customer.fullName), visits: Math.max(0, Math.round(customer.visits)) };
}

export function compareCustomer(a: Customer, b: Customer): number {
  return a.credit - b.credit || (foldCase(a.fullName) < foldCase(b.fullName) ? -1 : 1);
}

export function totalCredit(customers: readonly Customer[]): number {
  let total = 0;
  for (const customer of customers) {
    if (!customer.blocked) total += customer.credit * customer.visits;
  }
  return total;
}

export function groupCustomersByFullName(customers: readonly Customer[]): Map<string, Customer[]> {
  const groups = new Map<string, Customer[]>();
  for (const customer of customers) {
    const key = foldCase(customer.fullName).slice(0, 1);
    const group = groups.get(key);
    if (group) group.push(customer);
    else groups.set(key, [customer]);
  }
  return groups;
}
