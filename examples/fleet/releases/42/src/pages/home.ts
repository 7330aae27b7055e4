// The page /.

import { sampleProducts, sampleCategories } from "../data/samples";
import { ProductStore } from "../product/store";
import { renderProducts } from "../product/view";
import { CategoryStore } from "../category/store";
import { renderCategories } from "../category/view";
import { translate } from "../i18n/translate";
import { section } from "../util/html";

export function loadHomePage(count: number): [ProductStore, CategoryStore] {
  return [new ProductStore(sampleProducts(count)), new CategoryStore(sampleCategories(count))];
}

export function renderHomePage(count: number): string {
  const [products, categorys] = loadHomePage(count);
  const heading = `<h1>${homeHeading(products.size)}</h1>`;
  return heading + section("products", renderProducts(products.pageProducts(0))) + section("categorys", renderCategories(categorys.sortedCategories()));
}

function homeHeading(count: number): string {
  return translate("page.home", { count });
}
