// What is read is what was written; what is damaged gets a sentence and never a wrong picture.

import assert from "node:assert/strict";
import { test } from "node:test";
import { deflateRawSync } from "node:zlib";
import { parseProfile, readProfile } from "../src/data";
import { bytesOf, profileOf } from "./fixture";

test("stacks, sums and runs are read as they were written", async () => {
  const profile = await readProfile(
    deflateRawSync(
      bytesOf(`
        # main 5
        a 2
        a;b 3
        - 4
        a 9007199254740
        # worker
        c 1
      `),
    ),
  );
  assert.deepEqual(profile.header.names, ["a", "b", "c"]);
  const { caller, fn } = profile.stacks;
  assert.deepEqual(
    [...caller].map((it, i) => [it, fn[i]]),
    [
      [-1, 0],
      [0, 1],
      [-1, 2],
    ],
  );
  const { stack, self, samples } = profile.sums(0);
  assert.deepEqual(
    [[...stack], [...self], [...samples]],
    [
      [0, 1],
      [9007199254742, 3],
      [2, 1],
    ],
  );
  const runs = profile.runs(0);
  assert.deepEqual(
    [[...runs.stack], [...runs.at]],
    [
      [0, 1, -1, 0],
      [0, 2, 5, 9, 9007199254749],
    ],
  );
  assert.deepEqual([...profile.runs(1).stack], [2]);
});

test("a profile without samples is read", () => {
  const profile = profileOf("# main");
  assert.deepEqual([profile.stacks.count, profile.sums(0).stack.length, [...profile.runs(0).at]], [0, 0, [0]]);
});

test("damaged data are a sentence", async () => {
  const problem = (run: () => unknown) => {
    try {
      run();
    } catch (error) {
      return (error as Error).message;
    }
    return "read";
  };
  const again = "write it again with proflens flame.";
  const drawing = "# main\na;b 3";
  const changed = (change: Parameters<typeof bytesOf>[1]) => problem(() => profileOf(drawing, change).sums(0));
  const cutOff = bytesOf(drawing).slice(0, -1);
  const list = [
    problem(() => parseProfile(new Uint8Array(3))),
    problem(() => parseProfile(Uint8Array.of(255, 255, 255, 255, 1))),
    problem(() => parseProfile(Uint8Array.of(1, 0, 0, 0, 123))),
    problem(() => parseProfile(cutOff)),
    changed((it) => Object.assign(it, { version: "2" })),
    changed((it) => Object.assign(it, { threads: null })),
    changed((it) => Object.assign(it.functions, { line: [1] })),
    changed((it) => Object.assign(it.functions, { name: [0, 7] })),
    changed((it) => Object.assign(it.stacks, { count: 1e9 })),
    changed((it) => Object.assign(it.threads[0], { sums: [0, 3, 1e9] })),
    changed((it) => Object.assign(it.stacks, { at: 0, length: 5 })),
  ];
  const damaged = (what: string) => `The data of this flame graph is damaged, ${what}: ${again}`;
  assert.deepEqual(list, [
    damaged("it ends in its header"),
    damaged("it ends in its header"),
    damaged("its header is no JSON"),
    damaged("one of its lists is cut off"),
    "This page reads version 1 of the data, not 2: update Proflens.",
    damaged("its header lacks a part"),
    damaged("its header lacks a line"),
    damaged("it names a name that is not there"),
    damaged("one of its lists is cut off"),
    damaged("one of its lists is cut off"),
    damaged("a stack has a caller that is not there"),
  ]);
  await assert.rejects(readProfile(deflateRawSync(bytesOf(drawing)).subarray(0, 20)), {
    message: `The data of this flame graph is cut off or damaged: ${again}`,
  });
});
