// Levels of heat, where they are marked, and the column of the costs of lines.

import assert from "node:assert/strict";
import { test } from "node:test";
import { badgeOf, changeMarksOf, levelOf, marginsOf, marksOf } from "../../src/heatLevels";
import type { Amount, DocumentCosts, FunctionCosts, LineCosts, Verdict } from "../../src/protocol";

test("levels begin at 1, 5, 10 and 20 percent", () => {
  const shares = [0, 0.0099, 0.01, 0.05, 0.0999, 0.1, 0.2, 1];
  assert.deepEqual(shares.map(levelOf), [1, 1, 2, 3, 3, 4, 5, 5]);
});

test("a badge has at most two characters", () => {
  assert.deepEqual([0, 0.004, 0.005, 0.234, 0.999, 1].map(badgeOf), [undefined, undefined, "1", "23", "99", "99"]);
});

const amount = (ns: number): Amount => ({ ns, text: `${ns} ns` });

function costs(functions: [first: number, last: number, share: number][], lines: [number, number][]): DocumentCosts {
  const measured = functions.map(([first, last, selfShare]) => {
    const at = (line: number) => ({ line, character: 0 });
    const range = { start: at(first), end: at(last) };
    return { range, selectionRange: { start: at(first), end: at(first) }, selfShare } as FunctionCosts;
  });
  const byLine = lines.map(([line, ns]): LineCosts => ({ line, inlined: null, self: amount(ns), total: amount(ns) }));
  return { version: 1, unit: "time", functions: measured, lines: byLine, ran: [], onLines: null };
}

test("without lines the bar of an inner function replaces that of the one around it", () => {
  const { ruler, bars } = marksOf(
    costs(
      [
        [0, 3, 0.02],
        [1, 2, 0.3],
      ],
      [],
    ),
    1000,
  );
  assert.deepEqual(ruler, [
    { line: 0, level: 2 },
    { line: 1, level: 5 },
  ]);
  assert.deepEqual(
    bars.map((it) => it.level),
    [2, 5, 5, 2],
  );
});

test("with lines only those with a cost have a bar, and tiny ones are not marked", () => {
  const { ruler, bars } = marksOf(
    costs(
      [[0, 9, 0.06]],
      [
        [0, 250],
        [2, 15],
        [3, 0.5],
      ],
    ),
    1000,
  );
  assert.deepEqual(bars, [
    { line: 0, level: 5 },
    { line: 2, level: 2 },
  ]);
  assert.deepEqual(ruler, [
    { line: 0, level: 5 },
    { line: 2, level: 2 },
  ]);
});

test("costs of lines stand in one column, those of longer lines at their ends, and of overlong ones in front of the code", () => {
  assert.deepEqual(marginsOf(["\tab", "abcd", "a".repeat(61), "a".repeat(90), "a".repeat(91)], 4), [
    2,
    4,
    2,
    2,
    undefined,
  ]);
  assert.deepEqual(marginsOf([], 4), []);
});

test("of a comparison only functions that changed for certain are marked", () => {
  const all = costs(
    [
      [0, 3, 0.02],
      [1, 2, 0.3],
      [5, 6, 0.3],
      [8, 9, 0.3],
    ],
    [[1, 250]],
  );
  const verdicts: Verdict[] = ["regression", "improvement", "unsure", "new"];
  for (const [at, it] of all.functions.entries()) {
    const verdict = verdicts[at];
    if (verdict) it.change = { verdict, text: "", ratio: null };
  }
  assert.deepEqual(changeMarksOf(all), {
    ruler: [
      { line: 0, level: "slower" },
      { line: 1, level: "faster" },
    ],
    bars: [
      { line: 0, level: "slower" },
      { line: 1, level: "faster" },
      { line: 2, level: "faster" },
      { line: 3, level: "slower" },
    ],
  });
});
