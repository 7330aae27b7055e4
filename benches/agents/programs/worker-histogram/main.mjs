// The main thread waits for a worker.
import { Worker } from "node:worker_threads";

function print(result) {
  console.log(result.length);
}

new Worker(new URL("./histogram.mjs", import.meta.url)).on("message", print);
