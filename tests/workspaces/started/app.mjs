// A server that measures itself while one request lasts, with the functions that Node has for it.
import { writeFileSync } from "node:fs";
import { startCpuProfile } from "node:v8";

class Cart {
  #lines = [];

  add(name, price) {
    this.#lines.push({ name, price });
  }

  get total() {
    let sum = 0;
    for (let round = 0; round < 400; round++) sum = this.#lines.reduce((before, { price }) => (before + price) % 9973, sum);
    return sum;
  }
}

const slug = (name) => name.toLowerCase().replaceAll(/[^a-z]+/g, "-");

async function* orders(count) {
  for (let order = 0; order < count; order++) {
    const cart = new Cart();
    for (let line = 0; line < 300; line++) cart.add(slug(`Tea No. ${line} of ${order}`), line * order);
    yield cart;
  }
}

async function handle() {
  let sum = 0;
  for await (const cart of orders(60)) sum += cart.total;
  return sum;
}

const profile = startCpuProfile();
await handle();
writeFileSync("started.cpuprofile", profile.stop());
