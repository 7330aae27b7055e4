// Calls itself twice, and nothing is remembered.
function fibonacci(n) { // planted
  return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

function series(count) {
  return Array.from({ length: count }, (_, i) => fibonacci(i));
}

console.log(series(37).at(-1));
