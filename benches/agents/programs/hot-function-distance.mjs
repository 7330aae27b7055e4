// Suggestions compare a word with every other one by a full table.
function distance(a, b) { // planted
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      next[j] = Math.min(row[j] + 1, next[j - 1] + 1, row[j - 1] + (a[i - 1] === b[j - 1] ? 0 : 1));
    }
    row = next;
  }
  return row[b.length];
}

const words = Array.from({ length: 700 }, (_, i) => `${(i * 7919) % 9973}-${(i * 104729) % 8191}-word`);
function suggest(word) {
  return words.filter((other) => distance(word, other) < 3);
}

let found = 0;
for (const word of words.slice(0, 300)) found += suggest(word).length;
console.log(found);
