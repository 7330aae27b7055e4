// Customers as people see them.

import { formatDate } from "../format/dates";
import { formatCents } from "../format/money";
import { formatCount } from "../format/numbers";
import { translate } from "../i18n/translate";
import { escapeHtml, joinClasses } from "../util/html";
import type { Customer } from "./model";
import { totalCredit, validateCustomer } from "./rules";

export function customerTitle(customer: Customer): string {
  return escapeHtml(customer.fullName || translate("customer.untitled"));
}

export function customerCreditCell(customer: Customer): string {
  return `<td class="money">${formatCents(customer.credit)}</td>`;
}

export function customerVisitsCell(customer: Customer): string {
  return `<td class="count">${formatCount(customer.visits)}</td>`;
}

export function customerClasses(customer: Customer): string {
  return joinClasses(["customer", customer.blocked && "blocked", customer.visits === 0 && "none"]);
}

export function renderCustomerRow(customer: Customer): string {
  const cells = customerCreditCell(customer) + customerVisitsCell(customer);
  return `<tr class="${customerClasses(customer)}"><th>${customerTitle(customer)}</th>${cells}<td>${formatDate(customer.joinedAt)}</td></tr>`;
}

export function renderCustomerProblems(customer: Customer, now: number): string {
  const problems = validateCustomer(customer, now);
  return problems.map((it) => `<li>${escapeHtml(it)}</li>`).join("");
}

export function renderCustomers(customers: readonly Customer[]): string {
  if (customers.length === 0) return renderCustomersEmpty();
  let rows = "";
  for (const customer of customers) rows += renderCustomerRow(customer);
  return `<table>${rows}</table>${renderCustomersFooter(customers)}`;
}

export function renderCustomersFooter(customers: readonly Customer[]): string {
  const count = translate("customer.count", { count: customers.length });
  return `<footer>${count} · ${formatCents(totalCredit(customers))}</footer>`;
}

function renderCustomersEmpty(): string {
  return `<p class="empty">${translate("customer.empty")}</p>`;
}
