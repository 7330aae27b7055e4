// The page /account.

import { sampleCustomers, sampleOrders } from "../data/samples";
import { CustomerStore } from "../customer/store";
import { renderCustomers } from "../customer/view";
import { OrderStore } from "../order/store";
import { renderOrders } from "../order/view";
import { translate } from "../i18n/translate";
import { section } from "../util/html";

export function loadAccountPage(count: number): [CustomerStore, OrderStore] {
  return [new CustomerStore(sampleCustomers(count)), new OrderStore(sampleOrders(count))];
}

export function renderAccountPage(count: number): string {
  const [customers, orders] = loadAccountPage(count);
  const heading = `<h1>${accountHeading(customers.size)}</h1>`;
  return heading + section("customers", renderCustomers(customers.pageCustomers(0))) + section("orders", renderOrders(orders.sortedOrders()));
}

function accountHeading(count: number): string {
  return translate("page.account", { count });
}
