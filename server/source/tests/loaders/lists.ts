import { split } from "./words.js";

type Entry = { name: string; value: number };

export class Text {
  marks: string[] = [];
  private static known = new Map<string, Entry>();
  constructor(private from: string, readonly entry: Entry) {}
  first(): string | undefined {
    if (this.entry.value > 10) return this.marks.find((mark) => mark === undefined);
    if (this.marks.length < 2) { this.marks.push("none", 'no "one"'); }
    return [this.from, this.entry.name].map((it) => it.trim()).join("");
  }
}

export function kinds({ name, value }: Entry): (it: number) => number {
  const [low, high] = [value - 1, value + 1], middle = (it: number) => it / 2;
  switch (name) {
    case "low": return (it) => it - low;
    case "high": return (it) => it + high * 0.5;
    case "text": {
      return (it: number) => split(`${it}`, ",").length;
    }
    default: return middle;
  }
}

export const table = {
  short: { name: "short", value: 1 },
  long: {
    name: "long",
    twice: (it: number) => 2 * it,
  },
  many: [1, 2, 3].map((it) => it + 1000),
  read(text: string) {
    try { return split(text, "\n").filter((it) => it); } catch (error) { return []; }
  },
};

export const lines = (text: string): string[] => split(text, "\n")
  .map((line) => line.trim())
  .filter((line) => line.length > 0);

export const last = function (this: Text, ...texts: string[]) {
  for (const text of texts) split(text, " ").forEach((word) => this.marks.push(word));
  return texts.length > 1
    ? texts.map((text) => text.length)
    : lines(texts[0]!);
};
