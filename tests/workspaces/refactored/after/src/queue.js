import { spend } from "./spend.js";

export class Queue {
  constructor() {
    spend(3);
    this.items = [];
  }

  push(item, priority) {
    spend(3);
    const at = this.items.findIndex((it) => it.priority < priority);
    this.items.splice(at < 0 ? this.items.length : at, 0, { item, priority });
  }

  pop() {
    spend(3);
    return this.items.shift()?.item;
  }

  isEmpty() {
    spend(3);
    return this.items.length === 0;
  }
}

export function memoize(compute) {
  spend(3);
  const known = new Map();
  return function memoized(key) {
    spend(3);
    if (!known.has(key)) known.set(key, compute(key));
    return known.get(key);
  };
}

export function inChunks(list, size) {
  spend(3);
  const all = [];
  for (let i = 0; i < list.length; i += size) all.push(list.slice(i, i + size));
  return all;
}
