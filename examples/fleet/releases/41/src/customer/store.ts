// All customers that the page knows.

import { removeAt } from "../util/list";
import { copyCustomer, mergeCustomer, type Customer } from "./model";
import { compareCustomer } from "./rules";

type Listener = (changed: readonly Customer[]) => void;

export class CustomerStore {
  private readonly byId = new Map<string, Customer>();
  private readonly listeners: Listener[] = [];
  private sorted: Customer[] | undefined;

  constructor(known: readonly Customer[] = []) {
    for (const customer of known) this.byId.set(customer.id, customer);
  }

  get size(): number {
    return this.byId.size;
  }

  findCustomer(id: string): Customer | undefined {
    return this.byId.get(id);
  }

  putCustomer(customer: Customer): void {
    const known = this.byId.get(customer.id);
    this.byId.set(customer.id, known ? mergeCustomer(known, customer) : customer);
    this.sorted = undefined;
    this.notifyCustomers([customer]);
  }

  removeCustomer(id: string): boolean {
    const known = this.byId.get(id);
    if (!known) return false;
    this.byId.delete(id);
    this.sorted = undefined;
    this.notifyCustomers([known]);
    return true;
  }

  sortedCustomers(): readonly Customer[] {
    this.sorted ??= [...this.byId.values()].sort(compareCustomer);
    return this.sorted;
  }

  pageCustomers(number: number, size = 24): readonly Customer[] {
    return this.sortedCustomers().slice(number * size, (number + 1) * size);
  }

  selectCustomers(wanted: (customer: Customer) => boolean): Customer[] {
    const found: Customer[] = [];
    for (const customer of this.byId.values()) {
      if (wanted(customer)) found.push(customer);
    }
    return found;
  }

  watchCustomers(listener: Listener): () => void {
    this.listeners.push(listener);
    return () => removeAt(this.listeners, this.listeners.indexOf(listener));
  }

  snapshotCustomers(): Customer[] {
    return this.sortedCustomers().map(copyCustomer);
  }

  private notifyCustomers(changed: readonly Customer[]): void {
    for (const listener of this.listeners) listener(changed);
  }
}
