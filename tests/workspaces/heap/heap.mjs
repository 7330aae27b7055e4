// Functions of several kinds that allocate what stays in use, each some megabytes.

const kept = [];

function numbers(count) {
  return new Array(count).fill(0.5);
}

const words = (count) => Array.from({ length: count }, (_, index) => `word ${index}`);

class Table {
  header = new Array(50_000).fill(null);
  rows = [];

  fill(count) {
    for (let row = 0; row < count; row++) this.rows.push(numbers(100));
    return this;
  }
}

function tree(depth) {
  if (depth === 0) return words(10);
  return { left: tree(depth - 1), right: tree(depth - 1), pad: new Array(200).fill(depth) };
}

function garbage(count) {
  let sum = 0;
  for (let round = 0; round < count; round++) sum += new Array(1000).fill(round).length;
  return sum;
}

function main() {
  kept.push(new Table().fill(3000), tree(10), words(40_000), numbers(200_000));
  kept.push(garbage(2000));
}

main();
globalThis.kept = kept;
