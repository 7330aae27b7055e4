import { parentPort } from "node:worker_threads";

function random(seed) {
  return (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
}

function histogram(count) { // planted
  const bins = new Array(64).fill(0);
  for (let i = 0, seed = 1; i < count; i++) {
    seed = random(seed);
    bins[Math.floor((Math.log(seed + 1) / Math.log(2_147_483_649)) * 63)]++;
  }
  return bins;
}

parentPort.postMessage(histogram(25_000_000));
