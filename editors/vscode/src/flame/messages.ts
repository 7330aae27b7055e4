// What the extension and the page of the flame graph say to each other. The page's own half is `editors/flame`.

/** A function as the page names it: as in the data, in which files of the first workspace folder are relative to it. */
export interface PageFunction {
  file: string | null;
  /** The path of its definition in the file, if it has one. */
  path: string | null;
  /** From 1; 0 where it is unknown. */
  line: number;
  column: number;
}

/** A definition by its file, an absolute path with slashes, and its path in the file. */
export interface Definition {
  file: string;
  path: string;
}

export type ToPage =
  /** What to draw. With `keep` the view stays where it is, or was before the document was thrown away. */
  | { type: "data"; bytes: ArrayBuffer; keep: true }
  /** The function at the editor's cursor, to be outlined. */
  | ({ type: "cursor" } & (Definition | { file: null; path: null }))
  /** A function to show. */
  | ({ type: "reveal" } & Definition)
  /** A sentence, instead of a graph. */
  | { type: "problem"; text: string };

export type FromPage =
  | { type: "ready" }
  | { type: "open"; function: PageFunction }
  /** Its state, which the webview keeps for it. */
  | { type: "state" }
  | { type: "save"; name: string; bytes: ArrayBuffer | Uint8Array };
