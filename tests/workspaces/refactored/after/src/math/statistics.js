import { spend } from "../spend.js";

export function mean(list) {
  spend(3);
  return list.reduce((sum, it) => sum + it, 0) / list.length;
}

export function variance(list) {
  spend(3);
  const middle = mean(list);
  return mean(list.map((it) => (it - middle) ** 2));
}
