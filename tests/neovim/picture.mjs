// A terminal's screen as a page: `node picture.mjs SCREEN PAGE`, where SCREEN has text with colour escapes (`tmux
// capture-pane -p -e`). The page is then photographed for the README.

import { readFileSync, writeFileSync } from "node:fs";

const [, , screen, page] = process.argv;

// The 16 named colours, then the cube and the greys of the 256.
const NAMED =
  "282c34 e06c75 98c379 e5c07b 61afef c678dd 56b6c2 abb2bf 5c6370 e06c75 98c379 e5c07b 61afef c678dd 56b6c2 ffffff".split(" ");
const LEVELS = [0, 95, 135, 175, 215, 255];
const hex = (...channels) => channels.map((it) => it.toString(16).padStart(2, "0")).join("");

function palette(index) {
  if (index < 16) return NAMED[index];
  if (index >= 232) return hex(...Array(3).fill(8 + 10 * (index - 232)));
  const at = index - 16;
  return hex(LEVELS[Math.floor(at / 36)], LEVELS[Math.floor(at / 6) % 6], LEVELS[at % 6]);
}

function colour(codes) {
  const kind = codes.shift();
  if (kind === 5) return palette(codes.shift());
  return hex(codes.shift(), codes.shift(), codes.shift());
}

let style = {};
function set(codes) {
  while (codes.length > 0) {
    const code = codes.shift();
    if (code === 0) style = {};
    else if (code === 1) style.bold = true;
    else if (code === 3) style.italic = true;
    else if (code === 4) style.underline = true;
    else if (code === 7) style.reverse = true;
    else if (code === 22) delete style.bold;
    else if (code === 23) delete style.italic;
    else if (code === 24) delete style.underline;
    else if (code === 27) delete style.reverse;
    else if (code >= 30 && code <= 37) style.front = NAMED[code - 30];
    else if (code === 38) style.front = colour(codes);
    else if (code === 39) delete style.front;
    else if (code >= 40 && code <= 47) style.back = NAMED[code - 40];
    else if (code === 48) style.back = colour(codes);
    else if (code === 49) delete style.back;
    else if (code >= 90 && code <= 97) style.front = NAMED[code - 82];
    else if (code >= 100 && code <= 107) style.back = NAMED[code - 92];
  }
}

const FRONT = "e0e2ea";
const BACK = "14161b";
function css() {
  let [front, back] = [style.front ?? FRONT, style.back];
  if (style.reverse) [front, back] = [back ?? BACK, style.front ?? FRONT];
  const parts = [`color:#${front}`];
  if (back) parts.push(`background:#${back}`);
  if (style.bold) parts.push("font-weight:bold");
  if (style.italic) parts.push("font-style:italic");
  if (style.underline) parts.push("text-decoration:underline");
  return parts.join(";");
}

const escaped = (text) => text.replace(/[&<>]/g, (it) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;" })[it]);

let body = "";
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what this reads
for (const [, codes, text] of readFileSync(screen, "utf8").replace(/\n+$/, "").matchAll(/(?:\x1b\[([\d;:]*)m)|([^\x1b]+)/g)) {
  if (codes !== undefined) set((codes || "0").split(/[;:]/).map(Number));
  else body += `<span style="${css()}">${escaped(text)}</span>`;
}

writeFileSync(
  page,
  `<!doctype html><meta charset="utf-8"><style>
html { background: #${BACK}; }
body { margin: 12px; }
pre { font: 13px/1.38 "DejaVu Sans Mono", monospace; margin: 0; }
span { padding: 0.19em 0; }
</style><pre>${body}</pre>
`,
);
