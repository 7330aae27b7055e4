// Which servers the agents of VS Code are offered.

import assert from "node:assert/strict";
import { test } from "node:test";
import { type AgentApi, type Definition, offerToAgents } from "../../src/agents";

/** A VS Code that knows servers of extensions, and what it was offered. */
function newVsCode(): { api: AgentApi; offered: () => Definition[] } {
  let provide: (() => Definition[]) | undefined;
  class McpStdioServerDefinition {
    constructor(
      readonly label: string,
      readonly command: string,
      readonly args: string[],
    ) {}
  }
  const registerMcpServerDefinitionProvider = (
    id: string,
    provider: { provideMcpServerDefinitions(): Definition[] },
  ) => {
    assert.equal(id, "proflens");
    provide = () => provider.provideMcpServerDefinitions();
    return { dispose: () => {} };
  };
  const api = { McpStdioServerDefinition, lm: { registerMcpServerDefinitionProvider } };
  return { api, offered: () => (provide?.() ?? []).map((it) => ({ ...it })) };
}

const app = { name: "app", path: "/home/me/app" };
const lib = { name: "lib", path: "C:\\me\\lib" };
const program = () => "/bin/proflens";

test("each folder has a server", () => {
  const rows = [[], [app], [app, lib]].map((folders) => {
    const { api, offered } = newVsCode();
    offerToAgents(api, () => folders, program);
    return offered();
  });
  const command = "/bin/proflens";
  assert.deepEqual(rows, [
    [],
    [{ label: "Proflens", command, args: ["mcp", "--workspace", "/home/me/app"] }],
    [
      { label: "Proflens (app)", command, args: ["mcp", "--workspace", "/home/me/app"] },
      { label: "Proflens (lib)", command, args: ["mcp", "--workspace", "C:\\me\\lib"] },
    ],
  ]);
});

test("without a program there is no server, and in an older VS Code nothing happens", () => {
  const { api, offered } = newVsCode();
  offerToAgents(
    api,
    () => [app],
    () => {
      throw new Error("there is none");
    },
  );
  assert.deepEqual(offered(), []);
  for (const old of [{}, { lm: {} }]) offerToAgents(old, () => [app], program).dispose();
});
