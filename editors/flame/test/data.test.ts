// Reading: numbers of every length, and damaged bytes, which are a sentence each.

import assert from "node:assert/strict";
import { test } from "node:test";
import { deflateRawSync } from "node:zlib";
import { Broken, parseProfile, readProfile } from "../src/data";
import { bytesOf, profileOf } from "./drawing";

test("stacks, sums and runs come back", () => {
  const profile = profileOf("ab ab . a _ _ ab");
  const { stacks } = profile;
  const names = Array.from(stacks.fn, (fn) => profile.header.names[fn]);
  assert.deepEqual(
    [names, [...stacks.caller]],
    [
      ["a", "b", "(idle)"],
      [-1, 0, -1],
    ],
  );
  const { stack, self, samples } = profile.sums(0);
  assert.deepEqual(
    [[...stack], [...self], [...samples]],
    [
      [0, 1, 2],
      [1, 3, 1],
      [1, 3, 1],
    ],
  );
  const runs = profile.runs(0);
  assert.deepEqual(
    [[...runs.stack], [...runs.at]],
    [
      [1, 2, 0, -1, 1],
      [0, 2, 3, 4, 6, 7],
    ],
  );
});

test("bytes are inflated", async () => {
  const profile = await readProfile(deflateRawSync(bytesOf(["a"])));
  assert.equal(profile.header.title, "drawing");
});

test("damaged bytes are a sentence", async () => {
  const whole = bytesOf(["ab ab . a"]);
  const changed = (change: Parameters<typeof bytesOf>[1]) => bytesOf(["ab ab . a"], change);
  const rows: [Uint8Array, RegExp][] = [
    [new Uint8Array(0), /ends in its header/],
    [whole.subarray(0, 40), /ends in its header/],
    [whole.subarray(0, whole.length - 1), /cut off/],
    [
      changed((it) => {
        it.version = 2;
      }),
      /reads version 1 of the data, not 2/,
    ],
    [
      changed((it) => {
        it.stacks.count = 1e9;
      }),
      /cut off/,
    ],
    [
      changed((it) => {
        it.functions.name[0] = 99;
      }),
      /a name that is not there/,
    ],
    [
      changed((it) => {
        it.functions.file = [];
      }),
      /lacks a file/,
    ],
    [
      changed((it) => {
        it.threads[0].sums[2] = 1e9;
      }),
      /cut off/,
    ],
  ];
  for (const [bytes, sentence] of rows) {
    const read = () => {
      const profile = parseProfile(bytes);
      profile.sums(0);
      profile.runs(0);
    };
    assert.throws(read, (error: Error) => error instanceof Broken && sentence.test(error.message), `${sentence}`);
  }
  await assert.rejects(readProfile(new Uint8Array([1, 2, 3])), Broken);
});
