// The work is in a package; what can be changed is the line that calls it.
import { format } from "slow-dates";

function header(days) {
  return `${days.length} days`;
}

function calendar(days) { // planted
  return days.map((day) => format(day));
}

const days = Array.from({ length: 40_000 }, (_, i) => i * 86_400_000);
console.log(header(days), calendar(days).join("").length);
