import { split } from "./words.js";
class Text {
  constructor(from, options) {
    this.from = from;
    this.options = options;
  }
  from;
  options;
  marks = [];
  get size() {
    return this.from.length;
  }
  lines() {
    const all = split(this.from, "\n");
    return all.map((line) => line.trim()).filter((line) => line.length > 0);
  }
  fits = (line) => line.length <= this.options.width;
}
const join = (lines) => lines.reduce((all, it) => `${all} ${it}`, "");
function pairs(text) {
  const found = [];
  text.lines().forEach(function each(line, at) {
    if (at > 0) found.push([line, text.lines()[at - 1]]);
  });
  return found;
}
export {
  Text,
  join,
  pairs
};
