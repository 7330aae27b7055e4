// The page /imprint.

import { sampleBrands, sampleInvoices } from "../data/samples";
import { BrandStore } from "../brand/store";
import { renderBrands } from "../brand/view";
import { InvoiceStore } from "../invoice/store";
import { renderInvoices } from "../invoice/view";
import { translate } from "../i18n/translate";
import { section } from "../util/html";

export function loadImprintPage(count: number): [BrandStore, InvoiceStore] {
  return [new BrandStore(sampleBrands(count)), new InvoiceStore(sampleInvoices(count))];
}

export function renderImprintPage(count: number): string {
  const [brands, invoices] = loadImprintPage(count);
  const heading = `<h1>${imprintHeading(brands.size)}</h1>`;
  return heading + section("brands", renderBrands(brands.pageBrands(0))) + section("invoices", renderInvoices(invoices.sortedInvoices()));
}

function imprintHeading(count: number): string {
  return translate("page.imprint", { count });
}
