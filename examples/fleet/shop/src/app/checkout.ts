// What the whole cart costs.

import type { Coupon } from "../coupon/model";
import type { CartLine } from "../line/model";
import { applyCoupons } from "../pricing/discount";
import { shippingCents } from "../pricing/shipping";
import { taxIncluded } from "../pricing/tax";
import { sumBy } from "../util/list";

export interface Totals {
  goods: number;
  shipping: number;
  tax: number;
  sum: number;
}

export function checkoutTotals(lines: readonly CartLine[], coupons: readonly Coupon[], country: string, now: number): Totals {
  const goods = applyCoupons(lines, coupons, now);
  const shipping = isFreeOfShipping(goods) ? 0 : shippingCents(cartWeight(lines), country);
  const sum = goods + shipping;
  return { goods, shipping, tax: taxIncluded(sum, country), sum };
}

export function isFreeOfShipping(goods: number): boolean {
  return goods >= 5_000;
}

export function cartWeight(lines: readonly CartLine[]): number {
  return sumBy(lines, (line) => line.quantity * 400);
}
