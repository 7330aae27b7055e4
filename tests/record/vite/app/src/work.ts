export interface Time {
  readonly ms: number;
}

// Each function burns the time that it is given, so that all of them are sampled.
export function burn(time: Time): number {
  const end: number = performance.now() + time.ms;
  let sum = 0;
  while (performance.now() < end) for (let i = 0; i < 1e3; i++) sum += Math.sqrt(i);
  return sum;
}
burn({ ms: 30 });
