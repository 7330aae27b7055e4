"use strict";
Object.defineProperty(exports, "__esModule", {
    value: true
});
function _export(target, all) {
    for(var name in all)Object.defineProperty(target, name, {
        enumerable: true,
        get: Object.getOwnPropertyDescriptor(all, name).get
    });
}
_export(exports, {
    get Text () {
        return Text;
    },
    get kinds () {
        return kinds;
    },
    get last () {
        return last;
    },
    get lines () {
        return lines;
    },
    get table () {
        return table;
    }
});
const _words = require("./words.js");
class Text {
    from;
    entry;
    marks = [];
    static known = new Map();
    constructor(from, entry){
        this.from = from;
        this.entry = entry;
    }
    first() {
        if (this.entry.value > 10) return this.marks.find((mark)=>mark === undefined);
        if (this.marks.length < 2) {
            this.marks.push("none", 'no "one"');
        }
        return [
            this.from,
            this.entry.name
        ].map((it)=>it.trim()).join("");
    }
}
function kinds({ name, value }) {
    const [low, high] = [
        value - 1,
        value + 1
    ], middle = (it)=>it / 2;
    switch(name){
        case "low":
            return (it)=>it - low;
        case "high":
            return (it)=>it + high * 0.5;
        case "text":
            {
                return (it)=>(0, _words.split)(`${it}`, ",").length;
            }
        default:
            return middle;
    }
}
const table = {
    short: {
        name: "short",
        value: 1
    },
    long: {
        name: "long",
        twice: (it)=>2 * it
    },
    many: [
        1,
        2,
        3
    ].map((it)=>it + 1000),
    read (text) {
        try {
            return (0, _words.split)(text, "\n").filter((it)=>it);
        } catch (error) {
            return [];
        }
    }
};
const lines = (text)=>(0, _words.split)(text, "\n").map((line)=>line.trim()).filter((line)=>line.length > 0);
const last = function(...texts) {
    for (const text of texts)(0, _words.split)(text, " ").forEach((word)=>this.marks.push(word));
    return texts.length > 1 ? texts.map((text)=>text.length) : lines(texts[0]);
};
