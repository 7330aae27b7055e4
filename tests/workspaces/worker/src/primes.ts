/** All primes below a limit, by the sieve of Eratosthenes. */
export function primesBelow(limit: number): number[] {
  const isComposite = new Uint8Array(limit);
  const primes: number[] = [];
  for (let number = 2; number < limit; number++) {
    if (isComposite[number]) continue;
    primes.push(number);
    cross(isComposite, number);
  }
  return primes;
}

const cross = (isComposite: Uint8Array, prime: number): void => {
  for (let multiple = prime * prime; multiple < isComposite.length; multiple += prime) isComposite[multiple] = 1;
};
