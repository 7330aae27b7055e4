import { spend } from "../spend.js";

export function retry(action, times) {
  spend(3);
  for (let attempt = 1; ; attempt++) {
    try {
      return action(attempt);
    } catch (error) {
      if (attempt === times) throw error;
    }
  }
}
