// The page /offers.

import { sampleCoupons, sampleProducts } from "../data/samples";
import { CouponStore } from "../coupon/store";
import { renderCoupons } from "../coupon/view";
import { ProductStore } from "../product/store";
import { renderProducts } from "../product/view";
import { translate } from "../i18n/translate";
import { section } from "../util/html";

export function loadOffersPage(count: number): [CouponStore, ProductStore] {
  return [new CouponStore(sampleCoupons(count)), new ProductStore(sampleProducts(count))];
}

export function renderOffersPage(count: number): string {
  const [coupons, products] = loadOffersPage(count);
  const heading = `<h1>${offersHeading(coupons.size)}</h1>`;
  return heading + section("coupons", renderCoupons(coupons.pageCoupons(0))) + section("products", renderProducts(products.sortedProducts()));
}

function offersHeading(count: number): string {
  return translate("page.offers", { count });
}
