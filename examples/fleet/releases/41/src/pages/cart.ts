// The page /cart.

import { sampleCartLines, sampleCoupons } from "../data/samples";
import { CartLineStore } from "../line/store";
import { renderCartLines } from "../line/view";
import { CouponStore } from "../coupon/store";
import { renderCoupons } from "../coupon/view";
import { translate } from "../i18n/translate";
import { section } from "../util/html";

export function loadCartPage(count: number): [CartLineStore, CouponStore] {
  return [new CartLineStore(sampleCartLines(count)), new CouponStore(sampleCoupons(count))];
}

export function renderCartPage(count: number): string {
  const [lines, coupons] = loadCartPage(count);
  const heading = `<h1>${cartHeading(lines.size)}</h1>`;
  return heading + section("lines", renderCartLines(lines.pageCartLines(0))) + section("coupons", renderCoupons(coupons.sortedCoupons()));
}

function cartHeading(count: number): string {
  return translate("page.cart", { count });
}
