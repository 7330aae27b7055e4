// What arrays do not have.

export function removeAt<T>(list: T[], at: number): void {
  if (at >= 0) list.splice(at, 1);
}

export function sumBy<T>(list: readonly T[], value: (it: T) => number): number {
  let sum = 0;
  for (const it of list) sum += value(it);
  return sum;
}

export function uniqueBy<T>(list: readonly T[], key: (it: T) => string): T[] {
  const seen = new Set<string>();
  const kept: T[] = [];
  for (const it of list) {
    if (seen.has(key(it))) continue;
    seen.add(key(it));
    kept.push(it);
  }
  return kept;
}

export function partition<T>(list: readonly T[], wanted: (it: T) => boolean): [T[], T[]] {
  const parts: [T[], T[]] = [[], []];
  for (const it of list) parts[wanted(it) ? 0 : 1].push(it);
  return parts;
}

/** The best ones without sorting all of them. */
export function takeBest<T>(list: readonly T[], most: number, score: (it: T) => number): T[] {
  const best: { it: T; score: number }[] = [];
  for (const it of list) {
    const mine = score(it);
    if (best.length === most && best[most - 1]!.score >= mine) continue;
    insertSorted(best, { it, score: mine });
    if (best.length > most) best.pop();
  }
  return best.map((found) => found.it);
}

function insertSorted<T extends { score: number }>(list: T[], one: T): void {
  let at = list.length;
  while (at > 0 && list[at - 1]!.score < one.score) at--;
  list.splice(at, 0, one);
}

export function chunk<T>(list: readonly T[], size: number): T[][] {
  const chunks: T[][] = [];
  for (let at = 0; at < list.length; at += size) chunks.push(list.slice(at, at + size));
  return chunks;
}
