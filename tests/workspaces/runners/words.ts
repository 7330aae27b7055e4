const text = "the quick brown fox jumps over the lazy dog and the small cat sleeps near a warm stove in the old house";

export interface Count {
  word: string;
  times: number;
}

type Compare<T> = (a: T, b: T) => number;

export const by = <T,>(key: (item: T) => string | number): Compare<T> =>
  (a, b) => (key(a) < key(b) ? -1 : key(a) > key(b) ? 1 : 0);

export function* split(source: string): Generator<string> {
  let from = 0;
  for (let i = 0; i <= source.length; i++) {
    if (i < source.length && source[i] !== " ") continue;
    yield source.slice(from, i);
    from = i + 1;
  }
}

export function count(source: string): Count[];
export function count(source: string, least: number): Count[];
export function count(source: string, least = 0): Count[] {
  const counts = new Map<string, number>();
  for (const word of split(source)) counts.set(word, (counts.get(word) ?? 0) + 1);
  return [...counts].map(([word, times]) => ({ word, times })).filter(({ times }) => times > least);
}

const distance = (() => {
  let row: number[] = [];
  return function measure(a: string, b: string): number {
    row = Array.from({ length: b.length + 1 }, (_, i) => i);
    for (let i = 1; i <= a.length; i++) {
      let before = row[0]!;
      row[0] = i;
      for (let j = 1; j <= b.length; j++) {
        const here = row[j]!;
        row[j] = Math.min(here + 1, row[j - 1]! + 1, before + (a[i - 1] === b[j - 1] ? 0 : 1));
        before = here;
      }
    }
    return row[b.length]!;
  };
})();

const forms = {
  upper: (word: string) => word.toUpperCase(),
  reverse(word: string): string {
    return [...word].reverse().join("");
  },
  initial: function (word: string): string {
    return word.charAt(0);
  },
};

export function words(): number {
  const counts = count(text, 0).sort(by((item) => item.times));
  let sum = 0;
  for (const { word } of counts) {
    sum += counts.reduce((least, other) => Math.min(least, distance(word, other.word) || least), 99);
    sum += forms.upper(word).length + forms.reverse(word).length + forms.initial(word).length;
  }
  return sum;
}
