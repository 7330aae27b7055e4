// The documents of the webviews. Whatever a trace says is text in them: scripts run only by the nonce of the document.

import { randomBytes } from "node:crypto";
import * as vscode from "vscode";

/** The command of the link in `notice`. */
const LOAD = "proflens.loadThisTrace";

/** What a webview may read and run: the files of the page, and the one command of the notice. */
export function optionsOf(extension: vscode.Uri): vscode.WebviewOptions {
  return { enableScripts: true, localResourceRoots: [folderOf(extension)], enableCommandUris: [LOAD] };
}

/** The page of the flame graph. */
export function graph(webview: vscode.Webview, extension: vscode.Uri): string {
  const nonce = randomBytes(16).toString("base64url");
  const [script, style] = ["flame.js", "flame.css"].map((it) =>
    webview.asWebviewUri(vscode.Uri.joinPath(folderOf(extension), it)),
  );
  const policy = [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    `style-src ${webview.cspSource}`,
    "img-src blob: data:",
  ];
  return html(policy, `<link rel="stylesheet" href="${style}">`, `<script nonce="${nonce}" src="${script}"></script>`);
}

/** What an editor of one trace says while another one is shown, or none. */
export function notice(own: vscode.Uri, shown: string | null): string {
  const nonce = randomBytes(16).toString("base64url");
  const name = own.path.slice(own.path.lastIndexOf("/") + 1);
  const command = `command:${LOAD}?${encodeURIComponent(JSON.stringify([own.toString()]))}`;
  const style = `<style nonce="${nonce}">
p { margin: 2em; }
a { display: inline-block; margin-left: 1em; padding: 4px 12px; border-radius: 2px; text-decoration: none;
  color: var(--vscode-button-foreground); background: var(--vscode-button-background);
  border: 1px solid var(--vscode-button-border, transparent); }
a:hover { color: var(--vscode-button-foreground); background: var(--vscode-button-hoverBackground); }
</style>`;
  const sentence = shown === null ? "No trace is shown now." : `The costs of ${escaped(shown)} are shown now.`;
  const button = `<a role="button" href="${escaped(command)}">Show ${escaped(name)}</a>`;
  return html(["default-src 'none'", `style-src 'nonce-${nonce}'`], style, `<p>${sentence} ${button}</p>`);
}

function html(policy: string[], head: string, body: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy.join("; ")}">
<title>Flame graph</title>
${head}
</head>
<body>
${body}
</body>
</html>`;
}

function escaped(text: string): string {
  return text.replaceAll(/[&<>"']/g, (it) => `&#${it.charCodeAt(0)};`);
}

function folderOf(extension: vscode.Uri): vscode.Uri {
  return vscode.Uri.joinPath(extension, "dist", "flame");
}
