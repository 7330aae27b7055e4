// The page /stores.

import { sampleStockItems, sampleBrands } from "../data/samples";
import { StockItemStore } from "../stock/store";
import { renderStockItems } from "../stock/view";
import { BrandStore } from "../brand/store";
import { renderBrands } from "../brand/view";
import { translate } from "../i18n/translate";
import { section } from "../util/html";

export function loadStoresPage(count: number): [StockItemStore, BrandStore] {
  return [new StockItemStore(sampleStockItems(count)), new BrandStore(sampleBrands(count))];
}

export function renderStoresPage(count: number): string {
  const [stocks, brands] = loadStoresPage(count);
  const heading = `<h1>${storesHeading(stocks.size)}</h1>`;
  return heading + section("stocks", renderStockItems(stocks.pageStockItems(0))) + section("brands", renderBrands(brands.sortedBrands()));
}

function storesHeading(count: number): string {
  return translate("page.stores", { count });
}
