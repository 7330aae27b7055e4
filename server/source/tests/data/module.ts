// A small module in the style of most TypeScript: classes, generics, overloads, callbacks.
import { readFile } from "node:fs/promises";

export interface Entry<K, V> {
  key: K;
  value: V;
}

type Listener<T> = (event: T) => void;

export abstract class Store<K, V> implements Iterable<Entry<K, V>> {
  readonly #entries = new Map<K, V>();
  private listeners: Listener<Entry<K, V>>[] = [];
  onError = (error: Error): void => {
    console.error(`store: ${error.message}`);
  };

  constructor(private readonly limit = 100) {}

  abstract validate(value: V): boolean;

  get size(): number {
    return this.#entries.size;
  }

  set(key: K, value: V): this {
    if (!this.validate(value)) {
      throw new TypeError(`not valid: ${String(value)}`);
    }
    this.#entries.set(key, value);
    for (const listener of this.listeners) {
      listener({ key, value });
    }
    return this;
  }

  subscribe(listener: Listener<Entry<K, V>>): () => void {
    this.listeners.push(listener);
    return () => {
      this.listeners = this.listeners.filter((it) => it !== listener);
    };
  }

  *[Symbol.iterator](): Iterator<Entry<K, V>> {
    for (const [key, value] of this.#entries) {
      yield { key, value };
    }
  }
}

export function load(path: string): Promise<string>;
export function load(path: string, parse: (text: string) => unknown): Promise<unknown>;
export async function load(path: string, parse?: (text: string) => unknown) {
  const text = await readFile(path, "utf8");
  const lines = text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => {
      return line !== "" && !/^#/.test(line);
    });
  return parse ? parse(lines.join("\n")) : text;
}

export const group = <T, K extends string>(items: T[], by: (item: T) => K): Record<K, T[]> =>
  items.reduce(
    (groups, item) => {
      (groups[by(item)] ??= []).push(item);
      return groups;
    },
    {} as Record<K, T[]>,
  );

const handlers = {
  add(a: number, b: number) {
    return a + b;
  },
  subtract: (a: number, b: number) => a - b,
  async later(ms: number) {
    await new Promise((resolve) => setTimeout(resolve, ms));
  },
  nested: {
    deep: function (values: number[]) {
      switch (values.length) {
        case 0:
          return 0;
        default:
          return values.sort((a, b) => a - b)[0];
      }
    },
  },
};

export default class Numbers extends Store<string, number> {
  static of(...values: number[]): Numbers {
    const numbers = new Numbers();
    values.forEach((value, index) => numbers.set(`n${index}`, value));
    return numbers;
  }

  override validate(value: number): boolean {
    return Number.isFinite(value) && handlers.nested.deep([value]) === value;
  }

  sum(): number {
    let total = 0;
    try {
      for (const { value } of this) total += value;
    } catch (error) {
      this.onError(error as Error);
    }
    return total;
  }
}
