// Turns are counted, so that each function has samples, however busy the machine is.
export function spend(ms) {
  let sum = 0;
  for (let i = 0; i < ms * 4e5; i++) sum += Math.sqrt(i % 1e4);
  return sum;
}
