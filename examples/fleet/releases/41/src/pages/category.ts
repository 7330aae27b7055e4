// The page /category.

import { sampleCategories, sampleProducts } from "../data/samples";
import { CategoryStore } from "../category/store";
import { renderCategories } from "../category/view";
import { ProductStore } from "../product/store";
import { renderProducts } from "../product/view";
import { translate } from "../i18n/translate";
import { section } from "../util/html";

export function loadCategoryPage(count: number): [CategoryStore, ProductStore] {
  return [new CategoryStore(sampleCategories(count)), new ProductStore(sampleProducts(count))];
}

export function renderCategoryPage(count: number): string {
  const [categorys, products] = loadCategoryPage(count);
  const heading = `<h1>${categoryHeading(categorys.size)}</h1>`;
  return heading + section("categorys", renderCategories(categorys.pageCategories(0))) + section("products", renderProducts(products.sortedProducts()));
}

function categoryHeading(count: number): string {
  return translate("page.category", { count });
}
