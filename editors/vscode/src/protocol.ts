// Our own requests, what commands take and answer, and which commands there are. Written by `cargo xtask generate` from
// `proto/ext.rs` and `commands.rs` of the server: change those.
//
// Amounts, counts and shares bring the text that users read (`Amount`, `Count`, `Share`). The plain numbers beside them
// are for drawing. Shares lie between 0 and 1 of the base, positions are LSP's.

import type { Position, Range, TextDocumentIdentifier } from "vscode-languageclient";

/** The request `proflens/documentCosts`, answered by `DocumentCosts`. */
export const DOCUMENT_COSTS = "proflens/documentCosts";

/** The request `proflens/status`, answered by `Status`. */
export const STATUS = "proflens/status";

/** The notification `proflens/act` with `ActParams`, for our own clients: run the command of a message's button. */
export const ACT = "proflens/act";

/** The request `proflens/callTree`, answered by `CallTree`, or `null` where nothing was measured. */
export const CALL_TREE = "proflens/callTree";

/** The request `proflens/hottest`, answered by `HotList`. */
export const HOTTEST = "proflens/hottest";

/** The request `proflens/flameGraph`, answered by `FlameGraphData`, or `null` where nothing is shown. */
export const FLAME_GRAPH = "proflens/flameGraph";

/** The request `proflens/flamePage`, answered by `FlamePage`, or `null` where nothing is shown. */
export const FLAME_PAGE = "proflens/flamePage";

/**
 * The request `proflens/function` with a `DefinitionData` or a place, answered by `FunctionLocation`, or `null` where
 * nothing was measured.
 */
export const FUNCTION = "proflens/function";

/**
 * An amount of what was measured: of time, in integer nanoseconds, or of memory. `text` is what users read of it, in
 * the unit that they chose: `12.3 ms`, or `~123 ms` if its error is more than a tenth of it; `beside` is what may stand
 * beside that: its share of the base, or the amount where `text` is its share.
 */
export type Amount = { ns: number; text: string; beside?: string } | { bytes: number; text: string; beside?: string };

/** A number of things, and the text of it: `214 samples`. */
export interface Count {
  number: number;
  text: string;
}

/** A part of a whole, 0 to 1, and the text of it: `94 %`. */
export interface Share {
  part: number;
  text: string;
}

/** The state of a trace; `found`: it can be loaded. */
export type LoadState = "found" | "loading" | "loaded" | "failed";

/** `{}`. */
export type StatusParams = Record<string, never>;

export interface DocumentCostsParams {
  textDocument: TextDocumentIdentifier;
}

export interface FunctionCosts {
  name: string;
  range: Range;
  selectionRange: Range;
  self: Amount;
  total: Amount;
  /** The same amount as `self`, for clients that only know time. */
  selfNs?: number;
  /** The same amount as `total`, for clients that only know time. */
  totalNs?: number;
  selfSamples: number;
  totalSamples: number;
  selfShare: number;
  totalShare: number;
  confidence: Confidence;
  freshness: Freshness;
  /** How often it was called, as counted in another run; `null` where that is not known. */
  calls: number | null;
  /** The number of tasks of more than 50 ms in which it was seen; `null` where the trace has no events that tell. */
  longTasks: number | null;
  /** The part of `self` that is on none of the lines; `null` where the trace has no lines. */
  withoutLine: Amount | null;
  /** How it changed; `null` unless what is shown is compared with something. */
  change: CostChange | null;
}

export interface LineCosts {
  line: number;
  self: Amount;
  total: Amount;
  /**
   * The part of it that is in `self` of other functions, because the engine inlined the line into them; `null` where
   * there is none.
   */
  inlined: Amount | null;
  /** The same amount as `self`, for clients that only know time. */
  selfNs?: number;
  /** The same amount as `total`, for clients that only know time. */
  totalNs?: number;
}

/** How often a line ran, as counted in another run. */
export interface LineRuns {
  line: number;
  /** `ran 1,200 times` */
  times: Count;
  /** Whether a block begins or ends on it: the line of its function before it ran more or less often. */
  isOther: boolean;
}

export interface DocumentCosts {
  /** `null` for a document that is not open. */
  version: number | null;
  /** What was measured. */
  unit: Quantity;
  functions: FunctionCosts[];
  lines: LineCosts[];
  /** How often lines ran in the run that was counted, as far as that is known; in order. */
  ran: LineRuns[];
  /** How much of the sum of all `self` of the functions is on lines; `null` where that sum is 0. */
  onLines: Share | null;
}

/** A trace that is loaded, is being loaded, could not be loaded, or was found. */
export interface TraceStatus {
  uri: string;
  name: string;
  state: LoadState;
  /** Whether its costs are those that the editor shows. */
  shown: boolean;
  format: string | null;
  /** What it measured; `null` unless its costs are shown. */
  unit: Quantity | null;
  samples: Count;
  /** 0 where it counts bytes. */
  duration: Amount;
  /** The recordings in the sum of its costs; 0 where they are not known. */
  sessions: Count;
  /** The threads from which the user can choose. */
  threads: ThreadStatus[];
  /** The part of it that is shown, in words, such as `1.2 s to 3.4 s, below parse`; `null` where that is all of it. */
  scope: string | null;
  /** The markers that a window can be made of: those of the program first, the most frequent first. */
  markers: MarkerStatus[];
  /** The labels of samples that can be chosen, such as `endpoint=/cart`, by key and then the costliest first. */
  labels: string[];
  /** Whether it says on which lines functions ran; false unless its costs are shown. */
  hasLines: boolean;
  /** Why it could not be loaded. */
  error: string | null;
}

/** Markers of the shown trace: `proflens.window` takes the name. */
export interface MarkerStatus {
  name: string;
  /** When it was and how long it took, for people, such as `at 3.2 s, 190 ms`. */
  detail: string;
}

/** A thread of the shown trace: `proflens.selectTrace` takes its name after the trace's URL. */
export interface ThreadStatus {
  name: string;
  samples: Count;
  /** The time in which it was active, or the memory that it allocated. */
  active: Amount;
  /** Whether its costs are those that the editor shows, alone or in a sum. */
  shown: boolean;
}

/** Where all that the shown trace measured went. */
export interface Ledger {
  total: Amount;
  /** What 100 % is. */
  base: Amount;
  /** How much of that is on functions of the workspace, those of generated files too, in whole percent. */
  placed: Share;
  /** They add up to `total`; those of the base come first, each by its size. */
  rows: LedgerRow[];
}

/** A line of the ledger that is not empty. */
export interface LedgerRow {
  /**
   * What it is: `placed`, `generated` (on functions of generated files, whose source maps are missing), `idle`,
   * `no-stack`, or the name of a reason, such as `gc`; there may be new ones.
   */
  why: string;
  /** The same as users read it. */
  label: string;
  amount: Amount;
  /** Resources or names to which it applies. */
  examples: string[];
}

/** A source map that was not used, so that functions stay in the generated file. */
export interface LostMap {
  /** The generated file. */
  generated: string;
  /** The path or URL at which the map is expected. */
  wanted: string;
  /** Why it was not used; `null` where it does not exist. */
  reason: string | null;
  /** What the functions of that file cost, without what they called. */
  self: Amount;
}

export interface Status {
  enabled: boolean;
  /** How costs are shown; `time` stands for what was measured, also for bytes. */
  unit: Unit;
  base: Base;
  traces: TraceStatus[];
  /** The number of what is shown, which changes with the trace, its threads and its scope; `null` where nothing is. */
  recording: number | null;
  ledger: Ledger | null;
  /** Sorted by cost, the largest first. */
  lostMaps: LostMap[];
  problems: Problem[];
  /** What the shown trace is compared with; `null` where it is with nothing. */
  comparison: ComparisonStatus | null;
}

/** A caller or callee of a function: `uri` is `null` where it is not in the workspace. */
export interface Call {
  name: string;
  uri: string | null;
  selectionRange: Range | null;
  total: Amount;
  /** Of the base. */
  share: number;
}

/** What `proflens.showCallers` answers with; `null` where nothing was measured. */
export interface Callers {
  name: string;
  self: Amount;
  total: Amount;
  callers: Call[];
  callees: Call[];
}

/** What `proflens.showCallers` takes: the arguments of a lens, or a place in a document. */
export type CallersParams = DefinitionData | { textDocument: TextDocumentIdentifier; position: Position };

/** The definition of a lens that was clicked. */
export interface DefinitionData {
  uri: string;
  /** Its path in the document's outline. */
  path: string;
}

export interface ActParams {
  /** The command without `proflens.`: `mapPath`, `chooseMap` or `showLog`. */
  action: string;
}

/** From a function to those that called it, or to those that it called. */
export type CallDirection = "callers" | "callees";

export interface CallTreeParams {
  /** The function at the root of the tree. */
  function: CallersParams;
  direction: CallDirection;
  /** The keys of the items that lead to the node, from the root; none for the root itself. */
  path?: number[];
  /**
   * The recording from whose answer the keys are. If another one is shown by now, the answer is the error
   * `ContentModified`.
   */
  recording?: number;
}

/** A node of a call tree: the items, `others` and `ends` add up to `total`. */
export interface CallTree {
  recording: number;
  /** The name of the function at the root. */
  name: string;
  function: DefinitionData;
  /** What flows through the node. */
  total: Amount;
  /** Of the base, like all shares of the tree. */
  share: number;
  /** What ends in the node: of callees what it cost itself, of callers what nothing called (an event, a timer). */
  ends: Amount;
  endsShare: number;
  /** What to call that, and what it means: `(entry)`, or `(focus)` where callers are outside of what is looked at. */
  endsName: string;
  endsAbout: string;
  /** Hottest first. */
  items: CallTreeItem[];
  /** What is not among the items, where there are more than 1,000; else `null`. */
  others: OtherCalls | null;
}

/** Callers or callees that cost less than those that are listed, all of them together. */
export interface OtherCalls {
  count: number;
  total: Amount;
  samples: Count;
  share: number;
}

/** A caller or callee in a call tree. */
export interface CallTreeItem {
  /** What names it in paths. */
  key: number;
  name: string;
  /** Where it is, or what it is, if it is not a function of the workspace. */
  description: string | null;
  /** `null` where it is not a function of the workspace. */
  function: DefinitionData | null;
  uri: string | null;
  selectionRange: Range | null;
  total: Amount;
  samples: Count;
  share: number;
}

/**
 * What a list is ordered by: `self` or `total` time, or `difference` to what is compared with, those that changed for
 * certain first. By difference there are functions only, those that are gone too; without a comparison it is by self
 * time.
 */
export type HotBy = "self" | "total" | "difference";

/** What a row of a list is. */
export type HotGroup = "function" | "file" | "folder";

export interface HottestParams {
  by?: HotBy;
  group?: HotGroup;
  /** Only rows whose name or path has this text, in any case. */
  filter?: string;
  /** How many rows; 0 for all of them. */
  limit?: number;
}

export interface HotList {
  /** The recording; `null` where no trace is shown. */
  recording: number | null;
  /** How many rows there are without the limit. */
  count: number;
  /** Hottest first. */
  items: HotItem[];
  /** Of a list of files: the folders around them, except those of the workspace. */
  folders: FolderShare[];
}

/** What all files below a folder have of the base. */
export interface FolderShare {
  uri: string;
  self: Share;
}

/** A row of a list: a function, a file or a folder; the functions are also what `proflens.showHottest` answers with. */
export interface HotItem {
  name: string;
  uri: string;
  /** The path from its workspace folder. */
  path: string;
  /** `null` for files and folders. */
  selectionRange: Range | null;
  /** `null` for files and folders. */
  function: DefinitionData | null;
  self: Amount;
  total: Amount;
  selfShare: number;
  totalShare: number;
  selfSamples: Count;
  totalSamples: Count;
  /** How often it was called, as counted in another run; `null` where that is not known, and for files and folders. */
  calls: Count | null;
  /** How it changed; `null` unless the order is by difference. */
  change: HotChange | null;
}

/** What `proflens.focus` takes. */
export interface FocusParams {
  /** By its place, or by its name; not needed for a package or a path. */
  function?: FocusedFunction;
  how: FocusHow;
  /** The package to collapse. */
  package?: string;
  /** The node of a call tree to which the path leads. */
  node?: CallTreeParams;
}

/** A function by its place, or by its name: `parse`, `Parser.parse`, `src/a.ts:parse`. */
export type FocusedFunction = string | CallersParams;

/**
 * What to look at: what is `below` a function, its `callers`, all but the samples with it (`drop`), all with its time
 * given to its callers (`merge`), a package as one function (`collapse`), or what flows through a node of a call tree
 * (`path`).
 */
export type FocusHow = "below" | "callers" | "drop" | "merge" | "collapse" | "path";

/**
 * What `proflens.window` takes: two moments since the start of the recording (`1.2s`, `300ms`, seconds, `end`), of
 * which one is enough, or the names of markers, or labels (`endpoint=/cart`), which leave a window that was chosen
 * before as it is.
 */
export interface WindowParams {
  from?: string;
  to?: string;
  markers?: string[];
  labels?: string[];
}

/** `{}`. */
export type FlameGraphParams = Record<string, never>;

/** What is shown, as a flame graph. */
export interface FlameGraphData {
  recording: number;
  /** Its bytes (docs/flame.md) in base64. */
  data: string;
}

/** For an editor that serves the page to a browser. */
export interface FlamePageParams {
  /** The path to which the page sends what is to be opened. */
  editor: string;
}

/** What is shown, as the page that `proflens flame` writes. */
export interface FlamePage {
  recording: number;
  html: string;
}

/** A measured function, and where it is now. */
export interface FunctionLocation {
  function: DefinitionData;
  uri: string;
  selectionRange: Range;
}

/** What `proflens.compareWith` takes: the side before, by its files or by a commit. The side after is what is shown. */
export interface CompareParams {
  before?: ComparedWith;
  /** The commit, branch or tag whose recordings are meant. */
  rev?: string;
}

/**
 * `previous`, which is the recording before the shown one, or paths or `file:` URLs: each file is a run, and each file
 * of a folder.
 */
export type ComparedWith = string | string[];

/** How a cost changed. */
export interface CostChange {
  verdict: Verdict;
  /**
   * With its sign: `▲38 %`, `▼12 %`, `▲×2.4`, `new`; `▲38 %?` where it is only possible; `+3 %` where there is not
   * enough data.
   */
  text: string;
  /** After divided by before; `null` where there was nothing before. */
  ratio: number | null;
}

/** A function of a comparison in a list. All texts are ready for people. */
export interface HotChange {
  verdict: Verdict;
  /** Whether hints show it too: it changed, if only possibly, or it is new or gone and cost enough to say so. */
  isShown: boolean;
  /** The verdict in a word or two, and why, as far as calls tell: `slower`, `slower: more calls`, `not enough data`. */
  words: string;
  /** `12.3 ms` */
  before: string;
  /** `17.0 ms` */
  after: string;
  /** `▲38 %`, as in `CostChange`. */
  text: string;
  /** After divided by before; `null` where there was nothing before. */
  ratio: number | null;
  /** Which of its times these are: `self` or `total`. */
  which: string;
  /** The interval of the change: `+30 % to +46 %`; `null` where it is not known. */
  interval: string | null;
}

/** What is compared, and what came out. */
export interface ComparisonStatus {
  /** What it is compared with: `yesterday.cpuprofile`, or the name of a folder. */
  title: string;
  beforePaths: string[];
  beforeRuns: number;
  afterRuns: number;
  method: Method;
  /** The numbers of functions that changed for certain. */
  slower: number;
  faster: number;
  /** The numbers of functions that possibly changed, in fewer than three runs a side. */
  maybeSlower: number;
  maybeFaster: number;
  /** The number of functions of which there is not enough data to tell. */
  unsure: number;
  /** All of it. */
  active: ActiveChange;
  /** What is compared, by what it is judged and what came out, in a few sentences: one a line. */
  sentence: string;
}

/** How all of what is shown changed. */
export interface ActiveChange {
  /** `+3.8 %` */
  text: string;
  verdict: Verdict;
}

/** The unit of the numbers of hints and lenses. */
export type Unit = "time" | "percent" | "samples";

/** What 100 % is, of all threads in scope. */
export type Base = "active" | "all";

/** What the weights of a profile count. */
export type Quantity = "time" | "bytes";

/** How certain a place is; the best first. */
export type Confidence = "exact" | "snapped" | "name";

/** How well a measured cost fits today's text. */
export type Freshness = "fresh" | "moved" | "edited" | "gone";

/** What differences are judged by. */
export type Method = "runs" | "one-against-many" | "sampling" | "none";

/** The verdict on a change. */
export type Verdict =
  | "regression"
  | "improvement"
  | "possible-regression"
  | "possible-improvement"
  | "shifted"
  | "new"
  | "gone"
  | "not-comparable"
  | "unchanged"
  | "unsure";

/**
 * What is wrong, where, and what to do about it.
 * Each part is a clause that begins in lower case, but for names, and ends without a full stop, so that a note can say
 * `app.json: 3 samples name nodes that do not exist; their time is counted as unknown`, and an error two sentences.
 */
export interface Problem {
  /** What is wrong: `3 samples name nodes that do not exist`. */
  what: string;
  /** The trace, file or resource in which it is wrong; empty if `what` says so itself, or until the name is known. */
  where: string;
  /**
   * What the user can do, or what was done instead: `their time is counted as unknown`. Empty if there is nothing to
   * do.
   */
  hint: string;
}

/** Every command of `package.json`. */
export type Command =
  | "proflens.loadTrace"
  | "proflens.unloadTrace"
  | "proflens.selectTrace"
  | "proflens.focus"
  | "proflens.window"
  | "proflens.clearScope"
  | "proflens.cycleUnit"
  | "proflens.toggle"
  | "proflens.showHottest"
  | "proflens.showLedger"
  | "proflens.showCallers"
  | "proflens.showFlameGraph"
  | "proflens.compareWith"
  | "proflens.stopComparing"
  | "proflens.mapPath"
  | "proflens.chooseMap"
  | "proflens.restart"
  | "proflens.showLog"
  | "proflens.recordCommand"
  | "proflens.recordDebugSession"
  | "proflens.stopRecording"
  | "proflens.showPrevious"
  | "proflens.renameRecording"
  | "proflens.deleteRecording"
  | "proflens.cancelLoading"
  | "proflens.nextHot"
  | "proflens.previousHot"
  | "proflens.showHotPath"
  | "proflens.explain"
  | "proflens.showActions"
  | "proflens.openWalkthrough"
  | "proflens.loadThisTrace"
  | "proflens.selectThreads"
  | "proflens.showCallTree"
  | "proflens.showInFlameGraph"
  | "proflens.showLineCosts"
  | "proflens.hideLineCosts"
  | "proflens.orderBySelf"
  | "proflens.orderByTotal"
  | "proflens.orderByDifference"
  | "proflens.compareWithThis"
  | "proflens.compareWithThisFile"
  | "proflens.listFunctions"
  | "proflens.listFiles"
  | "proflens.listFolders"
  | "proflens.filterHottest"
  | "proflens.clearFilter"
  | "proflens.pinFunction"
  | "proflens.unpinFunction"
  | "proflens.focusOnPath"
  | "proflens.copyName"
  | "proflens.copyRow"
  | "proflens.revealFile";
