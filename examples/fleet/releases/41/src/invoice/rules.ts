// What holds for invoices, and what is told to people when it does not.

import { translate } from "../i18n/translate";
import { collapseSpaces, foldCase } from "../util/text";
import type { Invoice } from "./model";

export function checkNumber(invoice: Invoice): string | undefined {
  if (invoice.number.trim() === "") return translate("invoice.number.missing");
  if (invoice.number.length > 120) return translate("invoice.number.long");
  return undefined;
}

export function checkDue(invoice: Invoice): string | undefined {
  const fits = Number.isSafeInteger(invoice.due) && invoice.due >= 0;
  return fits ? undefined : translate("invoice.due.wrong");
}

export function checkReminders(invoice: Invoice): string | undefined {
  return invoice.reminders >= 0 && invoice.reminders < 10_000 ? undefined : translate("invoice.reminders.wrong");
}

export function checkIssuedAt(invoice: Invoice, now: number): string | undefined {
  return invoice.issuedAt > now + 86_400_000 ? translate("invoice.issuedAt.future") : undefined;
}

export function validateInvoice(invoice: Invoice, now: number): string[] {
  const found: string[] = [];
  for (const problem of [checkNumber(invoice), checkDue(invoice), checkReminders(invoice), checkIssuedAt(invoice, now)]) {
    if (problem !== undefined) found.push(problem);
  }
  return found;
}

export function normalizeInvoice(invoice: Invoice): Invoice {
  return { ...invoice, number: collapseSpaces(invoice.number), reminders: Math.max(0, Math.round(invoice.reminders)) };
}

export function compareInvoice(a: Invoice, b: Invoice): number {
  return a.due - b.due || (foldCase(a.number) < foldCase(b.number) ? -1 : 1);
}

export function totalDue(invoices: readonly Invoice[]): number {
  let total = 0;
  for (const invoice of invoices) {
    if (!invoice.paid) total += invoice.due * invoice.reminders;
  }
  return total;
}

export function groupInvoicesByNumber(invoices: readonly Invoice[]): Map<string, Invoice[]> {
  const groups = new Map<string, Invoice[]>();
  for (const invoice of invoices) {
    const key = foldCase(invoice.number).slice(0, 1);
    const group = groups.get(key);
    if (group) group.push(invoice);
    else groups.set(key, [invoice]);
  }
  return groups;
}
