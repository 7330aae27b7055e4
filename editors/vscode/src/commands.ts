// The commands of the palette, the menus and the lenses: each asks the user what it needs and sends it to the server.

import * as vscode from "vscode";
import type { Server } from "./client";
import { compareWith, compareWithThis } from "./compare";
import * as config from "./config";
import { explainToAgent } from "./explain";
import type { FlameGraphs, Given } from "./flame";
import type { LineCosts } from "./lineCosts";
import type { Model } from "./model";
import { followHotPath, goToHot } from "./navigate";
import * as picks from "./picks";
import * as protocol from "./protocol";
import type { Recorder } from "./record";
import * as scope from "./scope";
import { shownTrace, unplacedPrefixes } from "./text";
import type { CallsView } from "./views/calls";
import type { HottestView } from "./views/hottest";
import { chosen, copyName, copyRow, deleteRecording, renameRecording, revealFile } from "./views/menus";
import type { Row } from "./views/rows";

const TRACE_FILES = {
  "Profiles and traces": "cpuprofile heapprofile jsprofile slice otlp pb jslb json folded txt log gz zst".split(" "),
  "All files": ["*"],
};

type Commands = Record<protocol.Command, (...args: never[]) => unknown>;

/** What commands work on. */
export interface Parts {
  model: Model;
  hottest: HottestView;
  calls: CallsView;
  lines: LineCosts;
  recorder: Recorder;
  flames: FlameGraphs;
}

/** Registers all commands. A command that fails shows the server's error message. */
export function registerCommands(parts: Parts): vscode.Disposable[] {
  const { server } = parts.model;
  const commands: Commands = {
    "proflens.loadTrace": (uri?: vscode.Uri | string) => loadTrace(server, uri),
    "proflens.loadThisTrace": (uri?: vscode.Uri) => loadTrace(server, uri ?? activeResource()),
    "proflens.unloadTrace": (of?: string | Row) => unloadTrace(server, typeof of === "string" ? of : of?.target?.uri),
    "proflens.selectTrace": (uri?: string, threads?: Threads) => selectTrace(server, uri, threads),
    "proflens.selectThreads": () => selectThreads(server),
    "proflens.focus": (params?: protocol.FocusParams) => scope.focus(server, params, cursorArguments()?.[0]),
    "proflens.window": async (params?: protocol.WindowParams) =>
      scope.window(server, shownTrace(await status(server)), params),
    "proflens.clearScope": () => server.execute("proflens.clearScope"),
    "proflens.cycleUnit": (unit?: string) => server.execute("proflens.cycleUnit", ...(unit ? [unit] : [])),
    "proflens.toggle": () => server.execute("proflens.toggle"),
    "proflens.showHottest": () => showHottest(server),
    "proflens.showLedger": () => showLedger(server),
    "proflens.showCallers": (...args: unknown[]) => showCallers(server, args),
    "proflens.mapPath": () => mapPath(server),
    "proflens.chooseMap": () => chooseMap(server),
    "proflens.explain": (row?: Row) => explainToAgent(server, row, cursorArguments()?.[0]),
    "proflens.showActions": () => showActions(server),
    "proflens.restart": () => server.restart(),
    "proflens.showLog": () => server.showLog(),
    "proflens.openWalkthrough": () =>
      vscode.commands.executeCommand("workbench.action.openWalkthrough", "proflens.proflens#start"),
    ...ofViews(parts),
    ...ofComparisons(parts),
    ...ofRecorder(parts.recorder),
  };
  return Object.entries(commands).map(([name, run]) =>
    vscode.commands.registerCommand(name, async (...args: never[]) => {
      try {
        return await run(...args);
      } catch (error) {
        const answer = await vscode.window.showErrorMessage(
          error instanceof Error ? error.message : String(error),
          "Show log",
        );
        if (answer) server.showLog();
        return undefined;
      }
    }),
  );
}

/** The commands of the views and of what is drawn into texts. Context menus pass the row. */
function ofViews({ model, hottest, calls, lines, flames }: Parts) {
  const { server } = model;
  return {
    "proflens.showFlameGraph": () => void flames.show(),
    "proflens.showInFlameGraph": (given?: Given) => flames.showFunction(given),
    "proflens.showCallTree": (row?: Row) => calls.show(row),
    "proflens.showLineCosts": () => lines.show(),
    "proflens.hideLineCosts": () => lines.hide(),
    "proflens.orderBySelf": () => hottest.change({ by: "self" }),
    "proflens.orderByTotal": () => hottest.change({ by: "total" }),
    "proflens.listFunctions": () => hottest.change({ group: "function" }),
    "proflens.listFiles": () => hottest.change({ group: "file" }),
    "proflens.listFolders": () => hottest.change({ group: "folder" }),
    "proflens.filterHottest": (filter?: unknown) => hottest.changeFilter(filter),
    "proflens.clearFilter": () => hottest.change({ filter: "" }),
    "proflens.pinFunction": () => calls.pin(true),
    "proflens.unpinFunction": () => calls.pin(false),
    "proflens.focusOnPath": (row?: Row) => scope.focus(server, { how: "path", node: chosen(row?.node) }),
    "proflens.nextHot": () => goToHot(server, 1),
    "proflens.previousHot": () => goToHot(server, -1),
    "proflens.showHotPath": (row?: Row) => followHotPath(server, row?.function ?? cursorArguments()?.[0]),
    "proflens.cancelLoading": () => server.cancelLoading(),
    "proflens.renameRecording": (row?: Row, name?: string) => renameRecording(model, row, name),
    "proflens.deleteRecording": (row?: Row, isSure?: boolean) => deleteRecording(model, row, isSure),
    "proflens.copyName": copyName,
    "proflens.copyRow": copyRow,
    "proflens.revealFile": revealFile,
  } satisfies Partial<Commands>;
}

function ofComparisons({ model, hottest }: Parts) {
  return {
    "proflens.compareWith": (given?: protocol.CompareParams) => compareWith(model, given),
    "proflens.compareWithThis": (row?: Row) => compareWithThis(model, row),
    "proflens.compareWithThisFile": (file?: vscode.Uri, files?: vscode.Uri[]) => compareWithThis(model, file, files),
    "proflens.stopComparing": () => model.server.execute("proflens.stopComparing"),
    "proflens.orderByDifference": () => hottest.showDifferences(),
  } satisfies Partial<Commands>;
}

function ofRecorder(recorder: Recorder) {
  return {
    "proflens.recordCommand": (given?: Parameters<Recorder["record"]>[0]) => recorder.record(given),
    "proflens.recordDebugSession": () => recorder.recordDebugSession(),
    "proflens.stopRecording": () => recorder.stop(),
    "proflens.showPrevious": () => recorder.showPrevious(),
  } satisfies Partial<Commands>;
}

async function loadTrace(server: Server, given?: vscode.Uri | string): Promise<void> {
  const chosen =
    given ??
    (
      await vscode.window.showOpenDialog({
        title: "Load a trace",
        openLabel: "Show costs",
        filters: TRACE_FILES,
        ...startFolder(),
      })
    )?.[0];
  if (chosen) await server.execute("proflens.loadTrace", chosen.toString());
}

async function unloadTrace(server: Server, given?: string): Promise<void> {
  const { traces } = await status(server);
  const loaded = traces.filter((it) => it.state === "loaded" || it.state === "failed");
  const chosen = loaded.length === 1 ? loaded[0] : undefined;
  const uri = given ?? (chosen ?? (await picks.trace(loaded, "Unload which trace?")))?.uri;
  if (uri) await server.execute("proflens.unloadTrace", uri);
}

/** Names of threads, `all`, or none for the page. */
type Threads = string | string[] | null | undefined;

async function selectTrace(server: Server, uri?: string, threads?: Threads): Promise<unknown> {
  if (uri) return await server.execute("proflens.selectTrace", uri, ...(threads === undefined ? [] : [threads]));
  const chosen = await picks.traceOrThread((await status(server)).traces, "Show the costs of which trace?");
  if (chosen === picks.ANOTHER_FILE) return await loadTrace(server);
  if (!chosen) return undefined;
  return await server.execute("proflens.selectTrace", chosen.uri, ...(chosen.thread ? [chosen.thread] : []));
}

async function selectThreads(server: Server): Promise<void> {
  const trace = shownTrace(await status(server));
  if (!trace || trace.threads.length < 2) {
    void vscode.window.showInformationMessage("The trace that is shown has one thread only.");
    return;
  }
  const chosen = await picks.threads(trace);
  if (chosen) await server.execute("proflens.selectTrace", trace.uri, chosen.length > 0 ? chosen : null);
}

async function showHottest(server: Server): Promise<unknown> {
  const functions = await server.execute<protocol.HotItem[]>("proflens.showHottest");
  void picks.hottest(functions, await status(server));
  return functions;
}

async function showLedger(server: Server): Promise<unknown> {
  const ledger = await server.execute<protocol.Ledger | null>("proflens.showLedger");
  if (ledger) void picks.ledger(ledger, (await status(server)).lostMaps);
  else void vscode.window.showInformationMessage("No trace is loaded.");
  return ledger;
}

/** A lens passes its arguments; from the palette the function at the cursor is meant. */
async function showCallers(server: Server, given: unknown[]): Promise<unknown> {
  const args = given.length > 0 ? given : cursorArguments();
  if (!args) return undefined;
  const callers = await server.execute<protocol.Callers | null>("proflens.showCallers", ...args);
  const [about] = given;
  const showInFlameGraph = () => void vscode.commands.executeCommand("proflens.showInFlameGraph", about);
  if (callers) void picks.callers(callers, showInFlameGraph);
  else void vscode.window.showInformationMessage("No measured function here. Put the cursor on the name of one.");
  return callers;
}

/** Asks for the folder that the beginning of the trace's URLs stands for, and adds it to the workspace's settings. */
async function mapPath(server: Server): Promise<void> {
  config.requireTrust("path mappings");
  const { ledger } = await status(server);
  const from = await picks.prefix(unplacedPrefixes(ledger));
  if (!from) return;
  const [folder] =
    (await vscode.window.showOpenDialog({
      title: `Map a path (2 of 2): the folder that ${from} stands for`,
      openLabel: "Use this folder",
      canSelectFolders: true,
      canSelectFiles: false,
      ...startFolder(),
    })) ?? [];
  if (folder) await config.addPathMapping(from, folder);
}

/** Asks for the source map of a generated file, and adds it to the workspace's settings. */
async function chooseMap(server: Server): Promise<void> {
  config.requireTrust("source maps");
  const { lostMaps } = await status(server);
  if (lostMaps.length === 0) {
    void vscode.window.showInformationMessage("No source map of the trace is missing.");
    return;
  }
  const generated = await picks.lostMap(lostMaps);
  if (!generated) return;
  const name = vscode.workspace.asRelativePath(generated);
  const [map] =
    (await vscode.window.showOpenDialog({
      title: `The source map of ${name}`,
      openLabel: "Use this source map",
      filters: { "Source maps": ["map", "json"], "All files": ["*"] },
      ...startFolder(),
    })) ?? [];
  if (!map) return;
  if (!vscode.workspace.getWorkspaceFolder(map)) {
    throw new Error("Source maps are read only inside of the workspace. Copy the map into it, or open its folder too.");
  }
  await config.addSourceMap(generated, map);
}

async function showActions(server: Server): Promise<void> {
  const now = await status(server);
  await picks.actions(now, shownTrace(now));
}

function status(server: Server): Promise<protocol.Status> {
  return server.request<protocol.Status>(protocol.STATUS, {});
}

function cursorArguments(): protocol.CallersParams[] | undefined {
  const editor = vscode.window.activeTextEditor;
  if (!editor) return undefined;
  const { line, character } = editor.selection.active;
  return [{ textDocument: { uri: editor.document.uri.toString() }, position: { line, character } }];
}

/** The file of the active tab, also if a custom editor or a diff shows it. */
function activeResource(): vscode.Uri | undefined {
  const input = vscode.window.tabGroups.activeTabGroup.activeTab?.input;
  if (input instanceof vscode.TabInputText || input instanceof vscode.TabInputCustom) return input.uri;
  return vscode.window.activeTextEditor?.document.uri;
}

function startFolder(): { defaultUri?: vscode.Uri } {
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
  return folder ? { defaultUri: folder } : {};
}
