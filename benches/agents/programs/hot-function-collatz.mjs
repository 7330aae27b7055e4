// One function of four does nearly all of the work.
function parse(text) {
  return text.split(",").map(Number);
}

function steps(n) { // planted
  let count = 0;
  for (let value = n; value !== 1; count++) value = value % 2 === 0 ? value / 2 : 3 * value + 1;
  return count;
}

function longest(starts) {
  return starts.reduce((best, start) => Math.max(best, steps(start)), 0);
}

const starts = parse(Array.from({ length: 400_000 }, (_, i) => i + 1).join());
console.log(longest(starts));
