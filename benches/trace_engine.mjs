// The model behind Chrome DevTools' Performance panel, and self and total time of each function by its own walk of
// frames; of a trace, those of the thread with the most samples: node trace_engine.mjs FILE NODE_MODULES
import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

const [file, modules] = process.argv.slice(2);
const engine = (path) => import(pathToFileURL(`${modules}/@paulirish/trace_engine/models/${path}`));
const data = JSON.parse(readFileSync(file, 'utf8'));
const model = data.traceEvents ? await ofTrace(data) : await ofProfile(data);

async function ofProfile(profile) {
  const { CPUProfileDataModel } = (await engine('cpu_profile/cpu_profile.js')).CPUProfileDataModel;
  return new CPUProfileDataModel(profile);
}

async function ofTrace(trace) {
  globalThis.DOMRect ??= class {}; // the engine names it while it loads
  const { Handlers, TraceModel } = await engine('trace/trace.js');
  const model = TraceModel.Model.createWithSubsetOfHandlers({ Samples: Handlers.ModelHandlers.Samples });
  await model.parse(trace.traceEvents, {});
  const processes = [...model.parsedTrace().data.Samples.profilesInProcess.values()];
  const profiles = processes.flatMap((threads) => [...threads.values()]);
  profiles.sort((a, b) => b.rawProfile.samples.length - a.rawProfile.samples.length);
  return profiles[0].parsedProfile;
}

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
