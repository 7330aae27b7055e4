// Brands as people see them.

import { formatDate } from "../format/dates";
import { formatCents } from "../format/money";
import { formatCount } from "../format/numbers";
import { translate } from "../i18n/translate";
import { escapeHtml, joinClasses } from "../util/html";
import type { Brand } from "./model";
import { totalFloorPrice, validateBrand } from "./rules";

export function brandTitle(brand: Brand): string {
  return escapeHtml(brand.mark || translate("brand.untitled"));
}

export function brandFloorPriceCell(brand: Brand): string {
  return `<td class="money">${formatCents(brand.floorPrice)}</td>`;
}

export function brandModelsCell(brand: Brand): string {
  return `<td class="count">${formatCount(brand.models)}</td>`;
}

export function brandClasses(brand: Brand): string {
  return joinClasses(["brand", brand.premium && "premium", brand.models === 0 && "none"]);
}

export function renderBrandRow(brand: Brand): string {
  const cells = brandFloorPriceCell(brand) + brandModelsCell(brand);
  return `<tr class="${brandClasses(brand)}"><th>${brandTitle(brand)}</th>${cells}<td>${formatDate(brand.foundedAt)}</td></tr>`;
}

export function renderBrandProblems(brand: Brand, now: number): string {
  const problems = validateBrand(brand, now);
  return problems.map((it) => `<li>${escapeHtml(it)}</li>`).join("");
}

export function renderBrands(brands: readonly Brand[]): string {
  if (brands.length === 0) return renderBrandsEmpty();
  let rows = "";
  for (const brand of brands) rows += renderBrandRow(brand);
  return `<table>${rows}</table>${renderBrandsFooter(brands)}`;
}

export function renderBrandsFooter(brands: readonly Brand[]): string {
  const count = translate("brand.count", { count: brands.length });
  return `<footer>${count} · ${formatCents(totalFloorPrice(brands))}</footer>`;
}

function renderBrandsEmpty(): string {
  return `<p class="empty">${translate("brand.empty")}</p>`;
}
