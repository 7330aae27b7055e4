// All invoices that the page knows.

import { removeAt } from "../util/list";
import { copyInvoice, mergeInvoice, type Invoice } from "./model";
import { compareInvoice } from "./rules";

type Listener = (changed: readonly Invoice[]) => void;

export class InvoiceStore {
  private readonly byId = new Map<string, Invoice>();
  private readonly listeners: Listener[] = [];
  private sorted: Invoice[] | undefined;

  constructor(known: readonly Invoice[] = []) {
    for (const invoice of known) this.byId.set(invoice.id, invoice);
  }

  get size(): number {
    return this.byId.size;
  }

  findInvoice(id: string): Invoice | undefined {
    return this.byId.get(id);
  }

  putInvoice(invoice: Invoice): void {
    const known = this.byId.get(invoice.id);
    this.byId.set(invoice.id, known ? mergeInvoice(known, invoice) : invoice);
    this.sorted = undefined;
    this.notifyInvoices([invoice]);
  }

  removeInvoice(id: string): boolean {
    const known = this.byId.get(id);
    if (!known) return false;
    this.byId.delete(id);
    this.sorted = undefined;
    this.notifyInvoices([known]);
    return true;
  }

  sortedInvoices(): readonly Invoice[] {
    this.sorted ??= [...this.byId.values()].sort(compareInvoice);
    return this.sorted;
  }

  pageInvoices(number: number, size = 24): readonly Invoice[] {
    return this.sortedInvoices().slice(number * size, (number + 1) * size);
  }

  selectInvoices(wanted: (invoice: Invoice) => boolean): Invoice[] {
    const found: Invoice[] = [];
    for (const invoice of this.byId.values()) {
      if (wanted(invoice)) found.push(invoice);
    }
    return found;
  }

  watchInvoices(listener: Listener): () => void {
    this.listeners.push(listener);
    return () => removeAt(this.listeners, this.listeners.indexOf(listener));
  }

  snapshotInvoices(): Invoice[] {
    return this.sortedInvoices().map(copyInvoice);
  }

  private notifyInvoices(changed: readonly Invoice[]): void {
    for (const listener of this.listeners) listener(changed);
  }
}
