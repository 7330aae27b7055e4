// The words of the status bar, the ledger and the quick picks.

import assert from "node:assert/strict";
import { test } from "node:test";
import type { Amount, Ledger, Status, TraceStatus, Unplaced } from "../../src/protocol";
import { amount, ledgerRows, percent, samples, size, statusBarText, time, unplacedPrefix } from "../../src/text";

const trace: TraceStatus = {
  uri: "file:///app/app.cpuprofile",
  name: "app.cpuprofile",
  state: "loaded",
  shown: true,
  format: "cpuprofile",
  unit: "time",
  samples: 214,
  durationNs: 1e9,
  sessions: 1,
  threads: [],
  scope: null,
  markers: [],
  hasLines: true,
  error: null,
};
const unplaced = (why: string, reason: string, amount: Amount, samples: number, examples: string[]): Unplaced => ({
  why,
  reason,
  amount,
  samples,
  examples,
});
/** The ledger of a trace of time or of bytes. */
const ledgerOf = (of: (value: number) => Amount): Ledger => ({
  total: of(1000),
  base: of(800),
  placed: of(752),
  generated: of(152),
  idle: of(200),
  noStack: of(0),
  unplaced: [
    unplaced("gc", "Garbage collection", of(8), 1, []),
    unplaced("runtime", "Code of the runtime or a tool", of(40), 4, ["node:fs", "node:path"]),
  ],
});
const ns = (ns: number): Amount => ({ ns });
const bytes = (bytes: number): Amount => ({ bytes });
const ledger = ledgerOf(ns);
const status: Status = {
  enabled: true,
  unit: "time",
  base: "active",
  traces: [trace],
  recording: 1,
  ledger,
  lostMaps: [],
  problems: [],
  comparison: null,
};

test("times have three significant digits and the fitting unit, as the server's", () => {
  const cases: [number, string][] = [
    [0, "0 ms"],
    [7, "7.00 ns"],
    [812_345, "812 µs"],
    [999_600, "1.00 ms"],
    [12_345_678, "12.3 ms"],
    [48_000_000, "48.0 ms"],
    [99_960_000, "100 ms"],
    [1_239_999_999, "1.24 s"],
    [1_002_000_000_000, "16.7 m"],
    [120_120_000_000_000, "33.4 h"],
    [9_999_000_000_000_000, "116 d"],
  ];
  assert.deepEqual(
    cases.map(([ns]) => time(ns)),
    cases.map(([, text]) => text),
  );
});

test("sizes are those of the server, too", () => {
  const cases: [number, string][] = [
    [0, "0 B"],
    [999, "999 B"],
    [1_000, "1.00 kB"],
    [12_345, "12.3 kB"],
    [999_600, "1.00 MB"],
    [1_239_999_999, "1.24 GB"],
  ];
  assert.deepEqual(
    cases.map(([bytes]) => size(bytes)),
    cases.map(([, text]) => text),
  );
});

test("an amount says its unit", () => {
  assert.deepEqual([ns(48_000_000), bytes(48_000_000), bytes(0)].map(amount), ["48.0 ms", "48.0 MB", "0 B"]);
  const inBytes = ledgerOf(bytes);
  assert.deepEqual(
    ledgerRows(inBytes).map((it) => it.text),
    ["600 B", "200 B", "152 B", "40 B", "8 B"],
  );
  assert.equal(statusBarText({ ...status, ledger: inBytes }), statusBarText(status));
});

test("shares have two significant digits", () => {
  const shares = [0, 0.00001, 0.00052, 0.0461, 0.18, 0.997, 1];
  assert.deepEqual(shares.map(percent), ["0 %", "<0.01 %", "0.052 %", "4.6 %", "18 %", "100 %", "100 %"]);
});

test("counts agree with their noun", () => {
  assert.deepEqual([samples(1), samples(12_345)], ["1 sample", "12,345 samples"]);
});

test("the status bar says what is shown and how much of it is placed", () => {
  assert.equal(statusBarText(status), "$(flame) app.cpuprofile · 214 samples · 94 % placed");
  assert.equal(
    statusBarText({ ...status, enabled: false }),
    "$(flame) app.cpuprofile · 214 samples · 94 % placed · hidden",
  );
  const scoped = { ...status, traces: status.traces.map((it) => ({ ...it, scope: "below parse" })) };
  assert.equal(statusBarText(scoped), "$(flame) app.cpuprofile · below parse · 214 samples · 94 % placed");
  assert.equal(statusBarText({ ...status, traces: [] }), "$(flame) No trace");
  const failed: TraceStatus = { ...trace, shown: false, state: "failed", error: "it is a heap snapshot" };
  assert.equal(statusBarText({ ...status, traces: [failed] }), "$(flame) app.cpuprofile could not be read");
});

test("the status bar names the thread where there is a choice", () => {
  const thread = (name: string, shown: boolean) => ({ name, samples: 2, active: ns(5), shown });
  const bar = (first: boolean, second: boolean) =>
    statusBarText({
      ...status,
      traces: [{ ...trace, threads: [thread("Main (pid 1, tid 1)", first), thread("Worker (pid 1, tid 2)", second)] }],
    });
  assert.equal(bar(true, false), "$(flame) app.cpuprofile · Main · 214 samples · 94 % placed");
  assert.equal(bar(false, true), "$(flame) app.cpuprofile · Worker · 214 samples · 94 % placed");
  assert.equal(bar(true, true), "$(flame) app.cpuprofile · 214 samples · 94 % placed");
});

test("almost all is not all, and almost nothing is not nothing", () => {
  const placed = (value: number) =>
    statusBarText({ ...status, ledger: { ...ledger, base: ns(1000), placed: ns(value) } });
  assert.match(placed(999), />99 % placed$/);
  assert.match(placed(1), /<1 % placed$/);
  assert.match(placed(1000), / 100 % placed$/);
  assert.match(placed(0), / 0 % placed$/);
});

test("the ledger's rows add up to the whole, the largest first", () => {
  const rows = ledgerRows(ledger);
  assert.deepEqual(
    rows.map((it) => [it.label, it.amount, it.share]),
    [
      ["On functions of this workspace", 600, 0.6],
      ["Idle", 200, 0.2],
      ["On generated lines, whose source map is missing", 152, 0.152],
      ["Code of the runtime or a tool", 40, 0.04],
      ["Garbage collection", 8, 0.008],
    ],
  );
  assert.deepEqual(rows[3]?.examples, ["node:fs", "node:path"]);
});

test("what has to be mapped is guessed from a file that is not in the workspace", () => {
  const prefix = (example: string) =>
    unplacedPrefix({ ...ledger, unplaced: [unplaced("not-in-workspace", "Elsewhere", ns(1), 1, [example])] });
  assert.equal(prefix("http://localhost:3000/assets/app.js"), "http://localhost:3000/");
  assert.equal(prefix("/srv/app/main.js"), "/srv/app/");
  assert.equal(prefix("C:\\app\\main.js"), "C:\\app\\");
  assert.equal(unplacedPrefix(ledger), undefined);
});
