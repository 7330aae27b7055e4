import { spend } from "../spend.js";

export function gcd(a, b) {
  spend(3);
  while (b !== 0) [a, b] = [b, a % b];
  return Math.abs(a);
}

export function lcm(a, b) {
  spend(3);
  return a === 0 || b === 0 ? 0 : Math.abs(a * b) / gcd(a, b);
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

export function factorsOf(n) {
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

export function mean(list) {
  spend(3);
  return list.reduce((sum, it) => sum + it, 0) / list.length;
}

export function variance(list) {
  spend(3);
  const middle = mean(list);
  return mean(list.map((it) => (it - middle) ** 2));
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
  for (; n !== 1; steps++) n = n % 2 === 0 ? n / 2 : 3 * n + 1;
  return steps;
}
