function sieve(limit: number): number {
  const composite = new Uint8Array(limit + 1);
  let count = 0;
  for (let number = 2; number <= limit; number++) {
    if (composite[number] === 1) continue;
    count++;
    for (let multiple = number * number; multiple <= limit; multiple += number) composite[multiple] = 1;
  }
  return count;
}

addEventListener("message", ({ data }: MessageEvent<number>) => {
  const end = performance.now() + data;
  let found = 0;
  while (performance.now() < end) found = sieve(200_000);
  postMessage(found);
});
