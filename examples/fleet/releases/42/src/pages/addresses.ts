// The page /addresses.

import { sampleCustomers, sampleShipments } from "../data/samples";
import { CustomerStore } from "../customer/store";
import { renderCustomers } from "../customer/view";
import { ShipmentStore } from "../shipment/store";
import { renderShipments } from "../shipment/view";
import { translate } from "../i18n/translate";
import { section } from "../util/html";

export function loadAddressesPage(count: number): [CustomerStore, ShipmentStore] {
  return [new CustomerStore(sampleCustomers(count)), new ShipmentStore(sampleShipments(count))];
}

export function renderAddressesPage(count: number): string {
  const [customers, shipments] = loadAddressesPage(count);
  const heading = `<h1>${addressesHeading(customers.size)}</h1>`;
  return heading + section("customers", renderCustomers(customers.pageCustomers(0))) + section("shipments", renderShipments(shipments.sortedShipments()));
}

function addressesHeading(count: number): string {
  return translate("page.addresses", { count });
}
