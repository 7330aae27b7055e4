// Each view as a drawing of its rows: what is how wide, and where.

import assert from "node:assert/strict";
import { test } from "node:test";
import { type Choice, Model } from "../src/model";
import { matchedTime, matcher, matchingFunctions } from "../src/search";
import { fnOf, profileOf, rows } from "./fixture";

const model = (drawing: string, choice: Partial<Choice> = {}) => {
  const profile = profileOf(drawing);
  const threads = profile.header.threads.map((_, i) => i);
  return new Model(profile, { threads, span: null, isFolded: false, focus: null, ...choice });
};
const CALLS = `
  # main
  a;b 1
  c;b 4
  (idle) 20
  a;d 3
  a 1
  c;b;e 2
`;
const RECURSION = `
  # main
  main;f;g;f 4
  main;f 1
  main;g;f;f;h 5
  main;f;f 2
`;

test("merged: the longest first, idle time left out", () => {
  const it = model(CALLS);
  assert.deepEqual(rows(it, "merged"), ["c 0-6, a 6-11", "b 0-6, d 6-9, b 9-10", "e 0-2"]);
  assert.deepEqual([it.active, it.idle], [11, 20]);
});

test("bottom-up: self time, and above whom it was called by", () => {
  assert.deepEqual(rows(model(CALLS), "inverted"), [
    "b 0-5, d 5-8, e 8-10, a 10-11",
    "c 0-4, a 4-5, a 5-8, b 8-10",
    "c 8-10",
  ]);
});

test("time order: neighbours share the rectangles of shared callers; gaps stay open", () => {
  const drawing = `
    # main 100
    a;b 1
    a;b;c 2
    a;d 3
    - 5
    a;d 1
    (idle) 2
    d 1
    a;b 1
  `;
  assert.deepEqual(rows(model(drawing), "time"), [
    "a 0-6, a 11-12, (idle) 12-14, d 14-15, a 15-16",
    "b 0-3, d 3-6, d 11-12, b 15-16",
    "c 1-3",
  ]);
});

test("sandwich: of recursion the outermost occurrence counts, once", () => {
  assert.deepEqual(rows(model(CALLS), "sandwich", "b"), ["c 0-6, a 6-7", "b 0-7", "e 0-2"]);
  assert.deepEqual(rows(model(RECURSION), "sandwich", "f"), [
    "main 7-12",
    "main 0-7, g 7-12",
    "f 0-12",
    "f 0-7, g 7-11",
    "h 0-5, f 7-11",
  ]);
});

test("recursion folded: a function that calls itself is one frame, in all views", () => {
  assert.deepEqual(rows(model(RECURSION), "merged"), [
    "main 0-12",
    "f 0-7, g 7-12",
    "g 0-4, f 4-6, f 7-12",
    "f 0-4, f 7-12",
    "h 7-12",
  ]);
  const it = model(RECURSION, { isFolded: true });
  assert.deepEqual(rows(it, "merged"), ["main 0-12", "f 0-7, g 7-12", "g 0-4, f 7-12", "f 0-4, h 7-12"]);
  assert.deepEqual(rows(it, "time"), ["main 0-12", "f 0-5, g 5-10, f 10-12", "g 0-4, f 5-10", "f 0-4, h 5-10"]);
  assert.deepEqual(it.active, 12);
});

test("focus: stacks begin with the function; shares stay those of all time", () => {
  const profile = profileOf(RECURSION);
  const it = model(RECURSION, { focus: fnOf(profile, "g") });
  assert.deepEqual(rows(it, "merged"), ["g 0-9", "f 0-9", "f 0-5", "h 0-5"]);
  assert.deepEqual(rows(it, "time"), ["g 0-4, g 5-10", "f 0-4, f 5-10", "f 5-10", "h 5-10"]);
  assert.deepEqual(it.active, 12);
});

test("functions: self and total time and samples, once per stack", () => {
  const it = model(RECURSION);
  const { self, total, samples } = it.functionCosts();
  const { names } = it.profile.header;
  assert.deepEqual(
    names.map((name, fn) => `${name} ${self[fn]} ${total[fn]} ${samples?.[fn]}`),
    ["main 0 12 4", "f 7 12 4", "g 0 9 2", "h 5 5 1"],
  );
});

const THREADS = `
  # main 10
  a;b 4
  c 6
  # worker 12
  a 3
  - 2
  a;b 5
`;

test("threads add up; a span of time cuts the runs of each", () => {
  assert.deepEqual(rows(model(THREADS), "merged"), ["a 0-12, c 12-18", "b 0-9"]);
  assert.deepEqual(rows(model(THREADS, { threads: [1] }), "merged"), ["a 0-8", "b 0-5"]);
  const span = (from: number, to: number) => model(THREADS, { span: { session: 0, from, to } });
  // Of main 12 to 14 of `a;b`, 14 to 18 of `c`; of the worker 12 to 15 of `a`, 17 to 18 of `a;b`.
  assert.deepEqual(rows(span(12, 18), "merged"), ["a 0-6, c 6-10", "b 0-3"]);
  assert.deepEqual(rows(span(12, 18), "time"), ["a 0-2, c 2-6", "b 0-2"]);
  assert.deepEqual(span(12, 18).functionCosts().samples, null);
  const parts = [span(0, 11), span(11, 16), span(16, 99)].map((it) => it.active);
  assert.deepEqual([parts, model(THREADS).active], [[1, 8, 9], 18]);
  const it = model(THREADS);
  assert.deepEqual(
    it.profile.header.names.map((_, fn) => it.threadsOf(fn)),
    [2, 2, 1],
  );
});

test("a search counts each stack once, whatever of it matches, and no idle time", () => {
  const share = (drawing: string, query: string) => {
    const it = model(drawing);
    const found = matcher(query);
    if (!found || !("test" in found)) return found;
    return matchedTime(it.stacks, it.times.self, matchingFunctions(it.profile.header, found.test), it.isIdle);
  };
  const queries = ["f", "g", "/^[gh]$/", "/F/", "/F/i", "main", "nothing"];
  assert.deepEqual(
    queries.map((it) => share(RECURSION, it)),
    [12, 9, 9, 0, 12, 12, 0],
  );
  assert.deepEqual([share(CALLS, "idle"), share(CALLS, "b")], [0, 7]);
  assert.deepEqual(
    [share(CALLS, ""), share(CALLS, "/(/")],
    [null, { problem: "This is no regular expression: close its brackets, or search without slashes." }],
  );
});

test("10,000 frames deep: every view, without recursion of its own", () => {
  const names = Array.from({ length: 10_000 }, (_, i) => `f${i % 50}`);
  const it = model(`# main\n${names.join(";")} 7`);
  const ends = (["merged", "inverted", "time"] as const).map((view) => {
    const drawn = rows(it, view);
    return [drawn.length, drawn[0], drawn[drawn.length - 1]];
  });
  assert.deepEqual(ends, [
    [10_000, "f0 0-7", "f49 0-7"],
    [10_000, "f49 0-7", "f0 0-7"],
    [10_000, "f0 0-7", "f49 0-7"],
  ]);
  const around = rows(it, "sandwich", "f3");
  assert.deepEqual([around.length, around.slice(0, 4)], [10_000, ["f0 0-7", "f1 0-7", "f2 0-7", "f3 0-7"]]);
});

test("300 threads add up", () => {
  const it = model(Array.from({ length: 300 }, (_, i) => `# t${i}\na;b ${i}`).join("\n"));
  assert.deepEqual(rows(it, "merged"), ["a 0-44850", "b 0-44850"]);
});
