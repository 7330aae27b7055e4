// Things to show, made up: the same ones for the same number.

import { createBrand, type Brand } from "../brand/model";
import { normalizeBrand } from "../brand/rules";
import { createCategory, type Category } from "../category/model";
import { normalizeCategory } from "../category/rules";
import { createCoupon, type Coupon } from "../coupon/model";
import { normalizeCoupon } from "../coupon/rules";
import { createCustomer, type Customer } from "../customer/model";
import { normalizeCustomer } from "../customer/rules";
import { createInvoice, type Invoice } from "../invoice/model";
import { normalizeInvoice } from "../invoice/rules";
import { createCartLine, type CartLine } from "../line/model";
import { normalizeCartLine } from "../line/rules";
import { createOrder, type Order } from "../order/model";
import { normalizeOrder } from "../order/rules";
import { createPayment, type Payment } from "../payment/model";
import { normalizePayment } from "../payment/rules";
import { createProduct, type Product } from "../product/model";
import { normalizeProduct } from "../product/rules";
import { createReview, type Review } from "../review/model";
import { normalizeReview } from "../review/rules";
import { createShipment, type Shipment } from "../shipment/model";
import { normalizeShipment } from "../shipment/rules";
import { createStockItem, type StockItem } from "../stock/model";
import { normalizeStockItem } from "../stock/rules";
import { createWish, type Wish } from "../wish/model";
import { normalizeWish } from "../wish/rules";
import { Random } from "../util/random";
import { pickWord } from "./words";

export function sampleProducts(count: number): Product[] {
  const random = new Random(count);
  const made: Product[] = [];
  for (let at = 0; at < count; at++) {
    const known = { title: pickWord(random), price: random.below(90_000), weight: random.below(9), addedAt: random.below(2 ** 31), hidden: random.below(8) === 0 };
    made.push(normalizeProduct(createProduct(`product-${at}`, known)));
  }
  return made;
}

export function sampleCartLines(count: number): CartLine[] {
  const random = new Random(count);
  const made: CartLine[] = [];
  for (let at = 0; at < count; at++) {
    const known = { label: pickWord(random), unitPrice: random.below(90_000), quantity: random.below(9), changedAt: random.below(2 ** 31), isGift: random.below(8) === 0 };
    made.push(normalizeCartLine(createCartLine(`line-${at}`, known)));
  }
  return made;
}

export function sampleOrders(count: number): Order[] {
  const random = new Random(count);
  const made: Order[] = [];
  for (let at = 0; at < count; at++) {
    const known = { reference: pickWord(random), amount: random.below(90_000), parcels: random.below(9), placedAt: random.below(2 ** 31), cancelled: random.below(8) === 0 };
    made.push(normalizeOrder(createOrder(`order-${at}`, known)));
  }
  return made;
}

export function sampleCustomers(count: number): Customer[] {
  const random = new Random(count);
  const made: Customer[] = [];
  for (let at = 0; at < count; at++) {
    const known = { fullName: pickWord(random), credit: random.below(90_000), visits: random.below(9), joinedAt: random.below(2 ** 31), blocked: random.below(8) === 0 };
    made.push(normalizeCustomer(createCustomer(`customer-${at}`, known)));
  }
  return made;
}

export function sampleReviews(count: number): Review[] {
  const random = new Random(count);
  const made: Review[] = [];
  for (let at = 0; at < count; at++) {
    const known = { headline: pickWord(random), refund: random.below(90_000), stars: random.below(9), writtenAt: random.below(2 ** 31), verified: random.below(8) === 0 };
    made.push(normalizeReview(createReview(`review-${at}`, known)));
  }
  return made;
}

export function sampleCoupons(count: number): Coupon[] {
  const random = new Random(count);
  const made: Coupon[] = [];
  for (let at = 0; at < count; at++) {
    const known = { code: pickWord(random), discount: random.below(90_000), uses: random.below(9), expiresAt: random.below(2 ** 31), stackable: random.below(8) === 0 };
    made.push(normalizeCoupon(createCoupon(`coupon-${at}`, known)));
  }
  return made;
}

export function sampleShipments(count: number): Shipment[] {
  const random = new Random(count);
  const made: Shipment[] = [];
  for (let at = 0; at < count; at++) {
    const known = { tracking: pickWord(random), postage: random.below(90_000), boxes: random.below(9), sentAt: random.below(2 ** 31), insured: random.below(8) === 0 };
    made.push(normalizeShipment(createShipment(`shipment-${at}`, known)));
  }
  return made;
}

export function sampleWishes(count: number): Wish[] {
  const random = new Random(count);
  const made: Wish[] = [];
  for (let at = 0; at < count; at++) {
    const known = { note: pickWord(random), limit: random.below(90_000), rank: random.below(9), wishedAt: random.below(2 ** 31), shared: random.below(8) === 0 };
    made.push(normalizeWish(createWish(`wish-${at}`, known)));
  }
  return made;
}

export function sampleCategories(count: number): Category[] {
  const random = new Random(count);
  const made: Category[] = [];
  for (let at = 0; at < count; at++) {
    const known = { caption: pickWord(random), cheapest: random.below(90_000), depth: random.below(9), openedAt: random.below(2 ** 31), seasonal: random.below(8) === 0 };
    made.push(normalizeCategory(createCategory(`category-${at}`, known)));
  }
  return made;
}

export function sampleBrands(count: number): Brand[] {
  const random = new Random(count);
  const made: Brand[] = [];
  for (let at = 0; at < count; at++) {
    const known = { mark: pickWord(random), floorPrice: random.below(90_000), models: random.below(9), foundedAt: random.below(2 ** 31), premium: random.below(8) === 0 };
    made.push(normalizeBrand(createBrand(`brand-${at}`, known)));
  }
  return made;
}

export function sampleInvoices(count: number): Invoice[] {
  const random = new Random(count);
  const made: Invoice[] = [];
  for (let at = 0; at < count; at++) {
    const known = { number: pickWord(random), due: random.below(90_000), reminders: random.below(9), issuedAt: random.below(2 ** 31), paid: random.below(8) === 0 };
    made.push(normalizeInvoice(createInvoice(`invoice-${at}`, known)));
  }
  return made;
}

export function samplePayments(count: number): Payment[] {
  const random = new Random(count);
  const made: Payment[] = [];
  for (let at = 0; at < count; at++) {
    const known = { purpose: pickWord(random), received: random.below(90_000), attempts: random.below(9), bookedAt: random.below(2 ** 31), disputed: random.below(8) === 0 };
    made.push(normalizePayment(createPayment(`payment-${at}`, known)));
  }
  return made;
}

export function sampleStockItems(count: number): StockItem[] {
  const random = new Random(count);
  const made: StockItem[] = [];
  for (let at = 0; at < count; at++) {
    const known = { shelf: pickWord(random), cost: random.below(90_000), pieces: random.below(9), countedAt: random.below(2 ** 31), reserved: random.below(8) === 0 };
    made.push(normalizeStockItem(createStockItem(`stock-${at}`, known)));
  }
  return made;
}
