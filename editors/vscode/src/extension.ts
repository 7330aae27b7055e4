// The entry point of the extension: it only connects the other modules.

import * as vscode from "vscode";
import { Server } from "./client";
import { registerCommands } from "./commands";
import * as config from "./config";
import { StatusBar } from "./status";

/** What other extensions and the tests may use. */
export interface Api {
  /** Sends a `proflens/…` request to the server. */
  request(method: string, params: object): Promise<unknown>;
  /** The text of the status bar item. */
  statusText(): string;
}

let server: Server | undefined;

export async function activate(context: vscode.ExtensionContext): Promise<Api> {
  const started = new Server(context);
  server = started;
  const status = new StatusBar(started);
  context.subscriptions.push(
    started,
    status,
    ...registerCommands(started),
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (config.needsRestart(event)) void started.restart();
    }),
  );
  await started.start();
  return {
    request: (method, params) => started.request(method, params),
    statusText: () => status.text,
  };
}

export function deactivate(): Promise<void> | undefined {
  return server?.stop();
}
