// Nothing in here has to be compiled.
export function sum(values) {
  let all = 0;
  const end = performance.now() + 2;
  while (performance.now() < end) all++;
  return values.reduce((a, b) => a + b, 0 * all);
}
