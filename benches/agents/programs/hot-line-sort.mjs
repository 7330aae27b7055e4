// The list is sorted again for each value that comes in.
function medians(values) {
  const window = [];
  const result = [];
  for (const value of values) {
    window.push(value);
    if (window.length > 400) window.shift();
    const sorted = [...window].sort((a, b) => a - b); // planted
    const middle = Math.floor(sorted.length / 2);
    result.push(sorted[middle]);
  }
  return result;
}

const values = Array.from({ length: 12_000 }, (_, i) => (i * 7919) % 10_007);
console.log(medians(values).at(-1));
