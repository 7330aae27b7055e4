// Offers `proflens mcp` to the agents of VS Code, which know servers that extensions define since version 1.101.

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
