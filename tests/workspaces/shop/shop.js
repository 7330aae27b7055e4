// node shop.js PARSE PRICE RENDER CARDS CASH: how much work each function does
const [parses, prices, renders, cards, cash] = process.argv.slice(2).map(Number);

function spin(steps) {
  let sum = 0;
  for (let i = 0; i < steps * 20000; i++) sum = (sum * 31 + i) | 0;
  return sum;
}

function parse(order) {
  return spin(parses) + order;
}

function price(order) {
  let sum = 0;
  for (let i = 0; i < prices * 20000; i++) sum = (sum * 33 + i) | 0;
  return sum + order;
}

const render = order => {
  let sum = 0;
  for (let i = 0; i < renders * 20000; i++) sum = (sum * 35 + i) | 0;
  return sum + order;
};

function payByCard(order) {
  let sum = 0;
  for (let i = 0; i < cards * 20000; i++) sum = (sum * 37 + i) | 0;
  return sum + order;
}

function payInCash(order) {
  let sum = 0;
  for (let i = 0; i < cash * 20000; i++) sum = (sum * 39 + i) | 0;
  return sum + order;
}

function sell(order) {
  return parse(order) + price(order) + render(order);
}

for (let order = 0; order < 60; order++) {
  sell(order);
  if (cards) payByCard(order);
  if (cash) payInCash(order);
}
