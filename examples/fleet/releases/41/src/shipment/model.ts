// Shipment: a parcel on its way.

import { hashText } from "../util/text";

export interface Shipment {
  id: string;
  tracking: string;
  postage: number;
  boxes: number;
  sentAt: number;
  insured: boolean;
}

export function createShipment(id: string, known: Partial<Shipment> = {}): Shipment {
  return { id, tracking: "", postage: 0, boxes: 1, sentAt: 0, insured: false, ...known };
}

export function copyShipment(shipment: Shipment): Shipment {
  return { ...shipment };
}

export function isShipment(value: unknown): value is Shipment {
  const it = value as Shipment | null;
  return typeof it === "object" && it !== null && typeof it.id === "string" && typeof it.postage === "number";
}

export function parseShipment(json: string): Shipment | undefined {
  try {
    const value: unknown = JSON.parse(json);
    return isShipment(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

export function serializeShipment(shipment: Shipment): string {
  return JSON.stringify(shipment, ["id", "tracking", "postage", "boxes", "sentAt", "insured"]);
}

export function sameAsShipment(a: Shipment, b: Shipment): boolean {
  return a.id === b.id && a.tracking === b.tracking && a.postage === b.postage && a.boxes === b.boxes;
}

/** The newer one of two versions, with what only the other one knows. */
export function mergeShipment(a: Shipment, b: Shipment): Shipment {
  const [older, newer] = a.sentAt <= b.sentAt ? [a, b] : [b, a];
  return { ...older, ...newer, tracking: newer.tracking || older.tracking };
}

export function hashShipment(shipment: Shipment): number {
  let hash = hashText(shipment.id);
  hash = (hash * 31 + shipment.postage) | 0;
  return (hash * 31 + shipment.boxes) | 0;
}
