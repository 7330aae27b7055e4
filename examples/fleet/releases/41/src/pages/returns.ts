// The page /returns.

import { sampleShipments, samplePayments } from "../data/samples";
import { ShipmentStore } from "../shipment/store";
import { renderShipments } from "../shipment/view";
import { PaymentStore } from "../payment/store";
import { renderPayments } from "../payment/view";
import { translate } from "../i18n/translate";
import { section } from "../util/html";

export function loadReturnsPage(count: number): [ShipmentStore, PaymentStore] {
  return [new ShipmentStore(sampleShipments(count)), new PaymentStore(samplePayments(count))];
}

export function renderReturnsPage(count: number): string {
  const [shipments, payments] = loadReturnsPage(count);
  const heading = `<h1>${returnsHeading(shipments.size)}</h1>`;
  return heading + section("shipments", renderShipments(shipments.pageShipments(0))) + section("payments", renderPayments(payments.sortedPayments()));
}

function returnsHeading(count: number): string {
  return translate("page.returns", { count });
}
