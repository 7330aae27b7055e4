"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.join = exports.Text = void 0;
exports.pairs = pairs;
const words_js_1 = require("./words.js");
/** Text with lines. */
class Text {
    from;
    options;
    marks = [];
    constructor(from, options) {
        this.from = from;
        this.options = options;
    }
    get size() { return this.from.length; }
    lines() {
        const all = (0, words_js_1.split)(this.from, "\n");
        return all.map((line) => line.trim()).filter((line) => line.length > 0);
    }
    fits = (line) => line.length <= this.options.width;
}
exports.Text = Text;
const join = (lines) => lines.reduce((all, it) => `${all} ${it}`, "");
exports.join = join;
function pairs(text) {
    const found = [];
    text.lines().forEach(function each(line, at) {
        if (at > 0)
            found.push([line, text.lines()[at - 1]]);
    });
    return found;
}
