// All payments that the page knows.

import { removeAt } from "../util/list";
import { copyPayment, mergePayment, type Payment } from "./model";
import { comparePayment } from "./rules";

type Listener = (changed: readonly Payment[]) => void;

export class PaymentStore {
  private readonly byId = new Map<string, Payment>();
  private readonly listeners: Listener[] = [];
  private sorted: Payment[] | undefined;

  constructor(known: readonly Payment[] = []) {
    for (const payment of known) this.byId.set(payment.id, payment);
  }

  get size(): number {
    return this.byId.size;
  }

  findPayment(id: string): Payment | undefined {
    return this.byId.get(id);
  }

  putPayment(payment: Payment): void {
    const known = this.byId.get(payment.id);
    this.byId.set(payment.id, known ? mergePayment(known, payment) : payment);
    this.sorted = undefined;
    this.notifyPayments([payment]);
  }

  removePayment(id: string): boolean {
    const known = this.byId.get(id);
    if (!known) return false;
    this.byId.delete(id);
    this.sorted = undefined;
    this.notifyPayments([known]);
    return true;
  }

  sortedPayments(): readonly Payment[] {
    this.sorted ??= [...this.byId.values()].sort(comparePayment);
    return this.sorted;
  }

  pagePayments(number: number, size = 24): readonly Payment[] {
    return this.sortedPayments().slice(number * size, (number + 1) * size);
  }

  selectPayments(wanted: (payment: Payment) => boolean): Payment[] {
    const found: Payment[] = [];
    for (const payment of this.byId.values()) {
      if (wanted(payment)) found.push(payment);
    }
    return found;
  }

  watchPayments(listener: Listener): () => void {
    this.listeners.push(listener);
    return () => removeAt(this.listeners, this.listeners.indexOf(listener));
  }

  snapshotPayments(): Payment[] {
    return this.sortedPayments().map(copyPayment);
  }

  private notifyPayments(changed: readonly Payment[]): void {
    for (const listener of this.listeners) listener(changed);
  }
}
