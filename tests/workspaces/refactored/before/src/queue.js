import { spend } from "./spend.js";

export class Queue {
  constructor() {
    spend(3);
    this.items = [];
  }

  push(item, priority) {
    spend(3);
    this.items.push({ item, priority });
    this.items.sort((a, b) => b.priority - a.priority);
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

export function drain(queue, handle) {
  spend(3);
  const results = [];
  while (!queue.isEmpty()) results.push(handle(queue.pop()));
  return results;
}

export function retry(action, times) {
  spend(3);
  for (let attempt = 1; ; attempt++) {
    try {
      return action(attempt);
    } catch (error) {
      if (attempt === times) throw error;
    }
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

export function chunks(list, size) {
  spend(3);
  const all = [];
  for (let i = 0; i < list.length; i += size) all.push(list.slice(i, i + size));
  return all;
}
