// The page /search.

import { sampleProducts, sampleBrands } from "../data/samples";
import { ProductStore } from "../product/store";
import { renderProducts } from "../product/view";
import { BrandStore } from "../brand/store";
import { renderBrands } from "../brand/view";
import { translate } from "../i18n/translate";
import { section } from "../util/html";

export function loadSearchPage(count: number): [ProductStore, BrandStore] {
  return [new ProductStore(sampleProducts(count)), new BrandStore(sampleBrands(count))];
}

export function renderSearchPage(count: number): string {
  const [products, brands] = loadSearchPage(count);
  const heading = `<h1>${searchHeading(products.size)}</h1>`;
  return heading + section("products", renderProducts(products.pageProducts(0))) + section("brands", renderBrands(brands.sortedBrands()));
}

function searchHeading(count: number): string {
  return translate("page.search", { count });
}
