// A connection to `proflens mcp`, as an agent has it, without a library that takes time of its own.

import { spawn } from "node:child_process";
import { createInterface } from "node:readline";

/** Starts a server in a workspace. `ask` resolves to what a tool answers; a failure of the tool is an error. */
export async function connect(proflens, workspace) {
  const server = spawn(proflens, ["mcp"], { cwd: workspace, stdio: ["pipe", "pipe", "inherit"] });
  const lines = createInterface({ input: server.stdout })[Symbol.asyncIterator]();
  let id = 0;
  const send = (message) => server.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  const request = async (method, params) => {
    send({ id: ++id, method, params });
    for (;;) {
      const { value, done } = await lines.next();
      if (done) throw new Error(`${proflens} mcp ended before it answered ${method}`);
      const answer = JSON.parse(value);
      if (answer.id === id) return answer.result;
    }
  };
  await request("initialize", { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "bench", version: "1" } });
  send({ method: "notifications/initialized" });
  const ask = async (name, parameters = {}) => {
    const answer = await request("tools/call", { name, arguments: parameters });
    if (answer.isError) throw new Error(answer.content[0].text);
    return answer;
  };
  return { pid: server.pid, ask, close: () => server.stdin.end() };
}
