// Bundled into the page itself, between its script tags.
function checksum(text: string): number {
  let sum = 0;
  for (let round = 0; round < 300; round++) {
    for (let index = 0; index < text.length; index++) sum = (sum * 31 + text.charCodeAt(index)) % 65521;
  }
  return sum;
}

export function banner(rounds: number): number {
  let last = 0;
  for (let round = 0; round < rounds; round++) last = checksum(`banner ${round} ${last}`);
  return last;
}

document.body.dataset.banner = String(banner(4000));
