import { Catalog, type Item } from "./catalog.js";
import { rank, summary } from "./report.js";

/** Fills a catalog and asks it, as long as the page says. */
async function run(milliseconds: number): Promise<string> {
  const end = performance.now() + milliseconds;
  let text = "";
  for (let round = 0; performance.now() < end; round++) {
    const catalog = new Catalog(items(400, round));
    text = summary(rank(catalog.cheaperThan(60)));
    await pause();
  }
  return text;
}

function items(count: number, seed: number): Item[] {
  const made: Item[] = [];
  for (let index = 0; index < count; index++) {
    const price = (index * 7919 + seed * 104729) % 97;
    made.push({ name: `item ${(index * 31) % count}`, price, tags: tagsOf(price) });
  }
  return made;
}

const tagsOf = (price: number): string[] => {
  const tags: string[] = [];
  for (let factor = 2; factor < 40; factor++) {
    if (price % factor === 0) tags.push(`by ${factor}`);
  }
  return tags;
};

function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 1));
}

const worker = new Worker(new URL("/assets/worker.js", location.href));
worker.postMessage(400);
run(400).then((text) => {
  document.title = text;
  (globalThis as { done?: boolean }).done = true;
});
