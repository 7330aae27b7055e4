// The page /payment.

import { samplePayments, sampleInvoices } from "../data/samples";
import { PaymentStore } from "../payment/store";
import { renderPayments } from "../payment/view";
import { InvoiceStore } from "../invoice/store";
import { renderInvoices } from "../invoice/view";
import { translate } from "../i18n/translate";
import { section } from "../util/html";

export function loadPaymentPage(count: number): [PaymentStore, InvoiceStore] {
  return [new PaymentStore(samplePayments(count)), new InvoiceStore(sampleInvoices(count))];
}

export function renderPaymentPage(count: number): string {
  const [payments, invoices] = loadPaymentPage(count);
  const heading = `<h1>${paymentHeading(payments.size)}</h1>`;
  return heading + section("payments", renderPayments(payments.pagePayments(0))) + section("invoices", renderInvoices(invoices.sortedInvoices()));
}

function paymentHeading(count: number): string {
  return translate("page.payment", { count });
}
