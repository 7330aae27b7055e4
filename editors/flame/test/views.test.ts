// What each view shows of drawn samples: which function lies where, to the tick.

import assert from "node:assert/strict";
import { test } from "node:test";
import { matchedTime, matcher, matchingFunctions } from "../src/search";
import { drawn, fnOf, modelOf, profileOf } from "./drawing";

test("merged: callees by their total, idle time apart", () => {
  const profile = profileOf("ab ac ac . d ac");
  const model = modelOf(profile);
  assert.deepEqual([model.active, model.idle], [5, 1]);
  assert.deepEqual(drawn(profile, model.layout("callTree", null, 0)), ["a 0-4, d 4-5", "c 0-3, b 3-4"]);
});

test("bottom-up: where the time is spent, and below it who called", () => {
  const profile = profileOf("ab cb cb a");
  assert.deepEqual(drawn(profile, modelOf(profile).layout("inverted", null, 0)), ["b 0-3, a 3-4", "c 0-2, a 2-3"]);
});

test("time order: neighbours share what they share; gaps and idle time stay", () => {
  const profile = profileOf("ab ab ac _ ab . ab");
  assert.deepEqual(drawn(profile, modelOf(profile).layout("time", null, 0)), [
    "a 0-3, a 4-5, (idle) 5-6, a 6-7",
    "b 0-2, c 2-3, b 4-5, b 6-7",
  ]);
});

test("sandwich: callers above, callees below, each as wide as the function; recursion counts once", () => {
  const profile = profileOf("abc abc dbc ab xbab e");
  const layout = modelOf(profile).layout("sandwich", fnOf(profile, "b"), 0);
  assert.deepEqual(drawn(profile, layout), ["a 0-3, d 3-4, x 4-5", "b 0-5", "c 0-3, a 3-4", "b 3-4"]);
});

test("a function counts once per stack", () => {
  const profile = profileOf("aaa aba b");
  const { self, total, samples } = modelOf(profile).functionCosts();
  assert.deepEqual(
    [[...self], [...total], [...(samples ?? [])]],
    [
      [2, 1],
      [2, 2],
      [2, 2],
    ],
  );
});

test("recursion is folded where a function calls itself", () => {
  const profile = profileOf("aaab aab aba");
  const model = modelOf(profile, { isFolded: true });
  assert.deepEqual(drawn(profile, model.layout("callTree", null, 0)), ["a 0-3", "b 0-3", "a 0-1"]);
});

test("a focus is what a function did and called, and shares stay those of all", () => {
  const profile = profileOf("ab cab cb d");
  const model = modelOf(profile, { focus: fnOf(profile, "a") });
  assert.equal(model.active, 4);
  assert.deepEqual(drawn(profile, model.layout("callTree", null, 0)), ["a 0-2", "b 0-2"]);
});

test("threads are added up as they are chosen", () => {
  const profile = profileOf("a a", "b a a");
  const shown = (...threads: number[]) => drawn(profile, modelOf(profile, { threads }).layout("callTree", null, 0));
  assert.deepEqual([shown(0), shown(1), shown(0, 1)], [["a 0-2"], ["a 0-2, b 2-3"], ["a 0-4, b 4-5"]]);
  assert.deepEqual(
    [fnOf(profile, "a"), fnOf(profile, "b")].map((fn) => modelOf(profile).threadsOf(fn)),
    [2, 1],
  );
});

test("a span of time cuts runs at its edges, in all views", () => {
  const profile = profileOf("ab ab ab ac . d");
  const model = modelOf(profile, { span: { session: 0, from: 1, to: 4 } });
  assert.deepEqual([model.active, model.idle], [3, 0]);
  assert.deepEqual(drawn(profile, model.layout("callTree", null, 0)), ["a 0-3", "b 0-2, c 2-3"]);
  assert.deepEqual(drawn(profile, model.layout("time", null, 0)), ["a 0-3", "b 0-2, c 2-3"]);
});

test("a search means the time of all stacks with a function that matches, once", () => {
  const profile = profileOf("ab ab cb C . aa");
  const { stacks, times, active, isIdle } = modelOf(profile);
  const share = (query: string) => {
    const found = matcher(query);
    if (!found || "problem" in found) return found?.problem ?? null;
    return matchedTime(stacks, times.self, matchingFunctions(profile.header, found.test), isIdle) / active;
  };
  assert.deepEqual(["/^a$/", "/^b$/", "react", "src/a.ts", "nobody", "idle", ""].map(share), [
    3 / 5,
    3 / 5,
    1 / 5,
    1,
    0,
    0,
    null,
  ]);
  assert.match(String(share("/(/")), /Not a regular expression/);
});

test("10,000 frames deep", () => {
  const deep = "ab".repeat(5000);
  const profile = profileOf(`${deep} ${deep}`);
  const model = modelOf(profile);
  for (const view of ["callTree", "inverted", "time"] as const) {
    assert(drawn(profile, model.layout(view, null, 0)).length > 500, view);
  }
  assert.deepEqual(Array.from(model.functionCosts().total), [2, 2]);
});
