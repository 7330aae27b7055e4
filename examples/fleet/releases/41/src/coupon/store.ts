// All coupons that the page knows.

import { removeAt } from "../util/list";
import { copyCoupon, mergeCoupon, type Coupon } from "./model";
import { compareCoupon } from "./rules";

type Listener = (changed: readonly Coupon[]) => void;

export class CouponStore {
  private readonly byId = new Map<string, Coupon>();
  private readonly listeners: Listener[] = [];
  private sorted: Coupon[] | undefined;

  constructor(known: readonly Coupon[] = []) {
    for (const coupon of known) this.byId.set(coupon.id, coupon);
  }

  get size(): number {
    return this.byId.size;
  }

  findCoupon(id: string): Coupon | undefined {
    return this.byId.get(id);
  }

  putCoupon(coupon: Coupon): void {
    const known = this.byId.get(coupon.id);
    this.byId.set(coupon.id, known ? mergeCoupon(known, coupon) : coupon);
    this.sorted = undefined;
    this.notifyCoupons([coupon]);
  }

  removeCoupon(id: string): boolean {
    const known = this.byId.get(id);
    if (!known) return false;
    this.byId.delete(id);
    this.sorted = undefined;
    this.notifyCoupons([known]);
    return true;
  }

  sortedCoupons(): readonly Coupon[] {
    this.sorted ??= [...this.byId.values()].sort(compareCoupon);
    return this.sorted;
  }

  pageCoupons(number: number, size = 24): readonly Coupon[] {
    return this.sortedCoupons().slice(number * size, (number + 1) * size);
  }

  selectCoupons(wanted: (coupon: Coupon) => boolean): Coupon[] {
    const found: Coupon[] = [];
    for (const coupon of this.byId.values()) {
      if (wanted(coupon)) found.push(coupon);
    }
    return found;
  }

  watchCoupons(listener: Listener): () => void {
    this.listeners.push(listener);
    return () => removeAt(this.listeners, this.listeners.indexOf(listener));
  }

  snapshotCoupons(): Coupon[] {
    return this.sortedCoupons().map(copyCoupon);
  }

  private notifyCoupons(changed: readonly Coupon[]): void {
    for (const listener of this.listeners) listener(changed);
  }
}
