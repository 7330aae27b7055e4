// cpuprofile-to-flamegraph's merged graph: node flamegraph.mjs FILE NODE_MODULES
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const [file, modules] = process.argv.slice(2);
const { convertToMergedFlameGraph } = createRequire(`${modules}/`)('cpuprofile-to-flamegraph');
convertToMergedFlameGraph(JSON.parse(readFileSync(file, 'utf8')));
