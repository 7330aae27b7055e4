// The quick picks: lists from which users choose, and what a choice does.

import * as vscode from "vscode";
import type { Call, Callers, CallTreeItem, HotItem, Ledger, LostMap, Status, TraceStatus } from "./protocol";
import { describeLocation, inFull, recordedWhen, recordingName, type Span, shownTrace, unplacedPrefixes } from "./text";

/** What the user chose: a trace, or a thread of one. */
export interface Choice {
  uri: string;
  thread?: string;
}

/** What `traceOrThread` returns when the user wants a file that is not on the list. */
export const ANOTHER_FILE: Choice = { uri: "" };

type Item<T> = vscode.QuickPickItem & { value: T };

/** An item that leads to a place, or does something else. */
type Place = Item<vscode.Location | undefined> & { run?: () => void };

/** Chooses a trace; undefined when the user chose none. */
export async function trace(traces: TraceStatus[], title: string): Promise<Choice | undefined> {
  return (await vscode.window.showQuickPick(traces.map(traceItem), { title }))?.value;
}

/** Chooses a trace, a thread of the shown one, or another file; undefined when the user chose none. */
export async function traceOrThread(traces: TraceStatus[], title: string): Promise<Choice | undefined> {
  const items = traces.flatMap((it) => [traceItem(it), ...threadItems(it)]);
  items.push({ label: "$(folder-opened) Load another…", value: ANOTHER_FILE, alwaysShow: true });
  return (await vscode.window.showQuickPick(items, { title, matchOnDescription: true }))?.value;
}

function traceItem(it: TraceStatus): Item<Choice> {
  const size = it.sessions.number > 1 ? `${it.samples.text} of ${it.sessions.text}` : it.samples.text;
  return {
    label: `${it.shown ? "$(flame)" : "$(file)"} ${recordingName(it.name) ?? it.name}`,
    description: [recordedWhen(it.name, new Date()), it.state === "loaded" ? size : it.state, it.shown && "shown"]
      .filter(Boolean)
      .join(" · "),
    detail: it.error ?? vscode.workspace.asRelativePath(vscode.Uri.parse(it.uri)),
    value: { uri: it.uri },
  };
}

/** The threads of a trace, below it. */
function threadItems({ uri, threads }: TraceStatus): Item<Choice>[] {
  return threads.map((it) => ({
    label: `$(indent) ${it.name}`,
    description: `${it.active.text} active · ${it.samples.text}${it.shown ? " · shown" : ""}`,
    value: { uri, thread: it.name },
  }));
}

/** Chooses several threads of a trace; undefined when the user left the list. */
export async function threads({ name, threads }: TraceStatus): Promise<string[] | undefined> {
  const items = threads.map((it) => ({
    label: it.name,
    description: `${it.active.text} active · ${it.samples.text}`,
    picked: it.shown,
  }));
  const options = {
    title: `Threads of ${name}`,
    placeHolder: "Without a choice those of the page are shown",
    canPickMany: true,
  } as const;
  return (await vscode.window.showQuickPick(items, options))?.map((it) => it.label);
}

/** The hottest functions. The active item is shown in the editor, and Escape goes back. */
export async function hottest(functions: HotItem[], status: Status): Promise<void> {
  const items = functions.map((it, rank) => ({
    ...placeItem(it),
    label: `${rank + 1}. ${it.name}`,
    description: `Self ${inFull(it.self)} · Total ${inFull(it.total)}`,
  }));
  const bytes = shownTrace(status)?.unit === "bytes";
  const whole = bytes ? "allocated memory" : status.base === "active" ? "active time" : "all time";
  await pickLocation(
    items,
    `Hottest functions by self ${bytes ? "size" : "time"} (100 % is ${whole})`,
    "No function of this workspace was measured.",
  );
}

/** The callers and callees of a function, and the way to its flame graph. */
export async function callers(answer: Callers, showInFlameGraph: () => void): Promise<void> {
  const { name, callers, callees } = answer;
  const title = `${name}: ${answer.self.text} self, ${answer.total.text} total`;
  const items: Place[] = [...callItems("callers", callers), ...callItems("callees", callees)];
  if (items.length > 0) items.push({ label: "$(graph) Show in flame graph", value: undefined, run: showInFlameGraph });
  await pickLocation(items, title, `No measured function calls ${name}.`);
}

/** A function on the hottest path: the callee in which most time of the one before went. */
export interface Step {
  name: string;
  total: CallTreeItem["total"];
  uri: CallTreeItem["uri"];
  selectionRange: CallTreeItem["selectionRange"];
}

/** The functions of the hottest path, from its first one on. */
export async function hotPath(steps: Step[]): Promise<void> {
  const items = steps.map((it) => placeItem(it));
  await pickLocation(items, `The hottest path from ${steps[0]?.name}`, "");
}

/** Chooses the beginning of a path that is to be mapped, or types one; undefined when the user left the list. */
export async function prefix(prefixes: string[]): Promise<string | undefined> {
  const options = { title: "Map a path (1 of 2)", prompt: "The beginning of the URLs or paths in the trace." };
  const another = "$(edit) Another…";
  const items = [...prefixes.map((label) => ({ label })), { label: another, alwaysShow: true }];
  const placeHolder = "Which beginning of URLs or paths is a folder of this workspace?";
  const chosen = prefixes.length > 0 ? await vscode.window.showQuickPick(items, { ...options, placeHolder }) : items[0];
  if (chosen?.label !== another) return chosen?.label;
  return await vscode.window.showInputBox({ ...options, value: prefixes[0] ?? "http://localhost:3000/" });
}

/** Chooses one of the files whose source map is missing, if there are several. */
export async function lostMap(maps: LostMap[]): Promise<vscode.Uri | undefined> {
  const items: Item<vscode.Uri>[] = maps.map((it) => {
    const generated = vscode.Uri.parse(it.generated);
    const name = vscode.workspace.asRelativePath(generated);
    const detail = it.reason ?? `${it.wanted} is missing`;
    return { label: name, description: it.self.text, detail, value: generated };
  });
  if (items.length === 1) return items[0]?.value;
  return (await vscode.window.showQuickPick(items, { title: "The source map of which file?" }))?.value;
}

/** Where all the time went, and how to bring more of it to functions. */
export async function ledger(ledger: Ledger, lostMaps: LostMap[]): Promise<void> {
  const items: Item<string | undefined>[] = ledger.rows.map((it) => ({
    label: it.label,
    description: inFull(it.amount),
    detail: it.examples.join(", "),
    value: undefined,
  }));
  if (unplacedPrefixes(ledger).length > 0)
    items.push({ label: "$(link) Map a path of the trace…", value: "proflens.mapPath" });
  if (lostMaps.length > 0) items.push({ label: "$(map) Choose a missing source map…", value: "proflens.chooseMap" });
  const title = `Where ${ledger.total.text} went`;
  const chosen = await vscode.window.showQuickPick(items, { title, matchOnDetail: true });
  if (chosen?.value) await vscode.commands.executeCommand(chosen.value);
}

/** The quick actions of the status bar. */
export async function actions(status: Status, shown: TraceStatus | undefined): Promise<void> {
  const quantity = shown?.unit === "bytes" ? "size" : "time";
  const names = { time: quantity, percent: "percent", samples: "samples" };
  const next = { time: names.percent, percent: names.samples, samples: names.time }[status.unit];
  const separator = { label: "", kind: vscode.QuickPickItemKind.Separator, value: "" };
  const items: Item<string>[] = [
    ...(shown
      ? [
          { label: "$(flame) Go to one of the hottest functions…", value: "proflens.showHottest" },
          { label: "$(graph) Show flame graph", value: "proflens.showFlameGraph" },
          {
            label: `$(pie-chart) Show where the ${quantity === "size" ? "memory" : "time"} went`,
            value: "proflens.showLedger",
          },
          {
            label: status.enabled ? "$(eye-closed) Hide costs" : "$(eye) Show costs",
            value: "proflens.toggle",
          },
          ...(shown.scope
            ? [
                {
                  label: "$(clear-all) Show the whole recording",
                  description: shown.scope,
                  value: "proflens.clearScope",
                },
              ]
            : [
                { label: "$(filter) Focus on the function at the cursor…", value: "proflens.focus" },
                { label: "$(history) Select a range of time…", value: "proflens.window" },
              ]),
          status.comparison
            ? {
                label: "$(close) Stop comparing",
                description: status.comparison.title,
                value: "proflens.stopComparing",
              }
            : { label: "$(git-compare) Compare with…", value: "proflens.compareWith" },
          { label: `$(symbol-ruler) Show ${next} instead of ${names[status.unit]}`, value: "proflens.cycleUnit" },
          separator,
        ]
      : []),
    ...(vscode.workspace.isTrusted ? [{ label: "$(record) Record a command…", value: "proflens.recordCommand" }] : []),
    ...(shown && status.traces.length > 1
      ? [{ label: "$(discard) Show the previous recording", value: "proflens.showPrevious" }]
      : []),
    ...(status.traces.length > 1 || shown?.threads.length
      ? [{ label: "$(list-selection) Select trace or thread…", value: "proflens.selectTrace" }]
      : []),
    ...(shown && shown.threads.length > 1
      ? [{ label: "$(checklist) Select threads…", value: "proflens.selectThreads" }]
      : []),
    { label: "$(folder-opened) Load trace…", value: "proflens.loadTrace" },
    ...(shown ? [{ label: "$(close) Unload trace", description: shown.name, value: "proflens.unloadTrace" }] : []),
    separator,
    { label: "$(question) How to record a profile", value: "proflens.openWalkthrough" },
    { label: "$(output) Show log", value: "proflens.showLog" },
    { label: "$(debug-restart) Restart server", value: "proflens.restart" },
  ];
  const chosen = await vscode.window.showQuickPick(items, { title: "Proflens" });
  if (chosen) await vscode.commands.executeCommand(chosen.value);
}

function callItems(label: string, calls: Call[]): Item<vscode.Location | undefined>[] {
  if (calls.length === 0) return [];
  return [{ label, kind: vscode.QuickPickItemKind.Separator, value: undefined }, ...calls.map((it) => placeItem(it))];
}

function placeItem({ name, total, uri, selectionRange }: Step): Place {
  const isHere = uri !== null && selectionRange !== null;
  return {
    label: name,
    description: inFull(total),
    detail: isHere ? locationText(uri, selectionRange) : "not in this workspace",
    value: isHere ? toLocation(uri, selectionRange) : undefined,
  };
}

/** A list that shows the location of the active item, stays there on Enter, and goes back on Escape. */
function pickLocation(items: Place[], title: string, none: string): Promise<void> {
  if (items.length === 0) {
    void vscode.window.showInformationMessage(none);
    return Promise.resolve();
  }
  const before = vscode.window.activeTextEditor;
  const selection = before?.selection;
  const list = vscode.window.createQuickPick<Place>();
  list.title = title;
  list.placeholder = "Enter goes to the function, Escape goes back";
  list.items = items;
  list.matchOnDescription = true;
  list.matchOnDetail = true;
  let kept = false;
  let touched = false;
  list.onDidChangeActive(([item]) => {
    // The first item becomes active by itself; only items to which the user moves are shown.
    if (touched && item?.value) void show(item.value, true);
    touched = true;
  });
  list.onDidAccept(() => {
    kept = true;
    const [item] = list.selectedItems;
    list.hide();
    if (item?.value) void show(item.value, false);
    item?.run?.();
  });
  return new Promise((done) => {
    list.onDidHide(() => {
      list.dispose();
      if (!kept && before && selection) {
        void vscode.window.showTextDocument(before.document, {
          selection,
          viewColumn: before.viewColumn ?? vscode.ViewColumn.Active,
        });
      }
      done();
    });
    list.show();
  });
}

async function show(location: vscode.Location, preview: boolean): Promise<void> {
  const selection = new vscode.Range(location.range.start, location.range.start);
  await vscode.window.showTextDocument(location.uri, { selection, preserveFocus: preview, preview });
}

function toLocation(uri: string, { start, end }: Span): vscode.Location {
  return new vscode.Location(
    vscode.Uri.parse(uri),
    new vscode.Range(start.line, start.character, end.line, end.character),
  );
}

function locationText(uri: string, span: Span): string {
  return describeLocation(vscode.workspace.asRelativePath(vscode.Uri.parse(uri)), span);
}
