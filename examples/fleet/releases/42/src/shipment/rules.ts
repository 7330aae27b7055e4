// What holds for shipments, and what is told to people when it does not.

import { translate } from "../i18n/translate";
import { collapseSpaces, foldCase } from "../util/text";
import type { Shipment } from "./model";

export function checkTracking(shipment: Shipment): string | undefined {
  if (shipment.tracking.trim() === "") return translate("shipment.tracking.missing");
  if (shipment.tracking.length > 120) return translate("shipment.tracking.long");
  return undefined;
}

export function checkPostage(shipment: Shipment): string | undefined {
  const fits = Number.isSafeInteger(shipment.postage) && shipment.postage >= 0;
  return fits ? undefined : translate("shipment.postage.wrong");
}

export function checkBoxes(shipment: Shipment): string | undefined {
  return shipment.boxes >= 0 && shipment.boxes < 10_000 ? undefined : translate("shipment.boxes.wrong");
}

export function checkSentAt(shipment: Shipment, now: number): string | undefined {
  return shipment.sentAt > now + 86_400_000 ? translate("shipment.sentAt.future") : undefined;
}

export function validateShipment(shipment: Shipment, now: number): string[] {
  const found: string[] = [];
  for (const problem of [checkTracking(shipment), checkPostage(shipment), checkBoxes(shipment), checkSentAt(shipment, now)]) {
    if (problem !== undefined) found.push(problem);
  }
  return found;
}

export function normalizeShipment(shipment: Shipment): Shipment {
  return { ...shipment, tracking: collapseSpaces(shipment.tracking), boxes: Math.max(0, Math.round(shipment.boxes)) };
}

export function compareShipment(a: Shipment, b: Shipment): number {
  return a.postage - b.postage || (foldCase(a.tracking) < foldCase(b.tracking) ? -1 : 1);
}

export function totalPostage(shipments: readonly Shipment[]): number {
  let total = 0;
  for (const shipment of shipments) {
    if (!shipment.insured) total += shipment.postage * shipment.boxes;
  }
  return total;
}

export function groupShipmentsByTracking(shipments: readonly Shipment[]): Map<string, Shipment[]> {
  const groups = new Map<string, Shipment[]>();
  for (const shipment of shipments) {
    const key = foldCase(shipment.tracking).slice(0, 1);
    const group = groups.get(key);
    if (group) group.push(shipment);
    else groups.set(key, [shipment]);
  }
  return groups;
}
