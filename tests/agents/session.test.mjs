// Sessions of `proflens mcp`: what each tool answers, that its text says what its JSON says, and what goes wrong.

import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, readFile, writeFile, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { ask, connect, folder, program } from './client.mjs';

const trace = 'primes.cpuprofile';

test('each tool answers a question, and the next line says what to ask', async (test) => {
  const client = await connect(test, await folder(test, 'primes'));
  const { tools } = await client.listTools();
  const all = tools.map(({ name, annotations }) => `${name} ${annotations.readOnlyHint}`);
  assert.deepEqual(all, ['recordings true', 'hottest true', 'function true', 'paths true', 'ledger true', 'compare true']);
  const questions = [
    ['recordings', {}, '1. `primes.cpuprofile` '],
    ['ledger', {}, '- On functions of this workspace: 586 ms ± 35 ms (89 %, 568 samples)'],
    ['hottest', {}, '1. `isPrime` `generate.js:6` self 570 ms ± 3.9 ms (87 %, 558 samples), total 570 ms'],
    ['hottest', { what: 'lines' }, '1. `isPrime` `generate.js:8` self 492 ms ± 40 ms (75 %, 462 samples): `if (n % i === 0) {`'],
    ['hottest', { what: 'files', by: 'total' }, '1. `main.js` self 5.08 ms'],
    ['function', { name: 'isPrime' }, '- 570 ms ± 4.0 ms (87 %) `genPrimes` `generate.js:15`'],
    ['function', { file: 'generate.js', line: 20 }, '`genPrimes` `generate.js:15-24`'],
    ['paths', { name: 'genPrimes' }, '- 570 ms ± 35 ms (87 %) `isPrime` `generate.js:6`'],
    ['hottest', { trace, between: ['0ms', '100ms'] }, 'Only this part was counted'],
    ['hottest', { trace: 'recordings/self-profiling.json' }, '1. `isPrime` `generate.js:6` self'],
  ];
  const missing = [];
  for (const [tool, parameters, expected] of questions) {
    const text = await ask(client, tool, parameters);
    if (!text.includes(expected) || !/^(.*\. )?Next: /m.test(text)) {
      missing.push([tool, parameters, text]);
    }
  }
  assert.deepEqual(missing, []);
});

test('what the compiler gave up is a list', async (test) => {
  const here = await folder(test);
  const tests = new URL('../', import.meta.url);
  await cp(new URL('workspaces/deopts', tests), here, { recursive: true });
  await cp(new URL('traces/chrome-trace/deopts-node20.json.gz', tests), join(here, 'deopts-node20.json.gz'));
  const client = await connect(test, here);
  const answer = await client.callTool({ name: 'hottest', arguments: { what: 'deopts', trace: 'deopts-node20.json.gz' } });
  const rows = answer.structuredContent.rows.map(({ name, file, line, deopts }) => `${name} ${file}:${line} ${deopts}`);
  assert.deepEqual(rows, [
    'priceOf cart.js:4 V8: deoptimised 7 times: `wrong map`, line 5 and 1 more; megamorphic access of `count`, line 5 and 1 more; in another run',
    '(top level) cart.js:1 V8: never optimised; in another run',
  ]);
});

test('the text has every amount, name and place that the JSON has', async (test) => {
  const client = await connect(test, await folder(test, 'primes'));
  for (const [name, parameters] of [['hottest', {}], ['ledger', {}], ['function', { name: 'genPrimes' }], ['paths', {}]]) {
    const answer = await client.callTool({ name, arguments: { ...parameters, max_tokens: 10_000 } });
    const texts = [];
    JSON.stringify(answer.structuredContent, (key, value) => {
      if (['text', 'name', 'file', 'next', 'measured', 'label'].includes(key) && typeof value === 'string') {
        texts.push(value);
      }
      return value;
    });
    assert.ok(texts.length > 5, name);
    assert.deepEqual(texts.filter((it) => !answer.content[0].text.includes(it)), [], name);
  }
});

// Claude Code, Codex, Copilot CLI and opencode give the model the JSON, most other clients the text.
test('text and JSON fit in the tokens that they may have, and say what is left out', async (test) => {
  const client = await connect(test, await folder(test, 'primes'));
  const lengths = [];
  for (const [name, max_tokens] of [['paths', 150], ['paths', 300], ['hottest', 200], ['hottest', 10_000]]) {
    const { content, structuredContent } = await client.callTool({ name, arguments: { max_tokens } });
    const isWithin = (text) => Math.ceil(Buffer.byteLength(text) / 4) <= max_tokens;
    const [text, json] = [content[0].text, JSON.stringify(structuredContent)];
    lengths.push([isWithin(text), text.includes('Left out: '), isWithin(json), structuredContent.leftOut > 0]);
  }
  assert.deepEqual(lengths, [
    [true, true, true, true],
    [true, true, true, true],
    [true, false, true, true],
    [true, false, true, false],
  ]);
});

test('what cannot be answered gets a sentence that says what to do', async (test) => {
  const here = await folder(test, 'primes');
  await symlink('/etc/hostname', join(here, 'link.json'));
  const client = await connect(test, here, { args: ['--allow-record', 'node main.js'] });
  const outside = (path) =>
    `Error: \`${path} lies outside of the workspace, and nothing there is read. Move the file into the workspace, or let the user start proflens mcp with another --workspace.\`\n`;
  const questions = [
    ['nothing', {}, '-32602 MCP error -32602: There is no such tool. The tools are recordings, hottest, function, paths, ledger, compare, record.'],
    ['hottest', { whta: 'lines' }, 'Error: `hottest has no parameter whta. It takes between, by, callers_of, collapse, drop, focus, label, marker, max_tokens, merge, path, thread, trace, what.`\n'],
    ['hottest', { what: 'everything' }, 'Error: ``A parameter of hottest is wrong: unknown variant `everything`, expected one of `functions`, `lines`, `files`, `packages`, `rendering`, `deopts`. See the schema of its input.``\n'],
    ['function', {}, 'Error: `No function is named. Give its name, or file and line.`\n'],
    ['function', { name: 'nope' }, 'Error: `No function called nope was measured: it took less than a sample, or did not run. See the list of the hottest functions.`\n'],
    ['ledger', { trace: '/etc/hostname' }, outside('/etc/hostname')],
    ['ledger', { trace: '../none.cpuprofile' }, 'Error: `There is no file ../none.cpuprofile in the workspace. Ask recordings which there are.`\n'],
    ['ledger', { trace: 'link.json' }, outside('link.json')],
    ['ledger', { thread: ['9'] }, 'Error: `primes.cpuprofile has no thread "9". Name one of these, or its number: 1 thread 1.`\n'],
    ['ledger', { between: ['1ms', 'x'] }, `Error: \`invalid value 'x' for '--between <FROM> <TO>': "x" is no time. Write it as 1.2s, 300ms or 1.5, which are seconds, or as end.\`\n`],
    ['compare', {}, 'Error: `There is no recording of proflens record here yet. Record one before the change and one after it, or name before and after.`\n'],
    ['record', { command: 'node main.js; rm -rf /' }, 'Error: `node main.js; rm -rf / is not a command that the user allowed. These are: node main.js.`\n'],
    ['record', { command: 'node main.js', runs: 1000 }, 'Error: `1000 runs cannot be recorded. Ask for 1 to 50.`\n'],
  ];
  const answers = [];
  for (const [tool, parameters] of questions) {
    answers.push([tool, parameters, await ask(client, tool, parameters)]);
  }
  assert.deepEqual(answers, questions);
  assert.match(await ask(client, 'hottest'), /isPrime/, 'and the next question is answered');
});

test('without a recording, the answers say how to make one', async (test) => {
  const client = await connect(test, await folder(test));
  const texts = [await ask(client, 'recordings'), await ask(client, 'hottest')];
  assert.deepEqual(texts.map((text) => /proflens record/.test(text)), [true, true], texts.join('\n'));
});

test('a recording that is being written is not read as a whole one, and is read when it is', async (test) => {
  const here = await folder(test, 'primes');
  const whole = await readFile(join(here, trace), 'utf8');
  const client = await connect(test, here);
  await writeFile(join(here, 'new.cpuprofile'), whole.slice(0, whole.length / 2));
  const half = await ask(client, 'hottest', { trace: 'new.cpuprofile' });
  await writeFile(join(here, 'new.cpuprofile'), whole);
  const answers = [half, await ask(client, 'hottest', { trace: 'new.cpuprofile' })];
  assert.deepEqual(answers.map((text) => text.startsWith('Error: ')), [true, false], answers.join('\n'));
});

test('an edit between two questions moves the answer', async (test) => {
  const here = await folder(test, 'primes');
  const client = await connect(test, here);
  const first = async () => (await ask(client, 'hottest')).match(/^1\. `\w+` `[^`]+`/m)?.[0];
  const before = await first();
  const file = join(here, 'generate.js');
  await writeFile(file, `\n\n${await readFile(file, 'utf8')}`);
  assert.deepEqual([before, await first()], ['1. `isPrime` `generate.js:6`', '1. `isPrime` `generate.js:8`']);
});

test('where the time is in what the program calls, the ledger leads to who calls it', async (test) => {
  const here = await folder(test);
  await writeFile(join(here, 'main.js'), 'function trim(text) { return text.replace(/ +$/, ""); }\n');
  const url = pathToFileURL(join(here, 'main.js')).href;
  const callFrame = (functionName, url, lineNumber, columnNumber) => ({ functionName, scriptId: url ? '1' : '0', url, lineNumber, columnNumber });
  const nodes = [
    { id: 1, callFrame: callFrame('(root)', '', -1, -1), children: [2] },
    { id: 2, callFrame: callFrame('trim', url, 0, 13), children: [3] },
    { id: 3, callFrame: callFrame('RegExp:  +$', '', -1, -1) },
  ];
  const samples = Array.from({ length: 40 }, (_, number) => (number % 4 ? 3 : 2));
  const profile = { nodes, samples, timeDeltas: samples.map(() => 1000), startTime: 0, endTime: 40_000 };
  await writeFile(join(here, 'main.cpuprofile'), JSON.stringify(profile));
  const client = await connect(test, here);
  const next = (text) => text.match(/^Next: .*/m)?.[0];
  assert.deepEqual(
    [next(await ask(client, 'ledger')), (await ask(client, 'hottest', { by: 'total' })).match(/^1\. `\w+` `[^`]+`/m)?.[0]],
    ['Next: hottest with by: total, as most time is in what functions of this workspace call.', '1. `trim` `main.js:1`'],
  );
});

test('the ledger lists what a user did, the slowest first, and a marker looks at one of these', async (test) => {
  const here = await folder(test);
  const tests = new URL('../', import.meta.url);
  await cp(new URL('workspaces/interactions/orders.js', tests), join(here, 'orders.js'));
  await cp(new URL('traces/chrome-trace/interactions-chromium156.json.gz', tests), join(here, 'page.json.gz'));
  const client = await connect(test, here);
  const trace = 'page.json.gz';
  const listed = (await ask(client, 'ledger', { trace })).match(/^`marker` looks at .*/m)?.[0];
  assert.match(listed ?? '', /^`marker` looks at the time of one of these alone: `click interaction#1` \(at 562 ms, 168 ms\), `click interaction#3`/);
  const hottest = await ask(client, 'hottest', { trace, marker: ['click interaction#1'] });
  assert.match(hottest, /^1\. `busy` `orders\.js:3` self 118 ms/m);
});

test('the folder that the client has open is the workspace', async (test) => {
  const [empty, open] = [await folder(test), await folder(test, 'primes')];
  const roots = [{ uri: 'https://example.com/' }, { uri: pathToFileURL(open).href }];
  const [asked, named] = [
    await connect(test, empty, { roots }),
    await connect(test, empty, { roots, args: ['--workspace', empty] }),
  ];
  const answers = [await ask(asked, 'hottest'), await ask(named, 'hottest')];
  assert.deepEqual(answers.map((text) => text.includes('isPrime')), [true, false]);
});

test('a hundred questions at once, some of them cancelled, and a large one are answered', async (test) => {
  const client = await connect(test, await folder(test, 'primes'));
  const questions = Array.from({ length: 100 }, (_, number) => {
    const cancel = new AbortController();
    const answer = ask(client, 'hottest', { what: number % 2 ? 'lines' : 'functions' }, { signal: cancel.signal });
    if (number % 10 === 9) {
      cancel.abort('not needed');
    }
    return answer;
  });
  const answers = await Promise.all(questions);
  assert.equal(answers.filter((text) => text.includes('isPrime')).length, 90);
  const large = await ask(client, 'function', { name: 'x'.repeat(2_000_000) });
  assert.match(large, /^Error: `No function called x+/);
  assert.ok(large.length < 1_000, `${large.length} characters`);
  // The library of the server drops a line of more than 16 MB, and goes on.
  const cancel = new AbortController();
  const dropped = ask(client, 'function', { name: 'x'.repeat(17_000_000) }, { signal: cancel.signal });
  assert.match(await ask(client, 'ledger'), /^Of `primes\.cpuprofile`/);
  cancel.abort('it has no answer');
  await dropped;
});

test('a client that goes in the middle of its questions leaves no server', async (test) => {
  const server = spawn(program, ['mcp'], { cwd: await folder(test, 'primes'), stdio: ['pipe', 'pipe', 'ignore'] });
  const say = (message) => server.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  const clientInfo = { name: 'tests', version: '1' };
  say({ id: 1, method: 'initialize', params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo } });
  await once(server.stdout, 'data');
  say({ method: 'notifications/initialized' });
  for (let id = 2; id < 50; id++) {
    say({ id, method: 'tools/call', params: { name: 'hottest', arguments: {} } });
  }
  server.stdout.destroy();
  server.stdin.end('{"jsonrpc":');
  const [, signal] = await once(server, 'exit');
  assert.equal(signal, null, 'it ends by itself');
});

test('four revisions of the protocol are spoken', async (test) => {
  const cwd = await folder(test, 'primes');
  const agreed = [];
  for (const protocolVersion of ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25']) {
    const server = spawn(program, ['mcp'], { cwd, stdio: ['pipe', 'pipe', 'ignore'] });
    const params = { protocolVersion, capabilities: {}, clientInfo: { name: 'tests', version: '1' } };
    server.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params })}\n`);
    const [line] = await once(server.stdout, 'data');
    agreed.push(JSON.parse(line).result.protocolVersion);
    server.stdin.end();
    await once(server, 'exit');
  }
  assert.deepEqual(agreed, ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25']);
});

test('a command that the user allowed is recorded, and compared with what was recorded before', async (test) => {
  const here = await folder(test);
  const source = 'function work() { let sum = 0; for (let i = 0; i < 3e7; i++) sum += i % 7; return sum; }\nwork();\n';
  await writeFile(join(here, 'main.cjs'), source);
  const client = await connect(test, here, { args: ['--allow-record', 'node main.cjs'] });
  const recorded = [];
  for (let run = 0; run < 2; run++) {
    const { structuredContent } = await client.callTool({ name: 'record', arguments: { command: 'node main.cjs', runs: 3 } });
    recorded.push([structuredContent.status, structuredContent.traces.length]);
  }
  assert.deepEqual(recorded, [[0, 3], [0, 3]]);
  assert.match(await ask(client, 'hottest'), /`work` `main\.cjs:1`/);
  const { structuredContent } = await client.callTool({ name: 'compare', arguments: {} });
  assert.equal(structuredContent.functions.some(({ name, file }) => name === 'work' && file === 'main.cjs'), true);
  // Which sides these are is said; named one by one, as a list or as a text, they are the same.
  const [said, judged] = structuredContent.sentences;
  const [before, after] = said.match(/(?<=`).*?(?=`)/g).filter((name) => name.startsWith('.proflens'));
  assert.equal(said, `Compares \`${before}\`, before, with \`${after}\`, after.`);
  for (const sides of [{ before, after }, { before: [before], after: [after] }]) {
    const named = (await client.callTool({ name: 'compare', arguments: sides })).structuredContent;
    assert.deepEqual([named.claim, named.sentences[0]], [structuredContent.claim, judged]);
  }
});

test('a command is run by turns with the version of a commit, and the newest comparison is of both', async (test) => {
  const here = await folder(test);
  const source = (rounds) => `function work() { let sum = 0; for (let i = 0; i < ${rounds}; i++) sum += i % 7; return sum; }\nwork();\n`;
  const git = (...words) => execFileSync('git', ['-c', 'user.name=x', '-c', 'user.email=x@x.x', ...words], { cwd: here });
  await writeFile(join(here, 'main.cjs'), source('6e7'));
  await writeFile(join(here, '.gitignore'), '.state\n');
  git('init', '--quiet');
  git('add', '--all');
  git('commit', '--quiet', '--message', 'x');
  await writeFile(join(here, 'main.cjs'), source('3e6'));
  const client = await connect(test, here, { args: ['--allow-record', 'node main.cjs', '--setup', 'node --version > version'] });
  const { structuredContent: recorded } = await client.callTool({
    name: 'record',
    arguments: { command: 'node main.cjs', against: 'HEAD', runs: 3 },
  });
  const sides = recorded.traces.map((path) => path.split('/').at(-1));
  const compared = (await client.callTool({ name: 'compare', arguments: {} })).structuredContent;
  const [before, after] = compared.functions.find(({ name }) => name === 'work').samples;
  const list = (await client.callTool({ name: 'recordings', arguments: {} })).structuredContent.traces;
  assert.deepEqual(
    [recorded.status, sides, before > after, list.map(({ trace, runs }) => [trace.split('/').at(-1), runs])],
    [0, ['before', 'after'], true, [['after', 3], ['before', 3]]],
  );
  assert.match(await readFile(join(here, 'version'), 'utf8'), /^v\d/);
});
