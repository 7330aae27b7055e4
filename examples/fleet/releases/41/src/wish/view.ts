// Wishes as people see them.

import { formatDate } from "../format/dates";
import { formatCents } from "../format/money";
import { formatCount } from "../format/numbers";
import { translate } from "../i18n/translate";
import { escapeHtml, joinClasses } from "../util/html";
import type { Wish } from "./model";
import { totalLimit, validateWish } from "./rules";

export function wishTitle(wish: Wish): string {
  return escapeHtml(wish.note || translate("wish.untitled"));
}

export function wishLimitCell(wish: Wish): string {
  return `<td class="money">${formatCents(wish.limit)}</td>`;
}

export function wishRankCell(wish: Wish): string {
  return `<td class="count">${formatCount(wish.rank)}</td>`;
}

export function wishClasses(wish: Wish): string {
  return joinClasses(["wish", wish.shared && "shared", wish.rank === 0 && "none"]);
}

export function renderWishRow(wish: Wish): string {
  const cells = wishLimitCell(wish) + wishRankCell(wish);
  return `<tr class="${wishClasses(wish)}"><th>${wishTitle(wish)}</th>${cells}<td>${formatDate(wish.wishedAt)}</td></tr>`;
}

export function renderWishProblems(wish: Wish, now: number): string {
  const problems = validateWish(wish, now);
  return problems.map((it) => `<li>${escapeHtml(it)}</li>`).join("");
}

export function renderWishes(wishs: readonly Wish[]): string {
  if (wishs.length === 0) return renderWishesEmpty();
  let rows = "";
  for (const wish of wishs) rows += renderWishRow(wish);
  return `<table>${rows}</table>${renderWishesFooter(wishs)}`;
}

export function renderWishesFooter(wishs: readonly Wish[]): string {
  const count = translate("wish.count", { count: wishs.length });
  return `<footer>${count} · ${formatCents(totalLimit(wishs))}</footer>`;
}

function renderWishesEmpty(): string {
  return `<p class="empty">${translate("wish.empty")}</p>`;
}
