// All orders that the page knows.

import { removeAt } from "../util/list";
import { copyOrder, mergeOrder, type Order } from "./model";
import { compareOrder } from "./rules";

type Listener = (changed: readonly Order[]) => void;

export class OrderStore {
  private readonly byId = new Map<string, Order>();
  private readonly listeners: Listener[] = [];
  private sorted: Order[] | undefined;

  constructor(known: readonly Order[] = []) {
    for (const order of known) this.byId.set(order.id, order);
  }

  get size(): number {
    return this.byId.size;
  }

  findOrder(id: string): Order | undefined {
    return this.byId.get(id);
  }

  putOrder(order: Order): void {
    const known = this.byId.get(order.id);
    this.byId.set(order.id, known ? mergeOrder(known, order) : order);
    this.sorted = undefined;
    this.notifyOrders([order]);
  }

  removeOrder(id: string): boolean {
    const known = this.byId.get(id);
    if (!known) return false;
    this.byId.delete(id);
    this.sorted = undefined;
    this.notifyOrders([known]);
    return true;
  }

  sortedOrders(): readonly Order[] {
    this.sorted ??= [...this.byId.values()].sort(compareOrder);
    return this.sorted;
  }

  pageOrders(number: number, size = 24): readonly Order[] {
    return this.sortedOrders().slice(number * size, (number + 1) * size);
  }

  selectOrders(wanted: (order: Order) => boolean): Order[] {
    const found: Order[] = [];
    for (const order of this.byId.values()) {
      if (wanted(order)) found.push(order);
    }
    return found;
  }

  watchOrders(listener: Listener): () => void {
    this.listeners.push(listener);
    return () => removeAt(this.listeners, this.listeners.indexOf(listener));
  }

  snapshotOrders(): Order[] {
    return this.sortedOrders().map(copyOrder);
  }

  private notifyOrders(changed: readonly Order[]): void {
    for (const listener of this.listeners) listener(changed);
  }
}
