// What flame graphs draw: asked of the server once for all of them, when it is something else than before.

import * as vscode from "vscode";
import type { Model } from "../model";
import * as protocol from "../protocol";

export type Content =
  | { is: "data"; version: string; bytes: ArrayBuffer }
  /** A sentence instead of a graph. */
  | { is: "problem"; text: string }
  /** Not the trace of the editor is shown, but the one of this name, or none. */
  | { is: "notice"; shown: string | null }
  /** There is nothing new, or nothing yet. */
  | { is: "same" };

const SAME: Content = { is: "same" };
const NOTHING = "No trace is loaded. Load or record one, and its flame graph is drawn here.";
const STOPPED = "The Proflens server is not running. Its log says why.";

export class Source {
  /** The last answer, as long as a flame graph is open. */
  private last: Promise<Content> | undefined;
  private lastVersion: string | undefined;

  constructor(private readonly model: Model) {}

  /** What to draw: for all that is shown, or for an editor of this trace. The page has this version already. */
  async contentFor(own: vscode.Uri | undefined, has: string | undefined): Promise<Content> {
    const { state, status, shown } = this.model;
    // Another process of the server counts again.
    if (!status) this.clear();
    if (state === "stopped" || typeof state === "object") return { is: "problem", text: STOPPED };
    if (!status) return SAME;
    if (own) {
      const trace = status.traces.find((it) => isSame(it.uri, own));
      if (trace?.state === "failed") return { is: "problem", text: trace.error ?? `${trace.name} could not be read.` };
      if (trace?.state === "loading") return SAME;
      if (!trace?.shown) return { is: "notice", shown: shown?.name ?? null };
    }
    if (status.recording === null) {
      const isLoading = status.traces.some((it) => it.state === "loading");
      return isLoading ? SAME : { is: "problem", text: NOTHING };
    }
    const version = versionOf(status.recording, status.comparison);
    return version === has ? SAME : await this.ask(version, status);
  }

  /** Forgets the answer. */
  clear(): void {
    this.last = undefined;
    this.lastVersion = undefined;
  }

  private ask(version: string, status: protocol.Status): Promise<Content> {
    if (!this.last || this.lastVersion !== version) {
      this.lastVersion = version;
      this.last = this.request(status);
    }
    return this.last;
  }

  private async request({ comparison }: protocol.Status): Promise<Content> {
    try {
      const answer = await this.model.server.request<protocol.FlameGraphData | null>(protocol.FLAME_GRAPH, {});
      // By now there may be another recording, or none: of that the model tells too.
      if (!answer) return SAME;
      return { is: "data", version: versionOf(answer.recording, comparison), bytes: bytesOf(answer.data) };
    } catch (error) {
      this.clear();
      return { is: "problem", text: error instanceof Error ? error.message : String(error) };
    }
  }
}

/** What is drawn: a recording, or what changed in it since others. */
function versionOf(recording: number, comparison: protocol.ComparisonStatus | null): string {
  return `${recording} ${JSON.stringify(comparison)}`;
}

/** Whether a URL of the server names this file. */
export function isSame(uri: string, file: vscode.Uri): boolean {
  return vscode.Uri.parse(uri).fsPath === file.fsPath;
}

function bytesOf(base64: string): ArrayBuffer {
  const { buffer, byteOffset, byteLength } = Buffer.from(base64, "base64");
  // Small buffers are parts of a large one.
  return buffer.slice(byteOffset, byteOffset + byteLength) as ArrayBuffer;
}
