// Two functions that share a line, in the source and in the bundle.
export const light = (n: number): number => n + 1, heavy = (n: number): number => { let sum = 0; for (let i = 0; i < n; i++) sum += Math.sqrt(i) % 7; return sum; }; // planted

function work(rounds: number): number {
  let sum = 0;
  for (let round = 0; round < rounds; round++) sum += light(round) + heavy(90_000);
  return sum;
}

console.log(work(400));
