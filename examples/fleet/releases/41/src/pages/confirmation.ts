// The page /confirmation.

import { sampleOrders, sampleShipments } from "../data/samples";
import { OrderStore } from "../order/store";
import { renderOrders } from "../order/view";
import { ShipmentStore } from "../shipment/store";
import { renderShipments } from "../shipment/view";
import { translate } from "../i18n/translate";
import { section } from "../util/html";

export function loadConfirmationPage(count: number): [OrderStore, ShipmentStore] {
  return [new OrderStore(sampleOrders(count)), new ShipmentStore(sampleShipments(count))];
}

export function renderConfirmationPage(count: number): string {
  const [orders, shipments] = loadConfirmationPage(count);
  const heading = `<h1>${confirmationHeading(orders.size)}</h1>`;
  return heading + section("orders", renderOrders(orders.pageOrders(0))) + section("shipments", renderShipments(shipments.sortedShipments()));
}

function confirmationHeading(count: number): string {
  return translate("page.confirmation", { count });
}
