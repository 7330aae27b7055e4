// Each tool of `proflens mcp` is asked by the command line of the protocol's own inspector, which starts a server for each question. 0.15.0 is its
// newest version that runs on Node 20.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const inspector = fileURLToPath(new URL('node_modules/.bin/mcp-inspector', import.meta.url));
const primes = new URL('../../examples/primes', import.meta.url);
const COMMAND = 'node main.cjs';
const QUESTIONS = [
  ['recordings', {}, '1. `primes.cpuprofile`'],
  ['ledger', {}, '- On functions of this workspace: 586 ms'],
  ['hottest', {}, '1. `isPrime` `generate.js:6`'],
  ['function', { name: 'isPrime' }, '`isPrime` `generate.js:6-13`'],
  ['paths', { name: 'genPrimes' }, '`isPrime` `generate.js:6`'],
  ['compare', { before: '["primes.cpuprofile"]', after: '["recordings/self-profiling.json"]' }, 'maybe faster'],
  ['record', { command: COMMAND }, 'Recorded `node main.cjs`'],
];

test('each tool is listed and answers', async (test) => {
  const cwd = await mkdtemp(join(tmpdir(), 'proflens-inspector-'));
  test.after(() => rm(cwd, { recursive: true, force: true }));
  await cp(primes, cwd, { recursive: true });
  await writeFile(join(cwd, 'main.cjs'), 'let sum = 0; for (let i = 0; i < 3e7; i++) sum += i % 7;\n');
  const env = { ...process.env, XDG_STATE_HOME: join(cwd, '.state') };
  const inspect = (...words) => {
    const server = [process.env.PROFLENS, 'mcp', '--allow-record', COMMAND];
    return JSON.parse(execFileSync(inspector, ['--cli', ...server, '--method', ...words], { cwd, env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] }));
  };
  const { tools } = inspect('tools/list');
  assert.deepEqual(tools.map((tool) => tool.name).toSorted(), QUESTIONS.map(([name]) => name).toSorted());
  const missing = [];
  for (const [name, parameters, expected] of QUESTIONS) {
    const words = Object.entries(parameters).flatMap(([key, value]) => ['--tool-arg', `${key}=${value}`]);
    const answer = inspect('tools/call', '--tool-name', name, ...words);
    const text = answer.content.map((part) => part.text).join('');
    if (answer.isError || !text.includes(expected)) missing.push([name, text]);
  }
  assert.deepEqual(missing, []);
});
