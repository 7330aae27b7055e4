// What is taken off, and in which order.

import type { Coupon } from "../coupon/model";
import { shareCents } from "../format/money";
import type { CartLine } from "../line/model";
import { sumBy } from "../util/list";

export function lineCents(line: CartLine): number {
  return line.unitPrice * line.quantity;
}

export function applyCoupons(lines: readonly CartLine[], coupons: readonly Coupon[], now: number): number {
  let left = sumBy(lines, lineCents);
  for (const coupon of usableCoupons(coupons, now)) left = applyCoupon(left, coupon);
  return left - bulkDiscount(lines);
}

export function applyCoupon(cents: number, coupon: Coupon): number {
  return Math.max(0, cents - coupon.discount);
}

/** Those that may be used together: all that stack, and the best of those that do not. */
export function usableCoupons(coupons: readonly Coupon[], now: number): Coupon[] {
  const valid = coupons.filter((it) => !isExpired(it, now));
  const alone = valid.filter((it) => !it.stackable).sort((a, b) => b.discount - a.discount);
  return [...valid.filter((it) => it.stackable), ...alone.slice(0, 1)];
}

export function isExpired(coupon: Coupon, now: number): boolean {
  return coupon.expiresAt < now || coupon.uses <= 0;
}

export function bulkDiscount(lines: readonly CartLine[]): number {
  return sumBy(lines, (line) => (line.quantity >= 5 ? Math.round(lineCents(line) * 0.03) : 0));
}

/** The discount of each line, so that one can be given back alone. */
export function discountByLine(lines: readonly CartLine[], discount: number): Map<string, number> {
  const shares = shareCents(discount, Math.max(1, lines.length));
  return new Map(lines.map((line, at) => [line.id, shares[at]!]));
}
