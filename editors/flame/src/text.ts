// Numbers and names as people read them. The same formats as in the editors and reports.

type Units = [size: number, name: string][];
/** `end`: the number from which the next unit reads better. */
const TIMES: { size: number; name: string; end: number }[] = [
  { size: 1, name: "ns", end: 1000 },
  { size: 1e3, name: "µs", end: 1000 },
  { size: 1e6, name: "ms", end: 1000 },
  { size: 1e9, name: "s", end: 60 },
  { size: 60e9, name: "min", end: 60 },
  { size: 3600e9, name: "h", end: 1000 },
  { size: 86_400e9, name: "d", end: Number.POSITIVE_INFINITY },
];
const SIZES: Units = [
  [1e12, "TB"],
  [1e9, "GB"],
  [1e6, "MB"],
  [1e3, "kB"],
];

/** A time with three significant digits and the fitting unit: `812 µs`, `12.3 ms`, `1.24 s`, `12 min 5 s`, `3.21 h`. */
export function time(ns: number): string {
  if (ns === 0) return "0 ms";
  const unit = TIMES.find((it) => Number((ns / it.size).toPrecision(3)) < it.end);
  if (!unit) return `${ns} ns`;
  const seconds = Math.round(ns / 1e9);
  if (unit.name === "min") return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
  return `${digits(Math.max(ns / unit.size, 1), 3)} ${unit.name}`;
}

/** A number of bytes with three significant digits and the fitting unit: `812 B`, `12.3 kB`, `48.0 MB`. */
export function size(bytes: number): string {
  for (const [size, name] of SIZES) {
    if (Number((bytes / size).toPrecision(3)) >= 1) return `${digits(bytes / size, 3)} ${name}`;
  }
  return `${bytes} B`;
}

/** A share of a whole with two significant digits: `18 %`, `4.6 %`. */
export function percent(share: number): string {
  const value = share * 100;
  if (!(value > 0)) return "0 %";
  if (value < 0.01) return "<0.01 %";
  return `${Number(digits(value, 2))} %`;
}

/** `12,345`. */
export function thousands(count: number): string {
  return count.toLocaleString("en-US");
}

/** `1 sample`, `214 samples`. */
export function counted(count: number, noun: string): string {
  return `${thousands(count)} ${noun}${count === 1 ? "" : "s"}`;
}

function digits(value: number, significant: number): string {
  const magnitude = Math.floor(Math.log10(Number(value.toPrecision(significant))));
  return Number(value.toPrecision(significant)).toFixed(Math.max(significant - 1 - magnitude, 0));
}

/** A point on the axis of time, as exact as a distance between points asks for: `1.234 s`. */
export function point(ns: number, step: number): string {
  const fits = TIMES.filter((it) => it.name !== "min" && Math.max(Math.abs(ns), step) >= it.size);
  const { size, name } = fits.at(-1) ?? { size: 1e6, name: "ms" };
  const decimals = Math.max(0, Math.ceil(-Math.log10(step / size) - 1e-9));
  return `${(ns / size).toFixed(Math.min(decimals, 9))} ${name}`;
}

/** Distances between points of an axis: 1, 2 or 5 times a power of ten. */
export function niceStep(least: number): number {
  const power = 10 ** Math.floor(Math.log10(least));
  return power * ([1, 2, 5].find((it) => it * power >= least * 0.999999) ?? 10);
}

/** What a name is cut to wherever it is shown: there are names of a megabyte. */
const LONGEST = 300;

/** A name in one line, cut if it is very long. */
export function shown(name: string, longest = LONGEST): string {
  const cut = name.length > longest ? `${name.slice(0, longest - 1)}…` : name;
  // Control characters, and those that turn the direction of text around.
  return cut.replace(/[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/gu, " ");
}

/** `src/a.ts:12`; only the end of a very long path. */
export function place(file: string, line: number): string {
  const cut = file.length > LONGEST ? `…${file.slice(1 - LONGEST)}` : file;
  return line > 0 ? `${shown(cut)}:${line}` : shown(cut);
}
