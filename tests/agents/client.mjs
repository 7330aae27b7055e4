// A connection to `proflens mcp`, by the official client library, as the agents of editors and shells have it.

import assert from 'node:assert/strict';
import { mkdtemp, rm, cp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { ListRootsRequestSchema } from '@modelcontextprotocol/sdk/types.js';

export const program = process.env.PROFLENS;
const examples = new URL('../../examples/', import.meta.url);

/** A copy of a folder of `examples`, or an empty folder, which is removed after the test. */
export async function folder(test, name) {
  const path = await mkdtemp(join(tmpdir(), 'proflens-agents-'));
  test.after(() => rm(path, { recursive: true, force: true }));
  if (name) {
    await cp(new URL(name, examples), path, { recursive: true });
  }
  return path;
}

/** A client of a server in a folder, closed after the test. `roots` are the folders that it says it has open. */
export async function connect(test, cwd, { args = [], roots } = {}) {
  const env = { ...process.env, XDG_STATE_HOME: join(cwd, '.state') };
  const transport = new StdioClientTransport({ command: program, args: ['mcp', ...args], cwd, env, stderr: 'pipe' });
  // Clients show what is said there as a warning.
  let said = '';
  transport.stderr.on('data', (text) => (said += text));
  const client = new Client({ name: 'tests', version: '1' }, { capabilities: roots ? { roots: {} } : {} });
  if (roots) {
    client.setRequestHandler(ListRootsRequestSchema, () => ({ roots }));
  }
  await client.connect(transport);
  test.after(async () => {
    await client.close();
    assert.equal(said, '');
  });
  // From now on, the library checks the structured content of each answer against the schema of its tool.
  await client.listTools();
  return client;
}

/** The text of an answer; a failure begins with `Error: `, one of the protocol with its code. */
export async function ask(client, name, parameters = {}, options = {}) {
  try {
    const { content } = await client.callTool({ name, arguments: parameters }, undefined, options);
    return content.map((part) => part.text).join('');
  } catch (error) {
    return `${error.code ?? ''} ${error.message}`;
  }
}
