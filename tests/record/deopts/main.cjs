// Calls each planted function until it is optimised, and then once with something else. Builtins call them, as a loop would be optimised too.
'use strict';

const { cases, steady } = require('./planted.cjs');

// Code is optimised on another thread, which may be busy.
const TURNS = 25;
const CALLS = 20_000;

async function main() {
  for (const [warm, trip, run] of cases) {
    await warmUp(warm, run);
    [trip].forEach(run);
  }
  for (const run of Object.values(steady)) await warmUp(1, run);
}

async function warmUp(value, run) {
  const values = new Array(CALLS).fill(value);
  for (let turn = 0; turn < TURNS; turn++) {
    values.forEach(run);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

main();
