// What holds for payments, and what is told to people when it does not.

import { translate } from "../i18n/translate";
import { collapseSpaces, foldCase } from "../util/text";
import type { Payment } from "./model";

export function checkPurpose(payment: Payment): string | undefined {
  if (payment.purpose.trim() === "") return translate("payment.purpose.missing");
  if (payment.purpose.length > 120) return translate("payment.purpose.long");
  return undefined;
}

export function checkReceived(payment: Payment): string | undefined {
  const fits = Number.isSafeInteger(payment.received) && payment.received >= 0;
  return fits ? undefined : translate("payment.received.wrong");
}

export function checkAttempts(payment: Payment): string | undefined {
  return payment.attempts >= 0 && payment.attempts < 10_000 ? undefined : translate("payment.attempts.wrong");
}

export function checkBookedAt(payment: Payment, now: number): string | undefined {
  return payment.bookedAt > now + 86_400_000 ? translate("payment.bookedAt.future") : undefined;
}

export function validatePayment(payment: Payment, now: number): string[] {
  const found: string[] = [];
  for (const problem of [checkPurpose(payment), checkReceived(payment), checkAttempts(payment), checkBookedAt(payment, now)]) {
    if (problem !== undefined) found.push(problem);
  }
  return found;
}

export function normalizePayment(payment: Payment): Payment {
  return { ...payment, purpose: collapseSpaces(payment.purpose), attempts: Math.max(0, Math.round(payment.attempts)) };
}

export function comparePayment(a: Payment, b: Payment): number {
  return a.received - b.received || (foldCase(a.purpose) < foldCase(b.purpose) ? -1 : 1);
}

export function totalReceived(payments: readonly Payment[]): number {
  let total = 0;
  for (const payment of payments) {
    if (!payment.disputed) total += payment.received * payment.attempts;
  }
  return total;
}

export function groupPaymentsByPurpose(payments: readonly Payment[]): Map<string, Payment[]> {
  const groups = new Map<string, Payment[]>();
  for (const payment of payments) {
    const key = foldCase(payment.purpose).slice(0, 1);
    const group = groups.get(key);
    if (group) group.push(payment);
    else groups.set(key, [payment]);
  }
  return groups;
}
