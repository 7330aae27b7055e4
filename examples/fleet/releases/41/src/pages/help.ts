// The page /help.

import { sampleCategories, sampleCustomers } from "../data/samples";
import { CategoryStore } from "../category/store";
import { renderCategories } from "../category/view";
import { CustomerStore } from "../customer/store";
import { renderCustomers } from "../customer/view";
import { translate } from "../i18n/translate";
import { section } from "../util/html";

export function loadHelpPage(count: number): [CategoryStore, CustomerStore] {
  return [new CategoryStore(sampleCategories(count)), new CustomerStore(sampleCustomers(count))];
}

export function renderHelpPage(count: number): string {
  const [categorys, customers] = loadHelpPage(count);
  const heading = `<h1>${helpHeading(categorys.size)}</h1>`;
  return heading + section("categorys", renderCategories(categorys.pageCategories(0))) + section("customers", renderCustomers(customers.sortedCustomers()));
}

function helpHeading(count: number): string {
  return translate("page.help", { count });
}
