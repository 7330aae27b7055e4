// The slow part is reached through promises.
function checksum(bytes) { // planted
  let [low, high] = [1, 0];
  for (const byte of bytes) {
    low = (low + byte) % 65_521;
    high = (high + low) % 65_521;
  }
  return high * 65_536 + low;
}

async function send(batch) {
  await null;
  return checksum(batch);
}

async function all(batches) {
  let sum = 0;
  for (const batch of batches) sum ^= await send(batch);
  return sum;
}

console.log(await all(Array.from({ length: 260 }, (_, i) => new Uint8Array(200_000).fill(i))));
