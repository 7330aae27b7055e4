import { spend } from "./spend.js";

export function byDeadline(tasks) {
  spend(3);
  return [...tasks].sort((a, b) => a.deadline - b.deadline);
}

export function lateTasks(tasks, now) {
  spend(3);
  return tasks.filter((task) => task.deadline < now);
}

export function plan(tasks, workers) {
  spend(3);
  const lanes = Array.from({ length: workers }, () => []);
  tasks.forEach((task, at) => lanes[at % lanes.length].push({ ...task, lane: at % lanes.length }));
  return lanes;
}

export function makespan(lanes) {
  spend(3);
  return Math.max(...lanes.map((lane) => lane.reduce((sum, task) => sum + task.length, 0)));
}

export function drain(queue, handle) {
  spend(3);
  const results = [];
  while (!queue.isEmpty()) results.push(handle(queue.pop()));
  return results;
}
