// The CPU profile model behind Chrome DevTools, and self and total time of each function by its own walk of frames:
// node trace_engine.mjs FILE NODE_MODULES
import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

const [file, modules] = process.argv.slice(2);
const engine = pathToFileURL(`${modules}/@paulirish/trace_engine/models/cpu_profile/cpu_profile.js`);
const { CPUProfileDataModel } = (await import(engine)).CPUProfileDataModel;
const model = new CPUProfileDataModel(JSON.parse(readFileSync(file, 'utf8')));

const costs = new Map();
const open = new Map();
const key = ({ callFrame: it }) => `${it.functionName}|${it.url}|${it.lineNumber}|${it.columnNumber}`;
model.forEachFrame(
  (_depth, node) => open.set(key(node), (open.get(key(node)) ?? 0) + 1),
  (_depth, node, _index, _start, duration, self) => {
    const left = open.get(key(node)) - 1;
    open.set(key(node), left);
    const cost = costs.get(key(node)) ?? { self: 0, total: 0 };
    cost.self += self;
    if (left === 0) cost.total += duration;
    costs.set(key(node), cost);
  },
);
console.log(costs.size);
