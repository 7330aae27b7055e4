// Builds the page twice: script and style for a webview, and one HTML file that the server puts data into. The same sources give
// the same bytes.

import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const outfile = join(here, "dist/flame.js");
const options = {
  bundle: true,
  minify: true,
  target: "es2022",
  charset: "ascii",
  logLevel: "warning",
  absWorkingDir: here,
};
await build({ ...options, entryPoints: ["src/main.ts"], format: "iife", legalComments: "none", outfile });
await build({ ...options, target: "chrome122", entryPoints: ["src/flame.css"], outfile: join(here, "dist/flame.css") });

const script = readFileSync(outfile, "utf8").trim();
const style = readFileSync(join(here, "dist/flame.css"), "utf8").trim();
for (const text of [script, style]) {
  if (/<\/(script|style)|<!--|__PROFLENS/i.test(text))
    throw new Error("The page's code may not hold tags, comments of HTML or placeholders.");
}

const hash = (text) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
const policy = [
  "default-src 'none'",
  `script-src ${hash(script)}`,
  `style-src ${hash(style)}`,
  "img-src blob: data:",
  "connect-src __PROFLENS_CONNECT__",
  "base-uri 'none'",
  "form-action 'none'",
].join("; ");

const page = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width">
<meta name="generator" content="Proflens">
<!--proflens-editor-->
<title><!--proflens-title--></title>
<style>${style}</style>
</head>
<body>
<noscript>This flame graph is drawn by a script: allow scripts for this file.</noscript>
<script type="text/plain" id="proflens-data"><!--proflens-data--></script>
<script>${script}</script>
</body>
</html>
`;
const template = join(here, "../../server/flame/page/flame.html");
// The server is rebuilt when its time changes.
if (!existsSync(template) || readFileSync(template, "utf8") !== page) {
  mkdirSync(dirname(template), { recursive: true });
  writeFileSync(template, page);
}
