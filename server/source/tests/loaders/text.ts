import { split } from "./words.js";

interface Options { width: number }

/** Text with lines. */
export class Text<T> {
  readonly marks: T[] = [];

  constructor(private from: string, readonly options: Options) {}

  get size(): number { return this.from.length }

  lines(): string[] {
    const all = split(this.from, "\n");
    return all.map((line: string) => line.trim()).filter((line) => line.length > 0);
  }

  private fits = (line: string): boolean => line.length <= this.options.width;
}

export const join = (lines: string[]): string => lines.reduce((all, it) => `${all} ${it}`, "");

type Pair = [string, string];

export function pairs(text: Text<number>): Pair[] {
  const found: Pair[] = [];
  text.lines().forEach(function each(line, at) {
    if (at > 0) found.push([line, text.lines()[at - 1]!]);
  });
  return found;
}
