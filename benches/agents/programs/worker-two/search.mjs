import { parentPort, workerData } from "node:worker_threads";

function isPalindrome(number) { // planted
  const text = String(number);
  return text === [...text].reverse().join("");
}

let count = 0;
for (let number = workerData; number < 900_000; number += 2) if (isPalindrome(number)) count++;
parentPort.postMessage(count);
