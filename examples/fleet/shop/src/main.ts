// The shop in a page: shows the route of the address, and goes through the others while nobody clicks.

import { checkoutTotals } from "./app/checkout";
import { EventQueue } from "./app/events";
import { parseRoute, renderRoute } from "./app/router";
import { sampleCartLines, sampleCoupons, sampleProducts } from "./data/samples";
import { negotiateLanguage, switchLanguage } from "./i18n/language";
import { parts } from "./parts";
import { pages } from "./pages/index";
import { SearchIndex } from "./search/index";
import { searchProducts } from "./search/rank";
import { Suggestions } from "./search/suggest";

const events = new EventQueue();

export function showRoute(address: string): string {
  events.recordEvent("show", Date.now());
  return renderRoute(parseRoute(address));
}

export function searchEverything(texts: readonly string[], count: number): number {
  const products = sampleProducts(count);
  const index = new SearchIndex(products);
  const suggestions = new Suggestions();
  for (const product of products) suggestions.learnWord(product.title);
  return texts.reduce((found, text) => found + searchProducts(index, text).length + suggestions.suggestWords(text).length, 0);
}

/** A visitor who looks at every page, searches and pays, for about this time. */
export function browse(milliseconds: number, count = 200): number {
  const end = performance.now() + milliseconds;
  let shown = 0;
  while (performance.now() < end) {
    for (const path of Object.keys(pages)) shown += showRoute(`${path}?count=${count}`).length;
    shown += searchEverything(["blue chiar", "folding table", "café"], count);
    shown += checkoutTotals(sampleCartLines(count), sampleCoupons(9), "DE", 1_000).sum;
  }
  return shown;
}

switchLanguage(negotiateLanguage(["en-GB", "de"]));
Object.assign(globalThis, { shop: { browse, parts } });
