// Coupons as people see them.

import { formatDate } from "../format/dates";
import { formatCents } from "../format/money";
import { formatCount } from "../format/numbers";
import { translate } from "../i18n/translate";
import { escapeHtml, joinClasses } from "../util/html";
import type { Coupon } from "./model";
import { totalDiscount, validateCoupon } from "./rules";

export function couponTitle(coupon: Coupon): string {
  return escapeHtml(coupon.code || translate("coupon.untitled"));
}

export function couponDiscountCell(coupon: Coupon): string {
  return `<td class="money">${formatCents(coupon.discount)}</td>`;
}

export function couponUsesCell(coupon: Coupon): string {
  return `<td class="count">${formatCount(coupon.uses)}</td>`;
}

export function couponClasses(coupon: Coupon): string {
  return joinClasses(["coupon", coupon.stackable && "stackable", coupon.uses === 0 && "none"]);
}

export function renderCouponRow(coupon: Coupon): string {
  const cells = couponDiscountCell(coupon) + couponUsesCell(coupon);
  return `<tr class="${couponClasses(coupon)}"><th>${couponTitle(coupon)}</th>${cells}<td>${formatDate(coupon.expiresAt)}</td></tr>`;
}

export function renderCouponProblems(coupon: Coupon, now: number): string {
  const problems = validateCoupon(coupon, now);
  return problems.map((it) => `<li>${escapeHtml(it)}</li>`).join("");
}

export function renderCoupons(coupons: readonly Coupon[]): string {
  if (coupons.length === 0) return renderCouponsEmpty();
  let rows = "";
  for (const coupon of coupons) rows += renderCouponRow(coupon);
  return `<table>${rows}</table>${renderCouponsFooter(coupons)}`;
}

export function renderCouponsFooter(coupons: readonly Coupon[]): string {
  const count = translate("coupon.count", { count: coupons.length });
  return `<footer>${count} · ${formatCents(totalDiscount(coupons))}</footer>`;
}

function renderCouponsEmpty(): string {
  return `<p class="empty">${translate("coupon.empty")}</p>`;
}
