// Shipments as people see them.

import { formatDate } from "../format/dates";
import { formatCents } from "../format/money";
import { formatCount } from "../format/numbers";
import { translate } from "../i18n/translate";
import { escapeHtml, joinClasses } from "../util/html";
import type { Shipment } from "./model";
import { totalPostage, validateShipment } from "./rules";

export function shipmentTitle(shipment: Shipment): string {
  return escapeHtml(shipment.tracking || translate("shipment.untitled"));
}

export function shipmentPostageCell(shipment: Shipment): string {
  return `<td class="money">${formatCents(shipment.postage)}</td>`;
}

export function shipmentBoxesCell(shipment: Shipment): string {
  return `<td class="count">${formatCount(shipment.boxes)}</td>`;
}

export function shipmentClasses(shipment: Shipment): string {
  return joinClasses(["shipment", shipment.insured && "insured", shipment.boxes === 0 && "none"]);
}

export function renderShipmentRow(shipment: Shipment): string {
  const cells = shipmentPostageCell(shipment) + shipmentBoxesCell(shipment);
  return `<tr class="${shipmentClasses(shipment)}"><th>${shipmentTitle(shipment)}</th>${cells}<td>${formatDate(shipment.sentAt)}</td></tr>`;
}

export function renderShipmentProblems(shipment: Shipment, now: number): string {
  const problems = validateShipment(shipment, now);
  return problems.map((it) => `<li>${escapeHtml(it)}</li>`).join("");
}

export function renderShipments(shipments: readonly Shipment[]): string {
  if (shipments.length === 0) return renderShipmentsEmpty();
  let rows = "";
  for (const shipment of shipments) rows += renderShipmentRow(shipment);
  return `<table>${rows}</table>${renderShipmentsFooter(shipments)}`;
}

export function renderShipmentsFooter(shipments: readonly Shipment[]): string {
  const count = translate("shipment.count", { count: shipments.length });
  return `<footer>${count} · ${formatCents(totalPostage(shipments))}</footer>`;
}

function renderShipmentsEmpty(): string {
  return `<p class="empty">${translate("shipment.empty")}</p>`;
}
