// Cart lines as people see them.

import { formatDate } from "../format/dates";
import { formatCents } from "../format/money";
import { formatCount } from "../format/numbers";
import { translate } from "../i18n/translate";
import { escapeHtml, joinClasses } from "../util/html";
import type { CartLine } from "./model";
import { totalUnitPrice, validateCartLine } from "./rules";

export function lineTitle(line: CartLine): string {
  return escapeHtml(line.label || translate("line.untitled"));
}

export function lineUnitPriceCell(line: CartLine): string {
  return `<td class="money">${formatCents(line.unitPrice)}</td>`;
}

export function lineQuantityCell(line: CartLine): string {
  return `<td class="count">${formatCount(line.quantity)}</td>`;
}

export function lineClasses(line: CartLine): string {
  return joinClasses(["line", line.isGift && "isgift", line.quantity === 0 && "none"]);
}

export function renderCartLineRow(line: CartLine): string {
  const cells = lineUnitPriceCell(line) + lineQuantityCell(line);
  return `<tr class="${lineClasses(line)}"><th>${lineTitle(line)}</th>${cells}<td>${formatDate(line.changedAt)}</td></tr>`;
}

export function renderCartLineProblems(line: CartLine, now: number): string {
  const problems = validateCartLine(line, now);
  return problems.map((it) => `<li>${escapeHtml(it)}</li>`).join("");
}

export function renderCartLines(lines: readonly CartLine[]): string {
  if (lines.length === 0) return renderCartLinesEmpty();
  let rows = "";
  for (const line of lines) rows += renderCartLineRow(line);
  return `<table>${rows}</table>${renderCartLinesFooter(lines)}`;
}

export function renderCartLinesFooter(lines: readonly CartLine[]): string {
  const count = translate("line.count", { count: lines.length });
  return `<footer>${count} · ${formatCents(totalUnitPrice(lines))}</footer>`;
}

function renderCartLinesEmpty(): string {
  return `<p class="empty">${translate("line.empty")}</p>`;
}
