export function spend(ms) {
  const end = performance.now() + ms;
  let sum = 0;
  while (performance.now() < end) for (let i = 0; i < 500; i++) sum += Math.sqrt(i);
  return sum;
}
