// One flame graph: a webview, and what it is sent. VS Code throws its document away whenever it is hidden, and the page
// says that it is ready when it is there again.

import * as vscode from "vscode";
import type { Model } from "../model";
import type { Content, Source } from "./content";
import { graph, notice, optionsOf } from "./html";
import type { Definition, FromPage, ToPage } from "./messages";
import { openFunction, save } from "./places";

/** Where a page comes from. */
export interface Origin {
  /** The trace of the file that is open in a custom editor. */
  own?: vscode.Uri;
  /** Ends when that trace was asked for. */
  opening?: Thenable<unknown>;
}

type Sent = { [Type in ToPage["type"]]?: ToPage & { type: Type } };

export class FlamePage implements vscode.Disposable {
  private readonly subscriptions: vscode.Disposable[];
  private readonly readied = new vscode.EventEmitter<void>();
  private readonly closed = new vscode.EventEmitter<void>();
  /** Fires when the document is there, for the first time or again. */
  readonly onDidGetReady = this.readied.event;
  readonly onDidClose = this.closed.event;
  readonly own: vscode.Uri | undefined;
  /** The last message of each kind, for the tests. */
  readonly sent: Sent = {};
  /** The trace that is shown instead of its own, of which a notice tells: null if none is, undefined without a notice. */
  noticed: string | null | undefined;
  private ready = false;
  /** The version of what is drawn that the document has; undefined if it has none. */
  private version: string | undefined;
  /** A function to show as soon as there is a graph. */
  private wanted: Definition | undefined;
  /** Counts questions, of which only the last one is answered to the page. */
  private turn = 0;
  /** Whether its own trace was asked for and is on its way, so that it is no news that another one is shown. */
  private opening = false;

  constructor(
    private readonly panel: vscode.WebviewPanel,
    private readonly model: Model,
    private readonly source: Source,
    private readonly extension: vscode.Uri,
    { own, opening }: Origin,
  ) {
    this.own = own;
    const { webview } = panel;
    webview.options = optionsOf(extension);
    this.subscriptions = [
      this.readied,
      this.closed,
      webview.onDidReceiveMessage((message: FromPage) => this.receive(message)),
      panel.onDidChangeViewState(() => {
        if (!panel.visible) this.ready = false;
      }),
      panel.onDidDispose(() => {
        this.closed.fire();
        this.dispose();
      }),
      model.onDidChange(() => void this.update()),
    ];
    webview.html = graph(webview, extension);
    if (opening) void this.open(opening);
    void this.update();
  }

  get visible(): boolean {
    return this.panel.visible;
  }

  get active(): boolean {
    return this.panel.active;
  }

  get title(): string {
    return this.panel.title;
  }

  /** Brings it to the front, where it is. */
  front(): void {
    this.panel.reveal(undefined, false);
  }

  /** Shows a function in it, at the latest when there is a graph. */
  reveal(it: Definition): void {
    this.wanted = it;
    this.revealWanted();
  }

  /** Outlines the function at the cursor, or none. */
  outline(it: Definition | undefined): void {
    this.post({ type: "cursor", ...(it ?? { file: null, path: null }) });
  }

  /** What the page says. Public for the tests, which cannot click in a webview; returns what is said to the user. */
  async receive(message: FromPage): Promise<string | undefined> {
    try {
      if (message.type === "ready") {
        this.ready = true;
        this.version = undefined;
        this.readied.fire();
        await this.update();
      } else if (message.type === "open") {
        return await openFunction(this.model.server, message.function, this.panel.viewColumn);
      } else if (message.type === "save") {
        await save(message.name, message.bytes);
      }
    } catch (error) {
      void vscode.window.showErrorMessage(error instanceof Error ? error.message : String(error));
    }
    return undefined;
  }

  dispose(): void {
    this.ready = false;
    for (const it of this.subscriptions) it.dispose();
  }

  /** Waits for its own trace. That it cannot be read is among what the server then says. */
  private async open(opening: Thenable<unknown>): Promise<void> {
    this.opening = true;
    await Promise.allSettled([opening]);
    await this.model.refresh();
    this.opening = false;
    await this.update();
  }

  /** Brings the page to what is shown now. */
  private async update(): Promise<void> {
    this.entitle();
    this.turn += 1;
    const { turn } = this;
    if (!this.model.status) this.version = undefined;
    const content = await this.source.contentFor(this.own, this.version);
    if (turn === this.turn && (!this.opening || content.is === "data")) this.show(content);
  }

  private show(content: Content): void {
    if (content.is === "notice" && this.own) {
      if (content.shown !== this.noticed) this.panel.webview.html = notice(this.own, content.shown);
      this.noticed = content.shown;
      this.ready = false;
      return;
    }
    if (this.noticed !== undefined && content.is !== "same") {
      // The document says that it is ready, and asks for what there is then.
      this.noticed = undefined;
      this.panel.webview.html = graph(this.panel.webview, this.extension);
      return;
    }
    if (!this.ready) return;
    if (content.is === "problem") {
      this.version = undefined;
      this.post({ type: "problem", text: content.text });
    } else if (content.is === "data") {
      this.version = content.version;
      this.post({ type: "data", bytes: content.bytes, keep: true });
      this.revealWanted();
    }
  }

  private revealWanted(): void {
    if (!this.wanted || !this.ready || this.version === undefined) return;
    this.post({ type: "reveal", ...this.wanted });
    this.wanted = undefined;
  }

  private post(message: ToPage): void {
    if (!this.ready) return;
    Object.assign(this.sent, { [message.type]: message });
    void this.panel.webview.postMessage(message);
  }

  /** Names the trace in the title; that of a custom editor is the name of its file. */
  private entitle(): void {
    if (this.own) return;
    const name = this.model.shown?.name;
    const title = name ? `Flame graph: ${name}` : "Flame graph";
    if (this.panel.title !== title) this.panel.title = title;
  }
}
