// A package sorts, and asks a function of the program that does the same work for every comparison.
import { sortBy } from "stable-lists";

function rank(title) { // planted
  let score = 0;
  for (const word of title.toLowerCase().split(" ")) score += word.length * word.charCodeAt(0);
  return score;
}

function first(list) {
  return list[0];
}

const titles = Array.from({ length: 25_000 }, (_, i) => `Chapter ${(i * 7919) % 10_007} of the long book ${i % 13}`);
console.log(first(sortBy(titles, rank)));
