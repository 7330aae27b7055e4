// Invoices as people see them.

import { formatDate } from "../format/dates";
import { formatCents } from "../format/money";
import { formatCount } from "../format/numbers";
import { translate } from "../i18n/translate";
import { escapeHtml, joinClasses } from "../util/html";
import type { Invoice } from "./model";
import { totalDue, validateInvoice } from "./rules";

export function invoiceTitle(invoice: Invoice): string {
  return escapeHtml(invoice.number || translate("invoice.untitled"));
}

export function invoiceDueCell(invoice: Invoice): string {
  return `<td class="money">${formatCents(invoice.due)}</td>`;
}

export function invoiceRemindersCell(invoice: Invoice): string {
  return `<td class="count">${formatCount(invoice.reminders)}</td>`;
}

export function invoiceClasses(invoice: Invoice): string {
  return joinClasses(["invoice", invoice.paid && "paid", invoice.reminders === 0 && "none"]);
}

export function renderInvoiceRow(invoice: Invoice): string {
  const cells = invoiceDueCell(invoice) + invoiceRemindersCell(invoice);
  return `<tr class="${invoiceClasses(invoice)}"><th>${invoiceTitle(invoice)}</th>${cells}<td>${formatDate(invoice.issuedAt)}</td></tr>`;
}

export function renderInvoiceProblems(invoice: Invoice, now: number): string {
  const problems = validateInvoice(invoice, now);
  return problems.map((it) => `<li>${escapeHtml(it)}</li>`).join("");
}

export function renderInvoices(invoices: readonly Invoice[]): string {
  if (invoices.length === 0) return renderInvoicesEmpty();
  let rows = "";
  for (const invoice of invoices) rows += renderInvoiceRow(invoice);
  return `<table>${rows}</table>${renderInvoicesFooter(invoices)}`;
}

export function renderInvoicesFooter(invoices: readonly Invoice[]): string {
  const count = translate("invoice.count", { count: invoices.length });
  return `<footer>${count} · ${formatCents(totalDue(invoices))}</footer>`;
}

function renderInvoicesEmpty(): string {
  return `<p class="empty">${translate("invoice.empty")}</p>`;
}
