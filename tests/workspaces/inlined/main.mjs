// Functions that V8 inlines: `truth.txt` says which ones, as V8 itself printed it.
import { clamp, Vector } from './vectors.mjs';
import { mix } from './mixing.mjs';

function tiny(value) {
  return Math.sqrt(value * 3 + 1) % 7;
}

function outer(rounds) {
  let sum = 0;
  for (let at = 0; at < rounds; at++) {
    sum += tiny(at + sum);
  }
  return sum;
}

const inner = (value) => (value * 31) % 17; const middle = (value) => inner(value) + inner(value + 1);

function oneLine(rounds) {
  let sum = 0;
  for (let at = 0; at < rounds; at++) {
    sum += middle(at);
  }
  return sum;
}

function second(value) {
  const root = Math.cbrt(value + 2);
  return root - Math.floor(root);
}

function first(value) {
  return second(value) + second(value * 2);
}

function through(rounds) {
  let sum = 0;
  for (let at = 0; at < rounds; at++) {
    sum += first(at);
  }
  return sum;
}

function vectors(rounds) {
  let all = new Vector(1, 2);
  for (let at = 0; at < rounds; at++) {
    all = all.plus(new Vector(clamp(at), mix(at)));
  }
  return all.length;
}

function callbacks(rounds) {
  const list = Array.from({ length: 1000 }, (_, at) => at);
  let sum = 0;
  for (let at = 0; at < rounds / 1000; at++) {
    sum += list.reduce((sum, value) => {
      return (sum + value * at) % 1013;
    }, 0);
  }
  return sum;
}

let total = 0;
for (let turn = 0; turn < 40; turn++) {
  for (const work of [outer, oneLine, through, vectors, callbacks]) total += work(400_000);
}
console.log(total > 0);
