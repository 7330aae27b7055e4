// All shipments that the page knows.

import { removeAt } from "../util/list";
import { copyShipment, mergeShipment, type Shipment } from "./model";
import { compareShipment } from "./rules";

type Listener = (changed: readonly Shipment[]) => void;

export class ShipmentStore {
  private readonly byId = new Map<string, Shipment>();
  private readonly listeners: Listener[] = [];
  private sorted: Shipment[] | undefined;

  constructor(known: readonly Shipment[] = []) {
    for (const shipment of known) this.byId.set(shipment.id, shipment);
  }

  get size(): number {
    return this.byId.size;
  }

  findShipment(id: string): Shipment | undefined {
    return this.byId.get(id);
  }

  putShipment(shipment: Shipment): void {
    const known = this.byId.get(shipment.id);
    this.byId.set(shipment.id, known ? mergeShipment(known, shipment) : shipment);
    this.sorted = undefined;
    this.notifyShipments([shipment]);
  }

  removeShipment(id: string): boolean {
    const known = this.byId.get(id);
    if (!known) return false;
    this.byId.delete(id);
    this.sorted = undefined;
    this.notifyShipments([known]);
    return true;
  }

  sortedShipments(): readonly Shipment[] {
    this.sorted ??= [...this.byId.values()].sort(compareShipment);
    return this.sorted;
  }

  pageShipments(number: number, size = 24): readonly Shipment[] {
    return this.sortedShipments().slice(number * size, (number + 1) * size);
  }

  selectShipments(wanted: (shipment: Shipment) => boolean): Shipment[] {
    const found: Shipment[] = [];
    for (const shipment of this.byId.values()) {
      if (wanted(shipment)) found.push(shipment);
    }
    return found;
  }

  watchShipments(listener: Listener): () => void {
    this.listeners.push(listener);
    return () => removeAt(this.listeners, this.listeners.indexOf(listener));
  }

  snapshotShipments(): Shipment[] {
    return this.sortedShipments().map(copyShipment);
  }

  private notifyShipments(changed: readonly Shipment[]): void {
    for (const listener of this.listeners) listener(changed);
  }
}
