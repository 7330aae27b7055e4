import { split } from "./words.js";
class Text {
  constructor(from, entry) {
    this.from = from;
    this.entry = entry;
  }
  from;
  entry;
  marks = [];
  static known = /* @__PURE__ */ new Map();
  first() {
    if (this.entry.value > 10) return this.marks.find((mark) => mark === void 0);
    if (this.marks.length < 2) {
      this.marks.push("none", 'no "one"');
    }
    return [this.from, this.entry.name].map((it) => it.trim()).join("");
  }
}
function kinds({ name, value }) {
  const [low, high] = [value - 1, value + 1], middle = (it) => it / 2;
  switch (name) {
    case "low":
      return (it) => it - low;
    case "high":
      return (it) => it + high * 0.5;
    case "text": {
      return (it) => split(`${it}`, ",").length;
    }
    default:
      return middle;
  }
}
const table = {
  short: { name: "short", value: 1 },
  long: {
    name: "long",
    twice: (it) => 2 * it
  },
  many: [1, 2, 3].map((it) => it + 1e3),
  read(text) {
    try {
      return split(text, "\n").filter((it) => it);
    } catch (error) {
      return [];
    }
  }
};
const lines = (text) => split(text, "\n").map((line) => line.trim()).filter((line) => line.length > 0);
const last = function(...texts) {
  for (const text of texts) split(text, " ").forEach((word) => this.marks.push(word));
  return texts.length > 1 ? texts.map((text) => text.length) : lines(texts[0]);
};
export {
  Text,
  kinds,
  last,
  lines,
  table
};
