// All %words% that the page knows.

import { removeAt } from "../util/list";
import { copy%Thing%, merge%Thing%, type %Thing% } from "./model";
import { compare%Thing% } from "./rules";

type Listener = (changed: readonly %Thing%[]) => void;

export class %Thing%Store {
  private readonly byId = new Map<string, %Thing%>();
  private readonly listeners: Listener[] = [];
  private sorted: %Thing%[] | undefined;

  constructor(known: readonly %Thing%[] = []) {
    for (const %thing% of known) this.byId.set(%thing%.id, %thing%);
  }

  get size(): number {
    return this.byId.size;
  }

  find%Thing%(id: string): %Thing% | undefined {
    return this.byId.get(id);
  }

  put%Thing%(%thing%: %Thing%): void {
    const known = this.byId.get(%thing%.id);
    this.byId.set(%thing%.id, known ? merge%Thing%(known, %thing%) : %thing%);
    this.sorted = undefined;
    this.notify%Things%([%thing%]);
  }

  remove%Thing%(id: string): boolean {
    const known = this.byId.get(id);
    if (!known) return false;
    this.byId.delete(id);
    this.sorted = undefined;
    this.notify%Things%([known]);
    return true;
  }

  sorted%Things%(): readonly %Thing%[] {
    this.sorted ??= [...this.byId.values()].sort(compare%Thing%);
    return this.sorted;
  }

  page%Things%(number: number, size = 24): readonly %Thing%[] {
    return this.sorted%Things%().slice(number * size, (number + 1) * size);
  }

  select%Things%(wanted: (%thing%: %Thing%) => boolean): %Thing%[] {
    const found: %Thing%[] = [];
    for (const %thing% of this.byId.values()) {
      if (wanted(%thing%)) found.push(%thing%);
    }
    return found;
  }

  watch%Things%(listener: Listener): () => void {
    this.listeners.push(listener);
    return () => removeAt(this.listeners, this.listeners.indexOf(listener));
  }

  snapshot%Things%(): %Thing%[] {
    return this.sorted%Things%().map(copy%Thing%);
  }

  private notify%Things%(changed: readonly %Thing%[]): void {
    for (const listener of this.listeners) listener(changed);
  }
}
