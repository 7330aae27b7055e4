// Products as people see them.

import { formatDate } from "../format/dates";
import { formatCents } from "../format/money";
import { formatCount } from "../format/numbers";
import { translate } from "../i18n/translate";
import { escapeHtml, joinClasses } from "../util/html";
import type { Product } from "./model";
import { totalPrice, validateProduct } from "./rules";

export function productTitle(product: Product): string {
  return escapeHtml(product.title || translate("product.untitled"));
}

export function productPriceCell(product: Product): string {
  return `<td class="money">${formatCents(product.price)}</td>`;
}

export function productWeightCell(product: Product): string {
  return `<td class="count">${formatCount(product.weight)}</td>`;
}

export function productClasses(product: Product): string {
  return joinClasses(["product", product.hidden && "hidden", product.weight === 0 && "none"]);
}

export function renderProductRow(product: Product): string {
  const cells = productPriceCell(product) + productWeightCell(product);
  return `<tr class="${productClasses(product)}"><th>${productTitle(product)}</th>${cells}<td>${formatDate(product.addedAt)}</td></tr>`;
}

export function renderProductProblems(product: Product, now: number): string {
  const problems = validateProduct(product, now);
  return problems.map((it) => `<li>${escapeHtml(it)}</li>`).join("");
}

export function renderProducts(products: readonly Product[]): string {
  if (products.length === 0) return renderProductsEmpty();
  let rows = "";
  for (const product of products) rows += renderProductRow(product);
  return `<table>${rows}</table>${renderProductsFooter(products)}`;
}

export function renderProductsFooter(products: readonly Product[]): string {
  const count = translate("product.count", { count: products.length });
  return `<footer>${count} · ${formatCents(totalPrice(products))}</footer>`;
}

function renderProductsEmpty(): string {
  return `<p class="empty">${translate("product.empty")}</p>`;
}
