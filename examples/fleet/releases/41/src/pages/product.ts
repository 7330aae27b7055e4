// The page /product.

import { sampleProducts, sampleReviews } from "../data/samples";
import { ProductStore } from "../product/store";
import { renderProducts } from "../product/view";
import { ReviewStore } from "../review/store";
import { renderReviews } from "../review/view";
import { translate } from "../i18n/translate";
import { section } from "../util/html";

export function loadProductPage(count: number): [ProductStore, ReviewStore] {
  return [new ProductStore(sampleProducts(count)), new ReviewStore(sampleReviews(count))];
}

export function renderProductPage(count: number): string {
  const [products, reviews] = loadProductPage(count);
  const heading = `<h1>${productHeading(products.size)}</h1>`;
  return heading + section("products", renderProducts(products.pageProducts(0))) + section("reviews", renderReviews(reviews.sortedReviews()));
}

function productHeading(count: number): string {
  return translate("page.product", { count });
}
