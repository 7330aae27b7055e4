// Offers `proflens mcp` to the agents of VS Code, which know servers that extensions define since version 1.101, and asks them.

/** A server that is started as a program. */
export type Definition = { label: string; command: string; args: string[] };

/** The part of VS Code's API that it needs, which older versions lack, and the types of the oldest that is supported. */
export type AgentApi = {
  McpStdioServerDefinition?: new (label: string, command: string, args: string[]) => Definition;
  lm?: {
    registerMcpServerDefinitionProvider?(
      id: string,
      provider: { provideMcpServerDefinitions(): Definition[] },
    ): { dispose(): void };
  };
};

/** A folder of the workspace. */
export type Folder = { name: string; path: string };

/**
 * Offers one server for each folder of the workspace. `program` throws if there is none, which the status bar says; then there are no
 * servers. Does nothing in a VS Code that knows no such servers.
 */
export function offerToAgents(api: AgentApi, folders: () => Folder[], program: () => string): { dispose(): void } {
  const { McpStdioServerDefinition: Server, lm } = api;
  if (!Server || !lm?.registerMcpServerDefinitionProvider) return { dispose: () => {} };
  return lm.registerMcpServerDefinitionProvider("proflens", {
    provideMcpServerDefinitions: () => {
      const open = folders();
      const command = programOrNothing(program);
      if (command === undefined) return [];
      const label = ({ name }: Folder) => (open.length > 1 ? `Proflens (${name})` : "Proflens");
      return open.map((folder) => new Server(label(folder), command, ["mcp", "--workspace", folder.path]));
    },
  });
}

function programOrNothing(program: () => string): string | undefined {
  try {
    return program();
  } catch {
    // The status bar says why, and what to do.
    return undefined;
  }
}

/** What the user wants explained: a function by its place, or a recording by its path, both below the folder of the workspace. */
export type Explained = { place: string } | { recording: string };

/**
 * The question to an agent. The user sees it before it is sent. Names of functions are not in it, because they come from traces; paths
 * are, in quotes that they cannot leave.
 */
export function questionAbout(it: Explained): string {
  const task =
    "place" in it
      ? `what the function at ${quoted(it.place)} costs, and why: who calls it, and which of its lines cost most`
      : `where the time of the recording ${quoted(it.recording)} went, and what would make it faster`;
  return `Explain with the tools of Proflens ${task}.`;
}

const LONGEST_PATH = 300;

function quoted(path: string): string {
  const visible = path.replaceAll(/[\p{C}\p{Zl}\p{Zp}`]/gu, "\ufffd");
  return `\`${visible.length > LONGEST_PATH ? `…${visible.slice(-LONGEST_PATH)}` : visible}\``;
}
