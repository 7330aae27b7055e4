// The words of the status bar, the ledger and the quick picks.

import assert from "node:assert/strict";
import { test } from "node:test";
import type { Amount, Ledger, Status, TraceStatus } from "../../src/protocol";
import {
  describeLocation,
  inFull,
  recordedWhen,
  recordingName,
  renamedRecording,
  statusBarText,
  unplacedPrefixes,
} from "../../src/text";

const trace: TraceStatus = {
  uri: "file:///app/app.cpuprofile",
  name: "app.cpuprofile",
  state: "loaded",
  shown: true,
  format: "cpuprofile",
  unit: "time",
  samples: { number: 214, text: "214 samples" },
  duration: { ns: 1e9, text: "1.00 s" },
  sessions: { number: 1, text: "1 session" },
  threads: [],
  scope: null,
  markers: [],
  labels: [],
  hasLines: true,
  error: null,
};
const ns = (ns: number): Amount => ({ ns, text: `${ns} ns` });
const row = (why: string, label: string, examples: string[]) => ({ why, label, amount: ns(1), examples });
const ledger: Ledger = {
  total: ns(1000),
  base: ns(800),
  placed: { part: 0.94, text: "94 %" },
  rows: [
    row("gc", "Garbage collection", []),
    row("runtime", "Code of the runtime or a tool", ["node:fs", "node:path"]),
  ],
};
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

test("what stands beside an amount is in parentheses", () => {
  const amounts: Amount[] = [
    { ns: 48_000_000, text: "48.0 ms", beside: "4.6 %" },
    { bytes: 0, text: "0 B" },
  ];
  assert.deepEqual(amounts.map(inFull), ["48.0 ms (4.6 %)", "0 B"]);
});

test("the status bar says what is shown and how much of it is placed", () => {
  assert.equal(statusBarText(status), "$(flame) app.cpuprofile · 214 samples · 94 % placed");
  assert.equal(
    statusBarText({ ...status, enabled: false }),
    "$(flame) app.cpuprofile · 214 samples · 94 % placed · hidden",
  );
  assert.equal(statusBarText({ ...status, traces: [] }), "$(flame) No trace");
  const failed: TraceStatus = { ...trace, shown: false, state: "failed", error: "it is a heap snapshot" };
  assert.equal(statusBarText({ ...status, traces: [failed] }), "$(flame) app.cpuprofile could not be read");
});

test("the status bar names the thread where there is a choice", () => {
  const thread = (name: string, shown: boolean) => ({
    name,
    samples: { number: 2, text: "2 samples" },
    active: ns(5),
    shown,
  });
  const bar = (first: boolean, second: boolean) =>
    statusBarText({
      ...status,
      traces: [{ ...trace, threads: [thread("Main (pid 1, tid 1)", first), thread("Worker (pid 1, tid 2)", second)] }],
    });
  assert.equal(bar(true, false), "$(flame) app.cpuprofile · Main · 214 samples · 94 % placed");
  assert.equal(bar(false, true), "$(flame) app.cpuprofile · Worker · 214 samples · 94 % placed");
  assert.equal(bar(true, true), "$(flame) app.cpuprofile · 214 samples · 94 % placed");
});

test("what has to be mapped is guessed from files that are not in the workspace", () => {
  const prefixes = (...examples: string[]) =>
    unplacedPrefixes({ ...ledger, rows: [row("not-in-workspace", "Elsewhere", examples)] });
  const [root, assets] = ["http://localhost:3000/", "http://localhost:3000/assets/"];
  assert.deepEqual(prefixes(`${assets}app.js`, `${assets}other.js`, `${root}index.html`), [root, assets]);
  assert.deepEqual(prefixes("/srv/app/main.js", "C:\\app\\main.js"), ["/srv/app/", "C:\\app\\"]);
  assert.deepEqual(unplacedPrefixes(ledger), []);
});

test("a recording has the name of what was recorded, which can be changed", () => {
  const files = [
    "2026-11-24T09-30-00-npm+run+test-all.json.gz",
    "2026-11-24T09-30-00-app.js-2.json",
    "2026-11-24T09-30-00-app.js.heapprofile",
    "app.json.gz",
    "2026-11-24T09-30-00.json.gz",
  ];
  assert.deepEqual(files.map(recordingName), ["npm run test-all", "app.js", "app.js", undefined, undefined]);
  const renamed = files.map((it) => renamedRecording(it, "With a cache!"));
  assert.deepEqual(renamed, [
    "2026-11-24T09-30-00-With+a+cache.json.gz",
    "2026-11-24T09-30-00-With+a+cache-2.json",
    "2026-11-24T09-30-00-With+a+cache.heapprofile",
    undefined,
    undefined,
  ]);
  assert.equal(renamedRecording(files[0] ?? "", "/.."), undefined);
});

test("the age of a recording in words", () => {
  const at = (time: string) => recordedWhen("2026-11-24T09-30-00-app.js.json.gz", new Date(`2026-11-${time}Z`));
  const times = ["24T09:30:20", "24T09:31:00", "24T09:42:00", "24T10:35:00", "25T09:29:00", "26T00:00:00"];
  const words = ["just now", "1 minute ago", "12 minutes ago", "1 hour ago", "23 hours ago", "2026-11-24"];
  assert.deepEqual(times.map(at), words);
  assert.equal(recordedWhen("app.cpuprofile", new Date()), undefined);
});

test("a place begins with what tells it from others", () => {
  const at = (line: number) => ({ start: { line, character: 0 }, end: { line, character: 0 } });
  const places = [
    describeLocation("src\\views\\element.ts", at(13)),
    describeLocation("main.ts", at(0)),
    describeLocation("src/a.ts", null),
  ];
  assert.deepEqual(places, ["element.ts:14 · src/views", "main.ts:1", "a.ts · src"]);
});
