// Objects of many shapes meet at one call.
const makers = Array.from({ length: 24 }, (_, i) => (value) => Object.assign({ [`field${i}`]: i }, { size: value, weight: i }));

function load(things) { // planted
  let sum = 0;
  for (let round = 0; round < 250; round++) {
    for (const thing of things) sum += thing.size * thing.weight;
  }
  return sum;
}

function make(count) {
  return Array.from({ length: count }, (_, i) => makers[i % makers.length](i));
}

console.log(load(make(24_000)));
