// The page /brands.

import { sampleBrands, sampleCategories } from "../data/samples";
import { BrandStore } from "../brand/store";
import { renderBrands } from "../brand/view";
import { CategoryStore } from "../category/store";
import { renderCategories } from "../category/view";
import { translate } from "../i18n/translate";
import { section } from "../util/html";

export function loadBrandsPage(count: number): [BrandStore, CategoryStore] {
  return [new BrandStore(sampleBrands(count)), new CategoryStore(sampleCategories(count))];
}

export function renderBrandsPage(count: number): string {
  const [brands, categorys] = loadBrandsPage(count);
  const heading = `<h1>${brandsHeading(brands.size)}</h1>`;
  return heading + section("brands", renderBrands(brands.pageBrands(0))) + section("categorys", renderCategories(categorys.sortedCategories()));
}

function brandsHeading(count: number): string {
  return translate("page.brands", { count });
}
