// What a comparison shows of drawn samples: widths of either side, what changed in each frame and function, and its colours.

import assert from "node:assert/strict";
import { test } from "node:test";
import { contrast, paletteOf, parseColor, THEMES } from "../src/colors";
import { Broken, parseProfile } from "../src/data";
import { changeText, markOf, type Pair, STEP_TEXTS, stepOf } from "../src/difference";
import { Texts } from "../src/info";
import type { Layout } from "../src/layout";
import { svg } from "../src/picture";
import { shareText, statusText } from "../src/status";
import { type Column, sorted } from "../src/table";
import { bytesOf, comparisonOf, drawn, fnOf, modelOf } from "./drawing";

const BEFORE = "ab ab ab ab ac ac d d e .";
const AFTER = "ab ab ab ab ab ab ab ab ac ad f f . .";
const profile = comparisonOf(BEFORE, AFTER);
const both = [modelOf(profile, { side: "before" }), modelOf(profile)] as const;

/** Each frame of a layout with what it was before and what it is after, row by row. */
function changes(layout: Layout | null): string[] {
  assert.ok(layout?.frames.sides);
  const { rows, frames, steps } = layout;
  const [before, after] = layout.frames.sides;
  const name = (frame: number) => profile.header.names[frames.fn[frame]];
  return rows.map((row) =>
    [...row.frame]
      .map((it) => `${name(it)} ${before.total[it]}→${after.total[it]} ${markOf(steps?.[it] ?? 4)}`.trim())
      .join(", "),
  );
}

test("widths are those of one side, and each frame knows both: gone is seen before, new after", () => {
  const [before, after] = both.map((it) => it.layout("callTree", null, 0));
  assert.deepEqual(drawn(profile, before), ["a 0-6, d 6-8, e 8-9", "b 0-4, c 4-6"]);
  assert.deepEqual(drawn(profile, after), ["a 0-10, f 10-12", "b 0-8, c 8-9, d 9-10"]);
  assert.deepEqual(changes(before), ["a 6→10 ▲, d 2→0 ▼, e 1→0 ▼", "b 4→8 ▲, c 2→1 ▼"]);
  assert.deepEqual(changes(after), ["a 6→10 ▲, f 0→2 ▲", "b 4→8 ▲, c 2→1 ▼, d 0→1 ▲"]);
  assert.deepEqual(both[0].actives, [9, 12]);
});

test("differences of the frames of each depth, and of what ends above, add up to that of all", () => {
  for (const view of ["callTree", "inverted"] as const) {
    for (const model of both) {
      const layout = model.layout(view, null, 0);
      assert.ok(layout?.frames.sides);
      const { parent, count, sides } = { ...layout.frames, sides: layout.frames.sides };
      const isIdle = (frame: number) => model.isIdle(layout.frames.fn[frame]);
      for (const [at, side] of sides.entries()) {
        const children = new Float64Array(count);
        let outermost = 0;
        for (let it = 0; it < count; it++) {
          if (parent[it] >= 0) children[parent[it]] += side.total[it];
          else if (!isIdle(it)) outermost += side.total[it];
        }
        assert.equal(outermost, model.actives?.[at], view);
        assert.deepEqual(
          side.total.map((it, i) => it - side.self[i]),
          children,
          view,
        );
      }
    }
  }
});

test("bottom-up and sandwich compare too", () => {
  assert.deepEqual(changes(both[1].layout("inverted", null, 0)), [
    "b 4→8 ▲, f 0→2 ▲, c 2→1 ▼, d 2→1 ▼",
    "a 4→8 ▲, a 2→1 ▼, a 0→1 ▲",
  ]);
  assert.deepEqual(changes(both[1].layout("sandwich", fnOf(profile, "d"), 0)), ["a 0→1 ▲", "d 2→1 ▼"]);
  assert.deepEqual(changes(both[0].layout("sandwich", fnOf(profile, "d"), 0)), ["d 2→1 ▼"]);
  assert.deepEqual(drawn(profile, both[1].layout("sandwich", fnOf(profile, "e"), 0)), []);
});

test("a focus and folded recursion change both sides", () => {
  const model = modelOf(comparisonOf("aab ab c", "aab aab c"), { isFolded: true });
  const focused = modelOf(profile, { focus: fnOf(profile, "d") });
  assert.deepEqual(changes(focused.layout("callTree", null, 0)), ["d 2→1 ▼"]);
  assert.deepEqual(focused.actives, [9, 12]);
  const layout = model.layout("callTree", null, 0);
  assert.deepEqual(
    layout?.frames.sides?.map((it) => [...it.total]),
    [
      [2, 2, 1],
      [2, 2, 1],
    ],
  );
});

test("steps: from gone to new by the ratio of both; what may be chance is about the same", () => {
  const step = (...[before, after]: Pair<number>) => STEP_TEXTS[stepOf([before, after], [before * 100, after * 100])];
  const rows: [number, number, string, string][] = [
    [1000, 0, "▼ gone", "gone"],
    [1000, 500, "▼ −50 %", "−50 %"],
    [1000, 800, "▼ −20 %", "−20 %"],
    [1000, 950, "▼ −5 %", "−5 %"],
    [1000, 960, "same", "−4 %"],
    [1000, 1000, "same", "0 %"],
    [1000, 1040, "same", "+4 %"],
    [1000, 1050, "▲ +5 %", "+5 %"],
    [1000, 1250, "▲ +25 %", "+25 %"],
    [1000, 2000, "▲ ×2", "×2.0"],
    [0, 1000, "▲ new", "new"],
    [0, 0, "same", "0 %"],
    [1, 12_345, "▲ ×2", "×12,345"],
  ];
  for (const [before, after, text, words] of rows) {
    assert.deepEqual([step(before, after), changeText([before, after])], [text, words], `${before} ${after}`);
  }
  const chance = (before: number, after: number) => stepOf([before, after], [before, after]) - 4;
  assert.deepEqual([chance(0, 3), chance(0, 4), chance(10, 14), chance(10, 30), chance(4, 0)], [0, 4, 0, 3, -4]);
});

test("the table is sorted by before, after and difference, and has what is gone", () => {
  const model = both[1];
  const fns = [..."abcdef"].map((it) => fnOf(profile, it));
  const by = (column: Column, isDescending: boolean) =>
    sorted(model, new Texts(profile), [...fns], { column, isDescending })
      .map((it) => profile.header.names[it])
      .join("");
  assert.deepEqual(
    [by("selfDifference", true), by("selfDifference", false), by("totalDifference", true), by("totalBefore", true)],
    ["bfacde", "cdeafb", "bafcde", "abcdef"],
  );
  const { sides } = model.functionCosts();
  const costs = sides?.map((it) => fns.map((fn) => [it.self[fn], it.total[fn]].join("/")).join(" "));
  assert.deepEqual(costs, ["0/6 4/4 2/2 2/2 1/1 0/0", "0/10 8/8 1/1 1/1 0/0 2/2"]);
});

test("a frame says before, after, difference and percent", () => {
  const texts = new Texts(profile);
  const rowsOf = (side: 0 | 1, row: number, index: number) => {
    const layout = both[side].layout("callTree", null, 0);
    assert.ok(layout);
    return texts.info(both[side], layout, "callTree", { row, index }).rows.slice(0, -2);
  };
  assert.deepEqual(rowsOf(1, 0, 0), [
    ["Total", "6.00 ms before, 10.0 ms after, +4.00 ms (+67 %)"],
    ["Self", "0 ms before, 0 ms after, 0 ms (0 %)"],
    ["Samples", "6,000 before, 10,000 after"],
  ]);
  assert.deepEqual(rowsOf(0, 0, 2).at(-1), ["Difference", "gone: not seen after"]);
  assert.deepEqual(rowsOf(1, 0, 1).at(-1), ["Difference", "new: not seen before"]);
  assert.deepEqual(rowsOf(1, 1, 2).at(-1), ["On all paths", "2.00 ms before, 1.00 ms after, −1.00 ms (−50 %)"]);
});

test("status and search say both sides", () => {
  const shown = {
    profile,
    texts: new Texts(profile),
    model: both[0],
    view: "callTree",
    sandwichOf: null,
    timeThread: 0,
  } as const;
  assert.equal(statusText(shown), "9.00 ms active before, 12.0 ms after (+33 %) · frames show before");
  const matches = Uint8Array.from(profile.header.names, (it) => Number(it === "a"));
  assert.equal(shareText(shown, "a", matches), "67 % before, 83 % after of the time matches");
});

test("a picture has the colours and the signs", () => {
  const layout = both[1].layout("callTree", null, 0);
  assert.ok(layout);
  const palette = paletteOf(THEMES.light, profile.header.categories);
  const picture = {
    layout,
    palette,
    swatches: new Uint8Array(profile.header.names.length),
    nameOf: (fn: number) => profile.header.names[fn],
    from: 0,
    to: layout.length,
    top: 0,
    rowHeight: 18,
    fontSize: 12,
    fontFamily: "monospace",
    matches: null,
    cursor: null,
  };
  const text = svg(picture, "drawing", () => "");
  const frames = [...text.matchAll(/fill="([^"]+)"\/>\n<text[^>]*>([^<]*)</g)].map((it) => `${it[2]} ${it[1]}`);
  assert.deepEqual(frames.slice(1), [
    `▲ a  +67 % ${palette.differences.fills[6]}`,
    `▲ f  new ${palette.differences.fills[8]}`,
    `▲ b  ×2.0 ${palette.differences.fills[7]}`,
    `▼ c  −50 % ${palette.differences.fills[1]}`,
    `▲ d  new ${palette.differences.fills[8]}`,
  ]);
});

/**
 * How colours look without one kind of cones, on linear light: without those for red or green after Viénot, Brettel and Mollon (1999),
 * without those for blue after Machado, Oliveira and Fernandes (2009). With it what is left to tell hues by, which is more the bluer
 * something is.
 */
const LESS: Record<string, { matrix: number[][]; blueness: (rgb: number[]) => number }> = {
  protanopia: {
    matrix: [
      [0.11238, 0.88762, 0],
      [0.11238, 0.88762, 0],
      [0.00401, -0.00401, 1],
    ],
    blueness: ([, green, blue]) => blue / (green + blue),
  },
  deuteranopia: {
    matrix: [
      [0.29275, 0.70725, 0],
      [0.29275, 0.70725, 0],
      [-0.02234, 0.02234, 1],
    ],
    blueness: ([, green, blue]) => blue / (green + blue),
  },
  tritanopia: {
    matrix: [
      [1.255528, -0.076749, -0.178779],
      [-0.078411, 0.930809, 0.147602],
      [0.004733, 0.691367, 0.3039],
    ],
    blueness: ([red, green]) => green / (Math.max(0, red) + green),
  },
};

test("the scale is told apart with any colour vision: its sides by their hue, its steps by their lightness", () => {
  const linear = (it: number) => (it <= 10.31475 ? it / 3294.6 : ((it / 255 + 0.055) / 1.055) ** 2.4);
  for (const theme of Object.values(THEMES)) {
    const { differences } = paletteOf(theme, []);
    const rgb = [...differences.fills].map((it) => parseColor(it) ?? [0, 0, 0]);
    const fromBackground = rgb.map((it) => contrast(it as [number, number, number], theme.background));
    // Each step stands out more than the one nearer to the middle, on both sides.
    for (const side of [fromBackground.slice(0, 5).reverse(), fromBackground.slice(4)]) {
      side.slice(1).forEach((it, i) => {
        assert(it > side[i] * (i === 0 ? 0.95 : 1.2), `${theme.name}: ${side}`);
      });
    }
    differences.fills.forEach((fill, i) => {
      for (const { fills, texts } of [differences, differences.dim]) {
        const [a, b] = [parseColor(fills[i]), parseColor(texts[i])];
        assert(a && b && contrast(a, b) >= 4.5, `${theme.name} ${fill}`);
      }
    });
    for (const [vision, { matrix, blueness }] of Object.entries(LESS)) {
      const seen = rgb.map((it) => matrix.map((row) => row.reduce((sum, part, i) => sum + part * linear(it[i]), 0)));
      for (let size = 1; size <= 4; size++) {
        const [less, same, more] = [4 - size, 4, 4 + size].map((it) => blueness(seen[it]));
        assert(less > same + 0.04 && more < same - 0.04, `${theme.name}, ${vision}: ${[less, same, more]}`);
      }
    }
  }
});

test("a damaged comparison is a sentence", () => {
  const rows: Parameters<typeof bytesOf>[1][] = [
    (it) => {
      delete it.threads[0].before;
    },
    (it) => {
      if (it.comparison) it.comparison.titles = [] as unknown as Pair<string>;
    },
  ];
  for (const change of rows) {
    assert.throws(
      () => parseProfile(bytesOf(["a"], change, ["b"])),
      (error: Error) => error instanceof Broken && /lacks a side/.test(error.message),
    );
  }
});
