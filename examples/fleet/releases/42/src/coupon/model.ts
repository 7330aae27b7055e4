// Coupon: a code that takes something off.

import { hashText } from "../util/text";

export interface Coupon {
  id: string;
  code: string;
  discount: number;
  uses: number;
  expiresAt: number;
  stackable: boolean;
}

export function createCoupon(id: string, known: Partial<Coupon> = {}): Coupon {
  return { id, code: "", discount: 0, uses: 1, expiresAt: 0, stackable: false, ...known };
}

export function copyCoupon(coupon: Coupon): Coupon {
  return { ...coupon };
}

export function isCoupon(value: unknown): value is Coupon {
  const it = value as Coupon | null;
  return typeof it === "object" && it !== null && typeof it.id === "string" && typeof it.discount === "number";
}

export function parseCoupon(json: string): Coupon | undefined {
  try {
    const value: unknown = JSON.parse(json);
    return isCoupon(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

export function serializeCoupon(coupon: Coupon): string {
  return JSON.stringify(coupon, ["id", "code", "discount", "uses", "expiresAt", "stackable"]);
}

export function sameAsCoupon(a: Coupon, b: Coupon): boolean {
  return a.id === b.id && a.code === b.code && a.discount === b.discount && a.uses === b.uses;
}

/** The newer one of two versions, with what only the other one knows. */
export function mergeCoupon(a: Coupon, b: Coupon): Coupon {
  const [older, newer] = a.expiresAt <= b.expiresAt ? [a, b] : [b, a];
  return { ...older, ...newer, code: newer.code || older.code };
}

export function hashCoupon(coupon: Coupon): number {
  let hash = hashText(coupon.id);
  hash = (hash * 31 + coupon.discount) | 0;
  return (hash * 31 + coupon.uses) | 0;
}
