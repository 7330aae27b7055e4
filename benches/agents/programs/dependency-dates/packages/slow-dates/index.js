export function format(time) {
  let [year, rest] = [1970, Math.floor(time / 86_400_000)];
  while (rest >= daysOf(year)) rest -= daysOf(year++);
  return `${year}/${rest}`;
}

function daysOf(year) {
  return [4, 100, 400].map((step) => year % step === 0).filter(Boolean).length % 2 === 1 ? 366 : 365;
}
