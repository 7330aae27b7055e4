// Writes build/waves.wasm, a module with the names of its functions, and waves.wasm, the same without them, as `wasm-strip` leaves it.
import { writeFileSync } from "node:fs";

/** A number in LEB128, from -64 as it is here. */
const number = (value) => (value >= -64 && value < 64 ? [value & 127] : [(value & 127) | 128, ...number(value >> 7)]);
const size = (value) => (value < 128 ? [value] : [(value & 127) | 128, ...size(value >> 7)]);
const list = (items) => [...size(items.length), ...items.flat()];
const text = (it) => list([...Buffer.from(it)].map((byte) => [byte]));
const sized = (bytes) => [...size(bytes.length), ...bytes];
const section = (id, bytes) => [id, ...sized(bytes)];

const [I32, END] = [0x7f, 0x0b];
const type = (parameters) => [0x60, ...list(parameters.map(() => [I32])), ...list([[I32]])];
const body = (locals, code) => sized([...list(locals.map(() => [1, I32])), ...code, END]);
const local = { get: (at) => [0x20, at], set: (at) => [0x21, at], tee: (at) => [0x22, at] };
const constant = (value) => [0x41, ...number(value)];
const [CALL, MULTIPLY, ADD, XOR, REMAINDER, LESS] = [0x10, 0x6c, 0x6a, 0x73, 0x70, 0x48];

// mix(a, b) { return (a * 31 ^ b) % 1000003 }
const mix = body([], [...local.get(0), ...constant(31), MULTIPLY, ...local.get(1), XOR, ...constant(1000003), REMAINDER]);
// NAME(n) { do { sum = CALL; i = i + 1 } while (i < n); return sum }
const loop = (call) =>
  body(
    ["sum", "i"],
    [0x03, 0x40, ...local.get(1), ...call, ...local.set(1), ...local.get(2), ...constant(1), ADD, ...local.tee(2), ...local.get(0), LESS, 0x0d, 0, END, ...local.get(1)],
  );
const churn = loop([...local.get(2), CALL, 1]);
const run = loop([...constant(2000), CALL, 2, ADD]);

const module = [
  ...[0, ...Buffer.from("asm"), 1, 0, 0, 0],
  ...section(1, list([type(["a", "b"]), type(["n"])])),
  ...section(2, list([[...text("env"), ...text("tick"), 0, 1]])),
  ...section(3, list([[0], [1], [1]])),
  ...section(7, list([[...text("run"), 0, 3]])),
  ...section(10, list([mix, churn, run])),
];
const names = ["tick", "mix", "churn", "run"].map((name, at) => [at, ...text(name)]);
const nameSection = section(0, [...text("name"), ...section(0, text("waves")), ...section(1, list(names))]);
const write = (file, bytes) => writeFileSync(new URL(file, import.meta.url), Uint8Array.from(bytes));
write("build/waves.wasm", [...module, ...nameSection]);
write("waves.wasm", module);
