// Two workers do the same search, one for each half.
import { Worker } from "node:worker_threads";

let found = 0;
for (const half of [0, 1]) {
  const worker = new Worker(new URL("./search.mjs", import.meta.url), { workerData: half });
  worker.on("message", (count) => console.log((found += count)));
}
