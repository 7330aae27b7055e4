// A page with something to do.

import { measure } from "./collect.js";

measure({
  to: new URLSearchParams(location.search).get("to") ?? "http://127.0.0.1:9180/v1/traces",
  share: 1,
  dimensions: { page: location.pathname, release: "1.0.0" },
});

function isPrime(n: number): boolean {
  for (let i = 2; i * i <= n; i++) {
    if (n % i === 0) return false;
  }
  return n > 1;
}

function findPrimes(milliseconds: number): number {
  const end = performance.now() + milliseconds;
  let found = 0;
  for (let n = 1_000_000_007; performance.now() < end; n += 2) {
    if (isPrime(n)) found++;
  }
  return found;
}

document.querySelector("button")?.addEventListener("click", () => {
  document.title = `${findPrimes(1_000)} primes`;
});
