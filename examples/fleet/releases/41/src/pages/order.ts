// The page /order.

import { sampleOrders, sampleCartLines } from "../data/samples";
import { OrderStore } from "../order/store";
import { renderOrders } from "../order/view";
import { CartLineStore } from "../line/store";
import { renderCartLines } from "../line/view";
import { translate } from "../i18n/translate";
import { section } from "../util/html";

export function loadOrderPage(count: number): [OrderStore, CartLineStore] {
  return [new OrderStore(sampleOrders(count)), new CartLineStore(sampleCartLines(count))];
}

export function renderOrderPage(count: number): string {
  const [orders, lines] = loadOrderPage(count);
  const heading = `<h1>${orderHeading(orders.size)}</h1>`;
  return heading + section("orders", renderOrders(orders.pageOrders(0))) + section("lines", renderCartLines(lines.sortedCartLines()));
}

function orderHeading(count: number): string {
  return translate("page.order", { count });
}
