// Keys and what they do, in one table: the page acts by it, and the help shows it.

import { button, el } from "./dom";
import { openDialog } from "./menu";

export type Command =
  | "up"
  | "down"
  | "left"
  | "right"
  | "zoomIn"
  | "zoomOut"
  | "reset"
  | "zoomToFrame"
  | "panLeft"
  | "panRight"
  | "pageUp"
  | "pageDown"
  | "open"
  | "back"
  | "search"
  | "merged"
  | "inverted"
  | "time"
  | "sandwich"
  | "table"
  | "focus"
  | "invert"
  | "fold"
  | "threads"
  | "pickFunction"
  | "span"
  | "widths"
  | "nextMarker"
  | "previousMarker"
  | "pin"
  | "copyName"
  | "copyStack"
  | "picture"
  | "help";

interface Key {
  keys: string[];
  command: Command;
  text: string;
}

export const KEYS: Key[] = [
  { keys: ["ArrowUp"], command: "up", text: "Select the frame above" },
  { keys: ["ArrowDown"], command: "down", text: "Select the frame below" },
  { keys: ["ArrowLeft"], command: "left", text: "Select the frame to the left" },
  { keys: ["ArrowRight"], command: "right", text: "Select the frame to the right" },
  { keys: ["+", "="], command: "zoomIn", text: "Zoom in" },
  { keys: ["-"], command: "zoomOut", text: "Zoom out" },
  { keys: ["0"], command: "reset", text: "Show all" },
  { keys: ["z"], command: "zoomToFrame", text: "Zoom to the selected frame" },
  { keys: ["a"], command: "panLeft", text: "Move to the left" },
  { keys: ["d"], command: "panRight", text: "Move to the right" },
  { keys: ["PageUp"], command: "pageUp", text: "Scroll up" },
  { keys: ["PageDown"], command: "pageDown", text: "Scroll down" },
  { keys: ["Enter"], command: "open", text: "Open the definition of the selected frame" },
  { keys: [" ", "t"], command: "pin", text: "Say all of the selected frame, with buttons" },
  { keys: ["Escape"], command: "back", text: "Back: close, zoom out, clear" },
  { keys: ["/"], command: "search", text: "Search text or /regular expression/" },
  { keys: ["1"], command: "merged", text: "Merged view" },
  { keys: ["2"], command: "inverted", text: "Bottom-up view" },
  { keys: ["3"], command: "time", text: "Time order" },
  { keys: ["4"], command: "sandwich", text: "Sandwich of the selected function" },
  { keys: ["5"], command: "table", text: "Table" },
  { keys: ["f"], command: "focus", text: "Focus: only what the selected function did and called, or all again" },
  { keys: ["i"], command: "invert", text: "Turn upside down" },
  { keys: ["r"], command: "fold", text: "Fold recursion, or unfold it" },
  { keys: ["p"], command: "threads", text: "Pick threads" },
  { keys: ["g"], command: "pickFunction", text: "Go to a function" },
  { keys: ["s"], command: "span", text: "In time order: only the span that is seen, or all time again" },
  {
    keys: ["w"],
    command: "widths",
    text: "In a comparison: widths before, where frames that are gone are seen, or after",
  },
  { keys: ["m"], command: "nextMarker", text: "In time order: next marker" },
  { keys: ["M"], command: "previousMarker", text: "In time order: previous marker" },
  { keys: ["c"], command: "copyName", text: "Copy the name" },
  { keys: ["C"], command: "copyStack", text: "Copy the stack" },
  { keys: ["e"], command: "picture", text: "Save or copy a picture" },
  { keys: ["?"], command: "help", text: "Show these keys" },
];

/** Keys that an element with the focus needs for itself. */
function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.matches("input:not([type=checkbox]), textarea, select");
}

/** The command of a key press; null where it belongs to an element or to the browser. */
export function commandOf(event: KeyboardEvent): Command | null {
  if (event.ctrlKey || event.metaKey || event.altKey) return null;
  if (isTyping(event.target)) return event.key === "Escape" ? "back" : null;
  const onButton = event.target instanceof HTMLElement && event.target.closest("button, a, summary") !== null;
  if (onButton && (event.key === "Enter" || event.key === " ")) return null;
  return KEYS.find(({ keys }) => keys.includes(event.key))?.command ?? null;
}

const NAMES: Record<string, string> = {
  ArrowUp: "↑",
  ArrowDown: "↓",
  ArrowLeft: "←",
  ArrowRight: "→",
  Escape: "Esc",
  PageUp: "Page up",
  PageDown: "Page down",
  " ": "Space",
};

export function showHelp(parent: HTMLElement) {
  const rows = KEYS.map(({ keys, text }) => {
    const names = keys.flatMap((it, i) => [...(i > 0 ? [" "] : []), el("kbd", {}, NAMES[it] ?? it)]);
    return el("tr", {}, el("th", { scope: "row" }, ...names), el("td", {}, text));
  });
  const mouse = el(
    "p",
    {},
    "Wheel: zoom. Shift and wheel, or sideways on a touch pad: move. Alt and wheel: scroll. Drag: move. Click: keep the tooltip. Double click: open the definition.",
  );
  const dialog = openDialog(parent, "Keys and mouse", el("table", { class: "keys" }, el("tbody", {}, ...rows)), mouse);
  const close = button("Close", "Close", () => dialog.close());
  dialog.append(el("div", { class: "actions" }, close));
  dialog.addEventListener("keydown", (event) => event.stopPropagation());
  close.focus();
}
