// Works beside the page, and asks it to change.
let sum = 0;
for (let turn = 0; turn < 2e7; turn++) sum += Math.sqrt(turn);
postMessage(60 + (sum % 2));
