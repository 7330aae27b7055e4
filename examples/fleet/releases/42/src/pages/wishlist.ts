// The page /wishlist.

import { sampleWishes, sampleProducts } from "../data/samples";
import { WishStore } from "../wish/store";
import { renderWishes } from "../wish/view";
import { ProductStore } from "../product/store";
import { renderProducts } from "../product/view";
import { translate } from "../i18n/translate";
import { section } from "../util/html";

export function loadWishlistPage(count: number): [WishStore, ProductStore] {
  return [new WishStore(sampleWishes(count)), new ProductStore(sampleProducts(count))];
}

export function renderWishlistPage(count: number): string {
  const [wishs, products] = loadWishlistPage(count);
  const heading = `<h1>${wishlistHeading(wishs.size)}</h1>`;
  return heading + section("wishs", renderWishes(wishs.pageWishes(0))) + section("products", renderProducts(products.sortedProducts()));
}

function wishlistHeading(count: number): string {
  return translate("page.wishlist", { count });
}
