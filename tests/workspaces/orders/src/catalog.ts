export interface Item {
  name: string;
  price: number;
  tags: string[];
}

export class Catalog {
  readonly #items: Item[];

  constructor(items: Item[]) {
    this.#items = [...items].sort(byName);
  }

  cheaperThan(price: number): Item[] {
    return this.#items.filter((it) => it.price < price && normal(it.name) !== "");
  }

  get size(): number {
    return this.#items.length;
  }
}

function byName(a: Item, b: Item): number {
  const [left, right] = [normal(a.name), normal(b.name)];
  return left < right ? -1 : left > right ? 1 : a.price - b.price;
}

function normal(name: string): string {
  let text = "";
  for (const character of name) {
    text += character === " " ? "-" : character.toUpperCase();
  }
  return text;
}
