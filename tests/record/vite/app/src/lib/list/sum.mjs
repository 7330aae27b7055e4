// Nothing in here has to be compiled.
export function sum(values) {
  let all = 0;
  const turns = 8e5;
  for (let i = 0; i < turns; i++) all += Math.sqrt(i % 1e4);
  return values.reduce((a, b) => a + b, 0 * all);
}
