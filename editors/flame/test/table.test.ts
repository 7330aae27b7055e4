// What of the table is shown where it is narrow, and how its numbers are parted.

import assert from "node:assert/strict";
import { test } from "node:test";
import { COLUMNS, COMPARED, type Column, columnsFor, numberParts } from "../src/table";

test("columns: the name, what it is sorted by, then by rank as many as fit", () => {
  const shown = (columns: typeof COLUMNS, width: number, column: Column) =>
    columnsFor(columns, width, { column, isDescending: true })
      .map((it) => it.column)
      .join(" ");
  const rows: [typeof COLUMNS, number, Column, string][] = [
    [COLUMNS, 900, "self", "name self share total totalShare place samples"],
    [COLUMNS, 720, "self", "name self share total totalShare place"],
    [COLUMNS, 700, "self", "name self share total totalShare"],
    [COLUMNS, 485, "self", "name self share total"],
    [COLUMNS, 485, "samples", "name samples self share"],
    [COLUMNS, 485, "name", "name self share total"],
    [COLUMNS, 100, "self", "name self"],
    [
      COMPARED,
      1100,
      "selfDifference",
      "name selfDifference totalDifference selfAfter totalAfter place selfBefore totalBefore",
    ],
    [COMPARED, 485, "selfDifference", "name selfDifference totalDifference"],
    [COMPARED, 485, "totalBefore", "name totalBefore selfDifference"],
  ];
  for (const [columns, width, column, expected] of rows) assert.equal(shown(columns, width, column), expected);
});

test("numbers are parted at their decimal point and before their unit", () => {
  const rows: [string, [string, string, string]][] = [
    ["12.3 ms", ["12", ".3", " ms"]],
    ["397 ms", ["397", "", " ms"]],
    ["12 min 5 s", ["12", "", " min 5 s"]],
    ["<0.01 %", ["<0", ".01", " %"]],
    ["+4.49 s, ×6.4", ["+4", ".49", " s, ×6.4"]],
    ["1,234", ["1,234", "", ""]],
    ["", ["", "", ""]],
  ];
  for (const [text, parts] of rows) assert.deepEqual(numberParts(text), parts);
});
