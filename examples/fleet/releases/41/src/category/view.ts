// Categories as people see them.

import { formatDate } from "../format/dates";
import { formatCents } from "../format/money";
import { formatCount } from "../format/numbers";
import { translate } from "../i18n/translate";
import { escapeHtml, joinClasses } from "../util/html";
import type { Category } from "./model";
import { totalCheapest, validateCategory } from "./rules";

export function categoryTitle(category: Category): string {
  return escapeHtml(category.caption || translate("category.untitled"));
}

export function categoryCheapestCell(category: Category): string {
  return `<td class="money">${formatCents(category.cheapest)}</td>`;
}

export function categoryDepthCell(category: Category): string {
  return `<td class="count">${formatCount(category.depth)}</td>`;
}

export function categoryClasses(category: Category): string {
  return joinClasses(["category", category.seasonal && "seasonal", category.depth === 0 && "none"]);
}

export function renderCategoryRow(category: Category): string {
  const cells = categoryCheapestCell(category) + categoryDepthCell(category);
  return `<tr class="${categoryClasses(category)}"><th>${categoryTitle(category)}</th>${cells}<td>${formatDate(category.openedAt)}</td></tr>`;
}

export function renderCategoryProblems(category: Category, now: number): string {
  const problems = validateCategory(category, now);
  return problems.map((it) => `<li>${escapeHtml(it)}</li>`).join("");
}

export function renderCategories(categorys: readonly Category[]): string {
  if (categorys.length === 0) return renderCategoriesEmpty();
  let rows = "";
  for (const category of categorys) rows += renderCategoryRow(category);
  return `<table>${rows}</table>${renderCategoriesFooter(categorys)}`;
}

export function renderCategoriesFooter(categorys: readonly Category[]): string {
  const count = translate("category.count", { count: categorys.length });
  return `<footer>${count} · ${formatCents(totalCheapest(categorys))}</footer>`;
}

function renderCategoriesEmpty(): string {
  return `<p class="empty">${translate("category.empty")}</p>`;
}
