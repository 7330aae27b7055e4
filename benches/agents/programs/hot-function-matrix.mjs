// A product of matrices that reads one of them by columns.
function matrix(size, seed) {
  return Array.from({ length: size }, (_, i) => Array.from({ length: size }, (_, j) => (i * seed + j) % 17));
}

function multiply(a, b) { // planted
  const size = a.length;
  const product = matrix(size, 0);
  for (let i = 0; i < size; i++) {
    for (let j = 0; j < size; j++) {
      let sum = 0;
      for (let k = 0; k < size; k++) sum += a[i][k] * b[k][j];
      product[i][j] = sum;
    }
  }
  return product;
}

function trace(a) {
  return a.reduce((sum, row, i) => sum + row[i], 0);
}

let result = matrix(330, 3);
for (let round = 0; round < 8; round++) result = multiply(matrix(330, round + 1), matrix(330, 5));
console.log(trace(result));
