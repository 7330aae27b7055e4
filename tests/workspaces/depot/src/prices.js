const roundPrices = (turns) => {
  let sum = 0;
  for (let i = 0; i < turns; i++) sum += Math.round(i / 7);
  return sum;
};

function sortPrices(turns) {
  const prices = Array.from({ length: turns }, (_, i) => (i * 7919) % 10007);
  return prices.sort(function byPrice(a, b) {
    return a - b;
  })[0];
}
