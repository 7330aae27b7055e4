// Counts ways through a grid by trying all of them; two functions call each other.
function right(x, y) { // planted
  return x === 0 ? 1 : down(x - 1, y);
}

function down(x, y) {
  return y === 0 ? 1 : right(x, y) + (x === 0 ? 1 : down(x, y - 1));
}

function ways(size) {
  return down(size, size);
}

console.log(ways(14));
