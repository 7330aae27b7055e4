import { collatz, digitsOf, fibonacci, gcd, isPrime, lcm, primeFactors, primesBelow } from "./math/integers.js";
import { mean, variance } from "./math/statistics.js";
import { Index, capitalize, countOf, longest, words } from "./language/words.js";
import { Queue, inChunks, memoize } from "./queue.js";
import { byDeadline, drain, lateTasks, makespan, plan } from "./schedule.js";
import { retry } from "./jobs/retry.js";
import { formatTable, groupRows, sumOf, transpose } from "./jobs/table.js";

function workOnText() {
  const list = words("the quick brown fox jumps over the lazy dog");
  const index = Index.of("one two three");
  return [longest(list), countOf(list).size, capitalize(list[0]), index.find("two"), index.size];
}

function workOnNumbers() {
  const list = [gcd(12, 18), lcm(4, 6), isPrime(97), primesBelow(50).length, primeFactors(360).length];
  return [...list, digitsOf(123), mean([1, 2, 3]), variance([1, 2, 3]), fibonacci(20), collatz(27)];
}

function workOnTasks() {
  const queue = new Queue();
  queue.push("a", 1);
  queue.push("b", 2);
  const tasks = [{ deadline: 3, length: 5 }, { deadline: 1, length: 2 }];
  const done = drain(queue, memoize((it) => it + it));
  retry((attempt) => attempt, 3);
  return [done, lateTasks(byDeadline(tasks), 2), makespan(plan(tasks, 2)), inChunks([1, 2, 3], 2)];
}

function workOnTables() {
  const rows = [["a", 1], ["b", 22]];
  return [formatTable(rows), sumOf(rows, 1), transpose(rows), groupRows(rows, 0)];
}

for (let round = 0; round < 10; round++) {
  workOnText();
  workOnNumbers();
  workOnTasks();
  workOnTables();
}
