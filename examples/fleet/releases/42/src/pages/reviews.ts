// The page /reviews.

import { sampleReviews, sampleProducts } from "../data/samples";
import { ReviewStore } from "../review/store";
import { renderReviews } from "../review/view";
import { ProductStore } from "../product/store";
import { renderProducts } from "../product/view";
import { translate } from "../i18n/translate";
import { section } from "../util/html";

export function loadReviewsPage(count: number): [ReviewStore, ProductStore] {
  return [new ReviewStore(sampleReviews(count)), new ProductStore(sampleProducts(count))];
}

export function renderReviewsPage(count: number): string {
  const [reviews, products] = loadReviewsPage(count);
  const heading = `<h1>${reviewsHeading(reviews.size)}</h1>`;
  return heading + section("reviews", renderReviews(reviews.pageReviews(0))) + section("products", renderProducts(products.sortedProducts()));
}

function reviewsHeading(count: number): string {
  return translate("page.reviews", { count });
}
