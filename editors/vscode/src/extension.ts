// The entry point of the extension: it only connects the other modules.

import * as vscode from "vscode";
import { type AgentApi, offerToAgents } from "./agents";
import { Badges } from "./badges";
import { Server } from "./client";
import { registerCommands } from "./commands";
import { offers } from "./compare/choose";
import { ComparisonStatus } from "./compare/status";
import * as config from "./config";
import { FlameGraphs } from "./flame";
import type { FlamePage } from "./flame/page";
import { Heat } from "./heat";
import type { Marks } from "./heatLevels";
import { LineCosts } from "./lineCosts";
import { Model } from "./model";
import { Recorder } from "./record";
import { RememberedTrace } from "./rememberedTrace";
import { ScopeStatus } from "./scope";
import { StatusBar } from "./status";
import { CallsView } from "./views/calls";
import { HottestView } from "./views/hottest";
import { LedgerView } from "./views/ledger";
import type { Row } from "./views/rows";
import { TracesView } from "./views/traces";
import { VisibleCosts } from "./visibleCosts";

/** The views of the side bar. */
export type ViewName = "hottest" | "calls" | "ledger" | "traces";

/** What other extensions and the tests may use. */
export interface Api {
  /** Sends a `proflens/…` request to the server. */
  request(method: string, params: object): Promise<unknown>;
  /** The text of the status bar item. */
  statusText(): string;
  /** What a view shows, as lines of text: unfolded to this depth. */
  viewText(view: ViewName, depth?: number): Promise<string[]>;
  /** The row of a view that begins with this text, as context menus pass it. */
  viewRow(view: ViewName, text: string): Promise<Row | undefined>;
  /** Shows these threads of the shown trace too, or no longer, as the check boxes do. */
  chooseThreads(changes: Map<string, boolean>): Promise<void>;
  /** What is marked in a document. */
  marks(document: vscode.Uri): Marks | undefined;
  /** The costs that stand at the lines of a document. */
  lineCosts(document: vscode.Uri): { line: number; text: string }[];
  /** The badge of a file or folder, and its tooltip. */
  badge(uri: vscode.Uri): string[];
  /** The text of the status bar item of recordings; empty if nothing is recorded. */
  recordingText(): string;
  /** What *Record a command…* offers. */
  recordingOffers(): Promise<string[]>;
  /** The text of the status bar item of a focus; empty if all of the recording is shown. */
  scopeText(): string;
  /** The text of the status bar item of a comparison; empty if nothing is compared. */
  comparisonText(): string;
  /** What *Compare with…* offers. */
  comparisonOffers(): Promise<string[]>;
  /** The flame graphs that are open, the oldest first. */
  flamePages(): readonly FlamePage[];
}

let server: Server | undefined;

export async function activate(context: vscode.ExtensionContext): Promise<Api> {
  const started = new Server(context);
  server = started;
  const model = new Model(started);
  const status = new StatusBar(model);
  const scope = new ScopeStatus(model);
  const comparison = new ComparisonStatus(model);
  const hottest = new HottestView(model, context.workspaceState);
  const calls = new CallsView(model);
  const traces = new TracesView(model);
  const views = { hottest, calls, ledger: new LedgerView(model), traces };
  const costs = new VisibleCosts(model);
  const heat = new Heat(model, costs, context.extension.packageJSON.contributes.colors);
  const lines = new LineCosts(model, costs);
  const badges = new Badges(model);
  const recorder = new Recorder(model, context.workspaceState);
  const flames = new FlameGraphs(model, context.extensionUri);
  context.subscriptions.push(
    started,
    model,
    status,
    scope,
    comparison,
    new RememberedTrace(model, context.workspaceState),
    ...Object.values(views),
    costs,
    heat,
    lines,
    badges,
    recorder,
    flames,
    offerToAgents(vscode as unknown as AgentApi, localFolders, () => started.program()),
    ...registerCommands({ model, hottest, calls, lines, recorder, flames }),
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (config.needsRestart(event)) void started.restart();
    }),
    // From now on a program in the folder's node_modules counts.
    vscode.workspace.onDidGrantWorkspaceTrust(() => {
      if (!started.hasStarted) void started.restart();
    }),
  );
  await started.start();
  return {
    request: (method, params) => started.request(method, params),
    statusText: () => status.text,
    viewText: (view, depth) => views[view].text(depth),
    viewRow: (view, text) => views[view].find(text),
    chooseThreads: (changes) => traces.choose(changes),
    marks: (document) => heat.drawn.get(document.toString()),
    lineCosts: (document) => lines.drawn.get(document.toString()) ?? [],
    badge: (uri) => {
      const it = badges.provideFileDecoration(uri);
      return it ? [String(it.badge ?? ""), it.tooltip ?? ""] : [];
    },
    recordingText: () => recorder.text,
    recordingOffers: () => recorder.offers(),
    scopeText: () => scope.text,
    comparisonText: () => comparison.text,
    comparisonOffers: () => offers(model),
    flamePages: () => flames.pages,
  };
}

/** The folders of the workspace that are on this machine. */
function localFolders(): { name: string; path: string }[] {
  const folders = vscode.workspace.workspaceFolders ?? [];
  return folders.filter(({ uri }) => uri.scheme === "file").map(({ name, uri }) => ({ name, path: uri.fsPath }));
}

export function deactivate(): Promise<void> | undefined {
  return server?.stop();
}
