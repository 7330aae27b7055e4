// Finds, starts and restarts the server, and notifies the rest of the extension of changes.

import { chmodSync, statSync } from "node:fs";
import { createInterface } from "node:readline";
import * as vscode from "vscode";
import {
  type ClientCapabilities,
  DidChangeWatchedFilesNotification,
  type DynamicFeature,
  ExecuteCommandRequest,
  type FileChangeType,
  LanguageClient,
  type LanguageClientOptions,
  type ProgressToken,
  type ServerOptions,
  State,
  type StaticFeature,
  TransportKind,
  type WorkDoneProgressBegin,
  WorkDoneProgressCancelNotification,
  type WorkDoneProgressEnd,
  type WorkDoneProgressReport,
} from "vscode-languageclient/node";
import * as config from "./config";
import { ACT, type ActParams, type Command } from "./protocol";
import { find, INSTALL, NoProgram, type Program, THIS, upward } from "./serverProgram";

/** The files that may have costs. Their names decide, as not every editor has an extension that knows the languages of frameworks. */
export const WITH_COSTS = {
  scheme: "file",
  pattern: "**/*.{js,mjs,cjs,jsx,ts,mts,cts,tsx,vue,svelte,astro,html,htm,mdx}",
};

/** What hovers offer for functions whose lines have costs. */
const SHOW_LINE_COSTS = "proflens.showLineCosts";
const LINE_COSTS = `[Show line costs](command:${SHOW_LINE_COSTS})`;
/** What hovers offer for all functions; the server fills in which. */
const SHOW_IN_FLAME_GRAPH = "proflens.showInFlameGraph";
const FLAME_GRAPH = `[Show in flame graph](command:${SHOW_IN_FLAME_GRAPH}?{function})`;

/** What is offered to those who have no program. */
const INSTALL_NOW = "Install with npm";

/** Where a program was found, for the log. */
const FOUND: Record<Program["origin"], string> = {
  setting: "by the setting proflens.server.path",
  extension: "in this extension",
  workspace: "in the workspace's node_modules",
  path: "on the PATH",
};

/** The state of the server, which the status bar shows. */
export type ServerState = "starting" | "running" | "stopped" | { failed: string };

/** What the server reports while it reads a trace. */
export interface Loading {
  token: ProgressToken;
  title: string;
  message?: string | undefined;
  percentage?: number | undefined;
}

export class Server implements vscode.Disposable {
  private client: LanguageClient | undefined;
  /** The loads that run, in the order in which they began. */
  private readonly loads = new Map<ProgressToken, Loading>();
  private readonly log = vscode.window.createOutputChannel("Proflens Language Server", { log: true });
  private readonly trace = vscode.window.createOutputChannel("Proflens LSP Trace", { log: true });
  private readonly changed = new vscode.EventEmitter<void>();
  private readonly stateChanged = new vscode.EventEmitter<ServerState>();
  private readonly loadingChanged = new vscode.EventEmitter<Loading | undefined>();
  private lastStep: Promise<void> = Promise.resolve();

  /** Fires when what is loaded, or how it is shown, may have changed. */
  readonly onDidChange = this.changed.event;
  readonly onDidChangeState = this.stateChanged.event;
  readonly onDidChangeLoading = this.loadingChanged.event;

  constructor(private readonly context: vscode.ExtensionContext) {}

  /** Starts the server, or shows in the status bar and the log why it cannot. Starts and stops run one after the other. */
  start(): Promise<void> {
    return this.enqueue(() => this.doStart());
  }

  restart(): Promise<void> {
    return this.enqueue(async () => {
      await this.doStop();
      await this.doStart();
    });
  }

  stop(): Promise<void> {
    return this.enqueue(() => this.doStop());
  }

  /** The server's program, which has the other sub-commands too. Throws an error for users. */
  program(): string {
    return serverProgram(this.context).file;
  }

  showLog(): void {
    this.log.show();
  }

  /** Sends one of our own requests. Throws when the server is not running. */
  async request<R>(method: string, params: object): Promise<R> {
    return await this.running().sendRequest<R>(method, params);
  }

  /** Runs a command in the server and returns its answer. Throws the server's error message when it refuses. */
  async execute<R>(command: Command, ...args: unknown[]): Promise<R> {
    return (await this.running().sendRequest(ExecuteCommandRequest.type, { command, arguments: args })) as R;
  }

  /** Says that a file came or went: watchers of files do not hear of one that came and went at once. */
  async fileChanged(uri: string, type: FileChangeType): Promise<void> {
    await this.running().sendNotification(DidChangeWatchedFilesNotification.type, { changes: [{ uri, type }] });
  }

  dispose(): void {
    for (const it of [this.log, this.trace, this.changed, this.stateChanged, this.loadingChanged]) it.dispose();
  }

  /** Whether a program runs, or is about to. */
  get hasStarted(): boolean {
    return this.client !== undefined;
  }

  private running(): LanguageClient {
    if (this.client?.state !== State.Running) throw new Error("The Proflens server is not running. Its log says why.");
    return this.client;
  }

  private enqueue(step: () => Promise<void>): Promise<void> {
    this.lastStep = this.lastStep.then(step);
    return this.lastStep;
  }

  private async doStart(): Promise<void> {
    this.stateChanged.fire("starting");
    try {
      const { file: command, origin } = serverProgram(this.context);
      const server: ServerOptions = { command, args: ["lsp"], transport: TransportKind.stdio };
      this.log.info(`Starting ${command}, found ${FOUND[origin]}`);
      this.client = new ProflensClient(server, this.options(), () => this.changed.fire());
      this.client.onDidChangeState(({ newState }) => {
        // The progress ends with the process. The library restarts a crashed server by itself.
        if (newState !== State.Running) this.loads.clear();
        if (newState === State.Starting) this.stateChanged.fire("starting");
        if (newState === State.Running) this.stateChanged.fire("running");
        if (newState === State.Stopped) this.stateChanged.fire("stopped");
      });
      this.client.onNotification(ACT, ({ action }: ActParams) => {
        void vscode.commands.executeCommand(`proflens.${action}`);
      });
      await this.client.start();
    } catch (error) {
      const sentence = error instanceof Error ? error.message : String(error);
      this.log.error(sentence);
      this.stateChanged.fire({ failed: sentence });
      void this.offerHelp(sentence, error instanceof NoProgram);
    }
  }

  private async offerHelp(sentence: string, noProgram: boolean): Promise<void> {
    const offers = noProgram ? [INSTALL_NOW, "Open settings"] : ["Show log", "Open settings"];
    const answer = await vscode.window.showErrorMessage(sentence, ...offers);
    if (answer === "Show log") this.log.show();
    if (answer === "Open settings") {
      // On another machine the setting is one of that machine, which the list of the user's own does not have.
      const list = vscode.env.remoteName ? "openRemoteSettings" : "openSettings";
      await vscode.commands.executeCommand(`workbench.action.${list}`, { query: "proflens.server.path" });
    }
    if (answer === INSTALL_NOW) {
      const terminal = vscode.window.createTerminal("Install Proflens");
      terminal.show();
      // It is typed and not run: that is for the user's Enter.
      terminal.sendText(INSTALL, false);
    }
  }

  private async doStop(): Promise<void> {
    const client = this.client;
    this.client = undefined;
    if (!client) return;
    try {
      await client.dispose();
    } catch (error) {
      this.log.warn(`The server did not stop cleanly: ${error}`);
    }
  }

  private options(): LanguageClientOptions {
    return {
      documentSelector: [WITH_COSTS],
      initializationOptions: config.all(),
      outputChannel: this.log,
      traceOutputChannel: this.trace,
      markdown: { isTrusted: { enabledCommands: [SHOW_LINE_COSTS, SHOW_IN_FLAME_GRAPH] } },
      stdioOptions: {
        // Standard output has only messages, which the library reads.
        stdout: () => {},
        stderr: (lines) => {
          createInterface({ input: lines, crlfDelay: Number.POSITIVE_INFINITY }).on("line", (line) =>
            this.logLine(line),
          );
        },
      },
      middleware: {
        // Without `next` VS Code draws nothing of its own beside our item in the status bar.
        handleWorkDoneProgress: (token, params) => this.onProgress(token, params),
      },
    };
  }

  /** The server logs `12:35:27.774 info: …` to its standard error. Lines of another form are errors. */
  private logLine(line: string): void {
    const info = /^[\d:.]+ info: (.*)$/.exec(line)?.[1];
    if (info) this.log.info(info);
    else this.log.error(line);
  }

  /** The load whose progress is shown: the first of those that run. */
  private get loading(): Loading | undefined {
    return this.loads.values().next().value;
  }

  /** Ends the load whose progress is shown. */
  async cancelLoading(): Promise<void> {
    const { loading } = this;
    if (loading)
      await this.running().sendNotification(WorkDoneProgressCancelNotification.type, { token: loading.token });
  }

  private onProgress(
    token: ProgressToken,
    step: WorkDoneProgressBegin | WorkDoneProgressReport | WorkDoneProgressEnd,
  ): void {
    if (step.kind === "end") {
      this.loads.delete(token);
      this.loadingChanged.fire(this.loading);
      this.changed.fire();
      return;
    }
    const title = step.kind === "begin" ? step.title : this.loads.get(token)?.title;
    if (title) this.loads.set(token, { token, title, message: step.message, percentage: step.percentage });
    this.loadingChanged.fire(this.loading);
  }
}

/**
 * The client of the library, with two changes.
 * It does not register the server's commands: `commands.ts` registers the same names and asks the user where a command
 * needs a choice. VS Code does not allow to register them twice.
 * And it reports when the server asks for a refresh, because then what is loaded has changed.
 */
class ProflensClient extends LanguageClient {
  private readonly changed: () => void;

  constructor(server: ServerOptions, options: LanguageClientOptions, changed: () => void) {
    super("proflens", "Proflens", server, options);
    this.changed = changed;
  }

  override registerFeature(feature: StaticFeature | DynamicFeature<unknown>): void {
    if ("registrationType" in feature && feature.registrationType.method === ExecuteCommandRequest.method) {
      super.registerFeature(new CommandSupport());
    } else {
      super.registerFeature(feature);
    }
  }

  // biome-ignore lint/suspicious/noExplicitAny: the overloads of the library, passed on as they are
  override onRequest(type: any, handler: any): vscode.Disposable {
    const method = typeof type === "string" ? type : type.method;
    if (method !== "workspace/inlayHint/refresh" && method !== "workspace/codeLens/refresh") {
      return super.onRequest(type, handler);
    }
    return super.onRequest(type, (...args: unknown[]) => {
      this.changed();
      return handler(...args);
    });
  }
}

/** Announces that commands can be sent and that their answers are shown as lists, without registering any command. */
class CommandSupport implements StaticFeature {
  fillClientCapabilities(capabilities: ClientCapabilities): void {
    capabilities.workspace = { ...capabilities.workspace, executeCommand: { dynamicRegistration: false } };
    const proflens = { ui: true, callTrees: true, lineCosts: LINE_COSTS, flameGraph: FLAME_GRAPH };
    capabilities.experimental = { ...capabilities.experimental, proflens };
  }
  initialize(): void {}
  getState(): { kind: "static" } {
    return { kind: "static" };
  }
  clear(): void {}
}

/** The program to start. Throws an error for users if there is none. */
function serverProgram(context: vscode.ExtensionContext): Program {
  const found = find(
    {
      setting: config.serverPath(),
      extension: context.extensionPath,
      folders: vscode.workspace.isTrusted ? folders() : [],
      path: process.env.PATH ?? "",
    },
    THIS,
  );
  // Unpacking an extension can lose the executable bit.
  if (found.origin === "extension" && process.platform !== "win32" && !(statSync(found.file).mode & 0o100)) {
    chmodSync(found.file, 0o755);
  }
  return found;
}

/** The opened folders, each after those on the way to it from the file that is shown. */
function folders(): string[] {
  const shown = vscode.window.activeTextEditor?.document.uri;
  const file = shown?.scheme === "file" ? shown.fsPath : undefined;
  return (vscode.workspace.workspaceFolders ?? []).flatMap(({ uri }) => upward(uri.fsPath, file, THIS));
}
