export interface Time {
  readonly ms: number;
}

// Each function computes for about that time, so that all of them are sampled, also where other programs run.
export function burn(time: Time): number {
  const turns: number = time.ms * 4e5;
  let sum = 0;
  for (let i = 0; i < turns; i++) sum += Math.sqrt(i % 1e4);
  return sum;
}
burn({ ms: 30 });
