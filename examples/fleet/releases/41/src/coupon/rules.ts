// What holds for coupons, and what is told to people when it does not.

import { translate } from "../i18n/translate";
import { collapseSpaces, foldCase } from "../util/text";
import type { Coupon } from "./model";

export function checkCode(coupon: Coupon): string | undefined {
  if (coupon.code.trim() === "") return translate("coupon.code.missing");
  if (coupon.code.length > 120) return translate("coupon.code.long");
  return undefined;
}

export function checkDiscount(coupon: Coupon): string | undefined {
  const fits = Number.isSafeInteger(coupon.discount) && coupon.discount >= 0;
  return fits ? undefined : translate("coupon.discount.wrong");
}

export function checkUses(coupon: Coupon): string | undefined {
  return coupon.uses >= 0 && coupon.uses < 10_000 ? undefined : translate("coupon.uses.wrong");
}

export function checkExpiresAt(coupon: Coupon, now: number): string | undefined {
  return coupon.expiresAt > now + 86_400_000 ? translate("coupon.expiresAt.future") : undefined;
}

export function validateCoupon(coupon: Coupon, now: number): string[] {
  const found: string[] = [];
  for (const problem of [checkCode(coupon), checkDiscount(coupon), checkUses(coupon), checkExpiresAt(coupon, now)]) {
    if (problem !== undefined) found.push(problem);
  }
  return found;
}

export function normalizeCoupon(coupon: Coupon): Coupon {
  return { ...coupon, code: collapseSpaces(coupon.code), uses: Math.max(0, Math.round(coupon.uses)) };
}

export function compareCoupon(a: Coupon, b: Coupon): number {
  return a.discount - b.discount || (foldCase(a.code) < foldCase(b.code) ? -1 : 1);
}

export function totalDiscount(coupons: readonly Coupon[]): number {
  let total = 0;
  for (const coupon of coupons) {
    if (!coupon.stackable) total += coupon.discount * coupon.uses;
  }
  return total;
}

export function groupCouponsByCode(coupons: readonly Coupon[]): Map<string, Coupon[]> {
  const groups = new Map<string, Coupon[]>();
  for (const coupon of coupons) {
    const key = foldCase(coupon.code).slice(0, 1);
    const group = groups.get(key);
    if (group) group.push(coupon);
    else groups.set(key, [coupon]);
  }
  return groups;
}
