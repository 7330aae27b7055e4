// The page /checkout.

import { sampleCartLines, sampleShipments } from "../data/samples";
import { CartLineStore } from "../line/store";
import { renderCartLines } from "../line/view";
import { ShipmentStore } from "../shipment/store";
import { renderShipments } from "../shipment/view";
import { translate } from "../i18n/translate";
import { section } from "../util/html";

export function loadCheckoutPage(count: number): [CartLineStore, ShipmentStore] {
  return [new CartLineStore(sampleCartLines(count)), new ShipmentStore(sampleShipments(count))];
}

export function renderCheckoutPage(count: number): string {
  const [lines, shipments] = loadCheckoutPage(count);
  const heading = `<h1>${checkoutHeading(lines.size)}</h1>`;
  return heading + section("lines", renderCartLines(lines.pageCartLines(0))) + section("shipments", renderShipments(shipments.sortedShipments()));
}

function checkoutHeading(count: number): string {
  return translate("page.checkout", { count });
}
