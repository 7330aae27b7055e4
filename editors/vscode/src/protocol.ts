// What is said between this extension and the server beyond the standard protocol.
// It mirrors `server/proflens/src/proto/ext.rs`, in the same order.
// Times are integer nanoseconds in fields that end in `Ns`. Where the shown trace counts bytes, those fields end in `Bytes`
// and `ns` is `bytes`, all but `durationNs`; `amount` in text.ts reads both. Shares lie between 0 and 1 of the base,
// positions are LSP's.

import type { Position, Range, TextDocumentIdentifier } from "vscode-languageclient";

/** The request that `DocumentCosts` answers. */
export const DOCUMENT_COSTS = "proflens/documentCosts";

/** The request that `Status` answers. */
export const STATUS = "proflens/status";

/** `{}`. */
export type StatusParams = Record<string, never>;

/** How sure it is that a cost belongs to its function. */
export type Confidence = "exact" | "snapped" | "name";

/** What a trace measured. */
export type Quantity = "time" | "bytes";

/** Whether the function still is as it was measured. */
export type Freshness = "fresh" | "moved" | "edited";

export interface DocumentCostsParams {
  textDocument: TextDocumentIdentifier;
}

export interface FunctionCosts {
  name: string;
  range: Range;
  selectionRange: Range;
  selfNs: number;
  totalNs: number;
  selfSamples: number;
  totalSamples: number;
  selfShare: number;
  totalShare: number;
  confidence: Confidence;
  freshness: Freshness;
  /** An estimate, like the two below; `null` where the trace has no events to tell it by. */
  calls?: number | null;
  longestCallNs?: number | null;
  /** In how many tasks of more than 50 ms it was called. */
  longTasks?: number | null;
}

export interface LineCosts {
  line: number;
  selfNs: number;
  totalNs: number;
}

export interface DocumentCosts {
  /** `null` for a document that is not open. */
  version?: number | null;
  unit: Quantity;
  functions: FunctionCosts[];
  lines: LineCosts[];
}

/** A trace that is loaded, is being loaded, could not be, or was found and is offered. */
export interface TraceStatus {
  uri: string;
  name: string;
  state: "loaded" | "loading" | "failed" | "found";
  /** Whether its costs are those that the editor shows. */
  shown: boolean;
  format?: string | null;
  unit?: Quantity | null;
  samples: number;
  /** 0 where it counts bytes. */
  durationNs: number;
  /** The number of recordings of which its costs are the sum; 0 where they are not known. */
  sessions: number;
  /** Those among which there is a choice. */
  threads: ThreadStatus[];
  /** Why it could not be loaded. */
  error?: string | null;
}

/** A thread of the shown trace: `proflens.selectTrace` takes its name behind the trace's URL. */
export interface ThreadStatus {
  name: string;
  samples: number;
  /** Time in which it did something. */
  activeNs: number;
  /** Whether its costs are those that the editor shows, alone or in a sum. */
  shown: boolean;
}

export interface Unplaced {
  why: string;
  ns: number;
  samples: number;
  examples: string[];
}

/** Where all the time of the shown trace went: `totalNs` is the sum of all below it but `baseNs`, `generatedNs`. */
export interface Ledger {
  totalNs: number;
  /** What 100 % is. */
  baseNs: number;
  placedNs: number;
  /** The part of `placedNs` that stays in generated files for want of their source maps. */
  generatedNs: number;
  idleNs: number;
  noStackNs: number;
  unplaced: Unplaced[];
}

/** A source map that was not used, so that functions stay where they were built. */
export interface LostMap {
  /** The file that was built. */
  generated: string;
  /** The path or URL at which the map ought to be. */
  wanted: string;
  /** Why it was not used; missing where it is not there. */
  reason?: string | null;
  /** Own time of the functions of that file. */
  ns: number;
}

export interface Problem {
  what: string;
  where: string;
  hint: string;
}

export interface Status {
  enabled: boolean;
  /** How costs are shown; `time` is what was measured, bytes too. */
  unit: "time" | "percent" | "samples";
  base: "active" | "all";
  traces: TraceStatus[];
  ledger?: Ledger | null;
  /** The one that costs most first. */
  lostMaps: LostMap[];
  problems: Problem[];
}

/** A measured function somewhere in the workspace: what `proflens.showHottest` answers with, hottest first. */
export interface HotFunction {
  name: string;
  uri: string;
  selectionRange: Range;
  selfNs: number;
  totalNs: number;
  selfShare: number;
  totalShare: number;
  totalSamples: number;
}

/** Who called a function, or whom it called: `uri` is missing where the place is not in the workspace. */
export interface Call {
  name: string;
  uri?: string | null;
  selectionRange?: Range | null;
  totalNs: number;
  /** Of the function's total time. */
  share: number;
}

/** What `proflens.showCallers` answers with; `null` where nothing was measured. */
export interface Callers {
  name: string;
  selfNs: number;
  totalNs: number;
  callers: Call[];
  callees: Call[];
}

/** What `proflens.showCallers` takes: what a lens carries, or a place in a document. */
export type CallersParams = DefinitionData | { textDocument: TextDocumentIdentifier; position: Position };

/** The definition that a hint or a lens is about. */
export interface DefinitionData {
  uri: string;
  path: string;
}

/** The notification `proflens/act`: do what a message's button says. */
export const ACT = "proflens/act";

export interface ActParams {
  action: "mapPath" | "chooseMap" | "showLog";
}
