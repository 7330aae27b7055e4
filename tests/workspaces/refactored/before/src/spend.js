// Processor time: on a busy machine a function that is only waited for has no samples.
export function spend(ms) {
  const end = process.cpuUsage().user + ms * 1000;
  let sum = 0;
  while (process.cpuUsage().user < end) for (let i = 0; i < 5000; i++) sum += Math.sqrt(i);
  return sum;
}
