// The page /orders.

import { sampleOrders, sampleInvoices } from "../data/samples";
import { OrderStore } from "../order/store";
import { renderOrders } from "../order/view";
import { InvoiceStore } from "../invoice/store";
import { renderInvoices } from "../invoice/view";
import { translate } from "../i18n/translate";
import { section } from "../util/html";

export function loadOrdersPage(count: number): [OrderStore, InvoiceStore] {
  return [new OrderStore(sampleOrders(count)), new InvoiceStore(sampleInvoices(count))];
}

export function renderOrdersPage(count: number): string {
  const [orders, invoices] = loadOrdersPage(count);
  const heading = `<h1>${ordersHeading(orders.size)}</h1>`;
  return heading + section("orders", renderOrders(orders.pageOrders(0))) + section("invoices", renderInvoices(invoices.sortedInvoices()));
}

function ordersHeading(count: number): string {
  return translate("page.orders", { count });
}
