// Prints the style and layout that scripts of a page forced, as DevTools' own trace engine has them: by the line and column that asked for
// it, how often layout was computed, how long that took in microseconds, and the same of style. DevTools takes for forced what lies in an
// event that runs JavaScript (`WarningsHandler.ts`); what has the stack of a script is added, which lies in none where recording ended
// before the script did.
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { TraceModel, Types } from '@paulirish/trace_engine';

const { traceEvents, metadata } = JSON.parse(gunzipSync(readFileSync(process.argv[2])));
const model = TraceModel.Model.createWithAllHandlers();
await model.parse(traceEvents, { metadata, isFreshRecording: false });
const { data } = model.parsedTrace();
const { entryToNode, processes } = data.Renderer;

function runsInScript(entry) {
  for (let node = entryToNode.get(entry)?.parent; node; node = node.parent) {
    if (Types.Events.isJSInvocationEvent(node.entry)) return true;
  }
  return false;
}

const sites = new Map();
for (const pid of data.Meta.topLevelRendererIds) {
  const main = [...processes.get(pid).threads.values()].find(({ name }) => name === 'CrRendererMain');
  for (const entry of main.entries) {
    const isLayout = Types.Events.isLayout(entry);
    if (!isLayout && !Types.Events.isRecalcStyle(entry)) continue;
    const frame = entry.args.beginData?.stackTrace?.[0];
    if (!frame && !runsInScript(entry)) continue;
    const key = frame ? `${frame.url.split('/').pop()}:${frame.lineNumber}:${frame.columnNumber}` : 'nowhere';
    if (!sites.has(key)) sites.set(key, [0, 0, 0, 0]);
    const site = sites.get(key);
    const at = isLayout ? 0 : 2;
    site[at] += 1;
    site[at + 1] += entry.dur ?? 0;
  }
}
console.log(JSON.stringify([...sites]));
