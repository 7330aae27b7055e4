import type { Item } from "./catalog.js";

export function rank(items: Item[]): Item[] {
  const scored = items.map((it) => ({ it, score: score(it) }));
  scored.sort((a, b) => b.score - a.score);
  return scored.map(({ it }) => it);
}

function score({ name, price, tags }: Item): number {
  let sum = price;
  for (const tag of tags) {
    for (let index = 0; index < tag.length; index++) sum += (tag.charCodeAt(index) * name.length) % 13;
  }
  return sum;
}

export function summary(items: Item[]): string {
  return items.map((it) => `${it.name}: ${it.price}`).join("\n");
}
