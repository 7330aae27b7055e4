// The words of a comparison, and what is offered to compare with.

import assert from "node:assert/strict";
import { test } from "node:test";
import { age, badgeOfChanges, changesText, comparisonText, offersOf } from "../../src/compare/text";
import type { ComparisonStatus } from "../../src/protocol";

const comparison: ComparisonStatus = {
  title: "before.cpuprofile",
  beforePaths: ["/app/before.cpuprofile"],
  beforeRuns: 1,
  afterRuns: 1,
  method: "sampling",
  slower: 2,
  faster: 1,
  maybeSlower: 0,
  maybeFaster: 0,
  unsure: 1234,
  active: { text: "+3.8 %", verdict: "regression" },
  sentence: "1 run before, 1 after.",
};

test("an age has the largest unit that it reaches", () => {
  const [second, minute, hour, day] = [1e3, 60e3, 3600e3, 86_400e3];
  const cases: [number, string][] = [
    [-second, "just now"],
    [59 * second, "just now"],
    [minute, "1 minute ago"],
    [hour - 1, "59 minutes ago"],
    [hour, "1 hour ago"],
    [day - 1, "23 hours ago"],
    [day, "1 day ago"],
    [40 * day, "40 days ago"],
  ];
  for (const [milliseconds, text] of cases) assert.equal(age(milliseconds), text);
});

test("recordings side by side in a folder of their own are runs of one side", () => {
  const folder = "/app/.proflens/recordings";
  const recordings = [
    { path: `${folder}/a.json.gz`, time: 5 },
    { path: `${folder}/ten/1.json.gz`, time: 7 },
    { path: `${folder}/ten/2.json.gz`, time: 9 },
    { path: `${folder}/one/1.json.gz`, time: 8 },
    { path: `${folder}/b.json.gz`, time: 6 },
    { path: `${folder}/ten`, time: 9 },
  ];
  assert.deepEqual(
    offersOf(recordings, (it) => it === folder).map((it) => [it.path.slice(folder.length), it.runs, it.time]),
    [
      ["/ten", 2, 9],
      ["/one/1.json.gz", 1, 8],
      ["/b.json.gz", 1, 6],
      ["/a.json.gz", 1, 5],
    ],
  );
  assert.deepEqual(
    offersOf([], () => true),
    [],
  );
});

test("the status bar says against what, and what is not certain", () => {
  const { active } = comparison;
  assert.equal(comparisonText(comparison), "$(git-compare) vs before.cpuprofile: +3.8 % $(close)");
  assert.equal(
    comparisonText({ ...comparison, active: { ...active, verdict: "unsure" } }),
    "$(git-compare) vs before.cpuprofile: +3.8 %, unsure $(close)",
  );
});

test("changes are counted in words and as a badge", () => {
  const cases: [slower: number, faster: number, text: string, badge: string][] = [
    [2, 1, "2 functions slower, 1 faster", "▲▼"],
    [1, 0, "1 function slower", "▲"],
    [0, 1200, "1,200 functions faster", "▼"],
    [0, 0, "", ""],
  ];
  for (const [slower, faster, text, badge] of cases) {
    const changes = { slower, faster };
    assert.deepEqual([changesText(changes, "time"), badgeOfChanges(changes)], [text, badge]);
  }
  assert.equal(changesText({ slower: 1, faster: 2 }, "bytes"), "1 function with more, 2 with less");
});
