// Where the page is shown: in a webview of VS Code, or as a file of HTML that may or may not have an editor behind it.

/** A definition, as an editor is asked to open it. */
export interface Definition {
  file: string;
  path: string | null;
  line: number;
  column: number;
}

export type FromEditor =
  | { type: "data"; bytes: ArrayBuffer; keep: boolean }
  | { type: "cursor"; file: string | null; path: string | null }
  | { type: "reveal"; file: string; path: string }
  | { type: "problem"; text: string };

export interface Host {
  /** Tries to open a definition; the answer is a sentence if that cannot be. */
  open(definition: Definition): Promise<string | null>;
  save(name: string, content: Blob): Promise<void>;
  /** What was kept before the page was reloaded. */
  kept(): unknown;
  keep(state: unknown): void;
  /** Starts the page's work: bytes and messages come by it. */
  listen(onMessage: (message: FromEditor) => void): void;
}

interface VsCode {
  postMessage(message: unknown, transfer?: Transferable[]): void;
  getState(): unknown;
  setState(state: unknown): void;
}

export function findHost(): Host {
  const acquire = (globalThis as { acquireVsCodeApi?: () => VsCode }).acquireVsCodeApi;
  return acquire ? webview(acquire()) : file();
}

function webview(vscode: VsCode): Host {
  return {
    async open(definition) {
      vscode.postMessage({ type: "open", function: definition });
      return null;
    },
    async save(name, content) {
      vscode.postMessage({ type: "save", name, bytes: await content.arrayBuffer() });
    },
    kept: () => vscode.getState(),
    keep(state) {
      vscode.setState(state);
      vscode.postMessage({ type: "state", state });
    },
    listen(onMessage) {
      window.addEventListener("message", (event) => {
        if (typeof event.data?.type === "string") onMessage(event.data);
      });
      vscode.postMessage({ type: "ready" });
    },
  };
}

function file(): Host {
  const editor = document.querySelector<HTMLMetaElement>("meta[name=proflens-editor]")?.content;
  return {
    open: (definition) => (editor ? post(editor, definition) : Promise.resolve(NO_EDITOR)),
    async save(name, content) {
      const link = document.createElement("a");
      link.href = URL.createObjectURL(content);
      link.download = name;
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
    },
    kept() {
      try {
        return JSON.parse(decodeURIComponent(location.hash.slice(1)));
      } catch {
        // Not what this page wrote.
        return null;
      }
    },
    keep: (state) => location.replace(`#${encodeURIComponent(JSON.stringify(state))}`),
    listen(onMessage) {
      const data = document.getElementById("proflens-data")?.textContent ?? "";
      onMessage({ type: "data", bytes: fromBase64(data.trim()).buffer as ArrayBuffer, keep: true });
    },
  };
}

const NO_EDITOR = "This page is a file: no editor is connected to it.";

async function post(editor: string, definition: Definition): Promise<string | null> {
  try {
    const answer = await fetch(editor, { method: "POST", body: JSON.stringify(definition) });
    // An editor says why not, in a sentence.
    return answer.ok ? null : (await answer.text()).slice(0, 300) || "The editor could not open this definition.";
  } catch {
    return "The editor that wrote this page does not answer: open the flame graph from it again.";
  }
}

function fromBase64(text: string): Uint8Array {
  let binary: string;
  try {
    binary = atob(text);
  } catch {
    // Read as data that are damaged.
    return new Uint8Array(0);
  }
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i);
  return bytes;
}
