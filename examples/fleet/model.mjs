// What runs in the shop: for each page the stacks that are seen there, and how much time each takes on average. Depends on
// names of sources alone, so that two releases do the same where their sources are the same.

/** A number from 0 to 1 that follows from a text. */
export function chance(text) {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return ((hash ^ (hash >>> 16)) >>> 0) / 2 ** 32;
}

/** The pages, with the share of sessions that they have, and what is shown there. */
export const PAGES = [
  ["/", 16, "product", "category"],
  ["/category", 14, "category", "product"],
  ["/product", 20, "product", "review"],
  ["/search", 12, "product", "brand"],
  ["/cart", 9, "line", "coupon"],
  ["/checkout", 6, "line", "shipment"],
  ["/payment", 4, "payment", "invoice"],
  ["/confirmation", 3, "order", "shipment"],
  ["/orders", 3, "order", "invoice"],
  ["/order", 2, "order", "line"],
  ["/account", 2.5, "customer", "order"],
  ["/addresses", 1, "customer", "shipment"],
  ["/wishlist", 2, "wish", "product"],
  ["/reviews", 1.5, "review", "product"],
  ["/brands", 1, "brand", "category"],
  ["/offers", 1.5, "coupon", "product"],
  ["/stores", 0.7, "stock", "brand"],
  ["/returns", 0.4, "shipment", "payment"],
  ["/help", 0.3, "category", "customer"],
  ["/imprint", 0.1, "brand", "invoice"],
].map(([path, share, ...kinds]) => ({ path, share, kinds }));

/** Sources from the outer to the inner ones: a function calls those of later rows. */
const LAYERS = [/\/main/, /\/app\//, /\/pages\//, /\/view$/, /\/(search|pricing|data)\//, /\/store$/, /\/rules$/, /\/(model|format)/, /\/i18n\//, /\/util\//];
const KINDS = new Set(PAGES.flatMap((page) => page.kinds));
const SHARED_BY_ALL = 0.35;
/** The most that one function has of the time of a page. */
const MOST = 0.045;
const NATIVE = ["replace", "sort", "set", "get", "map", "push", "test", "split"];
export const RESOURCES = [
  "https://shop.example/assets/app.js",
  "https://cdn.analytics.example/tag/3.js",
  "https://widgets.chat.example/loader.min.js",
];
const THIRD_PARTY = [
  [["r", 1, 2210, 1], ["t", 1, 480, 1]],
  [["r", 1, 2210, 1], ["n", 1, 5120, 1], ["o", 1, 6033, 1]],
  [["e", 1, 77, 2], ["s.tick", 1, 9120, 2]],
];

/** What a function is in every release. */
export function keyOf({ source, name }) {
  return `${source} ${name}`;
}

/**
 * The stacks of each page: frames as JSON from the outermost on, the function on top, and the part of the page's time.
 * `functions` are those of a release that run.
 */
export function stacksOfPages(functions) {
  const known = functions.filter((it) => it.name !== "").map((it) => ({ ...it, layer: layer(it.source), key: keyOf(it) }));
  return PAGES.map((page) => stacksOfPage(page, known));
}

function layer(source) {
  const path = source.replace(/^src/, "").replace(/\.ts$/, "");
  return LAYERS.findIndex((it) => it.test(path));
}

function stacksOfPage(page, known) {
  const name = page.path === "/" ? "home" : page.path.slice(1);
  const runs = known.filter((it) => isPartOf(it, page, name)).sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
  const root = ["showRoute", "renderRoute"].map((it) => known.find((one) => one.name === it));
  const self = runs.map((it) => selfTime(it, page));
  const all = self.reduce((a, b) => a + b, 0);
  const stacks = [];
  runs.forEach((top, at) => {
    const share = Math.min(MOST, self[at] / all);
    const ways = 1 + Math.floor(chance(`${top.key}${page.path} ways`) * 6);
    for (let way = 0; way < ways; way++) {
      const frames = [...root, ...callers(top, runs, `${page.path} ${top.key} ${way}`), top];
      const unique = frames.filter((it, index) => frames.indexOf(it) === index);
      const texts = unique.map((it) => frame(it.minified, it.line, it.column, 0));
      const inNative = chance(`${top.key} native ${way}`) < 0.12;
      stacks.push({ frames: texts, top: top.name, share: (share / ways) * (inNative ? 0.7 : 1) });
      if (inNative) {
        const native = NATIVE[Math.floor(chance(`${top.key} which`) * NATIVE.length)];
        stacks.push({ frames: [...texts, `{"name":"${native}"}`], top: native, share: (share / ways) * 0.3 });
      }
    }
  });
  for (const third of THIRD_PARTY) stacks.push({ frames: third.map((it) => frame(...it)), top: "", share: 0.008 });
  return stacks;
}

function isPartOf(it, page, name) {
  const folder = it.source.split("/")[1];
  if (folder === "pages") return it.source === `src/pages/${name}.ts`;
  if (KINDS.has(folder)) return page.kinds.includes(folder);
  return it.layer > 1 && (folder !== "data" || chance(it.key + page.path) < SHARED_BY_ALL);
}

/** As in life a few functions take most of the time. */
function selfTime(it, page) {
  const usual = Math.exp(1.3 * normal(it.key));
  const here = Math.exp(0.5 * normal(it.key + page.path));
  const isSearch = it.source.startsWith("src/search/");
  return usual * here * (isSearch ? (page.path === "/search" ? 6 : 2) : 1);
}

function normal(text) {
  return Math.sqrt(-2 * Math.log(1 - chance(`${text} a`))) * Math.cos(2 * Math.PI * chance(`${text} b`));
}

/** A way from the page to a function, through layers between them. */
function callers(top, runs, key) {
  const chosen = [];
  for (let at = 2; at < top.layer; at++) {
    const here = runs.filter((it) => it.layer === at);
    if (here.length === 0 || (at > 2 && chance(`${key} skip ${at}`) < 0.35)) continue;
    chosen.push(here[Math.floor(chance(`${key} ${at}`) * here.length)]);
  }
  return chosen;
}

function frame(name, line, column, resource) {
  return `{"column":${column},"line":${line},"name":"${name}","resourceId":${resource}}`;
}
