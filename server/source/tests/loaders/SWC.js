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
    get join () {
        return join;
    },
    get pairs () {
        return pairs;
    }
});
const _words = require("./words.js");
class Text {
    from;
    options;
    marks = [];
    constructor(from, options){
        this.from = from;
        this.options = options;
    }
    get size() {
        return this.from.length;
    }
    lines() {
        const all = (0, _words.split)(this.from, "\n");
        return all.map((line)=>line.trim()).filter((line)=>line.length > 0);
    }
    fits = (line)=>line.length <= this.options.width;
}
const join = (lines)=>lines.reduce((all, it)=>`${all} ${it}`, "");
function pairs(text) {
    const found = [];
    text.lines().forEach(function each(line, at) {
        if (at > 0) found.push([
            line,
            text.lines()[at - 1]
        ]);
    });
    return found;
}
