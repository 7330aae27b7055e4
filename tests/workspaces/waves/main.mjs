// Functions of WebAssembly that have no names where they run.
import { readFileSync } from "node:fs";

const bytes = readFileSync(new URL("waves.wasm", import.meta.url));
const { instance } = await WebAssembly.instantiate(bytes, { env: { tick: (it) => it } });

function drive(rounds) {
  let sum = 0;
  for (let at = 0; at < rounds; at++) sum += instance.exports.run(50);
  return sum;
}

console.log(drive(200) !== 0);
