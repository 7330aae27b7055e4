import { spend } from "../spend.js";

export function gcd(a, b) {
  spend(3);
  while (b !== 0) [a, b] = [b, a % b];
  return Math.abs(a);
}

export function lcm(a, b) {
  spend(3);
  const divisor = gcd(a, b);
  return divisor === 0 ? 0 : Math.abs(a / divisor) * Math.abs(b);
}

export function isPrime(n) {
  spend(3);
  if (n < 2) return false;
  for (let i = 2; i * i <= n; i++) if (n % i === 0) return false;
  return true;
}

export function primesBelow(n) {
  spend(3);
  const sieve = new Uint8Array(n);
  const primes = [];
  for (let i = 2; i < n; i++) {
    if (sieve[i]) continue;
    primes.push(i);
    for (let j = i * i; j < n; j += i) sieve[j] = 1;
  }
  return primes;
}

export function primeFactors(n) {
  spend(3);
  const factors = [];
  for (let i = 2; i <= n; i++) {
    while (n % i === 0) {
      factors.push(i);
      n /= i;
    }
  }
  return factors;
}

export function digitsOf(n) {
  spend(3);
  return [...String(n)].map((digit) => Number(digit));
}

export function fibonacci(n) {
  spend(3);
  let [a, b] = [0, 1];
  for (let i = 0; i < n; i++) [a, b] = [b, a + b];
  return a;
}

export function collatz(n) {
  spend(3);
  let steps = 0;
  if (n < 1) throw new RangeError(`${n} is not positive`);
  for (; n !== 1; steps++) n = n % 2 === 0 ? n / 2 : 3 * n + 1;
  return steps;
}
