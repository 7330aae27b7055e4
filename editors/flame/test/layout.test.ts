// Coarser levels cover what the rows cover; texts and colours can be read.

import assert from "node:assert/strict";
import { test } from "node:test";
import { contrast, paletteOf, parseColor, THEMES } from "../src/colors";
import { neighbour, placeAt, stackOf } from "../src/layout";
import { escaped } from "../src/picture";
import { niceStep, percent, place, point, shown, size, time } from "../src/text";
import { modelOf, profileOf } from "./drawing";

test("levels halve the rectangles, end where the row ends, and cover as much", () => {
  const words = Array.from({ length: 40_000 }, (_, i) => `a${"bcd"[(i * 7) % 3]}${i % 4 === 0 ? " _" : ""}`);
  const layout = modelOf(profileOf(words.join(" "))).layout("time", null, 0);
  assert.ok(layout);
  const { rows, levels, at, length } = layout;
  const covered = (row: number) =>
    rows[row].frame.reduce((sum, _, i) => sum + at[rows[row].end[i]] - at[rows[row].start[i]], 0);
  assert.deepEqual(
    levels.map((it) => it.length > 0),
    [true, true],
  );
  for (const [row, list] of levels.entries()) {
    let count = rows[row].count;
    for (const level of list) {
      assert.ok(level.count <= 0.55 * count && level.unit <= length / 200);
      count = level.count;
      let sum = 0;
      for (let i = 0; i < level.count; i++) sum += ((level.end[i] - level.start[i]) * level.cover[i]) / 255;
      assert.ok(Math.abs(sum / covered(row) - 1) < 0.01, `row ${row}: ${sum} of ${covered(row)}`);
    }
  }
});

test("keys lead along callers, callees and neighbours", () => {
  const model = modelOf(profileOf("ab ab ab acd acd e"));
  const layout = model.layout("callTree", null, 0);
  assert.ok(layout);
  const { names } = model.profile.header;
  const walk = (text: string) => {
    let at = placeAt(layout, 0, 0.5);
    for (const key of text) {
      const next = at && neighbour(layout, at, ({ u: "up", d: "down", l: "left", r: "right" } as const)[key as "u"]);
      at = next ?? at;
    }
    assert.ok(at);
    return stackOf(layout, layout.rows[at.row].frame[at.index], false)
      .map((it) => names[layout.frames.fn[it]])
      .join(" > ");
  };
  assert.deepEqual(["", "d", "dr", "drd", "drdd", "drduu", "r", "rr", "u"].map(walk), [
    "a",
    "a > b",
    "a > c",
    "a > c > d",
    "a > c > d",
    "a",
    "e",
    "e",
    "a",
  ]);
});

test("numbers are written as in the editors", () => {
  const times: [number, string][] = [
    [0, "0 ms"],
    [7, "7.00 ns"],
    [812_345, "812 µs"],
    [999_600, "1.00 ms"],
    [12_345_678, "12.3 ms"],
    [1_239_999_999, "1.24 s"],
    [59.97e9, "1 min 0 s"],
    [725.4e9, "12 min 5 s"],
    [3_599.6e9, "1.00 h"],
    [120_120e9, "33.4 h"],
    [9_999e12, "116 d"],
  ];
  assert.deepEqual(
    times.map(([ns]) => time(ns)),
    times.map(([, text]) => text),
  );
  assert.deepEqual([0, 999, 12_345, 999_600].map(size), ["0 B", "999 B", "12.3 kB", "1.00 MB"]);
  assert.deepEqual([0, 0.00001, 0.00052, 0.0461, 1].map(percent), ["0 %", "<0.01 %", "0.052 %", "4.6 %", "100 %"]);
  assert.deepEqual([0.3, 1, 1.2, 7, 30].map(niceStep), [0.5, 1, 2, 10, 50]);
  assert.deepEqual(
    [point(0, 1e9), point(1.5e9, 5e8), point(1_234_567_000, 1000), point(2e6, 5e5)],
    ["0 s", "1.5 s", "1.234567 s", "2.0 ms"],
  );
});

test("names are cut, in one line, and text in a picture is text", () => {
  const long = shown("x".repeat(1e6));
  assert.deepEqual([long.length, long.at(-1)], [300, "…"]);
  assert.equal(shown("a\nb\u202ec\u0000d"), "a b c d");
  assert.deepEqual(
    [place("src/a.ts", 12), place("src/a.ts", 0), place("p".repeat(1e6), 3).length],
    ["src/a.ts:12", "src/a.ts", 302],
  );
  assert.equal(escaped(`<script>"&\ud800\uffff`), "&lt;script&gt;&quot;&amp;\ufffd ");
});

test("text on every colour of every theme can be read, and categories differ from each other", () => {
  const categories = [
    "workspace",
    "dependency",
    "runtime",
    "native",
    "garbage collection",
    "unplaced",
    "idle",
    "another",
  ];
  const rgb = (text: string) => parseColor(text) ?? [0, 0, 0];
  const weak: string[] = [];
  for (const theme of Object.values(THEMES)) {
    const palette = paletteOf(theme, categories);
    for (const { fills, texts } of [palette, palette.dim]) {
      fills.forEach((fill, i) => {
        if (contrast(rgb(fill), rgb(texts[i])) < 4.5) weak.push(`${theme.name} ${fill}`);
      });
    }
    for (const text of [theme.text, theme.muted]) {
      if (contrast(rgb(text), theme.background) < 4.5) weak.push(`${theme.name} ${text}`);
    }
    const first = palette.fills.filter((_, i) => i % 5 === 0);
    assert.equal(new Set(first).size, first.length, theme.name);
  }
  assert.deepEqual(weak, []);
});
