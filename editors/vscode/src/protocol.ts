// Our own requests, what commands take and answer, and which commands there are. Written by `cargo xtask generate` from
// `proto/ext.rs` and `commands.rs` of the server: change those.
//
// An amount carries its unit (`Amount`). What is a time whatever was measured ends in `Ns`. Shares lie between 0 and 1
// of the base, positions are LSP's.

import type { Position, Range, TextDocumentIdentifier } from "vscode-languageclient";

/** The request `proflens/documentCosts`, answered by `DocumentCosts`. */
export const DOCUMENT_COSTS = "proflens/documentCosts";

/** The request `proflens/status`, answered by `Status`. */
export const STATUS = "proflens/status";

/**
 * The notification `proflens/act` with `ActParams`, for clients that draw our lists themselves: do what a message's
 * button says.
 */
export const ACT = "proflens/act";

/** An amount of what was measured: of time, in integer nanoseconds, or of memory. */
export type Amount = { ns: number } | { bytes: number };

/** What a trace measured. */
export type Quantity = "time" | "bytes";

/** How sure it is that a cost belongs to its function. */
export type Confidence = "exact" | "snapped" | "name";

/** Whether the function still is as it was measured. */
export type Freshness = "fresh" | "moved" | "edited" | "gone";

/** How far a trace is read; `found` is one that is offered. */
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
  /** An estimate, like the two below; `null` where the trace has no events to tell it by. */
  calls: number | null;
  longestCallNs: number | null;
  /** In how many tasks of more than 50 ms it was called. */
  longTasks: number | null;
}

export interface LineCosts {
  line: number;
  self: Amount;
  total: Amount;
  /** The same amount as `self`, for clients that only know time. */
  selfNs?: number;
  /** The same amount as `total`, for clients that only know time. */
  totalNs?: number;
}

export interface DocumentCosts {
  /** `null` for a document that is not open. */
  version: number | null;
  /** What was measured. */
  unit: Quantity;
  functions: FunctionCosts[];
  lines: LineCosts[];
}

/** A trace that is loaded, is being loaded, could not be, or was found and is offered. */
export interface TraceStatus {
  uri: string;
  name: string;
  state: LoadState;
  /** Whether its costs are those that the editor shows. */
  shown: boolean;
  format: string | null;
  /** What it measured; `null` unless its costs are shown. */
  unit: Quantity | null;
  samples: number;
  /** 0 where it counts bytes. */
  durationNs: number;
  /** The number of recordings of which its costs are the sum; 0 where they are not known. */
  sessions: number;
  /** Those among which there is a choice. */
  threads: ThreadStatus[];
  /** Why it could not be loaded. */
  error: string | null;
}

/** A thread of the shown trace: `proflens.selectTrace` takes its name after the trace's URL. */
export interface ThreadStatus {
  name: string;
  samples: number;
  /** What was measured while it did something. */
  active: Amount;
  /** Whether its costs are those that the editor shows, alone or in a sum. */
  shown: boolean;
}

/** What lies on no function of the workspace, for one reason. */
export interface Unplaced {
  /** The reason's name, such as `gc`; there may be new ones. */
  why: string;
  /** The reason as people read it, such as `Garbage collection`. */
  reason: string;
  amount: Amount;
  /** The same amount, for clients that only know time. */
  ns?: number;
  samples: number;
  /** Resources or names for which this is so. */
  examples: string[];
}

/**
 * Where all that the shown trace measured went: `total` is the sum of everything below it but `base` and `generated`.
 * Each field that ends in `Ns` is the same amount as the one without, for clients that only know time.
 */
export interface Ledger {
  total: Amount;
  /** What 100 % is. */
  base: Amount;
  placed: Amount;
  /** The part of `placed` that stays in generated files for want of their source maps. */
  generated: Amount;
  idle: Amount;
  noStack: Amount;
  unplaced: Unplaced[];
  totalNs?: number;
  baseNs?: number;
  placedNs?: number;
  generatedNs?: number;
  idleNs?: number;
  noStackNs?: number;
}

/** A source map that was not used, so that functions stay where they were built. */
export interface LostMap {
  /** The file that was built. */
  generated: string;
  /** The path or URL at which the map ought to be. */
  wanted: string;
  /** Why it was not used; `null` where it is not there. */
  reason: string | null;
  /** What the functions of that file cost, without what they called. */
  self: Amount;
}

export interface Problem {
  what: string;
  where: string;
  hint: string;
}

export interface Status {
  enabled: boolean;
  /** How costs are shown; `time` is what was measured, bytes too. */
  unit: Unit;
  base: Base;
  traces: TraceStatus[];
  ledger: Ledger | null;
  /** The one that costs most first. */
  lostMaps: LostMap[];
  problems: Problem[];
}

/** A measured function somewhere in the workspace: what `proflens.showHottest` answers with, hottest first. */
export interface HotFunction {
  name: string;
  uri: string;
  selectionRange: Range;
  self: Amount;
  total: Amount;
  selfShare: number;
  totalShare: number;
  totalSamples: number;
}

/** Who called a function, or whom it called: `uri` is `null` where the place is not in the workspace. */
export interface Call {
  name: string;
  uri: string | null;
  selectionRange: Range | null;
  total: Amount;
  /** Of the function's total. */
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

/** What `proflens.showCallers` takes: what a lens carries, or a place in a document. */
export type CallersParams = DefinitionData | { textDocument: TextDocumentIdentifier; position: Position };

/** What a lens says of its definition when it is clicked. */
export interface DefinitionData {
  uri: string;
  /** Its path in the document's outline. */
  path: string;
}

export interface ActParams {
  /** The command without `proflens.`: `mapPath`, `chooseMap` or `showLog`. */
  action: string;
}

/** What 100 % is. */
export type Base = "active" | "all";

/** The unit of the numbers of hints and lenses. */
export type Unit = "time" | "percent" | "samples";

/** Every command of `package.json`. */
export type Command =
  | "proflens.loadTrace"
  | "proflens.unloadTrace"
  | "proflens.selectTrace"
  | "proflens.cycleUnit"
  | "proflens.toggle"
  | "proflens.showHottest"
  | "proflens.showLedger"
  | "proflens.showCallers"
  | "proflens.mapPath"
  | "proflens.chooseMap"
  | "proflens.restart"
  | "proflens.showLog"
  | "proflens.showActions"
  | "proflens.openWalkthrough"
  | "proflens.loadThisTrace";
