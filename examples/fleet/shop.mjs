// Writes the sources of a release of the shop: its own files (shop/src), and for each thing that it sells or keeps four files of
// the same form (shop/thing). A line that ends with `//41` or `//42` is in that release alone.

import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

const SHOP = join(import.meta.dirname, "shop");

// One and several of it, in words, what it is, and its label, price, count, time and flag.
const THINGS = [
  ["product", "Product", "Products", "products", "what the shop sells", "title price weight addedAt hidden"],
  ["line", "CartLine", "CartLines", "cart lines", "a product in the cart, and how many of it", "label unitPrice quantity changedAt isGift"],
  ["order", "Order", "Orders", "orders", "what was bought at once", "reference amount parcels placedAt cancelled"],
  ["customer", "Customer", "Customers", "customers", "who buys", "fullName credit visits joinedAt blocked"],
  ["review", "Review", "Reviews", "reviews", "what a customer says of a product", "headline refund stars writtenAt verified"],
  ["coupon", "Coupon", "Coupons", "coupons", "a code that takes something off", "code discount uses expiresAt stackable"],
  ["shipment", "Shipment", "Shipments", "shipments", "a parcel on its way", "tracking postage boxes sentAt insured"],
  ["wish", "Wish", "Wishes", "wishes", "a product that someone would like to have", "note limit rank wishedAt shared"],
  ["category", "Category", "Categories", "categories", "a shelf of the shop", "caption cheapest depth openedAt seasonal"],
  ["brand", "Brand", "Brands", "brands", "who makes products", "mark floorPrice models foundedAt premium"],
  ["invoice", "Invoice", "Invoices", "invoices", "what is to be paid", "number due reminders issuedAt paid"],
  ["payment", "Payment", "Payments", "payments", "money that came in", "purpose received attempts bookedAt disputed"],
  ["stock", "StockItem", "StockItems", "stock items", "how much of a product is where", "shelf cost pieces countedAt reserved"],
].map(([thing, Thing, Things, words, what, fields]) => {
  const [label, price, count, time, flag] = fields.split(" ");
  const [Words, Label, Price, Count, Time] = [words, label, price, count, time].map(capital);
  const names = { label, price, count, time, flag, Label, Price, Count, Time };
  return { thing, Thing, things: `${thing}s`, Things, words, Words, what, class: flag.toLowerCase(), ...names };
});

// The two things that each page lists.
const PAGES = {
  home: "product category", category: "category product", product: "product review", search: "product brand", cart: "line coupon",
  checkout: "line shipment", payment: "payment invoice", confirmation: "order shipment", orders: "order invoice", order: "order line",
  account: "customer order", addresses: "customer shipment", wishlist: "wish product", reviews: "review product", brands: "brand category",
  offers: "coupon product", stores: "stock brand", returns: "shipment payment", help: "category customer", imprint: "brand invoice",
};

/** Writes `src` of a release into a folder. */
export function writeSources(release, folder) {
  const files = new Map();
  for (const path of readdirSync(join(SHOP, "src"), { recursive: true, withFileTypes: true }).filter((it) => it.isFile())) {
    const full = join(path.parentPath, path.name);
    files.set(full.slice(join(SHOP, "src").length + 1).replaceAll("\\", "/"), inRelease(release, readFileSync(full, "utf8")));
  }
  for (const thing of THINGS) {
    for (const name of ["model", "rules", "store", "view"]) files.set(`${thing.thing}/${name}.ts`, filled(`thing/${name}.ts`, thing));
  }
  for (const [page, things] of Object.entries(PAGES)) {
    const [first, other] = things.split(" ").map((name) => THINGS.find((it) => it.thing === name));
    const names = { page, Page: capital(page), path: pathOf(page), ...first };
    for (const [key, value] of Object.entries(other)) names[`other.${key}`] = value;
    files.set(`pages/${page}.ts`, filled("page.ts", names));
  }
  files.set("pages/index.ts", pageIndex());
  files.set("data/samples.ts", samples());
  files.set("parts.ts", parts([...files.keys()]));
  for (const [path, text] of files) {
    const file = join(folder, "src", path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
}

function capital(word) {
  return word[0].toUpperCase() + word.slice(1);
}

function pathOf(page) {
  return page === "home" ? "/" : `/${page}`;
}

function inRelease(release, text) {
  const lines = text.split("\n").map((line) => line.match(/^(.*?) ?\/\/(4[12])$/) ?? [line, line, release]);
  return lines.filter((it) => it[2] === release).map((it) => it[1]).join("\n");
}

/** A file of the shop with names for what stands between `%`. */
function filled(file, names) {
  return readFileSync(join(SHOP, file), "utf8").replace(/%([\w.]+)%/g, (_, key) => names[key]);
}

function pageIndex() {
  const names = Object.keys(PAGES).toSorted();
  const imports = names.map((page) => `import { render${capital(page)}Page } from "./${page}";\n`).join("");
  const rows = Object.keys(PAGES).map((page) => `  "${pathOf(page)}": render${capital(page)}Page,\n`).join("");
  const type = "export type Page = (count: number) => string;";
  return `// All pages by their paths.\n\n${imports}\n${type}\n\nexport const pages: Record<string, Page> = {\n${rows}};\n`;
}

function samples() {
  const imports = THINGS.toSorted((a, b) => (a.thing < b.thing ? -1 : 1)).map(({ thing, Thing }) =>
    `import { create${Thing}, type ${Thing} } from "../${thing}/model";\nimport { normalize${Thing} } from "../${thing}/rules";\n`);
  const shared = `import { Random } from "../util/random";\nimport { pickWord } from "./words";\n`;
  const functions = THINGS.map((it) => filled("thing/sample.ts", it)).join("\n");
  return `// Things to show, made up: the same ones for the same number.\n\n${imports.join("")}${shared}\n${functions}`;
}

function parts(paths) {
  const others = paths.filter((it) => !["main.ts", "i18n/messages.ts"].includes(it)).toSorted();
  const names = others.map((path) => path.slice(0, -3)).map((path) => [path, path.replace(/\/(.)/, (_, first) => first.toUpperCase())]);
  const imports = names.map(([path, name]) => `import * as ${name} from "./${path}";\n`).join("");
  const title = "// All parts of the shop, for the console and for the tests of the people who work on it.";
  return `${title}\n\n${imports}\nexport const parts = {\n${names.map(([, name]) => `  ${name},\n`).join("")}};\n`;
}
