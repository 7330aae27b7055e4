// What flame graphs draw: asked of the server once for all of them, when it is something else than before.

import * as vscode from "vscode";
import type { Model } from "../model";
import * as protocol from "../protocol";

export type Content =
  | { is: "data"; recording: number; bytes: ArrayBuffer }
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
  private lastRecording: number | undefined;

  constructor(private readonly model: Model) {}

  /** What to draw: for all that is shown, or for an editor of this trace. The page has this recording already. */
  async contentFor(own: vscode.Uri | undefined, has: number | undefined): Promise<Content> {
    const { state, status, shown } = this.model;
    // Another process of the server counts anew.
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
    if (status.recording === has) return SAME;
    return await this.ask(status.recording);
  }

  /** Forgets the answer. */
  clear(): void {
    this.last = undefined;
    this.lastRecording = undefined;
  }

  private ask(recording: number): Promise<Content> {
    if (!this.last || this.lastRecording !== recording) {
      this.lastRecording = recording;
      this.last = this.request();
    }
    return this.last;
  }

  private async request(): Promise<Content> {
    try {
      const answer = await this.model.server.request<protocol.FlameGraphData | null>(protocol.FLAME_GRAPH, {});
      // By now there may be another recording, or none: of that the model tells too.
      return answer ? { is: "data", recording: answer.recording, bytes: bytesOf(answer.data) } : SAME;
    } catch (error) {
      this.clear();
      return { is: "problem", text: error instanceof Error ? error.message : String(error) };
    }
  }
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
