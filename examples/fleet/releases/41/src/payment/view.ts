// Payments as people see them.

import { formatDate } from "../format/dates";
import { formatCents } from "../format/money";
import { formatCount } from "../format/numbers";
import { translate } from "../i18n/translate";
import { escapeHtml, joinClasses } from "../util/html";
import type { Payment } from "./model";
import { totalReceived, validatePayment } from "./rules";

export function paymentTitle(payment: Payment): string {
  return escapeHtml(payment.purpose || translate("payment.untitled"));
}

export function paymentReceivedCell(payment: Payment): string {
  return `<td class="money">${formatCents(payment.received)}</td>`;
}

export function paymentAttemptsCell(payment: Payment): string {
  return `<td class="count">${formatCount(payment.attempts)}</td>`;
}

export function paymentClasses(payment: Payment): string {
  return joinClasses(["payment", payment.disputed && "disputed", payment.attempts === 0 && "none"]);
}

export function renderPaymentRow(payment: Payment): string {
  const cells = paymentReceivedCell(payment) + paymentAttemptsCell(payment);
  return `<tr class="${paymentClasses(payment)}"><th>${paymentTitle(payment)}</th>${cells}<td>${formatDate(payment.bookedAt)}</td></tr>`;
}

export function renderPaymentProblems(payment: Payment, now: number): string {
  const problems = validatePayment(payment, now);
  return problems.map((it) => `<li>${escapeHtml(it)}</li>`).join("");
}

export function renderPayments(payments: readonly Payment[]): string {
  if (payments.length === 0) return renderPaymentsEmpty();
  let rows = "";
  for (const payment of payments) rows += renderPaymentRow(payment);
  return `<table>${rows}</table>${renderPaymentsFooter(payments)}`;
}

export function renderPaymentsFooter(payments: readonly Payment[]): string {
  const count = translate("payment.count", { count: payments.length });
  return `<footer>${count} · ${formatCents(totalReceived(payments))}</footer>`;
}

function renderPaymentsEmpty(): string {
  return `<p class="empty">${translate("payment.empty")}</p>`;
}
