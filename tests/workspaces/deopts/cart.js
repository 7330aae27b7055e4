// A shop whose items come from several places, each with a shape of its own.
'use strict';

function priceOf(item) {
  return item.price * item.count;
}

function discountOf(item, index) {
  const steps = [0, 0.05, 0.1];
  return steps[index % 4] ?? 0;
}

function total(items) {
  let sum = 0;
  for (let index = 0; index < items.length; index++) {
    const item = items[index];
    sum += priceOf(item) * (1 - discountOf(item, index));
  }
  return sum;
}

const SOURCES = [
  (price) => ({ price, count: 1 }),
  (price) => ({ id: 7, price, count: 2 }),
  (price) => ({ count: 3, price: price + 0.5 }),
  (price) => ({ name: 'shirt', count: 1, price }),
  (price) => ({ size: 'M', name: 'shirt', count: 1, price }),
  (price) => ({ price: String(price), count: 4 }),
];

let sum = 0;
for (const source of SOURCES) {
  const items = Array.from({ length: 1000 }, (_, price) => source(price));
  for (let turn = 0; turn < 2000; turn++) sum += total(items);
}
console.log(Math.round(sum));
