// What it costs to send things.

import type { Shipment } from "../shipment/model";

const ZONES: Record<string, number> = { DE: 0, AT: 1, FR: 1, IT: 2, JP: 4 };
const BY_ZONE = [490, 890, 1_190, 1_690, 2_990];

export function shippingZone(country: string): number {
  return ZONES[country] ?? 3;
}

export function shippingCents(weight: number, country: string): number {
  const base = BY_ZONE[shippingZone(country)]!;
  return base + extraWeight(weight) * 120;
}

function extraWeight(weight: number): number {
  return Math.max(0, Math.ceil(weight / 1_000) - 5);
}

export function insuranceCents(shipment: Shipment, worth: number): number {
  return shipment.insured ? Math.max(99, Math.round(worth * 0.004)) : 0;
}

/** Fewest boxes, the largest things first. */
export function packBoxes(weights: readonly number[], most: number): number[][] {
  const boxes: number[][] = [];
  for (const weight of [...weights].sort((a, b) => b - a)) {
    const box = boxes.find((it) => boxWeight(it) + weight <= most);
    if (box) box.push(weight);
    else boxes.push([weight]);
  }
  return boxes;
}

function boxWeight(box: readonly number[]): number {
  let sum = 0;
  for (const weight of box) sum += weight;
  return sum;
}
