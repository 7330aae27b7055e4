// Makes all orders of a list, to take the best.
function permutations(list) { // planted
  if (list.length < 2) return [list];
  return list.flatMap((first, i) => permutations(list.filter((_, j) => j !== i)).map((rest) => [first, ...rest]));
}

function cost(order) {
  return order.reduce((sum, stop, i) => sum + Math.abs(stop - (order[i - 1] ?? 0)), 0);
}

console.log(permutations([5, 2, 8, 1, 9, 4, 7, 3, 6]).reduce((best, order) => Math.min(best, cost(order)), Infinity));
