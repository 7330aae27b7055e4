// "Explain to the agent": puts a question about a function or a recording into VS Code's chat, where the user sends it.

import * as vscode from "vscode";
import { type Explained, questionAbout } from "./agents";
import type { Server } from "./client";
import * as protocol from "./protocol";
import type { Row } from "./views/rows";

/** About a recording or a function of a view, or else about the function at `cursor`. */
export async function explainToAgent(server: Server, row?: Row, cursor?: protocol.CallersParams): Promise<void> {
  const explained = recordingOf(row) ?? (await placeOf(server, row?.function ?? cursor));
  if (!explained) {
    void vscode.window.showInformationMessage("No measured function here. Put the cursor into one.");
    return;
  }
  const query = questionAbout(explained);
  await vscode.commands.executeCommand("workbench.action.chat.open", { query, isPartialQuery: true });
}

function recordingOf(row?: Row): Explained | undefined {
  if (!row?.target || row.function) return undefined;
  return { recording: pathOf(row.target.uri) };
}

async function placeOf(server: Server, about?: protocol.CallersParams): Promise<Explained | undefined> {
  const found = about && (await server.request<protocol.FunctionLocation | null>(protocol.FUNCTION, about));
  return found ? { place: `${pathOf(found.uri)}:${found.selectionRange.start.line + 1}` } : undefined;
}

function pathOf(uri: string): string {
  return vscode.workspace.asRelativePath(vscode.Uri.parse(uri), false);
}
