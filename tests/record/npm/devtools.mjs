// Prints what DevTools' own trace engine reads in a recording: each thread with the self times in microseconds by the places of
// its functions, and the files whose texts are there.
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { Handlers, TraceModel, Types } from '@paulirish/trace_engine';

const { traceEvents, metadata } = JSON.parse(gunzipSync(readFileSync(process.argv[2])));
const model = TraceModel.Model.createWithAllHandlers();
await model.parse(traceEvents, { metadata, isFreshRecording: false });
const { data } = model.parsedTrace();

const nameOf = (url) => url.split('/').at(-1);
const threads = Handlers.Threads.threadsInTrace(data).map(({ name, entries, entryToNode }) => {
  const places = {};
  for (const entry of entries.filter(Types.Events.isProfileCall)) {
    const { url, lineNumber } = entry.callFrame;
    const place = `${nameOf(url)}:${lineNumber + 1}`;
    places[place] = (places[place] ?? 0) + entryToNode.get(entry).selfTime;
  }
  return { name, places };
});
const texts = data.Scripts.scripts.filter((it) => it.content).map((it) => nameOf(it.url));
console.log(JSON.stringify({ threads, texts }));
